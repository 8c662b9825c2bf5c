"""A parser of phrases: labelled spans over words."""
