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

_0, _1, _2, _3, _5, _7 = (np.uint32(n) for n in (0, 1, 2, 3, 5, 7))

# The bits that `around` returns, clockwise from the one above.
_CLOCKWISE = (0, 1, 4, 6, 5, 2)
SURROUNDED = np.uint32(sum(1 << bit for bit in _CLOCKWISE))
"""What `around` returns for a cell whose six neighbours hold stones."""
STEPS = ((-1, 0), (-1, 1), (0, -1), (0, 0), (0, 1), (1, -1), (1, 0))
"""(rows down, columns right) to the neighbour that a bit of `around` stands for; bit 3 is the cell."""


def _select(keep: Any) -> Any:
    """Tabulate, for every value of `around`, the neighbours that `keep` (before, itself, after) keeps."""
    table = np.zeros(128, np.uint32)
    for value in range(128):
        held = [value >> bit & 1 for bit in _CLOCKWISE]
        for i, bit in enumerate(_CLOCKWISE):
            table[value] |= bool(keep(held[i - 1], held[i], held[(i + 1) % 6])) << bit
    return table


HEADS = _select(lambda before, held, after: held and not before)
"""uint32[128]: of each run of stones around a cell, the first."""
HEADS[SURROUNDED] = 1
INNER = _select(lambda before, held, after: before and held and after)
"""uint32[128]: the stones around a cell that have a stone on either hand."""


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
    above = (state[row - 1] >> column) & _3
    beside = ((state[row] << _1) >> column) & _5
    under = ((state[row + 1] << _1) >> column) & _3
    return above | (beside << _2) | (under << _5)


@kernel
def find(state, place):
    """Return the place of the root of the group at `place`, halving the way there."""
    link = state[place]
    while link & ROOT == _0:
        beyond = state[link]
        if beyond & ROOT != _0:
            return np.int64(link)
        state[place] = beyond
        place = np.int64(beyond)
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
    root = find(state, place + steps[lowest_bit(heads)])
    state[place] = np.uint32(root)
    marks |= state[root]
    heads &= heads - _1
    closed = _0
    while heads != _0:
        other = find(state, place + steps[lowest_bit(heads)])
        heads &= heads - _1
        if other == root:
            closed = CLOSED
        else:
            marks |= state[other]
            state[other] = np.uint32(root)
    state[root] = marks
    return (marks & MARKS) | closed


@kernel
def fills_a_ring(state, row, column, neighbours):
    """Return whether a stone just placed completes six stones around a stone of its own side."""
    inner = INNER[neighbours]
    while inner != _0:
        bit = lowest_bit(inner)
        inner &= inner - _1
        down = 1 if bit > 4 else -1 if bit < 2 else 0
        right = _1 if bit == 1 or bit == 4 else _0
        left = _1 if bit == 2 or bit == 5 else _0
        if around(state, row + down, column + right - left) == SURROUNDED:
            return True
    return False
