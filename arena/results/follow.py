"""A run as it goes on, seen from another process: what is finished, what is in play, how fast it goes.

It only reads, and only what is new: a look at a long run costs no more than one at a short one. How a
terminal shows it is in `arena.results.screen`.
"""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy.typing as npt

from arena.records import GameRecord, LiveGame
from arena.results.findings import Summary
from arena.results.replay import action_name, board_text, rules_of
from arena.results.summary import Summariser
from arena.runs import is_reserved
from arena.store import Store

_LATEST = 100
"""Finished games that are remembered."""
_WINDOW = 120.0
"""Seconds over which the pace is measured."""


@dataclass(frozen=True)
class Position:
    """How a game in play stands.

    Attributes:
        game: as far as it is known.
        seat: whose turn it is; -1 for chance, -2 at the end.
        last: the name of the last move; "" before the first.
        text: the board; "" where the game draws none.
        before: the board before the last move.
    """

    game: LiveGame
    seat: int
    last: str
    text: str
    before: str


@dataclass(frozen=True)
class Moment:
    """What is to be seen of a run at one moment.

    Attributes:
        summary: of the games that are finished, without their moves.
        is_played: whether some process plays it.
        pace: games a second, lately; None before it is known.
        positions: of the games in play, by number.
        latest: the games that were found finished last, the last of all at the end.
    """

    summary: Summary
    is_played: bool
    pace: float | None
    positions: Sequence[Position]
    latest: Sequence[GameRecord]

    @property
    def is_complete(self) -> bool:
        """Whether nothing is left to be played."""
        return self.summary.scheduled is not None and self.summary.played >= self.summary.scheduled

    @property
    def is_over(self) -> bool:
        """Whether there will be nothing new to see."""
        return self.is_complete or not self.is_played

    @property
    def seconds_left(self) -> float | None:
        """How long it will take yet, at this pace; None where that is not known."""
        if not self.pace or self.summary.scheduled is None:
            return None
        return (self.summary.scheduled - self.summary.played) / self.pace


class Follower:
    """Looks at a run again and again.

    Args:
        store: the run's, open.
    """

    def __init__(self, store: Store) -> None:
        self._store = store
        self._summariser = Summariser(store.about())
        self._start, self._known = 0, set[int]()  # all games below `_start` are known, and these
        self._latest: deque[GameRecord] = deque(maxlen=_LATEST)
        self._pace = _Pace()
        self._boards: dict[int, Board] = {}
        self._summary: Summary | None = None

    def look(self) -> Moment:
        """Return how the run stands now."""
        is_played = is_reserved(self._store.path.parent)  # asked first: what is read then has all it wrote
        new = self._read()
        if new or self._summary is None:
            self._summary = self._summariser.summary(self._store.path.parent)
        scheduled = self._store.about().get("games")
        summary = replace(self._summary, scheduled=None if scheduled is None else int(scheduled))
        positions = self._positions() if is_played else []
        return Moment(summary, is_played, self._pace.note(summary.played), positions, tuple(self._latest))

    def _read(self) -> int:
        """Take in the games that have been finished since; return how many."""
        new = [game for game in self._store.games(False, self._start) if game.spec.number not in self._known]
        for record in new:
            self._summariser.add(record)
            self._known.add(record.spec.number)
        self._latest += new
        while self._start in self._known:
            self._known.remove(self._start)
            self._start += 1
        return len(new)

    def _positions(self) -> list[Position]:
        games = {game.spec.number: game for game in self._store.live()}
        self._boards = {number: self._boards.get(number) or Board(game) for number, game in games.items()}
        return [self._boards[number].follow(game) for number, game in games.items()]


class _Pace:
    """Games a second over the last while."""

    def __init__(self) -> None:
        self._seen: deque[tuple[float, int]] = deque()

    def note(self, played: int) -> float | None:
        now = time.monotonic()
        self._seen.append((now, played))
        while len(self._seen) > 2 and now - self._seen[1][0] > _WINDOW:
            self._seen.popleft()
        since, before = self._seen[0]
        return (played - before) / (now - since) if played > before else None


class Board:
    """The position of a game in play, kept so that only what is new has to be played."""

    def __init__(self, game: LiveGame) -> None:
        self._rules = rules_of(game)
        self._begin()

    def _begin(self) -> None:
        self._state: npt.NDArray[Any] = self._rules.initial_state()
        self._actions: tuple[int, ...] = ()
        self._before, self._last = self._state.copy(), ""

    def follow(self, game: LiveGame) -> Position:
        """Return how the game stands, of which more is known than the last time."""
        if game.actions[: len(self._actions)] != self._actions:  # it was void, and is played again
            self._begin()
        for action in game.actions[len(self._actions) :]:
            self._before = self._state.copy()
            self._rules.step(self._state, action)
        if game.actions:
            self._last = action_name(self._rules, self._before, game.actions[-1])
        self._actions = game.actions
        seat = int(self._rules.current_player(self._state))
        return Position(game, seat, self._last, self._drawn(self._state), self._drawn(self._before))

    def _drawn(self, state: npt.NDArray[Any]) -> str:
        try:
            return board_text(self._rules, state)
        except Exception:  # a game of the user's own, which draws nothing
            return ""
