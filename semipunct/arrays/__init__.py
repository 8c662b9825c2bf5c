"""Utilities for arrays: padding to few shapes, checks of shapes, compilation.

No other package changes the configuration of JAX.
"""
