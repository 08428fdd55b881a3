"""What a run says, as data: standings, crosstables, seats, faults, time, visits, and how sure all that is.

Plain frozen data, as `arena run --json` prints it. How it is computed is in `arena.results.summary`, how it
is shown in `arena.results.tables`.
"""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from typing import Any, Literal

from agents.base import Limit
from arena.results.move_stats import SearchUse, TimeUse
from arena.statistics.stats import Estimate


@dataclass(frozen=True)
class Standing:
    """One line of a game's standings.

    Attributes:
        games: how many count; `wins` are those with a return above 0, `draws` at 0, `losses` below.
        score: points per game, (return + 1) / 2; 1/2 without games.
        mean_return: the mean of its returns, in [-1, 1].
        elo: of the joint fit of all agents.
        better_than_next: probability that the agent is stronger than the one below it; None for the last.
    """

    agent: str
    games: int
    wins: int
    draws: int
    losses: int
    score: float
    mean_return: Estimate
    elo: Estimate
    better_than_next: float | None


@dataclass(frozen=True)
class Cell:
    """A cell of the crosstable: results of `agent` against `opponent`, by themselves.

    Attributes:
        pairs: complete pairs by the agent's points: 0, 1/2, 1, 3/2, 2.
        elo: by how much the agent is stronger, from those pairs alone (the standings take all games).
        superiority: the probability that it is stronger.
    """

    agent: str
    opponent: str
    wins: int
    draws: int
    losses: int
    pairs: tuple[int, ...]
    elo: Estimate
    superiority: float


@dataclass(frozen=True)
class SeatResult:
    """Results of `agent` in one seat (0 moves first)."""

    agent: str
    seat: int
    wins: int
    draws: int
    losses: int


@dataclass(frozen=True)
class FaultLine:
    """One fault: who, where, what."""

    agent: str
    game: str
    number: int
    ply: int
    termination: str
    reason: str
    detail: str


@dataclass(frozen=True)
class SprtState:
    """How a sequential test stands: is `agent` stronger than `opponent` by `elo1`, or by `elo0`?

    Attributes:
        ratio: the log-likelihood ratio; at or below `lower` elo0 is accepted, at or above `upper` elo1.
        accepted: which of them, or None while it is open.
        pairs: how many were looked at.
    """

    agent: str
    opponent: str
    elo0: float
    elo1: float
    ratio: float
    lower: float
    upper: float
    accepted: Literal["elo0", "elo1"] | None
    pairs: int


@dataclass(frozen=True)
class PrecisionState:
    """How far a game is that goes on `until` every rating is known within ± `elo_error`.

    Attributes:
        widest: half the widest interval, in Elo, after so many complete `rounds`.
        reached: whether that is narrow enough.
    """

    elo_error: float
    widest: float
    rounds: int
    reached: bool


@dataclass(frozen=True)
class GameSummary:
    """All that is told of one game of the league.

    Attributes:
        game: its label; `name` and `params` make its rules.
        players: how many play it at a time.
        played: games finished.
        distinct: how many of them differ in their actions or their players' seats.
        unpaired: how many lack others of their meeting (the other game of their pair), as when a run is
            interrupted. They do not count in any result, and nor do the next two.
        surplus: how many were in play, or waited for earlier ones, when enough had been played.
        forfeited: how many are of meetings in which an agent was at fault, where those are left out.
        sprt, until: how the rule stands by which the game stops, where it has one.
        winner: who is left of a knockout; None while it goes on, and for other schedules.
        standings: best first, by Elo.
        crosstable: who did what against whom; empty beyond two players.
        first_seat: the first seat's points per game, with its interval; its mean return beyond two players.
        first_seat_elo: what the first seat is worth by the joint fit, strengths taken into account.
        terminations: games by how they ended.
        faults: faults by agent and kind.
    """

    game: str
    name: str
    params: dict[str, Any]
    players: int
    played: int
    distinct: int
    unpaired: int
    surplus: int
    forfeited: int
    sprt: SprtState | None
    until: PrecisionState | None
    winner: str | None
    standings: tuple[Standing, ...]
    crosstable: tuple[Cell, ...]
    seats: tuple[SeatResult, ...]
    first_seat: Estimate
    first_seat_elo: Estimate
    terminations: dict[str, int]
    faults: dict[str, dict[str, int]]
    time: tuple[TimeUse, ...]
    searches: tuple[SearchUse, ...]


@dataclass(frozen=True)
class MoveLimit:
    """What a move of some agents could cost.

    Attributes:
        limit: the league's, or these agents' own.
        latest: seconds after which a move lost by timeout.
        agents: their labels.
    """

    limit: Limit
    latest: float
    agents: tuple[str, ...]


@dataclass(frozen=True)
class Summary:
    """A whole run.

    Attributes:
        run: the folder that keeps it.
        limits: every agent under one of them.
        scheduled: games to be played; None where the results decide that, and have not yet.
        played: games finished.
        games: in the order of the file.
        faults: examples of every kind.
        forfeits: whether forfeited games count.
    """

    run: str
    limits: tuple[MoveLimit, ...]
    scheduled: int | None
    played: int
    games: tuple[GameSummary, ...]
    faults: tuple[FaultLine, ...]
    forfeits: bool = True

    def to_json(self) -> str:
        """Return the summary as one JSON document."""
        return json.dumps(asdict(self), indent=2, allow_nan=False, default=list)
