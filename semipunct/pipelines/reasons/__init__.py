"""Reasons for marks in the words of a style guide, by the words at hand or by the tree."""
