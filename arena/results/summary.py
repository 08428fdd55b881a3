"""From a run's database to what it says: one streaming pass over the games.

Memory grows with agents and games of the file, not with moves played. What is told is in
`arena.results.findings`, how it is shown in `arena.results.tables`; the formulas are in
`arena.statistics.stats`, `arena.statistics.ratings` and `arena.statistics.sprt`; what is gathered of single
moves is in `arena.results.move_stats`, what meetings come to in `arena.results.outcomes`.
"""

from __future__ import annotations

import hashlib
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from itertools import chain
from pathlib import Path

from agents.base import Limit
from arena.league.config import League, read_league
from arena.league.models import Knockout
from arena.league.pairings import entrants
from arena.league.stopping import EloError, Stopping, stoppings
from arena.records import Fault, GameChoice, GameRecord, Termination
from arena.results.findings import (
    FaultLine,
    GameSummary,
    MoveLimit,
    PrecisionState,
    SprtState,
    Summary,
)
from arena.results.move_stats import MoveStats
from arena.results.outcomes import Outcomes
from arena.statistics.meetings import OpenMeetings, Seating, pair_scores
from arena.statistics.sprt import SequentialTest
from arena.store import Store

_FAULTS_KEPT = 3
"""Examples of one agent's faults of one kind in one game; the others are only counted."""


def summarise(database: Path, forfeits: bool = True) -> Summary:
    """Read a run's database and compute everything.

    Args:
        database: the file.
        forfeits: count meetings in which an agent was at fault, too.

    Raises:
        StoreError: when it cannot be read.
    """
    with Store.open(database) as store:
        gathered = Summariser(store.about(), forfeits)
        for record in store.games():
            gathered.add(record)
    return gathered.summary(database.parent)


class Summariser:
    """Gathers the games of a run, one at a time, for whoever reads them only once.

    Args:
        about: what the run's database says of it.
        forfeits: count meetings in which an agent was at fault, too.
    """

    def __init__(self, about: Mapping[str, str], forfeits: bool = True) -> None:
        self._games = _games(read_league(about["config"]), forfeits)
        self._scheduled = int(about["games"]) if "games" in about else None
        self._forfeits = forfeits
        self._limits: dict[tuple[Limit, float], dict[str, None]] = defaultdict(dict)
        self._faults: dict[tuple[str, str, str], list[FaultLine]] = defaultdict(list)

    def add(self, record: GameRecord) -> None:
        """Count a game; they come by number."""
        spec = record.spec
        self._games[spec.game.label].add(record)
        for player in spec.players:
            limit = spec.limit_of(player)
            self._limits[limit, spec.latest(limit)][player.label] = None
        if record.fault is not None:
            _keep_example(self._faults, _fault_line(record, record.fault))

    def summary(self, run: Path) -> Summary:
        """Return what they say; `run` is the folder that keeps them."""
        played = sum(game.played for game in self._games.values())
        complete = played == self._scheduled
        return Summary(
            run=str(run),
            limits=tuple(MoveLimit(*limit, tuple(labels)) for limit, labels in self._limits.items()),
            scheduled=self._scheduled,
            played=played,
            games=tuple(game.summary(complete) for game in self._games.values() if game.played),
            faults=tuple(sorted(chain.from_iterable(self._faults.values()), key=lambda fault: fault.number)),
            forfeits=self._forfeits,
        )


