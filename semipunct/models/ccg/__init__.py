"""A parser of Combinatory Categorial Grammar: supertagger, packed charts, log-linear rules."""
