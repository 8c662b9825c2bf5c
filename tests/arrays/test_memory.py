"""Memory is given back where the C library keeps it."""

import os
import platform

import pytest

from semipunct.arrays.memory import release_memory


def resident():
    with open("/proc/self/statm", encoding="ascii") as file:
        return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")


@pytest.mark.skipif(platform.libc_ver()[0] != "glibc", reason="the C library is not GNU's")
def test_memory_between_blocks_in_use_is_given_back():
    blocks = [bytes(100_000) for _ in range(1_000)]
    kept = blocks[::10]
    del blocks
    before = resident()
    assert release_memory()
    assert before - resident() > 50_000_000
    assert len(kept) == 100


def test_other_systems_are_left_alone(monkeypatch):
    monkeypatch.setattr("sys.platform", "win32")
    assert not release_memory()
