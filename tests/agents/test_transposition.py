"""The transposition table: its size, what it gives back, what gives way to what."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from agents.depth_first.transposition import (
    COMPLETE,
    ENTRY,
    EXACT,
    LOWER,
    NO_ACTION,
    UPPER,
    Table,
    find,
    place_of,
    recall,
    store,
)

INFINITE = 10**9


def keep(table: Table, key: int, depth: int, score: int = 5, bound: int = EXACT, ply: int = 0) -> None:
    store(table, np.uint64(key), ply, depth, score, 3, bound)


def seen(table: Table, key: int) -> Any:
    at = int(find(table, np.uint64(key)))
    return table.entries[at] if at >= 0 else None


def same_place(table: Table, count: int) -> list[int]:
    """Return keys that share their places."""
    place = place_of(table, np.uint64(1))
    keys = (key for key in range(1, 10**6) if place_of(table, np.uint64(key)) == place)
    return [next(keys) for _ in range(count)]


def test_sixteen_bytes_an_entry() -> None:
    assert ENTRY.itemsize == 16
    assert Table.allocate(1).entries.nbytes == 2**20
    assert Table.allocate(3).entries.nbytes == 3 * 2**20
    assert Table.allocate(1).entries.ctypes.data % 64 == 0


def test_what_was_stored_is_found_and_nothing_else() -> None:
    table, rng = Table.allocate(1), np.random.default_rng(0)
    keys = [int(key) for key in rng.integers(1, 2**64, 2_000, np.uint64)]
    for index, key in enumerate(keys):
        store(table, np.uint64(key), 0, index % 200, index - 1_000, index, LOWER)
    found = 0
    for index, key in enumerate(keys):
        entry = seen(table, key)
        if entry is not None:  # few had to give way
            found += 1
            assert (entry["depth"], entry["score"], entry["action"]) == (index % 200, index - 1_000, index)
    assert found > 1_990
    assert not any(seen(table, key ^ 1 << 63) for key in keys)
    assert not any(seen(table, key ^ 1) for key in keys)
    assert seen(table, 0) is None  # an empty place is no entry of key 0


def test_of_one_move_the_deepest_stays_and_the_latest_beside_it() -> None:
    table = Table.allocate(0.001)
    first, second, third, fourth = same_place(table, 4)
    keep(table, first, 8)
    keep(table, second, 3)
    keep(table, third, 2)
    assert [seen(table, key) is not None for key in (first, second, third)] == [True, False, True]
    keep(table, fourth, 9)
    assert [seen(table, key) is not None for key in (first, third, fourth)] == [True, False, True]
    table.begin_move()
    keep(table, first, 1)
    assert [seen(table, key) is not None for key in (first, third, fourth)] == [True, False, False]


def test_a_new_game_finds_nothing_however_many_there_were() -> None:
    table = Table.allocate(0.001)
    for game in range(200):
        assert seen(table, 1) is None
        for move in range(game):
            table.begin_move()
            keep(table, 1, move + 1)
            assert seen(table, 1)["depth"] == move + 1
        table.begin_game()


def test_scores_count_plies_from_the_position() -> None:
    table = Table.allocate(1)
    keep(table, 1, 5, score=1_000, ply=4)
    keep(table, 2, 5, score=-1_000, ply=4)
    assert seen(table, 1)["score"] == 1_004
    assert seen(table, 2)["score"] == -1_004
    at = find(table, np.uint64(1))
    assert recall(table, at, 6, 5, -INFINITE, INFINITE) == (True, 998)


@pytest.mark.parametrize(
    ("bound", "alpha", "beta", "settled"),
    [
        (EXACT, -100, 100, True),
        (LOWER, -100, 100, False),
        (LOWER, -100, 50, True),
        (LOWER, -100, 51, False),
        (UPPER, -100, 100, False),
        (UPPER, 50, 100, True),
        (UPPER, 49, 100, False),
    ],
)
def test_a_bound_settles_what_it_decides(bound: int, alpha: int, beta: int, settled: bool) -> None:
    table = Table.allocate(1)
    keep(table, 1, 5, 50, bound)
    at = find(table, np.uint64(1))
    assert recall(table, at, 0, 5, alpha, beta) == (settled, 50)
    assert recall(table, at, 0, 6, alpha, beta) == (False, 50)


def test_what_is_complete_holds_for_every_depth() -> None:
    table = Table.allocate(1)
    keep(table, 1, COMPLETE, 50)
    assert recall(table, find(table, np.uint64(1)), 0, 250, -INFINITE, INFINITE) == (True, 50)
    store(table, np.uint64(2), 0, 1, 0, NO_ACTION, UPPER)
    assert seen(table, 2)["action"] == NO_ACTION
