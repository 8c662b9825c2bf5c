"""Arc-standard beam parsing, with punctuation as properties of words (Ma et al. 2014)."""
