"""A generative model of punctuation in dependency trees (Li, Wang and Eisner 2019)."""

__version__ = "0.1.0"
