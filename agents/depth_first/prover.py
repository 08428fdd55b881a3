"""`Prover`: the exact worth of a position, the best moves in it and a line of best play, within a deadline.

The search is in `agents.depth_first.proof`. This is no agent: it says what is so, and never guesses.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from agents.base import NEVER, require_perfect_information, require_two_players
from agents.depth_first.proof import HIGH, LOW, MAX_PLIES, NODES, PLY, Stack, Table, make_order, narrow, place
from envs.kernels import kernel
from envs.rules import list_legal

SLICE = 100_000_000
"""Nanoseconds of search between two reports."""

place_allocating = kernel(getattr(place, "py_func", place))
narrow_allocating = kernel(getattr(narrow, "py_func", narrow))
"""The same for games whose methods make arrays."""


@dataclass(frozen=True)
class Proof:
    """What is known of a position, in points of the game (`score_bounds` in `envs.rules`).

    Attributes:
        low: points that the first player gets at the least.
        high: points that the first player gets at the most.
        best: the actions that are proven to keep the position's worth, ascending.
        undecided: the actions of which it is not known.
    """

    low: float
    high: float
    best: tuple[int, ...] = ()
    undecided: tuple[int, ...] = ()

    @property
    def is_complete(self) -> bool:
        """Whether there is nothing left to find out."""
        return self.low == self.high and not self.undecided


class Prover:
    """Proves positions of one game; what it has learned of one helps with the next.

    Args:
        rules: the game's.
        memory_mb: memory of the transposition table in MB.
        tell: is called with the number of nodes so far, every tenth of a second of search or so.

    Raises:
        AgentRefused: for games with chance, hidden information or other than two players.
    """

    def __init__(self, rules: Any, memory_mb: int = 64, tell: Callable[[int], None] | None = None) -> None:
        require_perfect_information("solve", rules)
        require_two_players("solve", rules)
        self.rules = rules
        self._tell: Callable[[int], None] | None = None
        self._stack, self._table = Stack.allocate(rules), Table.allocate(memory_mb)
        self._order = make_order(rules)
        allocates = getattr(rules, "allocates", False)
        self._place = place_allocating if allocates else place
        self._narrow = narrow_allocating if allocates else narrow
        self.bounds(rules.initial_state(), deadline=0)  # compiles (or loads) the search
        self._stack.counts[NODES], self._tell = 0, tell

    @property
    def nodes(self) -> int:
        """Positions searched ever."""
        return int(self._stack.counts[NODES])

    def prove(self, state: npt.NDArray[Any], deadline: int = NEVER) -> Proof:
        """Find the worth of `state`, then which actions keep it, until `deadline` (ns, monotonic)."""
        low, high = self.bounds(state, deadline)
        legal = [] if self.rules.is_terminal(state) else list_legal(self.rules, state).tolist()
        if low < high:
            return Proof(low, high, undecided=tuple(legal))
        keeps = {action: self._keeps(state, action, low, deadline) for action in legal}
        return Proof(
            low,
            high,
            tuple(action for action, known in keeps.items() if known),
            tuple(action for action, known in keeps.items() if known is None),
        )

    def bounds(self, state: npt.NDArray[Any], deadline: int = NEVER) -> tuple[float, float]:
        """Return the least and the most points of the first player; equal unless `deadline` comes first."""
        self._place(self.rules, self._stack, state)
        self._search(deadline)
        low, high = self._stack.window[[LOW, HIGH]].tolist()
        return low, high

    def reaches(self, state: npt.NDArray[Any], points: float, deadline: int = NEVER) -> bool | None:
        """Return whether `state` is worth so many `points` or more; None where `deadline` comes first."""
        self._place(self.rules, self._stack, state)
        window, goal = self._stack.window, np.float32(points)
        if window[LOW] < goal <= window[HIGH]:
            window[LOW], window[HIGH] = np.nextafter(goal, -np.float32(np.inf)), goal
        self._search(deadline)
        if window[LOW] >= goal:
            return True
        return False if window[HIGH] < goal else None

    def line(self, state: npt.NDArray[Any], deadline: int = NEVER) -> list[int]:
        """Return actions of best play from `state`, as far as they are proven by `deadline`."""
        state, actions = state.copy(), []
        low, high = self.bounds(state, deadline)
        while low == high and not self.rules.is_terminal(state):
            legal = list_legal(self.rules, state).tolist()
            found = next((action for action in legal if self._keeps(state, action, low, deadline)), None)
            if found is None:
                break
            self.rules.step(state, found)
            actions.append(found)
        return actions

    def _keeps(self, state: npt.NDArray[Any], action: int, points: float, deadline: int) -> bool | None:
        """Return whether `action` keeps what `state` is worth, or None."""
        child = state.copy()
        self.rules.step(child, action)
        if self.rules.current_player(state) == 0:
            return self.reaches(child, points, deadline)
        more = self.reaches(child, float(np.nextafter(np.float32(points), np.float32(np.inf))), deadline)
        return None if more is None else not more

    def _search(self, deadline: int) -> None:
        """Narrow the window until it is closed or the deadline has passed, and tell of it meanwhile."""
        until = -1
        while until < deadline and self._stack.counts[PLY] < MAX_PLIES:
            until = min(deadline, time.monotonic_ns() + SLICE)
            if self._narrow(self.rules, self._stack, self._table, self._order, until):
                return
            if self._tell is not None:
                self._tell(self.nodes)
