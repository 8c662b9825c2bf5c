"""Trees: edges of constituents, lifting, where punctuation hangs from."""
