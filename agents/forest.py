"""Several trees over one root, each with its own random stream: in threads, or each in its own process.

What is done inside a tree is in `agents.uct`, what is made of them in `agents.roots`.
"""

from __future__ import annotations

import contextlib
import ctypes
import os
import signal
import subprocess
import sys
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from multiprocessing.connection import Connection, Pipe
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

from agents.base import NEVER, AgentRefused
from agents.reuse import keep_subtree
from agents.roots import Root, read_root
from agents.selection import USES
from agents.solver import EXACT
from agents.tree import MARKED, PROVEN, ROOT, Tree, Workspace
from envs.streams import make_stream

PR_SET_PDEATHSIG = 1
"""Linux: be sent a signal when the parent dies (prctl(2))."""


@dataclass(frozen=True)
class Settings:
    """What all trees of an agent have in common.

    Attributes:
        kernel_for: returns the search that rules are compiled into.
        selection, policy: of `agents.selection` and `agents.rollouts`.
        solver: whether to prove nodes.
        memory_mb: of each tree.
        reuse: whether subtrees are kept, which takes a second tree of half the size.
    """

    kernel_for: Callable[[Any], Any]
    selection: Any
    policy: Any
    solver: bool
    memory_mb: int
    reuse: bool

    def max_nodes(self, rules: Any) -> int:
        """Return how many nodes the memory has room for; never fewer than the root and its children."""
        size = Tree.bytes_per_node(USES[type(self.selection)]) * (2 if self.reuse else 1)
        return int(max(self.memory_mb * 2**20 // size, rules.max_legal + 1))


class Forest(Protocol):
    """Trees over one root."""

    def reset(self, seed: int) -> None:
        """Give every tree a stream of its own from `seed`, and empty it."""

    def plant(self, played: Sequence[int] | None) -> None:
        """Begin the search of a new position.

        Args:
            played: the actions since the last position, whose subtrees are kept; None to start afresh.
        """

    def search(self, root: npt.NDArray[Any], shares: Sequence[int], deadline: int) -> None:
        """Run up to `shares[i]` more simulations in tree i, until `deadline` (ns) at the latest."""

    def roots(self, legal: npt.NDArray[np.int64]) -> list[Root]:
        """Return what each tree found out about the legal actions."""

    def counts(self) -> npt.NDArray[np.int64]:
        """Return int64[trees, 5]: `Workspace.counts` of each tree, with the nodes in use as the last."""


class ThreadForest:
    """Trees in the threads of this process: kernels let go of the interpreter's lock."""

    def __init__(self, rules: Any, settings: Settings, streams: Sequence[int]) -> None:
        """Allocate one tree per stream number, and compile (or load) the search."""
        self._rules, self._settings, self._streams = rules, settings, streams
        marks, uses = "amaf_visits" in USES[type(settings.selection)], USES[type(settings.selection)]
        self._trees = [Tree.allocate(settings.max_nodes(rules), uses) for _ in streams]
        self._spares = [Tree.allocate(settings.max_nodes(rules), uses) for _ in streams if settings.reuse]
        self._stop = np.zeros(1, np.int64)
        self._work = [Workspace.allocate(rules, marks, self._stop) for _ in streams]
        self._threads = ThreadPoolExecutor(len(streams) - 1) if len(streams) > 1 else None
        self._kernel = settings.kernel_for(rules)
        self.reset(0)
        self.search(rules.initial_state(), [1] * len(streams), NEVER)
        if settings.reuse:  # compiles the copying
            keep_subtree(self._trees[0], self._spares[0], ())

    def reset(self, seed: int) -> None:
        """Give every tree a stream of its own from `seed`, and empty it."""
        for stream, work in zip(self._streams, self._work, strict=True):
            work.rng[:] = make_stream(seed, stream)
        self.plant(None)

    def plant(self, played: Sequence[int] | None) -> None:
        """Begin the search of a new position, with the subtree below `played` or afresh."""
        self._stop[0] = 0
        for index, work in enumerate(self._work):
            work.counts[:MARKED] = 0
            tree = self._trees[index]
            if played is None or not keep_subtree(tree, self._spares[index], played):
                tree.plant()
            else:
                self._trees[index], self._spares[index] = self._spares[index], tree
                work.counts[PROVEN] = self._trees[index].inverse_root[ROOT] == EXACT

    def search(self, root: npt.NDArray[Any], shares: Sequence[int], deadline: int) -> None:
        """Run up to `shares[i]` more simulations in tree i, until `deadline` (ns) at the latest."""
        others = [
            self._threads.submit(self._search, index, root, shares[index], deadline)
            for index in range(1, len(shares))
            if self._threads
        ]
        self._search(0, root, shares[0], deadline)
        for other in others:
            other.result()

    def _search(self, index: int, root: npt.NDArray[Any], simulations: int, deadline: int) -> None:
        tree, work, common = self._trees[index], self._work[index], self._settings
        self._kernel(
            self._rules,
            root,
            tree,
            work,
            common.selection,
            common.policy,
            common.solver,
            simulations,
            deadline,
        )

    def roots(self, legal: npt.NDArray[np.int64]) -> list[Root]:
        """Return what each tree found out about the legal actions."""
        return [read_root(tree, work, legal) for tree, work in zip(self._trees, self._work, strict=True)]

    def counts(self) -> npt.NDArray[np.int64]:
        """Return int64[trees, 5]: `Workspace.counts` of each tree, with the nodes in use as the last."""
        rows = [
            [*work.counts[:MARKED], tree.size[0]] for work, tree in zip(self._work, self._trees, strict=True)
        ]
        return np.array(rows, np.int64)


class ProcessForest:
    """Every tree in a process of its own, which holds a `ThreadForest` of one tree.

    The processes are new interpreters, not forks: none holds a pipe of this one's, none runs its main
    module again. Each ends when this process's end of their pipe is gone.
    """

    def __init__(self, rules: Any, settings: Settings, streams: Sequence[int]) -> None:
        """Start one process per stream number, and wait until each has its tree.

        Raises:
            AgentRefused: when one cannot make it, with the last line it said.
        """
        started = [_start() for _ in streams]
        self._processes, self._pipes = [process for process, _ in started], [pipe for _, pipe in started]
        for stream, pipe in zip(streams, self._pipes, strict=True):
            pipe.send(sys.path)
            pipe.send((rules, settings, [stream]))
        try:
            self._receive()
        except (EOFError, ConnectionError) as error:
            raise AgentRefused(
                f"uct: parallel: process: a tree's process ended before it began; {type(rules).__name__} has "
                "to be importable from a module, and not be written into the script that is run"
            ) from error

    def __del__(self) -> None:
        """Let the processes go."""
        for pipe in self._pipes:
            pipe.close()
        for process in self._processes:
            process.wait()

    def _ask(self, method: str, *arguments: Sequence[Any]) -> list[Any]:
        """Call `method` of every tree, each with its own element of every argument."""
        for index, pipe in enumerate(self._pipes):
            pipe.send((method, [argument[index] for argument in arguments]))
        return self._receive()

    def _receive(self) -> list[Any]:
        return [pipe.recv() for pipe in self._pipes]

    def reset(self, seed: int) -> None:
        """Give every tree a stream of its own from `seed`, and empty it."""
        self._ask("reset", [seed] * len(self._pipes))

    def plant(self, played: Sequence[int] | None) -> None:
        """Begin the search of a new position, with the subtree below `played` or afresh."""
        self._ask("plant", [played] * len(self._pipes))

    def search(self, root: npt.NDArray[Any], shares: Sequence[int], deadline: int) -> None:
        """Run up to `shares[i]` more simulations in tree i, until `deadline` (ns) at the latest."""
        count = len(self._pipes)
        self._ask("search", [root] * count, [[share] for share in shares], [deadline] * count)

    def roots(self, legal: npt.NDArray[np.int64]) -> list[Root]:
        """Return what each tree found out about the legal actions."""
        return [roots[0] for roots in self._ask("roots", [legal] * len(self._pipes))]

    def counts(self) -> npt.NDArray[np.int64]:
        """Return int64[trees, 5]: `Workspace.counts` of each tree, with the nodes in use as the last."""
        return np.concatenate(self._ask("counts"))


def _start() -> tuple[subprocess.Popen[bytes], Connection]:
    """Start an interpreter that runs `serve`; return it and our end of its pipe."""
    ours, theirs = Pipe()
    command = f"from agents.forest import serve; serve({theirs.fileno()})"
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
    process = subprocess.Popen([sys.executable, "-c", command], pass_fds=[theirs.fileno()], env=environment)
    theirs.close()
    return process, ours


def serve(handle: int) -> None:
    """Hold one tree and answer for it until the other end of the pipe is gone."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # whoever holds the other end decides when to end
    if sys.platform == "linux":  # not even a search under way outlives it
        ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
    pipe = Connection(handle)
    with contextlib.suppress(EOFError, ConnectionError):
        sys.path[:] = pipe.recv()
        forest = ThreadForest(*pipe.recv())
        pipe.send(None)
        while True:
            method, arguments = pipe.recv()
            pipe.send(getattr(forest, method)(*arguments))


def shares(simulations: int | None, trees: int) -> list[int]:
    """Split simulations among trees as evenly as can be; None is no limit."""
    if simulations is None:
        return [NEVER] * trees
    return [simulations // trees + (index < simulations % trees) for index in range(trees)]
