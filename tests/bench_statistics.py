"""How honest the intervals and the sequential test are: the tables of docs/statistics.md.

    python tests/bench_statistics.py                  # some minutes
    python tests/bench_statistics.py --leagues 100    # a look

Not a test: it prints, and asserts nothing; the suite holds samples of both to bounds.
"""

from __future__ import annotations

import argparse
import random

import numpy as np
from simulated import decide, simulate

from arena.league.models import Sprt
from arena.statistics.ratings import rate

FOUR, EIGHT = [-120, -20, 40, 100], [-150, -100, -50, 0, 20, 40, 90, 150]
GAUNTLET = [(0, 1), (0, 2), (0, 3)]
LEAGUES = [  # what, strengths, pairs a pairing, most draws, who meets
    ("4 agents, 60 pairs each", FOUR, 60, 0.0, None),
    ("the same, up to 70% draws", FOUR, 60, 0.7, None),
    ("8 agents, 20 pairs each", EIGHT, 20, 0.4, None),
    ("a gauntlet of one against 3, 100 pairs each", FOUR, 100, 0.4, GAUNTLET),
    ("2 agents, 200 pairs", [-20, 20], 200, 0.3, None),
    ("2 agents, 20 pairs", [-20, 20], 20, 0.3, None),
]
SEAT = 35.0
TESTS = [(20.0, 0.3), (50.0, 0.3), (50.0, 0.7)]


def main() -> None:
    """Print both tables."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "--leagues", type=int, default=1000, help="simulated leagues, and tests, of each kind"
    )
    leagues = parser.parse_args().leagues
    print(f"| {leagues:,} simulated leagues of | ratings inside | first seat inside |\n| --- | --- | --- |")
    for what, *league in LEAGUES:
        ratings, seat = coverage(leagues, *league)
        print(f"| {what} | {ratings:.1%} | {seat:.1%} |", flush=True)
    print("\n| elo0 | elo1 | draws | elo0 true: wrong | pairs | elo1 true: wrong | pairs |")
    print("| --- | --- | --- | --- | --- | --- | --- |")
    for elo1, draws in TESTS:
        cells = [
            f"{wrong:.1%} | {pairs:.0f}" for wrong, pairs in (errors(leagues, elo1, draws, n) for n in (0, 1))
        ]
        print(f"| 0 | {elo1:g} | {draws:.0%} | {' | '.join(cells)} |", flush=True)


def coverage(leagues, strengths, pairs, draws, met):
    """Return how often the 95% intervals hold the truth: of the ratings, and of the first seat's worth."""
    rng, inside, seat = np.random.default_rng(11), 0, 0
    for _ in range(leagues):
        found = rate(len(strengths), simulate(rng, np.array(strengths), SEAT, pairs, draws, met))
        for estimate, truth in zip(found.elo, strengths, strict=True):
            inside += abs(estimate.value - truth) < estimate.error
        seat += abs(found.seat.value - SEAT) < found.seat.error
    return inside / leagues / len(strengths), seat / leagues


def errors(tests, elo1, draws, true):
    """Return how often a test at risks of 5% is wrong where elo0, or elo1, is true; and its mean length."""
    settings, rng = Sprt(type="sprt", elo0=0, elo1=elo1), random.Random(1)
    decided = [decide(rng, elo1 * true, settings, draws) for _ in range(tests)]
    wrong = sum(accepted != f"elo{true}" for accepted, _ in decided)
    return wrong / tests, sum(pairs for _, pairs in decided) / tests


if __name__ == "__main__":
    main()
