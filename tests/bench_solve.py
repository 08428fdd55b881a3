"""What exact solving costs: a script, not a test. Run it from the project's root on an idle machine.

Solves the three sets of a thousand Connect Four positions that P. Pons' solver is known by, in the folder
that ARENA_TRUTH_DIR names, and prints nodes and microseconds a position and nodes a second, beside that
solver's. The table is empty before each set and kept within it, as it is there.
"""

from __future__ import annotations

import argparse
import os
import statistics
import time
from pathlib import Path
from typing import Any

import numpy as np

from agents.base import NEVER
from agents.depth_first.proof import LOW, NODES, Stack, Table, make_order, narrow, place
from arena.solve import play
from envs import make_rules
from envs.kernels import kernel

PONS = {"L3_R1": (51, 9), "L2_R1": (449, 74), "L1_R1": (3295, 480)}
"""Mean nodes and microseconds a position of the public solver in C++."""


@kernel(_nrt=False)
def solve_all(rules, stack, table, order, states, values):
    """Solve the states one after the other, for the first player."""
    for i in range(states.shape[0]):
        place(rules, stack, states[i])
        narrow(rules, stack, table, order, NEVER)
        values[i] = stack.window[LOW]


def main() -> None:
    """Print a line a set."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--repeats", type=int, default=5)
    parser.add_argument("--memory-mb", type=int, default=8)
    arguments = parser.parse_args()
    rules = make_rules("connect_four")
    print(f"{'set':<7}{'nodes':>9}{'Pons':>7}{'us':>9}{'Pons':>7}{'M nodes/s':>11}")
    for name, (pons_nodes, pons_time) in PONS.items():
        states, expected = read_positions(rules, name)
        runs = [measure(rules, states, expected, arguments.memory_mb) for _ in range(arguments.repeats)]
        nodes, seconds = runs[0][0], statistics.median(seconds for _, seconds in runs)
        each = 1e6 * seconds / len(states)
        print(
            f"{name:<7}{nodes / len(states):>9,.0f}{pons_nodes:>7,}{each:>9,.1f}{pons_time:>7}"
            f"{nodes / seconds / 1e6:>11.2f}",
            flush=True,
        )


def read_positions(rules: Any, name: str) -> tuple[Any, Any]:
    """Return the states of a set, and what they are worth to the first player."""
    file = Path(os.environ["ARENA_TRUTH_DIR"]) / "connect_four" / f"Test_{name}.txt"
    lines = [line.split() for line in file.read_text().splitlines()]
    states = np.array([play(rules, " ".join(moves)) for moves, _ in lines])
    return states, [int(score) * (-1) ** len(moves) for moves, score in lines]


def measure(rules: Any, states: Any, expected: list[int], memory_mb: int) -> tuple[int, float]:
    """Solve all with an empty table; return the nodes and the seconds of this thread."""
    stack, table, values = Stack.allocate(rules), Table.allocate(memory_mb), np.zeros(len(states))
    table.entries.fill(0)  # touches its memory
    solve_all(rules, stack, table, make_order(rules), states[:0], values)
    begin = time.thread_time()
    solve_all(rules, stack, table, make_order(rules), states, values)
    seconds = time.thread_time() - begin
    assert values.tolist() == expected
    return int(stack.counts[NODES]), seconds


if __name__ == "__main__":
    main()
