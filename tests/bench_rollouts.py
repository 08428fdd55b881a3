"""How fast bare rollouts are: a script, not a test. Run it from the project's root on an idle machine.

    python tests/bench_rollouts.py
    python tests/bench_rollouts.py havannah go --repeats 9

Prints rollouts per second from the first position of every game, on one thread, with the target, and the
simulations per second of OpenSpiel's C++ `MCTSBot` on the same game (one random rollout a leaf) where
`open_spiel` can be imported, interleaved in the same run. The rules are the same, but OpenSpiel's rollouts
of Go are uniform and end after 162 moves, where ours spare the mover's own eyes and end after 243 at most.
"""

from __future__ import annotations

import argparse
from typing import Any, NamedTuple

from measure import bare_rollouts

from arena.bench.uct import interleaved, openspiel_search
from envs import game_names, make_rules

ROLLOUTS = 10_000
"""In one call, from Python, of the kernel that is measured."""
SIMULATIONS = 1_000


class Case(NamedTuple):
    """At which size a game is measured, the target in rollouts a second, and OpenSpiel's name for it."""

    params: dict[str, Any]
    target: float
    openspiel: str


CASES = {
    "tic_tac_toe": Case({}, 8e6, "tic_tac_toe"),
    "connect_four": Case({}, 3e6, "connect_four"),
    "hex": Case({"size": 11}, 1.8e6, "hex(board_size=11)"),
    "havannah": Case({"size": 8}, 250e3, "havannah(board_size=8)"),
    "gomoku": Case({"rows": 15, "columns": 15}, 400e3, "gomoku(size=15)"),
    "othello": Case({"size": 8}, 350e3, "othello"),
    "breakthrough": Case({}, 250e3, "breakthrough"),
    "go": Case({"size": 9}, 80e3, "go(board_size=9)"),
    "nim": Case({"piles": (1, 3, 5, 7)}, 0, "nim(is_misere=False,pile_sizes=1;3;5;7)"),
    "y": Case({"size": 11}, 0, "y(board_size=11)"),
}


def main() -> None:
    """Print a line for every game, or for those asked for."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("games", nargs="*", default=game_names(), help="all, when left out")
    parser.add_argument("--repeats", type=int, default=5, help="of which the median is printed")
    arguments = parser.parse_args()
    print(f"{'game':14} {'rollouts/s':>12} {'target':>10} {'of it':>6} {'MCTSBot/s':>10} {'ratio':>6}")
    for name in arguments.games:
        print(line(name, CASES.get(name, Case({}, 0, "")), arguments.repeats), flush=True)


def line(name: str, case: Case, repeats: int) -> str:
    """Measure one game."""
    ours = bare_rollouts(make_rules(name, **case.params), ROLLOUTS)
    theirs = openspiel_search(case.openspiel, SIMULATIONS, uct_c=1.0)
    seconds = interleaved([ours, theirs] if theirs else [ours], repeats, 0.3)
    rates = [count / taken for count, taken in zip((ROLLOUTS, SIMULATIONS), seconds, strict=False)]
    target = f"{case.target:10,.0f} {rates[0] / case.target:6.2f}" if case.target else f"{'-':>10} {'-':>6}"
    beside = f"{rates[1]:10,.0f} {rates[0] / rates[1]:6.0f}" if theirs else "(absent)"
    return f"{name:14} {rates[0]:12,.0f} {target} {beside}"


if __name__ == "__main__":
    main()
