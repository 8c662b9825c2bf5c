"""Tokenisers, which split running text into tokens and sentences."""
