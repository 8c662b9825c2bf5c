"""Models, one package per family; no family imports another."""
