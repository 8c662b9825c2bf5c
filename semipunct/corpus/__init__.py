"""Sentences with their punctuation in slots: statistics, digests, the synthetic generator."""
