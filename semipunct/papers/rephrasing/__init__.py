"""Rephrasing with a model of order (Li, Wang and Eisner 2019, section 6.3)."""
