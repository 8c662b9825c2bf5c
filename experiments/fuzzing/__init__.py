"""Fuzzing with damaged treebanks, model folders, stored results and command lines."""
