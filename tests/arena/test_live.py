"""Games in play are put where a watcher finds them: seldom, only when they move on, and never left behind."""

from __future__ import annotations

import pytest
from run_records import spec

from arena.records import LiveGame
from arena.referee.live import Live
from arena.store import Store, StoreError


class Playing:
    """Stands in for an executor: says what games are in play."""

    def __init__(self) -> None:
        self.games: list[LiveGame] = []

    def in_play(self) -> list[LiveGame]:
        return self.games


class Written:
    """Stands in for a store: remembers what it was given."""

    def __init__(self) -> None:
        self.shown: list[list[LiveGame]] = []

    def show(self, games: list[LiveGame]) -> None:
        self.shown.append(games)


@pytest.fixture
def clock(monkeypatch):
    now = [100.0]
    monkeypatch.setattr("arena.referee.live.time.monotonic", lambda: now[0])
    return now


def test_games_are_written_when_they_move_on_and_at_most_twice_a_second(clock):
    executor, store = Playing(), Written()
    one, two = (LiveGame(spec(7, "a", "b"), plies, (4, 0)[:plies]) for plies in (1, 2))
    with Live(executor, store) as live:
        executor.games = [one]
        live.look()
        assert store.shown == [[], [one]]  # first, what a dead run left is forgotten
        executor.games = [two]
        live.look()
        clock[0] += 0.4
        live.look()
        assert len(store.shown) == 2
        clock[0] += 0.2
        live.look()
        assert store.shown[2:] == [[two]]
        clock[0] += 10
        live.look()
        assert len(store.shown) == 3  # nothing has moved
    assert store.shown[3:] == [[]]


def test_nothing_is_left_whatever_ends_the_run_and_a_full_disk_hides_no_reason():
    class Full(Written):
        def show(self, games):
            super().show(games)
            if len(self.shown) > 1:
                raise StoreError("disk full")

    store = Full()
    with pytest.raises(ZeroDivisionError), Live(Playing(), store):
        raise ZeroDivisionError
    assert store.shown == [[], []]


def test_an_executor_that_cannot_tell_plays_on(tmp_path):
    with Store.create(tmp_path / "league.sqlite", "") as store, Live(object(), store) as live:
        live.look()
        assert store.live() == []
