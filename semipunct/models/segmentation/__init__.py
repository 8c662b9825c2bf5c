"""Tokenisers, which split running text into tokens and sentences, even without marks and capitals."""
