"""Rephrasing of sentences (Li, Wang and Eisner 2019, section 6.3), with a model of order."""
