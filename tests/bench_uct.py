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
import time
from collections.abc import Callable
from typing import Any

import numpy as np

from agents import make_agent
from agents.base import Limit, View
from envs import make_rules
from envs.kernels import kernel
from envs.rules import list_legal
from envs.streams import make_stream

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
            other = openspiel_search(theirs, simulations)
            seconds = interleaved([ours, other] if other else [ours], arguments.repeats, simulations)
            rates = [simulations / s for s in seconds]
            beside = f"{rates[1]:11,.0f} {rates[0] / rates[1]:6.1f} {target:6.0f}" if other else "  (absent)"
            print(f"{name:14} {simulations:11,} {rates[0]:11,.0f} {beside}", flush=True)


def interleaved(searches: list[Callable[[], None]], repeats: int, simulations: int) -> list[float]:
    """Return the median seconds of each search; a repeat lasts for 10,000 simulations or more."""
    times = max(1, 10_000 // simulations)
    taken: list[list[float]] = [[] for _ in searches]
    for _ in range(repeats):
        for search, seconds in zip(searches, taken, strict=True):
            begin = time.perf_counter()
            for _ in range(times):
                search()
            seconds.append((time.perf_counter() - begin) / times)
    return [statistics.median(seconds) for seconds in taken]


def our_search(name: str, params: dict[str, int], simulations: int) -> Callable[[], None]:
    """Return a function that searches the first position once."""
    rules = make_rules(name, **params)
    agent = make_agent("uct", rules, uct_c=UCT_C)
    view = first_view(rules)
    return lambda: void(agent.act(view, Limit(simulations=simulations)))


def openspiel_search(name: str, simulations: int) -> Callable[[], None] | None:
    """Return the same for OpenSpiel's C++ search, or None where it is not installed."""
    try:
        import pyspiel
    except ImportError:
        return None
    game = pyspiel.load_game(name)
    bot = pyspiel.MCTSBot(
        game, pyspiel.RandomRolloutEvaluator(1, 1), UCT_C, simulations, 10_000, False, 1, False
    )
    state = game.new_initial_state()
    return lambda: void(bot.step(state))


def rollouts(arguments: argparse.Namespace) -> None:
    """How many simulations a bare rollout's time buys on Hex 11x11."""
    rules = make_rules("hex", size=11)
    arrays = (
        rules.initial_state(),
        rules.initial_state(),
        np.zeros(121, np.int32),
        np.zeros(2),
        make_stream(1),
    )
    count = 100_000
    bare, tree = interleaved(
        [lambda: void(play(rules, *arrays, count)), our_search("hex", {"size": 11}, count)],
        arguments.repeats,
        count,
    )
    print(f"Hex 11x11: {count / bare:,.0f} bare rollouts/s; UCT does {bare / tree:.2f} of that (target 0.40)")


@kernel
def play(rules, root, state, scratch, returns, rng, count):  # type: ignore[no-untyped-def]
    """Play `count` rollouts from `root`."""
    for _ in range(count):
        state[:] = root
        rules.rollout(state, scratch, rng)
        rules.returns(state, returns)


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


def void(result: Any) -> None:
    """Drop a result."""


if __name__ == "__main__":
    sys.path.insert(0, os.getcwd())
    main()
