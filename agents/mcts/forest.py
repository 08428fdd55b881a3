"""Several trees over one root, each with its own random stream: in the threads of this process.

`Forest` is what a search needs of them; `agents.mcts.process_forest` has each in its own process.

What is done inside a tree is in `agents.uct`, what is made of them in `agents.mcts.roots`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

from agents.base import NEVER, compiling
from agents.mcts.reuse import keep_subtree
from agents.mcts.roots import Root, read_root
from agents.mcts.selection import USES
from agents.mcts.solver import EXACT
from agents.mcts.tree import MARKED, PROVEN, ROOT, Tree, Workspace
from envs.streams import make_stream


@dataclass(frozen=True)
class Settings:
    """What all trees of an agent have in common.

    Attributes:
        kernel_for: returns the search that rules are compiled into.
        selection, tree_rule, policy: of the files `selection`, `decisive` and `rollouts` beside this one.
        solver: whether to prove nodes.
        memory_mb: of each tree.
        reuse: whether subtrees are kept, which takes a second tree of half the size.
    """

    kernel_for: Callable[[Any], Any]
    selection: Any
    tree_rule: Any
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

    def roots(self, legal: npt.NDArray[np.int64], path: Sequence[int] = ()) -> list[Root]:
        """Return what each tree found out about the legal actions, at the root or where `path` leads."""

    def counts(self) -> npt.NDArray[np.int64]:
        """Return int64[trees, 5]: `Workspace.counts` of each tree, with the nodes in use as the last."""


class ThreadForest:
    """Trees in the threads of this process: kernels let go of the interpreter's lock."""

    def __init__(
        self,
        rules: Any,
        settings: Settings,
        streams: Sequence[int],
        stop: npt.NDArray[np.int64] | None = None,
    ) -> None:
        """Allocate one tree per stream number, and compile (or load) the search.

        Args:
            rules, settings, streams: what is searched, how, and by which random streams.
            stop: int64[1], `Workspace.stop` where trees elsewhere share it.

        Raises:
            AgentRefused: for rules that do not compile.
        """
        self._rules, self._settings, self._streams = rules, settings, streams
        uses, max_nodes = USES[type(settings.selection)], settings.max_nodes(rules)
        self._trees = [Tree.allocate(max_nodes, uses) for _ in streams]
        self._spares = [Tree.allocate(max_nodes, uses) for _ in streams if settings.reuse]
        self._stop = np.zeros(1, np.int64) if stop is None else stop
        self._work = [Workspace.allocate(rules, "amaf_visits" in uses, self._stop) for _ in streams]
        self._threads = ThreadPoolExecutor(len(streams) - 1) if len(streams) > 1 else None
        self._kernel = settings.kernel_for(rules)
        self.reset(0)
        with compiling("uct", rules):
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
            common.tree_rule,
            common.policy,
            common.solver,
            simulations,
            deadline,
        )

    def roots(self, legal: npt.NDArray[np.int64], path: Sequence[int] = ()) -> list[Root]:
        """Return what each tree found out about the legal actions, at the root or where `path` leads."""
        return [
            read_root(tree, work, legal, path) for tree, work in zip(self._trees, self._work, strict=True)
        ]

    def counts(self) -> npt.NDArray[np.int64]:
        """Return int64[trees, 5]: `Workspace.counts` of each tree, with the nodes in use as the last."""
        rows = [
            [*work.counts[:MARKED], tree.size[0]] for work, tree in zip(self._work, self._trees, strict=True)
        ]
        return np.array(rows, np.int64)


def shares(simulations: int | None, trees: int) -> list[int]:
    """Split simulations among trees as evenly as can be; None is no limit."""
    if simulations is None:
        return [NEVER] * trees
    return [simulations // trees + (index < simulations % trees) for index in range(trees)]
