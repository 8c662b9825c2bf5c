"""Training: settings, the loop, evaluation, and model folders.

The modules are imported one by one, so that reading settings does not load JAX.
"""
