"""Truecasers: restore the case of lower-cased words, given the punctuation between them."""
