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
