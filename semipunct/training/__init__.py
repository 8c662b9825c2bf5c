"""Training of models of every kind: settings, the loop and its state, reports.

The package imports none of its modules, so that settings can be read without loading JAX.
"""
