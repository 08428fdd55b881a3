"""The games in play, put where who watches a run finds them; how they are shown is `arena.results`' business.

Of an executor that cannot tell how its games stand, nothing is put there.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable
from contextlib import suppress

from arena.records import LiveGame
from arena.referee.executor import Executor, ShowsGames
from arena.store import Store, StoreError

_EVERY = 0.5
"""Seconds between two looks at the games, at the least: nobody sees more, and each is a transaction."""


class Live:
    """Keeps the table of games in play as they are, while it is entered; it is empty before and after."""

    def __init__(self, executor: Executor, store: Store) -> None:
        self._in_play: Callable[[], Iterable[LiveGame]]
        self._in_play = executor.in_play if isinstance(executor, ShowsGames) else tuple
        self._store = store
        self._shown: list[tuple[int, int]] = []
        self._next = 0.0

    def __enter__(self) -> Live:
        """Forget what a run left that died."""
        self._store.show([])
        return self

    def __exit__(self, *error: object) -> None:
        """Say that nothing is in play any more; where the disk refuses, what ended the run has been told."""
        with suppress(StoreError):
            self._store.show([])

    def look(self) -> None:
        """Note how the games stand, where that has changed and the last time was long enough ago."""
        now = time.monotonic()
        if now < self._next:
            return
        self._next = now + _EVERY
        games = list(self._in_play())
        stand = [(game.spec.number, game.plies) for game in games]
        if stand != self._shown:
            self._store.show(games)
            self._shown = stand
