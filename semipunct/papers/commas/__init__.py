"""Comma models, given words and phrases (Shieber and Tao 2003)."""
