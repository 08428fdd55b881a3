"""Cores: how many there are for us and how many an agent needs, pinning, and libraries kept to one thread."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import Any

import agents
from arena.machine.processes import descendants, threads
from envs.parameters import refusal

ONE_THREAD = dict.fromkeys(
    (
        "OMP_NUM_THREADS",
        "OPENBLAS_NUM_THREADS",
        "MKL_NUM_THREADS",
        "BLIS_NUM_THREADS",
        "VECLIB_MAXIMUM_THREADS",
        "NUMEXPR_NUM_THREADS",
        "NUMBA_NUM_THREADS",
    ),
    "1",
)
"""Environment under which numerical libraries start no threads of their own."""


def available_cores() -> tuple[int, ...]:
    """Return the ids of the cores this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return tuple(sorted(os.sched_getaffinity(0)))
    return tuple(range(os.cpu_count() or 1))


def cores_needed(agent: str, params: Mapping[str, Any]) -> int:
    """Return how many cores an agent of this type keeps busy: its `trees`, given or by default; 1 without.

    Raises:
        UnknownNameError: for a type that leads to no agent.
    """
    defaults = {parameter.name: parameter.default for parameter in agents.agent_parameters(agent)}
    trees = {**defaults, **params}.get("trees")
    return max(trees, 1) if isinstance(trees, int) else 1


def too_many(count: int, oversubscribe: bool) -> str | None:
    """Return why so many processes may not work at a time, or None where they may."""
    cores = len(available_cores())
    if count <= cores or oversubscribe:
        return None
    return refusal(count, f"from 1 to {cores}, a core each; oversubscribe: true allows more")


def pin(cores: Sequence[int]) -> None:
    """Keep every thread of this process, and of those it started, on `cores`, where the system can."""
    if not cores or not hasattr(os, "sched_setaffinity"):
        return
    pid = os.getpid()
    for process in (pid, *descendants(pid)):
        for thread in threads(process):
            with suppress(ProcessLookupError):
                os.sched_setaffinity(thread, cores)
