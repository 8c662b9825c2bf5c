"""The tasks of the commands that answer a corpus in parts: a module for each.

A command, or a worker, imports only what its own task needs.
"""
