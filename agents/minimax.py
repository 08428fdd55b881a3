"""Minimax: the whole game tree below the root, for games small enough to finish.

The textbook search (C. Shannon, "Programming a Computer for Playing Chess", 1950): no bounds, no
table, no evaluation. Values are the returns of the player at the root, at every node; that player
maximises, the other minimises, whoever happens to move.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Any, NamedTuple

import numpy as np
import numpy.typing as npt
from pydantic import Field

from agents.base import (
    NEVER,
    Agent,
    Decision,
    Limit,
    View,
    deadline_ns,
    require_perfect_information,
    require_two_players,
)
from agents.clock import monotonic_ns, new_clock
from agents.depth_first.trace import TooManyEvents, trace
from envs.kernels import kernel
from envs.rules import TERMINAL

MAX_PLIES = 512
"""A line longer than this is too deep to finish; the search gives up."""


class Stack(NamedTuple):
    """What the search writes on: one row a ply."""

    states: npt.NDArray[Any]
    """[MAX_PLIES + 1, state]: the state at each ply below the root."""
    legal: npt.NDArray[np.int32]
    """int32[MAX_PLIES + 1, max_legal]: its legal actions."""
    returns: npt.NDArray[np.float64]
    """float64[num_players]."""
    clock: npt.NDArray[np.int64]
    """int64[2]: buffer of the clock."""
    nodes: npt.NDArray[np.int64]
    """int64[1]: nodes visited since the move began."""

    @classmethod
    def allocate(cls, rules: Any) -> Stack:
        """Make a stack for searches of this game."""
        state = rules.initial_state()
        return cls(
            np.zeros((MAX_PLIES + 1, len(state)), state.dtype),
            np.zeros((MAX_PLIES + 1, rules.max_legal), np.int32),
            np.zeros(rules.num_players),
            new_clock(),
            np.zeros(1, np.int64),
        )


@kernel
def solve(rules, stack, ply, root_player, max_nodes, deadline):
    """Return (value, plies to the end, finished) of the state in row `ply` of the stack.

    The value is the return of `root_player` under best play by both. A win is then made as short
    and a loss as long as can be. `finished` is False when `max_nodes`, the deadline (ns, read every
    1,024 nodes) or MAX_PLIES cut the search off: value and plies then mean nothing.
    """
    stack.nodes[0] += 1
    state = stack.states[ply]
    player = rules.current_player(state)
    if player == TERMINAL:
        rules.returns(state, stack.returns)
        return stack.returns[root_player], 0, True
    if stack.nodes[0] >= max_nodes or ply == MAX_PLIES:
        return 0.0, 0, False
    if stack.nodes[0] & 1023 == 0 and monotonic_ns(stack.clock) >= deadline:
        return 0.0, 0, False
    sign = 1.0 if player == root_player else -1.0
    best, length = -2.0 * sign, 0
    for i in range(rules.legal_actions(state, stack.legal[ply])):
        stack.states[ply + 1] = state
        rules.step(stack.states[ply + 1], np.int64(stack.legal[ply, i]))
        value, plies, finished = solve(rules, stack, ply + 1, root_player, max_nodes, deadline)
        if not finished:
            return 0.0, 0, False
        if prefers(sign, value, plies + 1, best, length):
            best, length = value, plies + 1
    return best, length, True


@kernel
def prefers(sign, value, plies, best, length):
    """Return whether the mover (sign 1 maximises, -1 minimises) prefers `value` in `plies` to `best`."""
    if value != best:
        return sign * (value - best) > 0
    return sign * value * (length - plies) > 0


@dataclass(frozen=True)
class _Solved:
    """The exact worth of a root action, and the plies to the end of the game."""

    action: int
    value: float
    plies: int


class Minimax(Agent):
    """Exhaustive search; ties are broken at random from the seed, sooner wins and later losses preferred.

    In a game too large for its limit it plays the best action among those it finished (an
    unfinished one where all finished ones lose), and `Decision.info["complete"]` is False. With `trace`,
    the events of the walk can be recorded (`agents.depth_first.trace`).
    """

    def __init__(
        self,
        rules: Any,
        max_nodes: Annotated[int, Field(ge=1, description="nodes a move may visit at the most")] = 20_000_000,
        trace: Annotated[
            int, Field(ge=0, le=15_000, description="events of the walk to record at the most; 0: none")
        ] = 0,
    ) -> None:
        """Allocate the stack and compile (or load) the search.

        Raises:
            AgentRefused: for games with chance, hidden information or other than two players.
        """
        super().__init__(rules)
        require_perfect_information("minimax", rules)
        require_two_players("minimax", rules)
        self.max_nodes, self.trace = max_nodes, trace
        self._stack = Stack.allocate(rules)
        self._stack.states[0] = rules.initial_state()
        solve(rules, self._stack, 0, 0, 1, NEVER)
        self.reset(0, 0)

    def reset(self, player: int, seed: int) -> None:
        """Start the stream that breaks ties."""
        self._rng = np.random.default_rng(seed)
        self._last: tuple[View, list[int]] | None = None

    def act(self, view: View, limit: Limit) -> Decision:
        """Solve every action and play the best."""
        max_nodes = min(self.max_nodes, limit.nodes or self.max_nodes)
        actions = [int(action) for action in self._rng.permutation(view.legal_actions)]
        solved = self._solve_all(view, actions, max_nodes, deadline_ns(limit))
        self._last = view, actions
        return self._decide(actions, solved)

    def search_record(self) -> dict[str, Any] | None:
        """Walk the tree of the last move once more, event by event; say so where it has more than `trace`."""
        if self.trace == 0 or self._last is None:
            return None
        view, actions = self._last
        try:
            events = trace(self.rules, view.state, view.player, actions, self.trace)
        except TooManyEvents as error:
            return {"kind": "failed", "reason": str(error)}
        return {"kind": "walk", "events": events}

    def _solve_all(self, view: View, actions: list[int], max_nodes: int, deadline: int) -> list[_Solved]:
        self._stack.nodes[0] = 0
        solved = []
        for action in actions:
            self._stack.states[0] = view.state
            self.rules.step(self._stack.states[0], action)
            value, plies, finished = solve(self.rules, self._stack, 0, view.player, max_nodes, deadline)
            if not finished:
                break
            solved.append(_Solved(action, value, plies + 1))
        return solved

    def _decide(self, actions: list[int], solved: list[_Solved]) -> Decision:
        complete = len(solved) == len(actions)
        info = {"complete": complete, "solved_actions": len(solved), "nodes": int(self._stack.nodes[0])}
        # max() keeps the first of equals, and the actions come in random order.
        best = max(solved, key=lambda s: (s.value, -s.value * s.plies), default=None)
        if best is None or (not complete and best.value < 0):
            return Decision(actions[len(solved)], info=info)
        return Decision(best.action, value=best.value, info=info | {"plies_to_end": best.plies})
