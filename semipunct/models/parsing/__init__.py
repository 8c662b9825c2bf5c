"""A probabilistic projective dependency parser, with tags."""
