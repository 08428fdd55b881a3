"""Connect Four's lines, looked for cell by cell on boards of every shape."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import envs
from envs.kernels import kernel


def connected_in_line(cells: Any, connect: int) -> bool:
    """Look for `connect` in a line, cell by cell."""
    rows, columns = cells.shape
    for row, column in np.argwhere(cells):
        for down, right in ((0, 1), (1, 0), (1, 1), (1, -1)):
            r, c = row + down * (connect - 1), column + right * (connect - 1)
            if r < rows and 0 <= c < columns:
                line = (cells[row + down * i, column + right * i] for i in range(connect))
                if all(line):
                    return True
    return False


BOARDS = [(15, 4, 15), (63, 1, 4), (1, 32, 30), (31, 2, 31), (7, 8, 5), (20, 3, 12), (3, 16, 16), (6, 7, 4)]


@pytest.mark.parametrize(("rows", "columns", "connect"), BOARDS)
def test_connect_four_sees_lines_on_boards_of_every_shape(rows: int, columns: int, connect: int) -> None:
    rules = envs.make_rules("connect_four", rows=rows, columns=columns, connect=connect)
    rng = np.random.default_rng(rows)
    for density in (0.5, 0.8, 0.97, 1.0) * 50:
        cells = rng.random((rows, columns)) < density
        bits = (1 << c * (rows + 1) + rows - 1 - r for r, c in np.argwhere(cells).tolist())
        assert has_line(rules, np.uint64(sum(bits))) == connected_in_line(cells, connect)


@kernel
def has_line(rules, discs):
    return rules._has_line(discs)


@pytest.mark.parametrize(("rows", "columns"), [(6, 7), (5, 6), (4, 5), (7, 4), (3, 3)])
def test_cells_belong_to_who_comes_to_them_by_turns(rows: int, columns: int) -> None:
    """Once all columns but one are full, players have no choice."""
    rules = envs.make_rules("connect_four", rows=rows, columns=columns, connect=3)
    for last in range(columns):
        state = rules.initial_state()
        for column in [column for column in range(columns) if column != last for _ in range(rows)]:
            rules.step(state, column)
        for _ in range(rows):
            mover, before = int(state[2] & np.uint64(1)), state[0] | state[1]
            rules.step(state, last)
            landed = (state[0] | state[1]) ^ before
            assert landed & rules.turns[mover]
            assert not landed & rules.turns[1 - mover]


@pytest.mark.parametrize(
    ("level", "named"),
    [
        (2, {"threats": 1, "idle_threats": 0, "zugzwang": 1}),  # the first player's turn, as in Allis
        (1, {"threats": 0, "idle_threats": 1, "zugzwang": 0}),
        (0, {"threats": 0, "idle_threats": 0, "zugzwang": 0}),  # no threat but a win at once
    ],
)
def test_a_threat_in_an_odd_row_is_worth_more_to_the_first_player(level: int, named: dict[str, int]) -> None:
    rules = envs.make_rules("connect_four")
    state = rules.initial_state()
    for column in range(4):
        for row in range(level + 1 if column else 0):
            owner = 0 if row == level else (row + column) % 2
            state[owner] |= np.uint64(1 << 7 * column + row)
            state[2] += np.uint64(1)
    state[1] |= np.uint64(1 << 7 * 4 + level)  # nothing is won on the right
    out = np.zeros(len(rules.FEATURES))
    rules.features(state, 0, out)
    found = dict(zip(rules.FEATURES, out.tolist(), strict=True))
    assert {name: found[name] for name in named} == named
