"""Commas in derivations of Combinatory Categorial Grammar (Tse and Curran 2008), and a parser."""
