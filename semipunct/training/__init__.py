"""Training: settings, the loop and its state, reports; every kind of model is trained here.

The modules are imported one by one, so that reading settings does not load JAX.
"""
