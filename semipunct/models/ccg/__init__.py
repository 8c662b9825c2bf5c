"""A Combinatory Categorial Grammar parser: supertagger, packed charts and log-linear rules."""
