"""Models, one folder each; no model imports another."""
