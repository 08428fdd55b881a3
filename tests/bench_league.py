"""What the referee costs: microseconds a move beside the agents' own time, and games a second.

    python tests/bench_league.py

Agents that play at random need next to no time, so nearly all that is measured is pipe, referee,
PettingZoo environment and, for games a second, the database. Referee and seats share one core, as they
do in a slot of a league. Not a test: it prints, and asserts nothing.
"""

from __future__ import annotations

import statistics
import tempfile
import time
from pathlib import Path

from agents.base import Limit
from arena.config import League, RoundRobin
from arena.cores import available_cores, pin
from arena.match import play_match
from arena.records import AgentChoice, GameChoice, MatchSpec
from arena.seats import SeatPool
from arena.supervisor import run_league

PLAYERS = (AgentChoice("a", "random"), AgentChoice("b", "random"))
GAMES = (
    GameChoice("tic_tac_toe", "tic_tac_toe"),
    GameChoice("connect_four", "connect_four"),
    GameChoice("hex 11x11", "hex", {"size": 11}),
)


def cost_per_move(game: GameChoice, games: int) -> tuple[float, float]:
    """Return medians over games, in µs a move: of the whole game, and of question sent to answer received."""
    whole, asked = [], []
    core = available_cores()[:1]
    pin(core)
    with SeatPool() as seats:
        for number in range(games + 1):
            spec = MatchSpec(number, game, PLAYERS, Limit(time=1), 0.05, 0, 0, 0, (0,), (1, number))
            started = time.perf_counter()
            record = play_match(spec, seats, core)
            if number:  # the first starts the seats
                whole.append((time.perf_counter() - started) / len(record.moves))
                asked.append(statistics.median(move.time for move in record.moves))
    return 1e6 * statistics.median(whole), 1e6 * statistics.median(asked)


def games_per_second(rounds: int) -> float:
    """Play a whole league of tic-tac-toe at random, database and all, on every core."""
    league = League("bench", GAMES[:1], PLAYERS, limit=Limit(time=1), schedule=RoundRobin(rounds=rounds))
    with tempfile.TemporaryDirectory() as folder:
        seconds = []
        for some in (1, rounds):
            started = time.perf_counter()
            run_league(
                League(**{**vars(league), "schedule": RoundRobin(rounds=some)}), Path(folder), quiet=True
            )
            seconds.append(time.perf_counter() - started)
    return 2 * (rounds - 1) / (seconds[1] - seconds[0])


if __name__ == "__main__":
    print(f"{games_per_second(1000):.0f} games of tic-tac-toe a second, with the database")
    for game in GAMES:
        whole, asked = cost_per_move(game, 100)
        print(f"{game.label:14} {whole:6.0f} µs a move, of which {asked:4.0f} from question to answer")
