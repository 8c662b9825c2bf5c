"""Incorrect semirings: each is a correct one with a single planted fault, and a law it breaks."""
