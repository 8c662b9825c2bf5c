"""Analyses and restorations as CoNLL-U, brackets, text and JSON."""
