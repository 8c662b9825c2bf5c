"""Structures over any semiring: one forward routine each, and the type of its potentials."""
