"""Limits of options: larger numbers take more memory or time than they are worth.

This module imports nothing, so that the command line can show the limits without loading the rest.
"""

SAMPLES = 100_000
"""Draws per sentence in restoration: the standard error of a probability is then at most 0.0016."""

TREES = 1_000
"""Trees per sentence drawn from the posterior; a whole batch of them is in memory at once."""

RANKS = 16
"""Best trees per sentence: the compiled program that ranks them grows with their number."""

RESAMPLES = 10_000_000
"""Resamples of a comparison."""

LAW_DRAWS = 1_000_000
"""Values drawn for each operand of a law."""

SERVED = 40_000
"""Characters of a text that the server reads, unless another limit is asked for."""

LEFT_OUT = 0.1
"""The probability from which explanations list a mark that was left out."""

PARSED = 400
"""Words that are parsed at once: time is cubic in their number. A longer sentence is parsed in
pieces of at most this many words."""

WORKERS = 1_024
"""Processes that a command starts to share its work."""
