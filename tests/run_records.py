"""A small run, made by hand, whose figures are known."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from agents.base import Limit
from arena.league.config import League, RoundRobin, Schedule
from arena.records import AgentChoice, Fault, GameChoice, GameRecord, MatchSpec, MoveRecord, Termination
from arena.store import Store

TIC_TAC_TOE = GameChoice("tic_tac_toe", "tic_tac_toe")


def spec(number: int, *labels: str, game: GameChoice = TIC_TAC_TOE) -> MatchSpec:
    """Game `number` of two agents; games 2n and 2n + 1 are a pair."""
    players = tuple(AgentChoice(label, "uct") for label in labels)
    return MatchSpec(number, game, players, Limit(0.1), 0.05, number // 2, 0, 0, (1,), (1, number))


def searched(ply: int, seat: int, action: int, legal: list[int], visits: list[int], **times) -> MoveRecord:
    info = {"simulations": sum(visits)}
    return MoveRecord(
        ply, seat, action, legal_actions=np.array(legal), visits=np.array(visits), info=info, **times
    )


def record(of: MatchSpec, first: float, *moves: MoveRecord, fault: Fault | None = None) -> GameRecord:
    """A game that the first seat ends with the utility `first`."""
    termination = Termination.TIMEOUT if fault else Termination.NORMAL
    return GameRecord(of, (), moves, (first, -first), termination, fault, 1.0)


def write(
    folder: Path, specs: list[MatchSpec], records: list[GameRecord], schedule: Schedule | None = None
) -> Path:
    games = {of.game.label: of.game for of in specs}
    agents = {player.label: player for of in specs for player in of.players}
    league = League("test", tuple(games.values()), tuple(agents.values()), schedule=schedule or RoundRobin())
    with Store.create(folder / "league.sqlite", league.to_yaml(), len(specs)) as store:
        for one in records:
            store.add_game(one)
    return folder / "league.sqlite"


def small_run(folder: Path, a: str = "a", b: str = "b", faults: int = 1) -> Path:
    """Three of four games: `a` wins, they draw, `a` is late (in `faults` games); the last has no pair."""
    specs = [spec(0, a, b), spec(1, b, a), *(spec(2 * n, a, b) for n in range(1, faults + 1))]
    specs.append(spec(specs[-1].number + 1, b, a))
    one = searched(0, 0, 4, [0, 4, 8], [1, 2, 1], time=0.002)
    two = searched(1, 1, 0, [0, 8], [3, 1], time=0.004, overshoot=0.001)
    late = Fault(0, 2, "moved after \x1b[31m0.2 s")
    records = [
        record(specs[0], 1.0, one, two),
        record(specs[1], 0.0, MoveRecord(0, 0, 3, 0.006)),
        *(record(of, -1.0, one, two, fault=late) for of in specs[2:-1]),
    ]
    return write(folder, specs, records)
