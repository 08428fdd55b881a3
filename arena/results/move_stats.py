"""What the moves of one game of a league say: time used, and where searches sent their visits."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

import numpy as np

from arena.records import GameRecord, MoveRecord

_BINS_PER_DECADE = 50
_AT_ONCE = 4096
"""Values that are put into bins together, which costs a small part of one after the other."""


class Quantiles:
    """Quantiles of many non-negative numbers in little memory: a histogram with bins 4.7% wide.

    Attributes:
        width: the upper end of a bin over its lower end.
    """

    width = 10 ** (1 / _BINS_PER_DECADE)

    def __init__(self) -> None:
        """Begin empty."""
        self._bins: Counter[int] = Counter()
        self._waiting: list[float] = []
        self.count, self.total, self.highest = 0, 0.0, 0.0

    def add(self, value: float) -> None:
        """Count a value; below a microsecond it is 0."""
        self.count, self.total = self.count + 1, self.total + value
        if value > self.highest:
            self.highest = value
        self._waiting.append(value)
        if len(self._waiting) == _AT_ONCE:
            self._fill_bins()

    def _fill_bins(self) -> None:
        decades = np.log10(np.maximum(self._waiting, 1e-6) / 1e-6)
        bins = np.where(decades > 0, np.ceil(_BINS_PER_DECADE * decades), -1).astype(np.int64)
        self._bins.update(bins.tolist())
        self._waiting.clear()

    @property
    def mean(self) -> float:
        """The mean; 0 of nothing."""
        return self.total / self.count if self.count else 0.0

    def bins(self) -> list[tuple[float, int]]:
        """Return the upper ends of the bins that hold something, ascending, and how much; 0 is the first."""
        self._fill_bins()
        return [(_end(index), self._bins[index]) for index in sorted(self._bins)]

    def quantile(self, q: float) -> float:
        """Return the upper end of the bin that holds quantile `q`, never above the maximum; 0 of nothing."""
        below = 0
        for end, count in self.bins():
            below += count
            if below >= q * self.count:
                return min(self.highest, end)
        return 0.0


def _end(index: int) -> float:
    return 0.0 if index < 0 else 1e-6 * 10 ** (index / _BINS_PER_DECADE)


@dataclass(frozen=True)
class TimeUse:
    """Seconds that an agent took for its moves, and by how much it went over its limit.

    `out_of_turn` is the mean processor time that it used between its moves.
    """

    agent: str
    moves: int
    mean: float
    longest: float
    overshoot_p50: float
    overshoot_p99: float
    overshoot_max: float
    out_of_turn: float


@dataclass(frozen=True)
class SearchUse:
    """Root visit distributions of an agent that searches.

    Attributes:
        moves: moves with visits.
        chosen_share: mean share of the visits that the action played had.
        entropy: mean entropy of the distribution, in bits (0: all on one action).
        simulations_per_second: over all moves; None where the agent does not count them.
        first_moves: games in which the agent made the first move.
        first_openings: after how many different openings those first moves were made.
        first_opening: the action ids of the opening, when there is only one; () is the initial state.
        first_shares: mean visit share by action id over those first moves.
    """

    agent: str
    moves: int
    chosen_share: float
    entropy: float
    simulations_per_second: float | None
    first_moves: int
    first_openings: int
    first_opening: tuple[int, ...] | None
    first_shares: dict[int, float]


class _Search:
    def __init__(self) -> None:
        self.moves, self.chosen, self.entropy = 0, 0.0, 0.0
        self.simulations, self.seconds = 0, 0.0
        self.first_moves = 0
        self.openings: set[tuple[int, ...]] = set()
        self.shares: Counter[int] = Counter()

    def add(self, move: MoveRecord, chosen: float, entropy: float) -> None:
        self.moves += 1
        self.chosen += chosen
        self.entropy += entropy
        if (simulations := move.simulations) is not None:
            self.simulations += simulations
            self.seconds += move.time

    def add_first(self, move: MoveRecord, opening: tuple[int, ...]) -> None:
        assert move.visits is not None
        assert move.legal_actions is not None
        self.first_moves += 1
        self.openings.add(opening)
        shares = move.visits / int(move.visits.sum())
        self.shares.update(dict(zip(move.legal_actions.tolist(), shares.tolist(), strict=True)))

    def summary(self, agent: str) -> SearchUse:
        return SearchUse(
            agent,
            self.moves,
            self.chosen / self.moves,
            self.entropy / self.moves,
            self.simulations / self.seconds if self.seconds else None,
            self.first_moves,
            len(self.openings),
            next(iter(self.openings)) if len(self.openings) == 1 else None,
            {action: share / self.first_moves for action, share in sorted(self.shares.items())},
        )


def concentration(moves: Iterable[MoveRecord]) -> Iterator[tuple[MoveRecord, float, float]]:
    """Yield the moves that come with visits, each with two measures of how they were distributed.

    These are the share of the action that was played, and the entropy in bits. All moves of a game are
    computed together, laid end to end: move by move it takes ten times as long.
    """
    searched = [move for move in moves if move.visits is not None and len(move.visits)]
    if not searched:
        return
    sizes = [len(move.visits) for move in searched if move.visits is not None]
    starts = np.cumsum([0, *sizes[:-1]])
    visits = np.concatenate([move.visits for move in searched if move.visits is not None])
    legal = np.concatenate([move.legal_actions for move in searched if move.legal_actions is not None])
    totals = np.add.reduceat(visits, starts)
    shares = visits / np.repeat(np.maximum(totals, 1), sizes)
    played = legal == np.repeat([move.action for move in searched], sizes)
    chosen = np.add.reduceat(shares * played, starts)
    entropy = -np.add.reduceat(shares * np.log2(np.where(shares > 0, shares, 1.0)), starts)
    for move, total, *measures in zip(
        searched, totals.tolist(), chosen.tolist(), entropy.tolist(), strict=True
    ):
        if total > 0:
            yield move, *measures


class MoveStats:
    """Gathers the moves of all records of one game."""

    def __init__(self) -> None:
        """Begin empty."""
        self._time: dict[str, Quantiles] = defaultdict(Quantiles)
        self._overshoot: dict[str, Quantiles] = defaultdict(Quantiles)
        self._out_of_turn: dict[str, float] = defaultdict(float)
        self._search: dict[str, _Search] = defaultdict(_Search)

    def add(self, record: GameRecord) -> None:
        """Count the moves of a game."""
        labels = [player.label for player in record.spec.players]
        for move in record.moves:
            agent = labels[move.seat]
            self._time[agent].add(move.time)
            self._overshoot[agent].add(move.overshoot)
            self._out_of_turn[agent] += move.idle
        for move, chosen, entropy in concentration(record.moves):
            search = self._search[labels[move.seat]]
            search.add(move, chosen, entropy)
            if move.ply == len(record.opening):
                search.add_first(move, record.opening)

    def times(self) -> tuple[TimeUse, ...]:
        """Return one line an agent."""
        return tuple(
            TimeUse(
                agent,
                time.count,
                time.mean,
                time.highest,
                self._overshoot[agent].quantile(0.5),
                self._overshoot[agent].quantile(0.99),
                self._overshoot[agent].highest,
                self._out_of_turn[agent] / time.count,
            )
            for agent, time in self._time.items()
        )

    def searches(self) -> tuple[SearchUse, ...]:
        """Return one line an agent that searches."""
        return tuple(search.summary(agent) for agent, search in self._search.items())
