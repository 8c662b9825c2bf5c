"""Models, a folder each; none imports another."""
