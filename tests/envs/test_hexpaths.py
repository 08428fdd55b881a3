"""Distances across bridges on boards of hexagons, against a search from cell to cell that knows no bits."""

from __future__ import annotations

import heapq
import itertools
from collections.abc import Iterable
from typing import Any

import numpy as np
import pytest

import envs
from envs import hexgoals, hexpaths

Cell = tuple[int, int]


def neighbours(cell: Cell) -> list[Cell]:
    row, column = cell
    return [(row + d, column + r) for d, r in ((-1, 0), (-1, 1), (0, -1), (0, 1), (1, -1), (1, 0))]


def joined(cell: Cell, free: set[Cell]) -> list[Cell]:
    """Return the cells beside one, and those that share two neighbours with it, both free."""
    near = neighbours(cell)
    far = {other for step in near for other in neighbours(step)} - {cell, *near}
    return near + [other for other in far if len(free & set(near) & set(neighbours(other))) == 2]


def distances(starts: Iterable[Cell], first: set[Cell], own: set[Cell], free: set[Cell]) -> dict[Cell, int]:
    """Return how many stones lead from `starts`, which cost nothing, or from one of `first`, to each cell."""
    found: dict[Cell, int] = {}
    pending = [(0, cell) for cell in starts]
    pending += [(int(cell in free), cell) for cell in first & (own | free)]
    heapq.heapify(pending)
    while pending:
        cost, cell = heapq.heappop(pending)
        if cell not in found:
            found[cell] = cost
            for other in joined(cell, free):
                if other in own or other in free:
                    heapq.heappush(pending, (cost + (other in free), other))
    return found


def random_board(cells: list[Cell], rng: Any) -> list[set[Cell]]:
    """Return the cells of the first player, of the second, and free ones."""
    share = rng.uniform(0, 0.4)
    kinds = rng.choice(3, size=len(cells), p=[share, share, 1 - 2 * share])
    return [{cell for cell, kind in zip(cells, kinds, strict=True) if kind == k} for k in range(3)]


@pytest.mark.parametrize(("rows", "columns"), [(1, 1), (2, 5), (5, 5), (7, 4), (26, 26)])
def test_what_is_lacking_from_edge_to_edge(rows: int, columns: int) -> None:
    rng = np.random.default_rng(rows)
    cells = list(itertools.product(range(rows), range(columns)))
    tops, bottoms = ([(row, c) for c in range(-1, columns + 1)] for row in (-1, rows))
    lefts, rights = ([(r, column) for r in range(rows)] for column in (-1, columns))
    for _ in range(4 if rows > 20 else 60):
        first, second, free = random_board(cells, rng)
        bits = [np.zeros(rows, np.uint32) for _ in range(2)]
        for row, column in first | second:
            bits[0][row] |= np.uint32((row, column) in first) << np.uint32(column)
            bits[1][row] |= np.uint32(1 << column)
        expected = []
        for own, start, end in ((first, tops, bottoms), (second, lefts, rights)):
            found = distances(start, set(), own | {*end}, free)
            expected.append(min((found[cell] for cell in end if cell in found), default=rows + columns))
        assert hexpaths.lacking(bits[0], bits[1], columns) == tuple(expected)


@pytest.mark.parametrize("size", [2, 3, 4, 6])
def test_what_is_lacking_of_bridge_and_fork(size: int) -> None:
    rules, rng, side = envs.make_rules("havannah", size=size), np.random.default_rng(size), 2 * size - 1
    cells = [(row, c) for row, c in itertools.product(range(side), repeat=2) if rules.board[row] >> c & 1]
    goals = [{(r, c) for r, c in cells if int(mask[r + 2]) >> c + 1 & 1} for mask in rules.goals]
    assert sorted(map(len, goals)) == sorted([1] * 6 + [size - 2] * 6)
    off_board = set(itertools.product(range(-1, side + 1), repeat=2)) - set(cells)
    for _ in range(30):
        first, second, free = random_board(cells, rng)
        own, empty = np.zeros(side + 5, np.uint64), np.zeros(side + 5, np.uint64)
        for row, column in cells:
            shift = np.uint64(column + 1)
            own[row + 2] |= np.uint64(((row, column) in first) | ((row, column) in second) << 32) << shift
            empty[row + 2] |= np.uint64(((row, column) in free) * (1 | 1 << 32)) << shift
        for parts, some in ((2, slice(6, 12)), (3, slice(6))):
            out, expected = np.zeros(2), []
            hexgoals.lacking(own, empty, rules.goals[some], rules.rims[some], parts, out)
            for mine in (first, second):
                away: dict[Cell, list[int]] = {}
                for goal in goals[some]:
                    rim = [c for c in off_board if len(goal & {*neighbours(c)}) == 2]
                    rim = [c for c in rim if not ({*neighbours(c)} & set(cells)) - goal]
                    for cell, stones in distances(rim, goal, mine, free).items():
                        if cell not in off_board and stones < hexgoals.FAR:
                            away.setdefault(cell, []).append(stones)
                totals = [
                    sum(sorted(each)[:parts]) - (parts - 1) * (cell in free)
                    for cell, each in away.items()
                    if len(each) >= parts
                ]
                expected.append(min([*totals, hexgoals.OUT_OF_REACH]))
            assert out.tolist() == expected
