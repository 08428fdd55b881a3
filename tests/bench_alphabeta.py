"""How fast alpha-beta is: a script, not a test. Run it from the project's root on an idle machine.

    ARENA_TRUTH_DIR=… python tests/bench_alphabeta.py

Prints nodes per second of whole searches from positions of random games, medians over repeats, with the
targets; and with the truth folder the mean nodes to solve Connect Four's L3_R1, centre columns first.
"""

from __future__ import annotations

import argparse
import os
import statistics
import time
from pathlib import Path
from typing import Any

import numpy as np

from agents import make_agent
from agents.base import Limit, View
from envs import make_rules
from envs.rules import list_legal

TARGETS = {"connect_four": 6e6, "othello": 2e6, "gomoku": 0.3e6, "hex": None, "breakthrough": None}
"""Nodes per second; the public Connect Four solver of P. Pons in C++ does 5.5 to 6.9 million."""
MOST_NODES = 150.0


def main() -> None:
    """Print a line a game, and one for the solved positions."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--repeats", type=int, default=5)
    parser.add_argument("--nodes", type=int, default=2_000_000, help="nodes a search")
    arguments = parser.parse_args()
    for game, target in TARGETS.items():
        rate = statistics.median(rates(game, arguments.nodes, arguments.repeats))
        told = f" (target {target:,.0f})" if target else ""
        print(f"{game:14}{rate:12,.0f} nodes/s{told}", flush=True)
    if folder := os.environ.get("ARENA_TRUTH_DIR"):
        mean = statistics.fmean(nodes_to_solve(Path(folder) / "connect_four" / "Test_L3_R1.txt"))
        print(f"connect_four: {mean:.1f} nodes a position of L3_R1 (target at most {MOST_NODES:.0f})")


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
