"""The standard streams of a process, made fit for data."""

import io
import os
import sys


def prepare_streams() -> None:
    """Make standard output UTF-8, whatever the environment says, and keep closed streams closed.

    What a command prints is data: marks that the terminal's encoding lacks are no reason to fail,
    and two machines shall write the same bytes. A file that is opened later must not get the
    number of a stream that the caller has closed: what libraries write to that stream would be
    written into the file.
    """
    for descriptor in range(3):
        try:
            os.fstat(descriptor)
        except OSError:
            os.open(os.devnull, os.O_RDWR)  # gets the lowest number that is free: this one
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(encoding="utf-8")
