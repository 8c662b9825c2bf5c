"""Comma models, given the words and phrases of a sentence (Shieber and Tao 2003)."""
