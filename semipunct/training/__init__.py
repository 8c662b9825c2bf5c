"""Training of all kinds of models; settings can be imported without loading JAX."""
