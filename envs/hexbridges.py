"""Chains of bridges on small boards of Hex: who is joined for sure, and by which empty cells.

Two stones with two empty cells between them are as good as joined: whoever is cut off at one plays the other
(C. Browne, "Hex Strategy", 2000). So a chain of stones and of bridges that share no cell has won, whoever
moves, as long as those cells are left to it. Where there are several ways to grow a chain only one is tried:
what is found is true, but not all that is true is found. How many stones a chain lacks: `envs.hexpaths`.

A board here is a word of (rows + 2) * (columns + 2) bits, up to 64: a frame of cells around the board holds
the edges. A cell touches those that `envs.hexrows` names.
"""

from __future__ import annotations

import numpy as np

from envs.kernels import kernel

_0, _1 = np.uint64(0), np.uint64(1)


@kernel
def fits(rows, columns):
    """Return whether such a board is a word."""
    return (rows + 2) * (columns + 2) <= 64


@kernel
def bridged(first, taken, columns):
    """Return 1 where the first player is joined, -1 where the second is, else 0; and the bridges' cells.

    Args:
        first: uint32[rows], the first player's stones, who joins the first and the last row.
        taken: uint32[rows], all stones.
        columns: whose first and last the second player joins.

    Returns:
        The cells are bits of a uint64, `row * columns + column`.
    """
    rows, stride = taken.shape[0], np.int64(columns + 2)
    mine, all_stones = _framed(first, stride), _framed(taken, stride)
    empty = _framed_board(rows, columns, stride) & ~all_stones
    side = np.uint64((1 << columns + 1) - 1)
    top, bottom = side << _1, side << np.uint64((rows + 1) * stride)
    lines = _0
    for row in range(rows + 1):
        lines |= _1 << np.uint64(row * stride)
    left, right = lines << np.uint64(stride), lines << np.uint64(columns + 1)
    for player in range(2):
        begin, end = (left, right) if player else (top, bottom)
        own = (all_stones & ~mine) if player else mine
        joined, cells = _join(own | begin | end, empty, begin, end, left, right, stride)
        if joined:
            return 1 - 2 * player, _unframed(cells, rows, columns, stride)
    return 0, _0


@kernel
def _join(own, empty, begin, end, left, right, stride):
    """Grow a chain from one edge; return whether it comes to the other, and the cells of its bridges."""
    steps = (-stride, 1 - stride, 1, stride, stride - 1, -1)  # to the neighbours of a cell, around it
    reached, cells, grown = begin, _0, True
    while grown:
        reached = _flooded(reached, own, left, right, stride)
        if reached & end != _0:
            return True, cells
        grown = False
        for i in range(6):
            one, other = steps[i], steps[(i + 1) % 6]
            ends = _shifted(reached, one + other) & own & ~reached
            ends &= _shifted(empty, one) & _shifted(empty, other)
            if ends != _0:
                stone = ends & (~ends + _1)
                bridge = _shifted(stone, -one) | _shifted(stone, -other)
                reached, cells, empty, grown = reached | stone, cells | bridge, empty & ~bridge, True
    return False, _0


@kernel
def _flooded(reached, own, left, right, stride):
    """Return all of `own` that touches `reached`, directly or not."""
    one, row, slant = _1, np.uint64(stride), np.uint64(stride - 1)
    before = _0
    while reached != before:
        before = reached
        inner, outer = reached & ~left, reached & ~right  # no step leads around the board
        near = (reached << row) | (reached >> row) | (outer << one) | (inner >> one)
        reached |= (near | (inner << slant) | (outer >> slant)) & own
    return reached


@kernel
def _shifted(word, by):
    """Move every bit of a word up by so many places, or down."""
    return word << np.uint64(by) if by > 0 else word >> np.uint64(-by)


@kernel
def _framed(rows, stride):
    word = _0
    for row in range(rows.shape[0]):
        word |= np.uint64(rows[row]) << np.uint64((row + 1) * stride + 1)
    return word


@kernel
def _framed_board(rows, columns, stride):
    word, line = _0, np.uint64((1 << columns) - 1)
    for row in range(rows):
        word |= line << np.uint64((row + 1) * stride + 1)
    return word


@kernel
def _unframed(word, rows, columns, stride):
    """Return the cells of the board as bits `row * columns + column`."""
    cells, line = _0, np.uint64((1 << columns) - 1)
    for row in range(rows):
        cells |= ((word >> np.uint64((row + 1) * stride + 1)) & line) << np.uint64(row * columns)
    return cells
