"""Models of the marks, sentence ends and capitals of running text."""
