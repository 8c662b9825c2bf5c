"""A probabilistic dependency parser and tagger."""