def _games(league: League, forfeits: bool) -> dict[str, _Game]:
    """Return what gathers each game of the league, by its label."""
    stops, gathered = stoppings(league), {}
    for game in league.games:
        agents = [agent.label for agent in entrants(league, game)]
        knockout = _Knockout(agents) if isinstance(league.schedule, Knockout) else None
        gathered[game.label] = _Game(game, stops.get(game.label), knockout, forfeits)
    return gathered


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

    def __init__(
        self, choice: GameChoice, stop: Stopping | None, knockout: _Knockout | None, forfeits: bool
    ) -> None:
        self.choice, self.stop, self.knockout, self.forfeits = choice, stop, knockout, forfeits
        self.players = 0
        self.played = self.surplus = self.left_out = 0
        self.agents: list[str] = []
        self.terminations: Counter[str] = Counter()
        self.faults: dict[str, Counter[str]] = defaultdict(Counter)
        self.seen: set[bytes] = set()
        self.moves = MoveStats()
        self.open = OpenMeetings()
        self.forfeited: set[int] = set()
        self.results = Outcomes(self.agents)

    def add(self, record: GameRecord) -> None:
        labels = tuple(player.label for player in record.spec.players)
        self.agents += [label for label in labels if label not in self.agents]
        self.played, self.players = self.played + 1, len(labels)
        self.terminations[record.termination] += 1
        self.seen.add(hashlib.blake2b(repr((labels, record.actions)).encode(), digest_size=16).digest())
        if record.fault is not None and record.termination is not Termination.VOID:
            self.faults[labels[record.fault.seat]][record.termination] += 1
            self.forfeited.add(record.spec.pair)
        self.moves.add(record)
        self._score(record)

    def _score(self, record: GameRecord) -> None:
        """Count a game's meeting when it is complete, and is to count."""
        if self.stop is not None:
            self.stop.add(record.spec, record.returns)
            if not self.stop.counts(record.spec):
                self.surplus += 1
                return
        meeting = self.open.add(record.spec, record.returns)
        if meeting is None:
            return
        if self.knockout is not None:
            self.knockout.add(record.spec.round, meeting)
        if record.spec.pair in self.forfeited and not self.forfeits:
            self.left_out += len(meeting)
        else:
            self.results.add(meeting)

    def summary(self, complete: bool) -> GameSummary:
        ratings = self.results.ratings()
        standings = self.results.standings(ratings)
        place = {line.agent: index for index, line in enumerate(standings)}
        return GameSummary(
            game=self.choice.label,
            name=self.choice.name,
            params=dict(self.choice.params),
            players=self.players,
            played=self.played,
            distinct=len(self.seen),
            unpaired=self.open.games,
            surplus=self.surplus,
            forfeited=self.left_out,
            sprt=self._sprt(),
            until=self._until(),
            winner=self.knockout.winner if self.knockout is not None and complete else None,
            standings=standings,
            crosstable=self.results.crosstable() if self.players == 2 else (),
            seats=self.results.by_seat(),
            first_seat=self.results.first_seat(self.players),
            first_seat_elo=ratings.seat,
            terminations=dict(self.terminations),
            faults={agent: dict(kinds) for agent, kinds in self.faults.items()},
            time=tuple(sorted(self.moves.times(), key=lambda use: place[use.agent])),
            searches=tuple(sorted(self.moves.searches(), key=lambda use: place[use.agent])),
        )

    def _sprt(self) -> SprtState | None:
        if self.stop is None or not isinstance(self.stop.rule, SequentialTest):
            return None
        test = self.stop.rule
        (opponent,) = (agent for agent in self.agents if agent != test.agent)
        return SprtState(
            test.agent,
            opponent,
            test.settings.elo0,
            test.settings.elo1,
            test.ratio,
            test.lower,
            test.upper,
            test.accepted,
            sum(test.pairs),
        )

    def _until(self) -> PrecisionState | None:
        if self.stop is None or not isinstance(self.stop.rule, EloError):
            return None
        return PrecisionState(self.stop.rule.most, self.stop.rule.widest, self.stop.rounds, self.stop.over)


class _Knockout:
    """Who has lost to whom, of agents in the order of the file."""

    def __init__(self, agents: list[str]) -> None:
        self.agents = agents
        self.leads: Counter[tuple[int, str, str]] = Counter()

    def add(self, round_index: int, meeting: Sequence[Seating]) -> None:
        """Note by how many half points the earlier in the file is ahead in a round."""
        one, other = sorted(meeting[0].labels, key=self.agents.index)
        self.leads[round_index, one, other] += round(2 * sum(pair_scores(meeting, one))) - 2

    @property
    def winner(self) -> str:
        """Who lost no meeting; the later in the file loses ties."""
        lost = {other if lead >= 0 else one for (_, one, other), lead in self.leads.items()}
        return next(agent for agent in self.agents if agent not in lost)
