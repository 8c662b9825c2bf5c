"""A probabilistic projective dependency parser and tagger."""
