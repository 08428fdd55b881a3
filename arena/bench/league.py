"""What a league costs beside its agents' thinking: what `arena bench league` measures and says.

Agents that play at random need next to no time, so what is measured of them is pipe, referee, PettingZoo
environment and database. Nothing here is asserted in a test, for it depends on the machine.
"""

from __future__ import annotations

import os
import resource
import statistics
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

from agents.base import Limit
from arena.league.config import League, RoundRobin
from arena.machine.cores import available_cores, pin
from arena.machine.processes import memory
from arena.records import AgentChoice, GameChoice, MatchSpec
from arena.referee.match import play_match
from arena.referee.seats import SeatPool
from arena.referee.supervisor import run_league
from arena.results.figures import signed

MICROSECONDS = 200.0
"""What referee and pipe should cost a move at most, in the median."""
GAMES_A_SECOND = 500.0
"""Games of tic-tac-toe at random that two cores should play, database and all."""
BUSY = 0.95
"""Share of the cores' time that leagues limited by time should use."""

_RANDOM = (AgentChoice("a", "random"), AgentChoice("b", "random"))
_THINKERS = (AgentChoice("a", "uct", {"solver": False}), AgentChoice("b", "uct", {"solver": False}))
_GAMES = (
    GameChoice("tic_tac_toe", "tic_tac_toe"),
    GameChoice("connect_four", "connect_four"),
    GameChoice("hex 11x11", "hex", {"size": 11}),
)


@dataclass(frozen=True)
class Cost:
    """Microseconds a move, medians over games: of the whole, and from question sent to answer received."""

    game: str
    whole: float
    asked: float


@dataclass(frozen=True)
class Load:
    """What a league of so many games took: seconds, processor seconds of all processes, memory it grew by."""

    games: int
    seconds: float
    cpu: float
    growth: int

    def __sub__(self, other: Load) -> Load:
        """Return what the further games took, starting and compiling apart."""
        return Load(self.games - other.games, self.seconds - other.seconds, self.cpu - other.cpu, self.growth)


def costs(games: int) -> Iterator[Cost]:
    """Yield what a move costs at each game, referee and seats on one core as in a slot of a league."""
    core = available_cores()[:1]
    pin(core)
    try:
        yield from (_cost(game, games, core) for game in _GAMES)
    finally:
        pin(_ALL_CORES)


_ALL_CORES = available_cores()


def _cost(game: GameChoice, games: int, core: tuple[int, ...]) -> Cost:
    whole, asked = [], []
    with SeatPool() as seats:
        for number in range(games + 1):
            spec = MatchSpec(number, game, _RANDOM, Limit(time=1), 0.05, 0, 0, 0, (0,), (1, number))
            started = time.perf_counter()
            record = play_match(spec, seats, core)
            if number:  # the first starts the seats
                whole.append((time.perf_counter() - started) / len(record.moves))
                asked.append(statistics.median(move.time for move in record.moves))
    return Cost(game.label, 1e6 * statistics.median(whole), 1e6 * statistics.median(asked))


def random_league(rounds: int) -> Load:
    """Play tic-tac-toe at random on every core."""
    return _league(League("bench", _GAMES[:1], _RANDOM, limit=Limit(time=1)), rounds)


def thinking_league(rounds: int) -> Load:
    """Let UCT play Connect Four at 50 ms a move on every core."""
    return _league(League("bench", _GAMES[1:2], _THINKERS, limit=Limit(time=0.05)), rounds)


def _league(league: League, rounds: int) -> Load:
    """Return what `rounds` rounds took beyond the first few."""
    few = len(_ALL_CORES)
    short = _play(league, few)
    return _play(league, few + rounds) - short


def _play(league: League, rounds: int) -> Load:
    before, cpu, started = memory([os.getpid()]), _cpu(), time.perf_counter()
    with tempfile.TemporaryDirectory() as folder:
        run_league(replace(league, schedule=RoundRobin(rounds=rounds)), Path(folder), quiet=True)
    seconds = time.perf_counter() - started
    growth = memory([os.getpid()]) - before
    return Load(2 * rounds, seconds, _cpu() - cpu, growth)


def _cpu() -> float:
    """Return the processor time of this process and of all that it started and that have ended."""
    used = (resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    return sum(one.ru_utime + one.ru_stime for one in used)


def report(games: int, rounds: int) -> Iterator[str]:
    """Measure one thing after the other, and yield a line on each."""
    for cost in costs(games):
        yield (
            f"{cost.game:<14}{cost.whole:6.0f} µs a move, {cost.asked:.0f} of them from question to answer "
            f"(target: {MICROSECONDS:.0f})"
        )
    load = random_league(rounds)
    yield (
        f"{load.games / load.seconds:.0f} games of tic-tac-toe a second at random, with the database "
        f"(target: {GAMES_A_SECOND:.0f} on 2 cores), each {1000 * load.cpu / load.games:.1f} ms of a core"
    )
    yield f"{signed(load.growth / 2**20, 1)} MB of the supervisor's memory over {load.games:,} games"
    load = thinking_league(max(2, rounds // 50))
    busy = load.cpu / load.seconds / len(_ALL_CORES)
    yield f"{busy:.1%} of {len(_ALL_CORES)} cores used by UCT at 50 ms a move (target: {BUSY:.0%})"
