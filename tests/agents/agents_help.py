"""What the tests of agents share: views, games between two agents, exhaustive values."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from typing import Any

import numpy as np

from agents import Decision, Limit, View
from envs.rules import list_legal


def view_of(rules: Any, state: Any) -> View:
    return View(state.copy(), list_legal(rules, state), int(rules.current_player(state)))


def decide(agent: Any, rules: Any, state: Any, limit: Limit) -> Decision:
    answer = agent.act(view_of(rules, state), limit)
    return answer if isinstance(answer, Decision) else Decision(int(answer))


def play(rules: Any, agents: list[Any], limits: list[Limit], seed: int) -> list[float]:
    """Play a game and return the returns by seat."""
    for seat, agent in enumerate(agents):
        agent.reset(seat, 2 * seed + seat)
    state = rules.initial_state()
    while not rules.is_terminal(state):
        seat = int(rules.current_player(state))
        rules.step(state, decide(agents[seat], rules, state, limits[seat]).action)
    return returns_of(rules, state)


def returns_of(rules: Any, state: Any) -> list[float]:
    out = np.zeros(rules.num_players)
    rules.returns(state, out)
    return [float(x) for x in out]


def after(rules: Any, state: Any, *actions: int) -> Any:
    """Return a fresh state with `actions` played."""
    state = state.copy()
    for action in actions:
        rules.step(state, int(action))
    return state


class Solver:
    """Exhaustive values by plain negamax over a dictionary; knows nothing of `agents.minimax`."""

    def __init__(self, rules: Any) -> None:
        self.rules, self.known = rules, {}  # type: ignore[var-annotated]

    def value(self, state: Any) -> float:
        """Return the exact return of the player to move (of two); the first player's at the end."""
        key = state.tobytes()
        if key not in self.known:
            self.known[key] = self._solve(state)
        return self.known[key]  # type: ignore[no-any-return]

    def _solve(self, state: Any) -> float:
        if self.rules.is_terminal(state):
            return returns_of(self.rules, state)[0]
        return max(self.action_values(state).values())

    def action_values(self, state: Any) -> dict[int, float]:
        """Return the exact return for the player to move of each legal action."""
        mover = int(self.rules.current_player(state))
        values = {}
        for action in list_legal(self.rules, state):
            child = after(self.rules, state, action)
            value = self.value(child)
            firsts = self.rules.is_terminal(child) or int(self.rules.current_player(child)) == 0
            values[int(action)] = value if firsts == (mover == 0) else -value
        return values


def reachable(rules: Any) -> Iterator[Any]:
    """Yield every reachable state once."""
    seen, pending = set(), [rules.initial_state()]
    while pending:
        state = pending.pop()
        if state.tobytes() in seen:
            continue
        seen.add(state.tobytes())
        yield state
        if not rules.is_terminal(state):
            pending += [after(rules, state, action) for action in list_legal(rules, state)]


def said_with_and_without_compiler(code: str) -> tuple[str, str]:
    """Run `code` in two fresh processes, compiled and as plain Python; return what each prints."""
    said = [
        subprocess.run(
            [sys.executable, "-c", code],
            env=os.environ | {"NUMBA_DISABLE_JIT": disabled},
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for disabled in ("0", "1")
    ]
    return said[0], said[1]
