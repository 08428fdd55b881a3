"""How fast UCT is: a script, not a test. Run it from the project's root on an idle machine.

Prints simulations per second on three games, beside OpenSpiel's C++ `MCTSBot` where `open_spiel`
can be imported (same exploration constant, one random rollout a leaf, same simulations from the first
position, one thread, interleaved); how many more simulations two trees do than one; the share of
bare rollouts that the tree leaves; and the seconds a cold compile and a warm start take.
"""

from __future__ import annotations

import argparse
import os
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Callable
from typing import Any

from measure import bare_rollouts, interleaved, openspiel_search, void

from agents import make_agent
from agents.base import Limit, View
from envs import make_rules
from envs.rules import list_legal

UCT_C = 1.0
GAMES: list[tuple[str, dict[str, int], str, float]] = [
    ("tic_tac_toe", {}, "tic_tac_toe", 4.0),
    ("connect_four", {}, "connect_four", 10.0),
    ("hex", {"size": 11}, "hex(board_size=11)", 30.0),
]
START = """
import sys, time
from agents import make_agent
from envs import make_rules
rules = make_rules({game!r}, **{params!r})
start = time.perf_counter()
make_agent({agent!r}, rules)
print(time.perf_counter() - start)
"""


def main() -> None:
    """Print every figure, or the parts asked for."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("parts", nargs="*", default=["speed", "rollouts", "trees", "start"])
    parser.add_argument("--simulations", type=int, nargs="+", default=[1_000, 10_000, 100_000])
    parser.add_argument("--repeats", type=int, default=5)
    arguments = parser.parse_args()
    for part in arguments.parts:
        {"speed": speed, "rollouts": rollouts, "trees": trees, "start": start}[part](arguments)


def speed(arguments: argparse.Namespace) -> None:
    """Simulations per second, beside OpenSpiel's."""
    print(f"{'game':14} {'simulations':>11} {'ours/s':>11} {'OpenSpiel/s':>11} {'ratio':>6} {'target':>6}")
    for name, params, theirs, target in GAMES:
        for simulations in arguments.simulations:
            ours = our_search(name, params, simulations)
            other = openspiel_search(theirs, simulations, UCT_C)
            seconds = interleaved([ours, other] if other else [ours], arguments.repeats)
            rates = [simulations / s for s in seconds]
            beside = f"{rates[1]:11,.0f} {rates[0] / rates[1]:6.1f} {target:6.0f}" if other else "  (absent)"
            print(f"{name:14} {simulations:11,} {rates[0]:11,.0f} {beside}", flush=True)


def our_search(name: str, params: dict[str, int], simulations: int) -> Callable[[], None]:
    """Return a function that searches the first position once."""
    rules = make_rules(name, **params)
    agent = make_agent("uct", rules, uct_c=UCT_C)
    view = first_view(rules)
    return lambda: void(agent.act(view, Limit(simulations=simulations)))


def rollouts(arguments: argparse.Namespace) -> None:
    """How many simulations a bare rollout's time buys on Hex 11x11."""
    count = 100_000
    works = [bare_rollouts(make_rules("hex", size=11), count), our_search("hex", {"size": 11}, count)]
    bare, tree = interleaved(works, arguments.repeats)
    print(f"Hex 11x11: {count / bare:,.0f} bare rollouts/s; UCT does {bare / tree:.2f} of that (target 0.40)")


def trees(arguments: argparse.Namespace) -> None:
    """Simulations of two trees over those of one, in the same time."""
    for name, params, _, _ in GAMES:
        rules = make_rules(name, **params)
        view = first_view(rules)
        agents = [make_agent("uct", rules, uct_c=UCT_C, trees=count) for count in (1, 2)]
        done: list[list[int]] = [[], []]
        for repeat in range(arguments.repeats + 1):
            for agent, simulations in zip(agents, done, strict=True):
                decision = agent.act(view, Limit(time=0.5))
                if repeat:  # the first one touches the trees' memory
                    simulations.append(decision.info["simulations"])  # type: ignore[union-attr]
        ratio = statistics.median(done[1]) / statistics.median(done[0])
        print(
            f"{name:14} trees: 2 do {ratio:.2f} times the simulations of 1 in 0.5 s (target 1.7)", flush=True
        )


def start(arguments: argparse.Namespace) -> None:
    """Seconds to compile each agent's kernels, and to load them in the next process."""
    for agent in ("uct", "minimax"):
        for game, params, _, _ in GAMES:
            code = START.format(agent=agent, game=game, params=params)
            with tempfile.TemporaryDirectory() as folder:
                environment = os.environ | {"NUMBA_CACHE_DIR": folder}
                cold, warm = (run(code, environment) for _ in range(2))
            print(
                f"{agent:8} {game:14} cold {cold:5.1f} s (target 12)   warm {warm:4.2f} s (target 0.6)",
                flush=True,
            )


def run(code: str, environment: dict[str, str]) -> float:
    """Run `code` in a process of its own, and return the number it prints."""
    done = subprocess.run(
        [sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=True
    )
    return float(done.stdout)


def first_view(rules: Any) -> View:
    """Return what the first player sees."""
    state = rules.initial_state()
    return View(state, list_legal(rules, state), 0)


if __name__ == "__main__":
    main()
