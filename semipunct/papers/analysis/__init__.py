"""Rules that a model has learned, and its competitors (Li, Wang and Eisner 2019, section 5)."""
