"""Results of Li, Wang and Eisner (2019) on test splits, by treebank and system."""

PERPLEXITY = {
    ("en", "attention"): 1.5737,
    ("en", "crf"): 1.5247,
    ("en", "none"): 1.5636,
    ("en", "r2l"): 1.4276,
    ("zh", "attention"): 1.6850,
    ("zh", "crf"): 1.4436,
    ("zh", "none"): 1.1921,
    ("zh", "l2r"): 1.1464,
}
"""Table 3: conditional perplexity per slot."""

EDIT_DISTANCE = {
    ("en", "trivial"): 0.100,
    ("en", "crf"): 0.108,
    ("en", "none"): 0.092,
    ("en", "r2l"): 0.079,
    ("zh", "trivial"): 0.110,
    ("zh", "crf"): 0.109,
    ("zh", "none"): 0.104,
    ("zh", "l2r"): 0.048,
}
"""Figure 4: edits per slot, with gold trees."""
