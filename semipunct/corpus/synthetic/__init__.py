"""Synthetic treebanks: parameters, generated sentences, extreme trees, errors of learners."""

from semipunct.corpus.synthetic.generation import SyntheticSentence, generate
from semipunct.corpus.synthetic.learners import LearnerErrors, english_learner_errors, erroneous
from semipunct.corpus.synthetic.parameters import GeneratorParameters, english_parameters
from semipunct.corpus.synthetic.scaling import scaling_sentence

__all__ = [
    "GeneratorParameters",
    "LearnerErrors",
    "SyntheticSentence",
    "english_learner_errors",
    "english_parameters",
    "erroneous",
    "generate",
    "scaling_sentence",
]
