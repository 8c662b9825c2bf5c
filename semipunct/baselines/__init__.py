"""Competitors of the model, behind one protocol (``semipunct.tasks.base``)."""
