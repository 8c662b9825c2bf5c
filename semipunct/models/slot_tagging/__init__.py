"""Taggers of slots: the recurrent and the trivial competitors of the punctuation model."""
