"""Tools for keepers of treebanks, with what they print."""
