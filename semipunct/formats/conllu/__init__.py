"""CoNLL-U: lossless records, sentences read off them, punctuation written back into them."""
