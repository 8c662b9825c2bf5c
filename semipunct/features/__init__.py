"""Vocabularies, attributes, templates and the index of features; every model may read them."""
