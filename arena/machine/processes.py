"""What Linux tells of processes and grants them: who descends from whom, what they use, and their end.

Where the system is another, each function does the little that can be done there, or nothing. Who is to
be ended, and when, is decided by the callers.
"""

from __future__ import annotations

import os
import signal
import sys
import time
from collections.abc import Collection, Iterable
from contextlib import suppress

_PATIENCE = 5.0
"""Seconds after which processes that do not die of SIGKILL are left to the system."""
_PR_SET_PDEATHSIG, _PR_SET_CHILD_SUBREAPER = 1, 36
_CPU_CLOCK = 2  # CPUCLOCK_SCHED of Linux: the time of all threads of a process


def die_with_parent() -> None:
    """Ask the system to kill this process when its parent dies; elsewhere a closed pipe has to do."""
    _prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)


def adopt_orphans() -> None:
    """Become the parent of every process below this one that loses its own, so that none gets away."""
    _prctl(_PR_SET_CHILD_SUBREAPER, 1)


def _prctl(option: int, value: int) -> None:
    if sys.platform != "linux":
        return
    import ctypes

    ctypes.CDLL(None).prctl(option, value, 0, 0, 0)


def threads(pid: int) -> list[int]:
    """Return the ids of a process's threads; none where it is gone or the system does not tell."""
    try:
        return [int(thread) for thread in os.listdir(f"/proc/{pid}/task")]
    except OSError:
        return []


def children(pid: int) -> list[int]:
    """Return the processes that a process started or adopted, dead ones that nobody waited for included."""
    found: list[int] = []
    for thread in threads(pid):
        with suppress(OSError), open(f"/proc/{pid}/task/{thread}/children", "rb") as file:
            found += map(int, file.read().split())
    return found


def descendants(pid: int) -> list[int]:
    """Return all processes below a process."""
    found = children(pid)
    for child in found:  # which grows meanwhile
        found += children(child)
    return found


def kill_tree(pid: int) -> None:
    """Kill a process and all below it; they are stopped before, lest one starts another meanwhile."""
    found: set[int] = set()
    while new := {pid, *descendants(pid)} - found:
        found |= new
        send_signal(new, signal.SIGSTOP)
    send_signal(found, signal.SIGKILL)


def end_orphans(keep: Collection[int]) -> None:
    """End every child of this process that is not in `keep`: what dead processes have left to it."""
    until = time.monotonic() + _PATIENCE
    while (orphans := set(children(os.getpid())).difference(keep)) and time.monotonic() < until:
        for pid in orphans:
            kill_tree(pid)
        for pid in orphans:
            with suppress(ChildProcessError):
                os.waitpid(pid, os.WNOHANG)
        time.sleep(0.001)


def send_signal(pids: Iterable[int], number: int) -> None:
    """Send a signal to those that are still there."""
    for pid in pids:
        with suppress(ProcessLookupError, PermissionError):
            os.kill(pid, number)


def memory(pids: Iterable[int]) -> int:
    """Return how many bytes of memory processes hold together; what comes from files does not count.

    Pages that a fork shares with its parent count in both.
    """
    kilobytes = 0
    for pid in pids:
        with suppress(OSError), open(f"/proc/{pid}/status", "rb") as file:
            rows = (line.split() for line in file if line.startswith((b"RssAnon", b"RssShmem")))
            kilobytes += sum(int(row[1]) for row in rows)
    return kilobytes << 10


def cpu_seconds(pid: int) -> float:
    """Return the processor time that all threads of a process have used; 0 where it is gone."""
    if sys.platform == "linux":
        with suppress(OSError):
            return time.clock_gettime((~pid << 3) | _CPU_CLOCK)
    return 0.0
