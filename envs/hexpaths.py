"""How many stones each side of a Hex board still lacks for a chain from edge to edge.

Two cells with two empty cells between them count as joined: whoever is cut off at one plays the other, which
is called a bridge (C. Browne, "Hex Strategy", 2000). So this is a shortest path on a board with more
neighbours, found by growing both sides' chains from one edge, a stone at a time, until they are at the other.

A board here is uint64[rows + 5], both sides' cells in one word: the first's in the lower half, the second's
in the upper. Row r is word r + 2, column c is bit c + 1, so that edges, too, have cells; neighbours are those
of `envs.hexrows`.
"""

from __future__ import annotations

import numpy as np

from envs.kernels import kernel, room

_0, _1, _2, _32 = (np.uint64(n) for n in (0, 1, 2, 32))
_HALF = np.uint64(0xFFFFFFFF)
MOST_WORDS = 34
"""Of any board: Havannah's of 29 rows."""


@kernel
def lacking(first, taken, columns):
    """Return how many stones the first and the second player lack; rows + columns where it is hopeless.

    Args:
        first: uint32[rows], the first player's stones, who joins the first and the last row.
        taken: uint32[rows], all stones.
        columns: whose first and last the second player joins.
    """
    rows = first.shape[0]
    own, empty = room(MOST_WORDS).view(np.uint64), room(MOST_WORDS).view(np.uint64)
    reached, further = room(MOST_WORDS).view(np.uint64), room(MOST_WORDS).view(np.uint64)
    _lay_out(first, taken, columns, own, empty, reached, further)
    length, second_goal = rows + 5, _1 << np.uint64(columns + 33)
    found = hopeless = rows + columns
    they_found = hopeless
    for stones in range(hopeless):
        while grow(own, empty, reached, reached, length):
            pass
        if found == hopeless and reached[rows + 2] & _HALF:
            found = stones
        if they_found == hopeless and _touches(reached, second_goal, length):
            they_found = stones
        if max(found, they_found) < hopeless or not grow(empty, empty, reached, further, length):
            break
        reached, further = further, reached
    return found, they_found


@kernel
def _lay_out(first, taken, columns, own, empty, reached, further):
    """Fill the boards: each side's stones and edges, empty cells, and the edge that it grows from."""
    rows = first.shape[0]
    edge, sides = np.uint64((1 << columns + 2) - 1), (_1 | (_1 << np.uint64(columns + 1))) << _32
    for i in range(rows + 5):
        own[i] = empty[i] = reached[i] = further[i] = _0
    for row in range(rows):
        mine, stones = np.uint64(first[row]), np.uint64(taken[row])
        own[row + 2] = (mine << _1) | ((stones & ~mine) << np.uint64(33)) | sides
        free = ((np.uint64(1 << columns) - _1) & ~stones) << _1
        empty[row + 2] = free | (free << _32)
        reached[row + 2] = _1 << _32
    reached[1] = further[1] = own[1] = own[rows + 2] = edge


@kernel
def grow(into, empty, reached, out, length):
    """Add to what is reached the cells of `into` beside it or a bridge away, into `out`; return if any are.

    `out` may be `reached`: then some of what lies beside those cells is added as well.
    """
    grew = _0
    for i in range(2, length - 2):
        far, above, here = reached[i - 2], reached[i - 1], reached[i]
        under, beneath = reached[i + 1], reached[i + 2]
        up, free, down = empty[i - 1], empty[i], empty[i + 1]
        near = (here << _1) | (here >> _1) | above | (above >> _1) | under | (under << _1)
        near |= (far >> _1) & up & (up >> _1)
        near |= (beneath << _1) & down & (down << _1)
        near |= (above >> _2) & (up >> _1) & (free >> _1)
        near |= (under << _2) & (down << _1) & (free << _1)
        near |= (above << _1) & up & (free << _1)
        near |= (under >> _1) & down & (free >> _1)
        added = near & into[i] & ~here
        grew |= added
        out[i] = here | added
    return grew != _0


@kernel
def _touches(reached, goal, length):
    found = _0
    for i in range(length):
        found |= reached[i] & goal
    return found != _0
