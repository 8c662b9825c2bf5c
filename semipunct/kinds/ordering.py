"""The ordering model, which rephrasing uses: the perplexity of the order of dependents."""

from semipunct.kinds.answers import Answers

ANSWERS = Answers()
