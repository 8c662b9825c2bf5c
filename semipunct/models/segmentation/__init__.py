"""Tokenisers: split running text into tokens and sentences, with or without marks and capitals."""
