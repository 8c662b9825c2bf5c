"""Tokenisers: tokens and sentences of running text, with marks and capitals or without them."""
