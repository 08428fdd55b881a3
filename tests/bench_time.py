"""How well a run's agents kept the clock, in more figures than the tables have: a script, not a test.

    arena run configs/time_10ms.yaml
    python tests/bench_time.py runs/time-10ms-1

Prints, by game and agent, by how many milliseconds moves came late and early: the median, what 1 in 100
and 1 in 1,000 exceed, and the most; and how many were 10 ms late or 1 ms early.
"""

from __future__ import annotations

import argparse
from collections import defaultdict
from pathlib import Path

import numpy as np

from arena.store import Store

MARKS = (50, 99, 99.9, 100)


def main() -> None:
    """Print a line for every agent of every game."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("run", type=Path, help="the folder of a run whose moves have a limit of time")
    seconds: dict[tuple[str, str], list[float]] = defaultdict(list)
    with Store.open(parser.parse_args().run / "league.sqlite") as store:
        for record in store.games():
            for move in record.moves:
                player = record.spec.players[move.seat]
                limit = record.spec.limit_of(player)
                seconds[record.spec.game.label, player.label].append(move.time - (limit.time or 0.0))
    print(f"{'':22}{'moves':>8}   late: {HEAD}   early: {HEAD}{'late >10':>10}{'early >1':>10}")
    for (game, agent), past in sorted(seconds.items()):
        print(f"{game} {agent}".ljust(22) + line(1000 * np.array(past)))
    print("all".ljust(22) + line(1000 * np.concatenate(list(seconds.values()))))


HEAD = "".join(f"{f'p{mark}' if mark < 100 else 'max':>8}" for mark in MARKS)


def line(past: np.ndarray) -> str:
    """Return the figures of moves by their milliseconds past the limit."""
    late, early = (np.percentile(np.maximum(side, 0), MARKS) for side in (past, -past))
    cells = ("".join(f"{value:8.2f}" for value in side) for side in (late, early))
    return f"{len(past):8,}   late: {'   early: '.join(cells)}{np.sum(past > 10):10}{np.sum(past < -1):10}"


if __name__ == "__main__":
    main()
