"""Correction of punctuation: systems, the sentences they correct, and the tables of their edits."""
