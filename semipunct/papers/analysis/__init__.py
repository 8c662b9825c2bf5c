"""What a model has learned, and its competitors (Li, Wang and Eisner 2019, sections 5 and 6)."""
