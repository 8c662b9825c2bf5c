"""Vocabularies, attributes, templates and the feature index, for use by all models."""
