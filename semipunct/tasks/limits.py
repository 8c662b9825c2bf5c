"""The most that options may ask for: larger numbers take more memory or time than they are worth.

Nothing is imported here, so that the command line knows the limits before it loads anything.
"""

SAMPLES = 100_000
"""Draws a sentence in restoration: the error of a probability is then at most 0.0016."""

TREES = 1_000
"""Trees a sentence drawn from the posterior, which are held at once for a whole batch."""

RANKS = 16
"""Best trees a sentence: the program that ranks them grows with their number, and is compiled."""

RESAMPLES = 10_000_000
"""Resamples of a comparison."""

LAW_DRAWS = 1_000_000
"""Values drawn for each operand of a law."""

PARSED = 400
"""Words that are parsed at once: time grows with their cube. A longer sentence is parsed in pieces
of at most so many words."""
