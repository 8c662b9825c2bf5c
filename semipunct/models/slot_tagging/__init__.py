"""Slot taggers: the recurrent and the trivial baselines of the punctuation model."""
