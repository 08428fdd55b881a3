"""How long a run of many games takes to be read: a script, not a test. Run it from the project's root.

    python tests/bench_results.py                     # 10,000 games of Hex 7 by searches of two trees
    python tests/bench_results.py --games 1000 --profile summary

It makes the run, of a single search, once; then it times the summary of its tables, and its report.
"""

from __future__ import annotations

import argparse
import cProfile
import functools
import pstats
import resource
import tempfile
import time
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from agents import Limit, View, make_agent
from arena.league.config import League, RoundRobin
from arena.league.schedule import Scheduler
from arena.records import AgentChoice, GameChoice, GameRecord, MatchSpec, MoveRecord, Termination
from arena.report.page import write_report
from arena.results.summary import summarise
from arena.store import Store
from envs import make_rules
from envs.rules import list_legal

HEX = GameChoice("hex", "hex", {"size": 7})
AGENTS = [AgentChoice(f"uct {place}", "uct", {"trees": 2, "uct_c": 1.0 + place}) for place in range(4)]
SIMULATIONS, TREES = 4000, 2
PARTS = {"summary": summarise, "report": write_report}


def main() -> None:
    """Print the seconds that each part takes."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--games", type=int, default=10_000)
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--profile", choices=PARTS, help="print where the time goes of this part alone")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        database = Path(folder) / "league.sqlite"
        moves = make_run(database, arguments.games)
        size = database.stat().st_size
        print(f"{arguments.games:,} games, {moves:,} moves, {size / moves:.0f} bytes a move")
        if arguments.profile:
            profile(PARTS[arguments.profile], database)
            return
        for name, part in PARTS.items():
            seconds, used = zip(*(timed(part, database) for _ in range(arguments.repeats)), strict=True)
            print(f"{name}: {min(seconds):.2f} s to {max(seconds):.2f} s, of a processor {min(used):.2f} s")
        print(f"most memory: {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024:.0f} MB")


def make_run(database: Path, games: int) -> int:
    """Write a run of random games with made-up searches; return how many moves it has."""
    league = League("bench", (HEX,), tuple(AGENTS), schedule=RoundRobin(rounds=games))
    scheduler, rng, moves = Scheduler(league, {HEX.label: 2}), np.random.default_rng(7), 0
    with Store.create(database, league.to_yaml(), games) as store:
        for _ in range(games):
            spec = scheduler.next()
            assert spec is not None
            record = random_game(spec, rng)
            scheduler.add(spec, record.returns)
            store.add_game(record)
            moves += len(record.moves)
    return moves


def random_game(spec: MatchSpec, rng: np.random.Generator) -> GameRecord:
    """Play at random, every move with visits, time and what UCT tells of itself."""
    rules = make_rules(spec.game.name, **spec.game.params)
    state, legal, returns = rules.initial_state(), np.zeros(rules.max_legal, np.int64), np.zeros(2)
    moves: list[MoveRecord] = []
    while not rules.is_terminal(state):
        actions = legal[: rules.legal_actions(state, legal)].copy()
        search = recorded_search() if len(moves) in spec.recorded else None
        moves.append(replace(searched(len(moves), actions, rng), search=search))
        rules.step(state, moves[-1].action)
    rules.returns(state, returns)
    return GameRecord(spec, (), tuple(moves), tuple(returns.tolist()), Termination.NORMAL, seconds=4.0)


@functools.cache
def recorded_search() -> Mapping[str, Any] | None:
    """Return what is recorded of a real search, the same for every move."""
    rules = make_rules(HEX.name, **HEX.params)
    agent, state = make_agent("uct", rules, trees=TREES), rules.initial_state()
    agent.act(View(state, list_legal(rules, state), 0), Limit(simulations=SIMULATIONS))
    return agent.search_record()


def searched(ply: int, actions: np.ndarray, rng: np.random.Generator) -> MoveRecord:
    """Return a move as two trees might have found it."""
    shares = rng.dirichlet(np.full(len(actions), 0.3))
    trees = rng.multinomial(SIMULATIONS // TREES, shares, size=TREES)
    info = {
        "simulations": SIMULATIONS,
        "nodes": 3 * SIMULATIONS,
        "mean_depth": float(rng.uniform(3, 9)),
        "max_depth": 14,
        "proven": False,
        "stopped": "limit",
    }
    return MoveRecord(
        ply,
        ply % 2,
        int(rng.choice(actions, p=shares)),
        time=float(rng.normal(0.1, 0.001)),
        overshoot=float(rng.exponential(1e-4)),
        value=float(rng.uniform(-1, 1)),
        legal_actions=actions,
        visits=trees.sum(axis=0),
        info=info,
        tree_visits=trees,
    )


def timed(part: Callable[[Path], object], database: Path) -> tuple[float, float]:
    """Return how many seconds it takes, and how many of a processor: those tell more on a busy machine."""
    start, used = time.perf_counter(), time.process_time()
    part(database)
    return time.perf_counter() - start, time.process_time() - used


def profile(part: Callable[[Path], object], database: Path) -> None:
    """Print the functions that take most time."""
    with cProfile.Profile() as profiler:
        part(database)
    pstats.Stats(profiler).sort_stats("tottime").print_stats(25)


if __name__ == "__main__":
    main()
