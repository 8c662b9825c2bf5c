"""The slot taggers, which are compared with punctuation models: perplexity, suspicious marks."""

from semipunct.kinds.answers import Answers
from semipunct.kinds.criteria import assess_perplexity

ANSWERS = Answers(evaluate=assess_perplexity)
