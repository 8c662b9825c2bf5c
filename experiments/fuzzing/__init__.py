"""Fuzzing: damaged treebanks, model folders, stored results and command lines, and what they do."""
