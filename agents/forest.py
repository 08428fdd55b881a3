"""Several trees over one root, each with its own random stream: in threads, or each in its own process.

What is done inside a tree is in `agents.uct`, what is made of them in `agents.roots`.
"""

from __future__ import annotations

import contextlib
import os
import pickle
import signal
import subprocess
import sys
import threading
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from multiprocessing.connection import Connection, Pipe
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt
from numba.core.errors import NumbaError

from agents.base import NEVER, AgentRefused
from agents.reuse import keep_subtree
from agents.roots import Root, read_root
from agents.selection import USES
from agents.solver import EXACT
from agents.tree import MARKED, PROVEN, ROOT, Tree, Workspace
from envs.streams import make_stream


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
        return int(min(max(self.memory_mb * 2**20 // size, rules.max_legal + 1), 2**31 - 1))  # an int32 index


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
        """Allocate one tree per stream number, and compile (or load) the search.

        Raises:
            AgentRefused: for rules that do not compile.
        """
        self._rules, self._settings, self._streams = rules, settings, streams
        uses, max_nodes = USES[type(settings.selection)], settings.max_nodes(rules)
        self._trees = [Tree.allocate(max_nodes, uses) for _ in streams]
        self._spares = [Tree.allocate(max_nodes, uses) for _ in streams if settings.reuse]
        self._stop = np.zeros(1, np.int64)
        self._work = [Workspace.allocate(rules, "amaf_visits" in uses, self._stop) for _ in streams]
        self._threads = ThreadPoolExecutor(len(streams) - 1) if len(streams) > 1 else None
        self._kernel = settings.kernel_for(rules)
        self.reset(0)
        try:
            self.search(rules.initial_state(), [1] * len(streams), NEVER)
        except NumbaError as error:
            raise AgentRefused(
                f"uct cannot compile {type(rules).__name__}; if its methods make arrays or lists, give the "
                f"class `allocates = True`. {error}"
            ) from error
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
                work.chances[:] = 0.0  # of what is proven already nobody kept them

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
    module again. Each ends when this process's ends of its pipes are gone.
    """

    def __init__(self, rules: Any, settings: Settings, streams: Sequence[int]) -> None:
        """Start one process per stream number, and wait until each has its tree.

        Raises:
            AgentRefused: when one cannot make it, with what it says.
        """
        self._processes: list[subprocess.Popen[bytes]] = []
        self._pipes: list[Connection] = []
        self._asked = 0
        for _ in streams:
            process, pipe = _start()
            self._processes.append(process)
            self._pipes.append(pipe)
        try:
            for stream, pipe in zip(streams, self._pipes, strict=True):
                pipe.send(sys.path)
                pipe.send((rules, settings, [stream]))
            refusals = list(filter(None, self._receive()))
        except (EOFError, ConnectionError):
            refusals = ["it ended before it began"]
        except (pickle.PicklingError, AttributeError) as error:
            refusals = [str(error)]
        if refusals:
            raise AgentRefused(
                f"uct: parallel: process: {refusals[0]} (the game has to be importable from a "
                "module, and not be written into the script that is run)"
            )

    def __del__(self) -> None:
        """Let the processes go, whatever they are at."""
        for pipe in self._pipes:
            pipe.close()
        for process in self._processes:
            process.communicate()

    def _ask(self, method: str, *arguments: Sequence[Any]) -> list[Any]:
        """Call `method` of every tree, each with its own element of every argument."""
        self._asked += 1
        for index, pipe in enumerate(self._pipes):
            pipe.send((self._asked, method, [argument[index] for argument in arguments]))
        return self._receive()

    def _receive(self) -> list[Any]:
        """Return what every tree answers to the last question; earlier ones were given up (Ctrl-C)."""
        answers = []
        for pipe in self._pipes:
            number, answer = pipe.recv()
            while number < self._asked:
                number, answer = pipe.recv()
            answers.append(answer)
        return answers

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
    # -P: the folder one happens to be in may have other modules of our names.
    interpreter = [sys.executable, "-P", "-c", command]
    process = subprocess.Popen(
        interpreter, stdin=subprocess.PIPE, pass_fds=[theirs.fileno()], env=environment
    )
    theirs.close()
    return process, ours


def serve(handle: int) -> None:
    """Hold one tree and answer for it until the other end of the pipe, and of stdin, is gone."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # whoever holds the other end decides when to end
    threading.Thread(target=_end_with_stdin, daemon=True).start()
    pipe = Connection(handle)
    with contextlib.suppress(EOFError, ConnectionError):
        sys.path[:] = pipe.recv()
        try:
            forest = ThreadForest(*pipe.recv())
        except Exception as error:
            pipe.send((0, f"{type(error).__name__}: {error}"))
            return
        pipe.send((0, None))
        while True:
            number, method, arguments = pipe.recv()
            pipe.send((number, getattr(forest, method)(*arguments)))


def _end_with_stdin() -> None:
    """End this process when nobody holds the other end of stdin: not even a search under way goes on.

    Linux's PR_SET_PDEATHSIG would not do: it waits for the end of the thread that started the process.
    """
    os.read(0, 1)
    os._exit(0)


def shares(simulations: int | None, trees: int) -> list[int]:
    """Split simulations among trees as evenly as can be; None is no limit."""
    if simulations is None:
        return [NEVER] * trees
    return [simulations // trees + (index < simulations % trees) for index in range(trees)]
