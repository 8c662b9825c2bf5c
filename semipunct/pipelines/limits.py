"""Upper limits of options, beyond which memory or time is wasted.

Without imports, so that the command line shows the limits at once.
"""

# Draws per sentence in restoration: the standard error of a probability is then at most 0.0016.
SAMPLES = 100_000

# Posterior samples per sentence, all of which are in memory for a whole batch.
TREES = 1_000

# Best trees per sentence: the size of the compiled program grows with their number.
RANKS = 16

RESAMPLES = 10_000_000

# Random values of each operand of a law.
LAW_DRAWS = 1_000_000

# Default limit of the server, in characters of a text.
SERVED = 40_000

# The probability from which explanations list an omitted mark.
LEFT_OUT = 0.1

# Words of a piece: parsing takes cubic time, so longer sentences are parsed in pieces.
PARSED = 400

WORKERS = 1_024
