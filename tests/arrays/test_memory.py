"""Returning memory to the system, which the C library retains."""

import os
import platform
import subprocess
import sys

import pytest

from semipunct.arrays.memory import hold_memory, release_memory


def resident():
    with open("/proc/self/statm", encoding="ascii") as file:
        return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")


@pytest.mark.skipif(platform.libc_ver()[0] != "glibc", reason="the C library is not GNU's")
def test_memory_between_blocks_in_use_is_given_back():
    blocks = [bytes(100_000) for _ in range(1_000)]
    blocks_in_use = blocks[::10]
    del blocks
    before = resident()
    assert release_memory()
    assert before - resident() > 50_000_000
    assert len(blocks_in_use) == 100


def test_other_systems_are_left_alone(monkeypatch):
    monkeypatch.setattr("sys.platform", "win32")
    assert not release_memory()
    assert not hold_memory()


@pytest.mark.skipif(platform.libc_ver()[0] != "glibc", reason="the C library is not GNU's")
def test_memory_that_is_held_is_given_back_meanwhile():
    program = (
        "import os, time\n"
        "from semipunct.arrays.memory import hold_memory, releasing_memory\n"
        "def resident():\n"
        "    with open('/proc/self/statm', encoding='ascii') as file:\n"
        "        return int(file.read().split()[1]) * os.sysconf('SC_PAGE_SIZE')\n"
        "assert hold_memory()\n"
        "with releasing_memory():\n"
        "    blocks = [b'x' * 1_000_000 for _ in range(100)]\n"
        "    before = resident()\n"
        "    del blocks\n"
        "    end = time.monotonic() + 20\n"
        "    while before - resident() < 50_000_000:\n"
        "        assert time.monotonic() < end\n"
        "        time.sleep(0.05)\n"
    )
    subprocess.run([sys.executable, "-c", program], check=True)


@pytest.mark.skipif(platform.libc_ver()[0] != "glibc", reason="the C library is not GNU's")
def test_memory_that_is_held_is_not_asked_for_twice():
    # The setting affects the whole process.
    program = (
        "import resource\n"
        "from semipunct.arrays.memory import hold_memory\n"
        "assert hold_memory()\n"
        "faults = []\n"
        "for _ in range(3):\n"
        "    before = resource.getrusage(resource.RUSAGE_SELF).ru_minflt\n"
        "    bytearray(64_000_000)\n"
        "    faults.append(resource.getrusage(resource.RUSAGE_SELF).ru_minflt - before)\n"
        "assert faults[0] > 10 * faults[-1], faults\n"
    )
    subprocess.run([sys.executable, "-c", program], check=True)
