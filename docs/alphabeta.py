"""The tables of docs/alphabeta.md, what each option of alpha-beta does: a script.

    python docs/alphabeta.py

Searches the same positions to the same depth with one option changed at a time, and prints the nodes and the
seconds it took as a share of what the defaults take; nodes are the same on every machine. Options that change
what is searched, and not only how, also play the defaults at equal nodes.
"""

from __future__ import annotations

import math
import time
from collections.abc import Iterator
from typing import Any

import numpy as np

from agents import make_agent
from agents.base import AgentRefused, Limit, View
from envs import make_rules
from envs.rules import list_legal

GAMES: list[tuple[str, dict[str, Any], int, int]] = [
    ("connect_four", {}, 10, 4),
    ("othello", {}, 7, 8),
    ("gomoku", {}, 4, 6),
    ("hex", {"size": 7}, 5, 4),
    ("breakthrough", {}, 7, 8),
]
"""Games, their parameters, the depth to search to, and how many random moves come before."""
CHANGES: dict[str, dict[str, Any]] = {
    "defaults": {},
    "`table_mb: 0`": {"table_mb": 0},
    "`prior: false`": {"prior": False},
    "`killers: false`": {"killers": False},
    "`history: false`": {"history": False},
    "all three": {"prior": False, "killers": False, "history": False},
    "`pvs: false`": {"pvs": False},
    "`aspiration: 0.25`": {"aspiration": 0.25},
    "`quiescence: 2`": {"quiescence": 2},
    "`null_move: true`": {"null_move": True},
}
PLAYED = ("`quiescence: 2`", "`null_move: true`")
POSITIONS, MEETINGS, NODES = 10, 50, 10_000
"""Positions to search, pairs of games with seats changed, and nodes a move in them."""


def main() -> None:
    """Print a table for nodes, one for seconds and one for games."""
    titles = [f"{game}, depth {depth}" for game, _, depth, _ in GAMES]
    measured = [dict(_measure(*game)) for game in GAMES]
    for part, unit in enumerate(("nodes", "milliseconds")):
        _print(unit, titles, {change: [_cell(row, change, part) for row in measured] for change in CHANGES})
    scores = {change: [_score(*game, CHANGES[change]) for game in GAMES] for change in PLAYED}
    _print("score", [game for game, *_ in GAMES], scores)


def _print(corner: str, titles: list[str], rows: dict[str, list[str]]) -> None:
    print(f"| {corner} | {' | '.join(titles)} |\n| --- |{' --- |' * len(titles)}")
    for name, cells in rows.items():
        print(f"| {name} | {' | '.join(cells)} |")
    print(flush=True)


def _agent(rules: Any, options: dict[str, Any]) -> Any:
    """Return the agent, or None where the game has not what an option needs."""
    try:
        return make_agent("alphabeta", rules, **options)
    except AgentRefused:
        return None


def _measure(
    game: str, params: dict[str, Any], depth: int, plies: int
) -> Iterator[tuple[str, tuple[float, float] | None]]:
    """Yield for each change the nodes and the milliseconds that a position takes."""
    rules = make_rules(game, **params)
    views = [_view(rules, _opening(rules, plies, seed)) for seed in range(POSITIONS)]
    for change, options in CHANGES.items():
        agent, nodes, seconds = _agent(rules, options), 0, 0.0
        for view in views if agent else ():
            agent.reset(0, 0)
            begin = time.thread_time()
            nodes += agent.act(view, Limit(depth=depth)).info["nodes"]
            seconds += time.thread_time() - begin
        yield change, (nodes / POSITIONS, 1000 * seconds / POSITIONS) if agent else None


def _score(game: str, params: dict[str, Any], depth: int, plies: int, options: dict[str, Any]) -> str:
    """Play the options against the defaults; return the mean score of a game with its 95% interval."""
    rules = make_rules(game, **params)
    agents = [_agent(rules, options), _agent(rules, {})]
    if agents[0] is None:
        return ""
    pairs = []
    for seed in range(MEETINGS):
        start = _opening(rules, plies, seed)
        pairs.append(np.mean([_play(rules, start, agents[::step], seed)[::step][0] for step in (1, -1)]))
    mean, error = (1 + np.mean(pairs)) / 2, 1.96 * np.std(pairs, ddof=1) / 2 / math.sqrt(MEETINGS)
    return f"{100 * mean:.0f}% ± {100 * error:.0f}"


def _play(rules: Any, start: Any, agents: list[Any], seed: int) -> list[float]:
    """Return the returns by seat of a game from `start`."""
    state, returns = start.copy(), np.zeros(2)
    for seat, agent in enumerate(agents):
        agent.reset(seat, seed)
    while not rules.is_terminal(state):
        agent = agents[int(rules.current_player(state))]
        rules.step(state, agent.act(_view(rules, state), Limit(nodes=NODES)).action)
    rules.returns(state, returns)
    return list(returns)


def _opening(rules: Any, plies: int, seed: int) -> Any:
    """Return a position after so many random moves, the game not over."""
    rng, state = np.random.default_rng(seed), rules.initial_state()
    for _ in range(plies):
        rules.step(state, int(rng.choice(list_legal(rules, state))))
        if rules.is_terminal(state):
            return _opening(rules, plies, seed + 1000)
    return state


def _view(rules: Any, state: Any) -> View:
    return View(state.copy(), list_legal(rules, state), int(rules.current_player(state)))


def _cell(rows: dict[str, tuple[float, float] | None], change: str, part: int) -> str:
    default, row = rows["defaults"], rows[change]
    if default is None or row is None:
        return ""
    if change == "defaults":
        return f"{row[part]:,.0f}" if part == 0 else f"{row[part]:.1f}"
    return f"× {row[part] / default[part]:.2f}"


if __name__ == "__main__":
    main()
