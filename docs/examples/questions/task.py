"""Classification of questions by words and tree."""

from collections.abc import Sequence

import numpy as np
from questions.metric import QuestionStatistics

from semipunct import Sentence
from semipunct.evaluation import Result, join_signature
from semipunct.extend import treebank_digest

ASKING = ("who", "what", "when", "where", "why", "how", "which", "whose")


def is_question(sentence: Sentence) -> bool:
    """Return whether a sentence begins with a question word or an auxiliary."""
    return sentence.forms[0].lower() in ASKING or sentence.upos[0] == "AUX"


def questions(sentences: Sequence[Sentence]) -> Result:
    """Compare predictions with the question marks at the ends of sentences."""
    asked = np.array(["?" in s.slots[-1] for s in sentences], np.int64)
    told = np.array([is_question(s) for s in sentences], np.int64)
    signature = {"task": "questions", "treebank": treebank_digest(sentences)[:12]}
    statistics = QuestionStatistics(asked=asked, right=(asked == told).astype(np.int64))
    return Result("rule", join_signature(signature), statistics)
