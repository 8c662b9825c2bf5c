"""Preparation of the standard streams of a process."""

import io
import os
import sys


def prepare_streams() -> None:
    """Set standard output to UTF-8 in any environment, and reserve the numbers of closed streams.

    The output of a command is data: it must not fail because the terminal's encoding lacks a mark,
    and must have the same bytes on all machines. A file that is opened later must not get the
    descriptor of a standard stream that the caller has closed; otherwise output of libraries to
    that stream would be written into the file.
    """
    for descriptor in range(3):
        try:
            os.fstat(descriptor)
        except OSError:
            os.open(os.devnull, os.O_RDWR)  # gets the lowest number that is free: this one
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(encoding="utf-8")
