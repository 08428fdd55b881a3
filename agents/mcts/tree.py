"""The search tree as data: preallocated arrays, one element a node, siblings side by side.

What a search does with them is in `agents.uct`; what a proven node looks like in `agents.mcts.solver`.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

ROOT = 0
UNEXPANDED = -1
"""`first_child` of a node whose children are not in the tree."""
BYTES_PER_NODE = 24
ROOT_LOGS = 65_536
"""Nodes of fewer visits look sqrt(ln visits) up."""
MAX_DEPTH = 4096
"""No simulation goes deeper inside the tree."""

SIMULATIONS, DEPTH_SUM, MAX_LEAF_DEPTH, PROVEN, MARKED = range(5)
"""What the elements of `Workspace.counts` count."""

OPTIONS: dict[str, Any] = {
    "prior": np.float32,
    "square_sum": np.float64,
    "amaf_visits": np.float32,
    "amaf_sum": np.float32,
}
"""Arrays that only some selections use, and their dtypes."""


class Tree(NamedTuple):
    """Node `i` is element `i` of each array; the root is node 0. 24 bytes a node, options aside.

    The pages of a new tree are untouched until nodes are written, and stay with it: a tree is
    made once per agent and started afresh by setting `size[0]`. The arrays of options that are off are
    empty.
    """

    visits: npt.NDArray[np.int32]
    """int32[n]: simulations that passed through the node."""
    value_sum: npt.NDArray[np.float64]
    """float64[n]: sum of returns for the player who moved into the node."""
    inverse_root: npt.NDArray[np.float32]
    """float32[n]: 1 / sqrt(visits), kept so that selection needs neither root nor division."""
    first_child: npt.NDArray[np.int32]
    """int32[n]: index of the first child, or UNEXPANDED."""
    num_children: npt.NDArray[np.int16]
    """int16[n]: how many children follow; those already visited come first."""
    action: npt.NDArray[np.int16]
    """int16[n]: the action that leads into the node."""
    prior: npt.NDArray[np.float32]
    """float32[n or 0]: what the game thinks of the move into the node."""
    square_sum: npt.NDArray[np.float64]
    """float64[n or 0]: sum of squared returns for the player who moved into the node."""
    amaf_visits: npt.NDArray[np.float32]
    """float32[n or 0]: simulations in which its action was played later on by the same player."""
    amaf_sum: npt.NDArray[np.float32]
    """float32[n or 0]: sum of that player's returns in them."""
    size: npt.NDArray[np.int64]
    """int64[1]: nodes in use."""

    @classmethod
    def allocate(cls, max_nodes: int, options: Sequence[str] = ()) -> Tree:
        """Make a tree with room for `max_nodes` nodes, and with these arrays of OPTIONS."""
        dtypes = (np.int32, np.float64, np.float32, np.int32, np.int16, np.int16)
        arrays: list[npt.NDArray[Any]] = [np.empty(max_nodes, dtype) for dtype in dtypes]
        arrays += [np.empty(max_nodes if name in options else 0, dtype) for name, dtype in OPTIONS.items()]
        return cls._make([*arrays, _apart(1, np.int64)])

    def plant(self) -> None:
        """Start afresh: a root without children."""
        self.size[0] = 1
        self.visits[ROOT] = 0
        self.value_sum[ROOT] = 0.0
        self.inverse_root[ROOT] = 0.0
        self.first_child[ROOT] = UNEXPANDED

    def find(self, actions: Sequence[int]) -> int | None:
        """Return the visited node that `actions` lead to from the root, or None where there is none."""
        node: int | None = ROOT
        for action in actions:
            node = None if node is None else self._child(node, action)
        return node

    def _child(self, node: int, action: int) -> int | None:
        first = int(self.first_child[node])
        if first == UNEXPANDED:
            return None
        siblings = slice(first, first + int(self.num_children[node]))
        found = np.flatnonzero((self.action[siblings] == action) & (self.visits[siblings] > 0))
        return first + int(found[0]) if len(found) else None

    @staticmethod
    def bytes_per_node(options: Sequence[str] = ()) -> int:
        """Return what a node takes with these arrays of OPTIONS."""
        return BYTES_PER_NODE + sum(np.dtype(OPTIONS[name]).itemsize for name in options)


