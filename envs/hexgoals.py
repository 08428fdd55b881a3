"""How many stones each side still lacks to join two corners of Havannah's board, or three of its sides.

Chains grow from every corner and every side as in `envs.hexpaths`, on boards of the same layout. A cell that
is so many stones away from each of two corners lies on a bridge that lacks their sum; and likewise of a fork.
"""

from __future__ import annotations

import numpy as np

from envs.hexpaths import MOST_WORDS, grow
from envs.kernels import kernel, room

SIDES = 6
"""As many corners as sides."""
FAR = 4
"""Chains grow by fewer stones than this; what is not reached then counts as out of reach."""
OUT_OF_REACH = 3 * FAR
_HALF, _32 = np.uint64(0xFFFFFFFF), np.uint64(32)
_ROOM = 3 * FAR * MOST_WORDS


@kernel
def lacking(own, empty, goals, rims, parts, out):
    """Write into `out` how many stones either player lacks to join `parts` (2 or 3) of the goals.

    Args:
        own: uint64[words], stones of both sides, as in `envs.hexpaths`.
        empty: uint64[words].
        goals: uint64[:, words], the cells of each goal.
        rims: uint64[:, words], cells off the board of which each pair that touches it lies on the goal.
        parts: how many of them are to be joined.
        out: float64[2].
    """
    within = room(_ROOM).view(np.uint64)
    words = own.shape[0]
    for i in range(3 * FAR * words):
        within[i] = np.uint64(0)
    for goal in range(goals.shape[0]):
        _count_goal(own, empty, goals[goal], rims[goal], within)
    out[0] = out[1] = OUT_OF_REACH
    for far in range(FAR):
        for middle in range(far + 1):
            for near in range(middle + 1 if parts == 3 else 1):
                _combine(own, empty, within, near, middle, far, parts, out)


@kernel
def _count_goal(own, empty, goal, rim, within):
    """Count one goal more at the cells from which it is so many stones away, for every number below `FAR`.

    Three boards a number of stones: cells from which at least one goal is no farther, two goals, and three.
    """
    words = own.shape[0]
    reached, further = room(MOST_WORDS).view(np.uint64), room(MOST_WORDS).view(np.uint64)
    for i in range(words):
        reached[i] = further[i] = rim[i] | (goal[i] & own[i])
    for stones in range(FAR):
        if stones > 0:
            grow(empty, empty, reached, further, words)
            for i in range(words if stones == 1 else 0):
                further[i] |= goal[i] & empty[i]
            reached, further = further, reached
        while grow(own, empty, reached, reached, words):
            pass
        at = 3 * stones * words
        for i in range(at, at + words):
            here = reached[i - at]
            within[i + 2 * words] |= within[i + words] & here
            within[i + words] |= within[i] & here
            within[i] |= here


@kernel
def _combine(own, empty, within, near, middle, far, parts, out):
    """Lower `out` where a cell has its nearest goals within so many stones; two `parts` need no `near`."""
    words = own.shape[0]
    one, two, three = 3 * near * words, (3 * middle + 1) * words, (3 * far + 2) * words
    if parts == 2:
        one, two, three = 3 * middle * words, 3 * middle * words, (3 * far + 1) * words
    stones = np.uint64(0)
    free = np.uint64(0)
    for i in range(words):
        here = within[one + i] & within[two + i] & within[three + i]
        stones |= here & own[i]
        free |= here & empty[i]
    total = middle + far + (near if parts == 3 else 0)
    for player in range(2):
        half = np.uint64(32 * player)
        if (stones >> half) & _HALF:
            out[player] = min(out[player], total)
        # An empty cell was counted on the way to each of the goals.
        if (free >> half) & _HALF:
            out[player] = min(out[player], total - parts + 1)
