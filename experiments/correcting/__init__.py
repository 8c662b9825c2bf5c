"""Correction of punctuation: systems, data, and tables of edits."""
