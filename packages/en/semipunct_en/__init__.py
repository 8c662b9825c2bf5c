"""Models of English with trees; the README of the distribution lists their training data."""
