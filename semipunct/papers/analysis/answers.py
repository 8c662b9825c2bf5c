"""The slot taggers, which are compared with punctuation models: perplexity, suspicious marks."""

from semipunct.kinds.answers import Answers
from semipunct.kinds.criteria import assess_perplexity
from semipunct.tasks.suspects import list_suspects

ANSWERS = Answers(evaluate=assess_perplexity, judge=list_suspects)
