"""Arc-standard parsing with a beam, and punctuation as properties of words (Ma et al. 2014)."""
