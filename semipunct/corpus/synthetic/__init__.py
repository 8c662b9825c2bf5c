"""Synthetic treebanks: their parameters, sentences drawn from them, trees of extreme shapes."""

from semipunct.corpus.synthetic.generation import SyntheticSentence, generate
from semipunct.corpus.synthetic.parameters import GeneratorParameters, english_parameters
from semipunct.corpus.synthetic.scaling import scaling_sentence

__all__ = [
    "GeneratorParameters",
    "SyntheticSentence",
    "english_parameters",
    "generate",
    "scaling_sentence",
]
