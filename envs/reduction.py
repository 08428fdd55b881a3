"""The reduction of the game of Y: who has won a full board, and who is likely to win another.

A board of one size less has at each triangle of three cells the colour that two of them have, and the
same winner (C. Schensted and C. Titus, "Mudcrack Y and Poly-Y", 1975). The last board is a single cell.
Where cells are empty, numbers take the place of colours (J. van Rijswijck, "Computer Hex: are bees better
than fruitflies?", 2000): the chances of each triangle are worked out as if its cells did not depend on one
another.

Row r of a board has `size - r` cells; row 0, column 0 and the slanting side are its three sides.
"""

from __future__ import annotations

import numpy as np

from envs.kernels import kernel, room

_1 = np.uint32(1)
LARGEST = 26
"""The largest board."""
SETTLED = 1 - 1e-6
KEPT = 0.95
_CELLS = LARGEST * LARGEST


@kernel
def has_y(stones):
    """Return whether the stones on a full board, uint32[size], make a Y; changes them."""
    for rows in range(stones.shape[0] - 1, 0, -1):
        for row in range(rows):
            left, right, under = stones[row], stones[row] >> _1, stones[row + 1]
            stones[row] = (left & right) | (under & (left | right))
    return stones[0] & _1 != np.uint32(0)


@kernel
def put_row(values, at, first, second, columns):
    """Write a row from bits, from place `at` on: 1 for the first player, -1 for the second, 0 for none."""
    for column in range(columns):
        shift = np.uint32(column)
        values[at + column] = np.float64((first >> shift) & _1) - np.float64((second >> shift) & _1)


@kernel
def expected(values, size, kept):
    """Return what is to be expected of a board whose row r begins at `r * size`, in [-1, 1]; changes it.

    A triangle of cells with independent values a, b and c, each 1 or -1, has (a + b + c - abc) / 2 on
    average, of which the part `kept` goes on to the next board. With 1 the value is 1 or -1 once somebody
    has a Y, and hardly less long before.
    """
    half = 0.5 * kept
    for rows in range(size - 1, 0, -1):
        for row in range(rows):
            at, length = row * size, rows - row
            here, under = values[at : at + length + 1], values[at + size : at + size + length]
            for i in range(length):
                a, b, c = here[i], here[i + 1], under[i]
                here[i] = half * (a + b + c - a * b * c)
    return values[0]


@kernel
def prospect(rules, state):
    """Evaluate a state for the first player, in (-1, 1), by the game's `_fill(state, values)`.

    It writes the board into `values` and returns its size. Where a board is as good as won, so that one move
    would be as good as another, a second reduction that keeps less tells which come closer to winning it.
    """
    values = room(_CELLS)
    value = expected(values, rules._fill(state, values), 1.0)
    if abs(value) < SETTLED:
        return 0.98 * value
    rest = expected(values, rules._fill(state, values), KEPT)
    return 0.98 * value + 0.005 * (rest + (1.0 if value > 0 else -1.0))
