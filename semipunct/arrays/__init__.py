"""Arrays: padding to few shapes, checks of shapes, compiling.

The only room that touches the configuration of jax.
"""
