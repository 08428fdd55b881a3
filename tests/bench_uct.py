"""What UCT costs: a script, not a test. Run it from the project's root on an idle machine.

Prints the share of bare rollouts that the tree leaves; how many more simulations two trees do than one;
and the seconds a cold compile and a warm start take. Its speed beside other engines: `arena bench uct`.
"""

from __future__ import annotations

import argparse
import os
import statistics
import subprocess
import sys
import tempfile

from measure import bare_rollouts

from agents import make_agent
from agents.base import Limit
from arena.bench.uct import CONTESTS, UCT_C, first_view, interleaved, our_search
from envs import make_rules

MEASURED = CONTESTS[:3]
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
    parser.add_argument("parts", nargs="*", default=["rollouts", "trees", "start"])
    parser.add_argument("--repeats", type=int, default=5)
    arguments = parser.parse_args()
    for part in arguments.parts:
        {"rollouts": rollouts, "trees": trees, "start": start}[part](arguments)


def rollouts(arguments: argparse.Namespace) -> None:
    """How many simulations a bare rollout's time buys on Hex 11x11."""
    count = 100_000
    works = [bare_rollouts(make_rules("hex", size=11), count), our_search("hex", {"size": 11}, count)]
    bare, tree = interleaved(works, arguments.repeats)
    print(f"Hex 11x11: {count / bare:,.0f} bare rollouts/s; UCT does {bare / tree:.2f} of that (target 0.40)")


def trees(arguments: argparse.Namespace) -> None:
    """Simulations of two trees over those of one, in the same time."""
    for contest in MEASURED:
        rules = make_rules(contest.game, **contest.params)
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
            f"{contest.game:14} trees: 2 do {ratio:.2f} times the simulations of 1 in 0.5 s (target 1.7)",
            flush=True,
        )


def start(arguments: argparse.Namespace) -> None:
    """Seconds to compile each agent's kernels, and to load them in the next process."""
    for agent in ("uct", "minimax"):
        for contest in MEASURED:
            code = START.format(agent=agent, game=contest.game, params=contest.params)
            with tempfile.TemporaryDirectory() as folder:
                environment = os.environ | {"NUMBA_CACHE_DIR": folder}
                cold, warm = (run(code, environment) for _ in range(2))
            print(
                f"{agent:8} {contest.game:14} cold {cold:5.1f} s (target 12)   "
                f"warm {warm:4.2f} s (target 0.6)",
                flush=True,
            )


def run(code: str, environment: dict[str, str]) -> float:
    """Run `code` in a process of its own, and return the number it prints."""
    done = subprocess.run(
        [sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=True
    )
    return float(done.stdout)


if __name__ == "__main__":
    main()
