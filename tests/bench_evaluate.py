"""How fast games judge positions: a script, not a test. Run it from the project's root on an idle machine.

    python tests/bench_evaluate.py
    python tests/bench_evaluate.py othello gomoku --repeats 9

Prints, for every game with an `evaluate` of its own, how many nanoseconds one call of it and of `is_quiet`
takes, and calls of `evaluate` per second, on one thread, over positions of random games.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable
from typing import Any

import numpy as np

from arena.bench.uct import interleaved
from envs import game_class, game_names, make_rules
from envs.kernels import kernel
from envs.rules import list_legal

ROUNDS = 200
"""How often a call from Python judges every position."""


def main() -> None:
    """Print a line for every game, or for those asked for."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    judges = [name for name in game_names() if "evaluate" in game_class(name).given]
    parser.add_argument("games", nargs="*", default=judges, help="all that have an evaluate, when left out")
    parser.add_argument("--repeats", type=int, default=5, help="of which the median is printed")
    arguments = parser.parse_args()
    print(f"{'game':14} {'evaluate, ns':>12} {'per second':>12} {'is_quiet, ns':>12}")
    for name in arguments.games:
        rules = make_rules(name)
        states = positions(rules)
        calls = [calling(judge, rules, states) for judge in (judge_all, ask_all)]
        evaluate, is_quiet = (s / ROUNDS / len(states) for s in interleaved(calls, arguments.repeats, 0.2))
        print(f"{name:14} {1e9 * evaluate:12,.0f} {1 / evaluate:12,.0f} {1e9 * is_quiet:12,.0f}", flush=True)


def positions(rules: Any) -> Any:
    """Return positions of random games that are not over, from the first moves to the last."""
    rng, found = np.random.default_rng(1), []
    while len(found) < 200:
        state = rules.initial_state()
        while not rules.is_terminal(state):
            found.append(state.copy())
            rules.step(state, int(rng.choice(list_legal(rules, state))))
    return np.array(found[:: len(found) // 100])


def calling(judge: Any, rules: Any, states: Any) -> Callable[[], None]:
    """Return a function that judges all states `ROUNDS` times; its kernel is compiled."""
    judge(rules, states, 1)

    def run() -> None:
        judge(rules, states, ROUNDS)

    return run


@kernel(_nrt=False)
def judge_all(rules, states, rounds):  # type: ignore[no-untyped-def]
    """Return a sum of all values, so that none is optimised away."""
    total = 0.0
    for _ in range(rounds):
        for i in range(states.shape[0]):
            total += rules.evaluate(states[i], 0)
    return total


@kernel(_nrt=False)
def ask_all(rules, states, rounds):  # type: ignore[no-untyped-def]
    """Return how many are quiet."""
    total = 0
    for _ in range(rounds):
        for i in range(states.shape[0]):
            total += rules.is_quiet(states[i])
    return total


if __name__ == "__main__":
    main()
