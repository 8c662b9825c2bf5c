"""Arrays: padding to few shapes, checks of shapes, compilation.

No other room touches the configuration of JAX.
"""
