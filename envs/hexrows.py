"""Boards of hexagons as rows of bits, a bit a column: random fillings, and chains that spread.

A board is uint32[rows]. A bit in column c of row r touches (r-1, c), (r-1, c+1), (r, c-1), (r, c+1),
(r+1, c-1) and (r+1, c), which stays true when rows and columns change places. Groups that are kept
from move to move are in `envs.hexgroups`.
"""

from __future__ import annotations

import numpy as np

from envs.kernels import kernel, popcount
from envs.streams import below, next_uint64

_0, _1, _2, _4, _8, _16 = (np.uint32(n) for n in (0, 1, 2, 4, 8, 16))
_HALF = np.uint64(0xFFFFFFFF)


@kernel
def fill(taken, stones, columns, count, rng):
    """Add a uniformly random set of `count` cells that are not `taken` to `stones`.

    Random bits give a set of about half of the cells; cells drawn at random are then taken out
    or put in until there are `count`. No cell is treated unlike another, so every set of that
    size is equally likely.
    """
    rows = taken.shape[0]
    full = np.uint32((1 << columns) - 1)
    bits = np.uint64(0)
    bits_left = 0
    have = 0
    for row in range(rows):
        if bits_left < columns:
            bits = next_uint64(rng)
            bits_left = 64
        new = np.uint32(bits & _HALF) & full & ~taken[row]
        bits >>= np.uint64(columns)
        bits_left -= columns
        have += popcount(new)
        stones[row] |= new
    while have != count:
        row, column = below(rng, rows), below(rng, columns)
        bit = _1 << np.uint32(column)
        if (taken[row] & bit) == _0 and ((stones[row] & bit) != _0) == (have > count):
            stones[row] ^= bit
            have += 1 if have < count else -1


@kernel
def beside(rows, row):
    """Return the cells of `row` that touch a cell of `rows`."""
    near = (rows[row] << _1) | (rows[row] >> _1)
    if row > 0:
        near |= rows[row - 1] | (rows[row - 1] >> _1)
    if row + 1 < rows.shape[0]:
        near |= rows[row + 1] | (rows[row + 1] << _1)
    return near


@kernel
def along(seeds, row):
    """Return the runs of `row` that hold a seed (a parallel prefix fill, five doublings each way)."""
    up, down = seeds, seeds
    up_open, down_open = row, row
    for shift in (_1, _2, _4, _8, _16):
        up |= up_open & (up << shift)
        up_open &= up_open << shift
        down |= down_open & (down >> shift)
        down_open &= down_open >> shift
    return up | down


@kernel
def spread(stones, connected):
    """Grow `connected` through `stones`; return whether it reached the last row (it may stop there)."""
    last = stones.shape[0] - 1
    grew = True
    while grew:
        grew = False
        connected[0] = along(connected[0] & stones[0], stones[0])
        for row in range(1, last + 1):
            above = connected[row - 1]
            seeds = stones[row] & (connected[row] | above | (above >> _1))
            connected[row] = along(seeds, stones[row])
        if connected[last] != _0:
            return True
        for row in range(last - 1, -1, -1):
            below_it = connected[row + 1]
            seeds = stones[row] & (below_it | (below_it << _1)) & ~connected[row]
            if seeds != _0:
                connected[row] |= along(seeds, stones[row])
                grew = True
    return False
