"""What a run's database says, as data: standings, crosstables, seats, faults, time, visits.

One streaming pass over the games; memory grows with agents and games of the file, not with moves
played. How it is shown is in `arena.tables`; the formulas are in `arena.stats`; what is gathered of
single moves is in `arena.move_stats`.
"""

from __future__ import annotations

import hashlib
import json
from collections import Counter, defaultdict
from dataclasses import asdict, dataclass
from itertools import chain
from pathlib import Path
from typing import Any

from agents.base import Limit
from arena.move_stats import MoveStats, SearchUse, TimeUse
from arena.records import Fault, GameChoice, GameRecord, Termination
from arena.stats import Estimate, Meeting, Ratings, Tally, rate
from arena.store import Store

_FAULTS_KEPT = 3
"""Examples of one agent's faults of one kind in one game; the others are only counted."""


@dataclass(frozen=True)
class Standing:
    """One line of a game's standings; `score` is points per game, `elo` None beyond two players."""

    agent: str
    games: int
    wins: int
    draws: int
    losses: int
    score: float
    elo: Estimate | None
    better_than_next: float | None
    """Probability that the agent is stronger than the one below it."""


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
class GameSummary:
    """All that is told of one game of the league.

    Attributes:
        game: its label; `name` and `params` make its rules.
        played: games finished.
        distinct: how many of them differ in their actions or their players' seats.
        unpaired: how many lack the other game of their pair, as when a run is interrupted. They count in
            the results and in Elo, but not in `first_seat`.
        standings: best first, by Elo (by score beyond two players).
        first_seat: the first seat's points per game, with its interval; None beyond two players.
        terminations: games by how they ended.
        faults: faults by agent and kind.
    """

    game: str
    name: str
    params: dict[str, Any]
    played: int
    distinct: int
    unpaired: int
    standings: tuple[Standing, ...]
    crosstable: tuple[Cell, ...]
    seats: tuple[SeatResult, ...]
    first_seat: Estimate | None
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
        scheduled: games to be played.
        played: games finished.
        games: in the order of the file.
        faults: examples of every kind.
    """

    run: str
    limits: tuple[MoveLimit, ...]
    scheduled: int
    played: int
    games: tuple[GameSummary, ...]
    faults: tuple[FaultLine, ...]

    def to_json(self) -> str:
        """Return the summary as one JSON document."""
        return json.dumps(asdict(self), indent=2, allow_nan=False, default=list)


def summarise(database: Path) -> Summary:
    """Read a run's database and compute everything.

    Raises:
        StoreError: when it cannot be read.
    """
    with Store.open(database) as store:
        gathered: dict[str, _Game] = {}
        scheduled = 0
        limits: dict[tuple[Limit, float], dict[str, None]] = defaultdict(dict)
        for spec in store.specs():
            scheduled += 1
            for player in spec.players:
                limit = spec.limit_of(player)
                limits[limit, spec.latest(limit)][player.label] = None
            gathered.setdefault(spec.game.label, _Game(spec.game))
        examples: dict[tuple[str, str, str], list[FaultLine]] = defaultdict(list)
        for record in store.games():
            gathered[record.spec.game.label].add(record)
            if record.fault is not None:
                _keep_example(examples, _fault_line(record, record.fault))
    faults = sorted(chain.from_iterable(examples.values()), key=lambda fault: fault.number)
    games = tuple(game.summary() for game in gathered.values() if game.played)
    played = sum(game.played for game in games)
    told = tuple(MoveLimit(limit, latest, tuple(labels)) for (limit, latest), labels in limits.items())
    return Summary(str(database.parent), told, scheduled, played, games, tuple(faults))


def _keep_example(examples: dict[tuple[str, str, str], list[FaultLine]], fault: FaultLine) -> None:
    alike = examples[fault.agent, fault.game, fault.termination]
    if len(alike) < _FAULTS_KEPT:
        alike.append(fault)


def _fault_line(record: GameRecord, fault: Fault) -> FaultLine:
    spec = record.spec
    return FaultLine(
        agent=spec.players[fault.seat].label if fault.seat >= 0 else "-",
        game=spec.game.label,
        number=spec.number,
        ply=fault.ply,
        termination=record.termination,
        reason=fault.reason,
        detail=fault.detail,
    )


class _Game:
    """Gathers the records of one game of the league."""

    def __init__(self, choice: GameChoice) -> None:
        self.choice = choice
        self.played = 0
        self.agents: list[str] = []
        self.points: defaultdict[str, float] = defaultdict(float)
        self.seats: dict[tuple[str, int], Counter[float]] = defaultdict(Counter)
        self.pairs: dict[int, list[tuple[tuple[str, ...], float]]] = {}
        self.meetings: dict[tuple[int, int], Counter[Meeting]] = defaultdict(Counter)
        self.first_seat = Tally()
        self.terminations: Counter[str] = Counter()
        self.faults: dict[str, Counter[str]] = defaultdict(Counter)
        self.seen: set[bytes] = set()
        self.moves = MoveStats()
        self.two_players = True

    def add(self, record: GameRecord) -> None:
        labels = tuple(player.label for player in record.spec.players)
        self.played += 1
        self.two_players = len(labels) == 2
        self.terminations[record.termination] += 1
        self.seen.add(hashlib.blake2b(repr((labels, record.actions)).encode(), digest_size=16).digest())
        if record.fault is not None and record.termination is not Termination.VOID:
            self.faults[labels[record.fault.seat]][record.termination] += 1
        for seat, (label, utility) in enumerate(zip(labels, record.returns, strict=True)):
            if label not in self.agents:
                self.agents.append(label)
            self.points[label] += (utility + 1) / 2
            self.seats[label, seat][_outcome(utility)] += 1
        self.moves.add(record)
        if self.two_players:
            self._pair(record.spec.pair, labels, _outcome(record.returns[0]))

    def _pair(self, pair: int, labels: tuple[str, ...], first_score: float) -> None:
        """Keep a game until the other of its pair comes; then the pair is one meeting."""
        games = self.pairs.setdefault(pair, [])
        games.append((labels, first_score))
        if len(games) == 2:
            self._meet(self.pairs.pop(pair))

    def _meet(self, games: list[tuple[tuple[str, ...], float]]) -> None:
        i, j = sorted(self.agents.index(label) for label in games[0][0])
        meeting = tuple(
            sorted((0, score) if labels[0] == self.agents[i] else (1, 1 - score) for labels, score in games)
        )
        self.meetings[i, j][meeting] += 1
        self.first_seat += Tally.of([score for _, score in games])

    def summary(self) -> GameSummary:
        unpaired = len(self.pairs)
        for games in self.pairs.values():
            self._meet(games)
        self.pairs.clear()
        standings = self._standings()
        place = {line.agent: index for index, line in enumerate(standings)}
        return GameSummary(
            game=self.choice.label,
            name=self.choice.name,
            params=dict(self.choice.params),
            played=self.played,
            distinct=len(self.seen),
            unpaired=unpaired,
            standings=standings,
            crosstable=self._crosstable(),
            seats=tuple(
                SeatResult(agent, seat, results[1.0], results[0.5], results[0.0])
                for (agent, seat), results in sorted(self.seats.items(), key=lambda item: item[0][1])
            ),
            first_seat=self.first_seat.mean() if self.two_players else None,
            terminations=dict(self.terminations),
            faults={agent: dict(kinds) for agent, kinds in self.faults.items()},
            time=tuple(sorted(self.moves.times(), key=lambda use: place[use.agent])),
            searches=tuple(sorted(self.moves.searches(), key=lambda use: place[use.agent])),
        )

    def _standings(self) -> tuple[Standing, ...]:
        ratings = rate(len(self.agents), self.meetings) if self.two_players else None

        def strength(index: int) -> float:
            agent = self.agents[index]
            return ratings.elo[index].value if ratings else self.points[agent] / self._total(agent).total()

        order = sorted(range(len(self.agents)), key=strength, reverse=True)
        return tuple(self._standing(place, order, ratings) for place in range(len(order)))

    def _standing(self, place: int, order: list[int], ratings: Ratings | None) -> Standing:
        index = order[place]
        agent = self.agents[index]
        results = self._total(agent)
        has_next = ratings is not None and place + 1 < len(order)
        return Standing(
            agent,
            results.total(),
            results[1.0],
            results[0.5],
            results[0.0],
            self.points[agent] / results.total(),
            ratings.elo[index] if ratings else None,
            ratings.superiority(index, order[place + 1]) if ratings and has_next else None,
        )

    def _total(self, agent: str) -> Counter[float]:
        total: Counter[float] = Counter()
        for (label, _), results in self.seats.items():
            if label == agent:
                total += results
        return total

    def _crosstable(self) -> tuple[Cell, ...]:
        cells = []
        for (i, j), counts in sorted(self.meetings.items()):
            tally = Tally()
            for meeting, count in counts.items():
                tally += Tally.of([score for _, score in meeting], count)
            a, b = self.agents[i], self.agents[j]
            cells += [_cell(a, b, tally), _cell(b, a, -tally)]
        return tuple(cells)


def _cell(agent: str, opponent: str, tally: Tally) -> Cell:
    results = (tally.wins, tally.draws, tally.losses)
    return Cell(agent, opponent, *results, tally.pairs, tally.elo(), tally.superiority())


def _outcome(utility: float) -> float:
    """Return 1, 1/2 or 0 points for a utility above, at or below 0."""
    return 0.5 if utility == 0 else float(utility > 0)
