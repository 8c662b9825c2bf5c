"""Truecasers: the capitals of words, given the words in lower case and the marks between them."""
