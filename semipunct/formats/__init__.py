"""Formats of files: readers and writers; nothing below knows a format."""
