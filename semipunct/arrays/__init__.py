"""Padding to few shapes, checks of shapes, and compilation."""
