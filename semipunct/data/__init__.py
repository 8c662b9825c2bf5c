"""Data bundled with the package: the sample treebank ``sample.conllu``."""
