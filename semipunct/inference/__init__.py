"""Questions asked of the tree structure: likelihood, objective, best analyses and samples."""
