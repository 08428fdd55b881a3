"""How fast alpha-beta is: a script, not a test. Run it from the project's root on an idle machine.

    ARENA_TRUTH_DIR=… python tests/bench_alphabeta.py

Prints nodes per second of whole searches from positions of random games, medians over repeats, with the
targets; with the truth folder the mean nodes to solve Connect Four's L3_R1; and by
how many milliseconds moves of 1 ms to 1 s come late, in wall-clock time and in this thread's own.
"""

from __future__ import annotations

import argparse
import os
import statistics
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

from agents import make_agent
from agents.base import AgentRefused, Limit, View
from envs import game_names, make_rules
from envs.rules import list_legal

TARGETS = {"connect_four": 6e6, "othello": 2e6, "gomoku": 0.3e6, "hex": None, "breakthrough": None}
"""Nodes per second; the public Connect Four solver of P. Pons in C++ does 5.5 to 6.9 million."""
BUDGETS = {0.001: 300, 0.01: 200, 0.1: 20, 1.0: 3}
"""Seconds a move, and how many moves."""


def main() -> None:
    """Print a line a game, and one for the solved positions."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--repeats", type=int, default=5)
    parser.add_argument("--nodes", type=int, default=2_000_000, help="nodes a search")
    parser.add_argument("parts", nargs="*", default=["speed", "solve", "clock"])
    arguments = parser.parse_args()
    for part in arguments.parts:
        {"speed": speed, "solve": solve, "clock": clock}[part](arguments)


def speed(arguments: argparse.Namespace) -> None:
    """Nodes per second."""
    for game, target in TARGETS.items():
        rate = statistics.median(rates(game, arguments.nodes, arguments.repeats))
        told = f" (target {target:,.0f})" if target else ""
        print(f"{game:14}{rate:12,.0f} nodes/s{told}", flush=True)


def solve(arguments: argparse.Namespace) -> None:
    """Nodes to prove a position by deepening; those of `arena solve` are in bench_solve."""
    if folder := os.environ.get("ARENA_TRUTH_DIR"):
        mean = statistics.fmean(nodes_to_solve(Path(folder) / "connect_four" / "Test_L3_R1.txt"))
        print(f"connect_four: {mean:.1f} nodes a position of L3_R1, all depths together")


def clock(arguments: argparse.Namespace) -> None:
    """How late moves are: the median, what 1 in 100 exceeds, and the most."""
    print(f"{'ms late':14}{'budget':>8}{'moves':>7}{'':4}wall: p50    p99    max{'':4}own: p50    p99    max")
    for game in game_names():
        rules = make_rules(game)
        try:
            agent = make_agent("alphabeta", rules)
        except AgentRefused:
            continue
        for budget, moves in BUDGETS.items():
            late = 1000 * (np.array(list(seconds(rules, agent, budget, moves))).T - budget)
            told = ("".join(f"{np.percentile(one, mark):7.2f}" for mark in (50, 99, 100)) for one in late)
            print(f"{game:14}{1000 * budget:5.0f} ms{moves:7}{'':8}{'   '.join(told)}", flush=True)


def seconds(rules: Any, agent: Any, budget: float, moves: int) -> Iterator[tuple[float, float]]:
    """Yield for moves of random games the seconds they take, and those of this thread."""
    rng, state = np.random.default_rng(2), rules.initial_state()
    for _ in range(moves):
        view, wall, own = view_of(rules, state), time.perf_counter(), time.thread_time()
        agent.act(view, Limit(time=budget))
        yield time.perf_counter() - wall, time.thread_time() - own
        rules.step(state, int(rng.choice(view.legal_actions)))
        if rules.is_terminal(state):
            agent.reset(0, 0)
            state = rules.initial_state()


def rates(game: str, nodes: int, repeats: int) -> list[float]:
    """Search one position of a random game a repeat; seconds are this thread's on the processor."""
    rules, rng, found = make_rules(game), np.random.default_rng(1), []
    agent = make_agent("alphabeta", rules)
    for repeat in range(repeats + 1):
        state = rules.initial_state()
        for _ in range(4):
            rules.step(state, int(rng.choice(list_legal(rules, state))))
        agent.reset(0, 0)
        begin = time.thread_time()
        info = agent.act(view_of(rules, state), Limit(nodes=nodes)).info  # type: ignore[union-attr]
        if repeat:  # the first search loads what it needs
            found.append(info["nodes"] / (time.thread_time() - begin))
    return found


def nodes_to_solve(positions: Path) -> list[int]:
    """Solve every position of a file of Pons' test sets."""
    rules = make_rules("connect_four")
    agent, nodes = make_agent("alphabeta", rules), []
    for line in positions.read_text().splitlines():
        state = rules.initial_state()
        for column in line.split()[0]:
            rules.step(state, int(column) - 1)
        agent.reset(0, 0)
        info = agent.act(view_of(rules, state), Limit(depth=42)).info  # type: ignore[union-attr]
        assert info["proven"]
        nodes.append(info["nodes"])
    return nodes


def view_of(rules: Any, state: Any) -> View:
    """Return what the player to move sees."""
    return View(state.copy(), list_legal(rules, state), int(rules.current_player(state)))


if __name__ == "__main__":
    main()
