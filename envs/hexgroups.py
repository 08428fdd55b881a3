"""Groups of stones on a lattice of hexagons, kept as play goes on: union-find with marks.

A board lies inside a game's flat uint32 state. A player's stones are rows of bits, a bit a column,
with an empty row before the first and after the last. A bit in column c of row r touches (r-1, c),
(r-1, c+1), (r, c-1), (r, c+1), (r+1, c-1) and (r+1, c). Every stone has a link: another stone of its
group, as a place in the state, or, at the group's root, `ROOT` and the marks of all its stones, such
as the sides of the board that they touch. What marks mean, and who wins, is for each game to say.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from envs.kernels import kernel, lowest_bit

ROOT = np.uint32(1 << 31)
"""Set in the link of a group's root."""
CLOSED = np.uint32(1 << 30)
"""Set in what `join` returns when the stone closed a ring."""
MARKS = np.uint32(CLOSED - 1)
"""The bits that a game may use as marks."""

_0, _1, _2, _3, _5 = (np.uint32(n) for n in (0, 1, 2, 3, 5))
# Places are unsigned where it matters: numba then asks no index whether it counts from the end.
_UNIT, _PAIR = np.uint64(1), np.uint64(2)

# The bits that `around` returns, clockwise from the one above.
_CLOCKWISE = (0, 1, 4, 6, 5, 2)
STEPS = ((-1, 0), (-1, 1), (0, -1), (0, 0), (0, 1), (1, -1), (1, 0))
"""(rows down, columns right) to the neighbour that a bit of `around` stands for; bit 3 is the cell."""


def _heads() -> Any:
    table = np.zeros(128, np.uint32)
    for value in range(128):
        held = [value >> bit & 1 for bit in _CLOCKWISE]
        for i, bit in enumerate(_CLOCKWISE):
            table[value] |= (held[i] & ~held[i - 1]) << bit
    table[sum(1 << bit for bit in _CLOCKWISE)] = 1
    return table


HEADS = _heads()
"""uint32[128]: for every value of `around`, the first of each run of stones around the cell."""


def steps_in(width: int, down: int = 1) -> Any:
    """Return int64[7]: `STEPS` as steps between cells numbered in lines of `width`.

    Args:
        width: cells a line.
        down: 1 where the lines follow the rows, -1 where the last row is the first line.
    """
    return np.array([down * rows * width + columns for rows, columns in STEPS], np.int64)


@kernel
def around(state, row, column):
    """Return which neighbours of a cell hold stones, as seven bits in the order of `STEPS`.

    Args:
        state: holds the player's rows.
        row: place of the cell's row in `state`.
        column: uint32.
    """
    # Shifted up by one first, so that column 0 needs no case of its own.
    row = np.uint64(row)
    above = (state[row - _UNIT] >> column) & _3
    beside = ((state[row] << _1) >> column) & _5
    under = ((state[row + _UNIT] << _1) >> column) & _3
    return above | (beside << _2) | (under << _5)


@kernel
def find(state, place):
    """Return the place of the root of the group at `place`, halving the way there."""
    link = state[place]
    while link & ROOT == _0:
        beyond = state[link]
        if beyond & ROOT != _0:
            return np.uint64(link)
        state[place] = beyond
        place = np.uint64(beyond)
        link = state[place]
    return place


@kernel
def join(state, neighbours, place, steps, marks):
    """Link a new stone to the groups it touches; return their marks and its own, and `CLOSED` for a ring.

    The stones of one run around a cell are one group already. Two runs of one group are joined
    behind the cell's back, so the stone closes a ring around what lies between them; a ring around
    a cell that is not its owner's comes about in no other way.

    Args:
        state: holds the links.
        neighbours: what `around` returns for the stone.
        place: of the stone's link.
        steps: `steps_in` for the links.
        marks: of the stone itself, uint32.
    """
    heads = HEADS[neighbours]
    if heads == _0:
        state[place] = ROOT | marks
        return marks
    root = find(state, np.uint64(place + steps[lowest_bit(heads)]))
    state[place] = np.uint32(root)
    marks |= state[root]
    heads &= heads - _1
    closed = _0
    while heads != _0:
        other = find(state, np.uint64(place + steps[lowest_bit(heads)]))
        heads &= heads - _1
        if other == root:
            closed = CLOSED
        else:
            marks |= state[other]
            state[other] = np.uint32(root)
    state[root] = marks
    return (marks & MARKS) | closed


@kernel
def fills_a_ring(state, row):
    """Return whether six stones stand around a stone of their own side, in `row` or a row beside it.

    Empty rows above and below make what lies beyond them harmless.
    """
    row = np.uint64(row)
    far, up, here = state[row - _PAIR], state[row - _UNIT], state[row]
    under, beneath = state[row + _UNIT], state[row + _PAIR]
    return (_cored(far, up, here) | _cored(up, here, under) | _cored(here, under, beneath)) != _0


@kernel
def _cored(above, row, under):
    """Return the stones of `row` whose six neighbours are stones."""
    return above & (above >> _1) & row & (row << _1) & (row >> _1) & under & (under << _1)
