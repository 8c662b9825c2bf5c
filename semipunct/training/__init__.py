"""Training of models of every kind: settings, the loop and its state, reports.

The modules are imported one by one, so that reading settings does not load JAX.
"""
