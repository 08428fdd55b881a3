"""Cores: whatever an agent starts keeps to the cores of its slot."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

from arena.machine.cores import available_cores, pin

GRANDCHILD = """
import subprocess, sys
child = subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE)
print(child.pid, flush=True)
input()
"""


@pytest.mark.skipif(not hasattr(os, "sched_setaffinity"), reason="the system does not pin")
@pytest.mark.skipif(len(available_cores()) < 2, reason="there is one core only")
def test_a_process_is_pinned_with_all_it_started():
    pipe = subprocess.PIPE
    child = subprocess.Popen([sys.executable, "-c", GRANDCHILD], stdin=pipe, stdout=pipe, text=True)
    cores, pids = available_cores(), [0, child.pid, int(child.stdout.readline())]
    try:
        pin(cores[:1])
        assert [os.sched_getaffinity(pid) for pid in pids] == [{cores[0]}] * 3
    finally:
        pin(cores)
        child.communicate()
    assert available_cores() == cores