class Workspace(NamedTuple):
    """What one simulation writes on besides the tree; reused by every simulation."""

    state: npt.NDArray[Any]
    """The state being played forward, shaped as the game's."""
    ahead: npt.NDArray[Any]
    """Another, for trying a move out."""
    beyond: npt.NDArray[Any]
    """Another, for trying out the reply to it."""
    path: npt.NDArray[np.int32]
    """int32[MAX_DEPTH + 1]: nodes from the root down."""
    movers: npt.NDArray[np.int8]
    """int8[MAX_DEPTH + 1]: who moved into each node of the path."""
    legal: npt.NDArray[np.int32]
    """int32[max_legal]: legal actions."""
    replies: npt.NDArray[np.int32]
    """int32[max_legal]: legal actions of `ahead`."""
    scores: npt.NDArray[np.float64]
    """float64[max_legal]: scores of siblings, or weights of legal actions."""
    returns: npt.NDArray[np.float64]
    """float64[num_players]: the outcome."""
    rng: npt.NDArray[np.uint64]
    """uint64[2]: this tree's random stream."""
    clock: npt.NDArray[np.int64]
    """int64[2]: buffer of the clock."""
    stop: npt.NDArray[np.int64]
    """int64[1], shared by trees that search at a time: whether one has proven the root and all may stop."""
    counts: npt.NDArray[np.int64]
    """int64[5]: simulations, sum of leaf depths, greatest leaf depth, whether the root is proven, all since
    the tree was planted or a move was made in it; and the number of marked simulations, ever."""
    played: npt.NDArray[np.int64]
    """int64[num_players or 0, num_actions]: the last marked simulation in which the player played the
    action; empty where nobody asks."""
    chances: npt.NDArray[np.float64]
    """float64[max_legal]: of each proven child of the root, the mean of its returns until it was proven."""
    root_log: npt.NDArray[np.float64]
    """float64[ROOT_LOGS]: sqrt(ln n) for every small n, which saves a logarithm a level."""

    @classmethod
    def allocate(
        cls, rules: Any, marks: bool = False, stop: npt.NDArray[np.int64] | None = None
    ) -> Workspace:
        """Make a workspace for searches of this game.

        Args:
            rules: the game.
            marks: whether simulations can mark what was played.
            stop: that of another workspace, to share.
        """
        state = rules.initial_state()
        return cls(
            state=_apart(len(state), state.dtype),
            ahead=_apart(len(state), state.dtype),
            beyond=_apart(len(state), state.dtype),
            path=_apart(MAX_DEPTH + 1, np.int32),
            movers=_apart(MAX_DEPTH + 1, np.int8),
            legal=_apart(rules.max_legal, np.int32),
            replies=_apart(rules.max_legal, np.int32),
            scores=_apart(rules.max_legal, np.float64),
            returns=_apart(rules.num_players, np.float64),
            rng=_apart(2, np.uint64),
            clock=_apart(2, np.int64),
            stop=_apart(1, np.int64) if stop is None else stop,
            counts=_apart(5, np.int64),
            played=np.zeros((rules.num_players if marks else 0, rules.num_actions), np.int64),
            chances=_apart(rules.max_legal, np.float64),
            root_log=np.sqrt(np.log(np.maximum(np.arange(ROOT_LOGS), 1))),
        )


def _apart(length: int, dtype: npt.DTypeLike) -> npt.NDArray[Any]:
    """Make an array of zeros on cache lines of its own, or the threads of two trees slow each other down."""
    line = 128  # processors fetch lines of 64 bytes in pairs
    size = length * np.dtype(dtype).itemsize
    raw = np.zeros(size + 2 * line, np.uint8)
    start = -raw.ctypes.data % line
    return raw[start : start + size].view(dtype)
