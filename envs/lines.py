"""Lines: unbroken runs of bits, and what is close to one, which games of so many in a row look for.

Words are unsigned integers. What a bit stands for is the game's matter, and so is that no run goes on
from one line of the board into the next.
"""

from __future__ import annotations

import numpy as np

from envs.kernels import kernel


@kernel
def runs(word, length, step):
    """Return the bits that begin a run: `length` bits set, each `step` above the one before.

    `(length - 1) * step` must be below 64.
    """
    found = word
    have = 1
    # `found` begins runs of `have`, which doubles until it reaches `length`.
    while have < length:
        more = min(have, length - have)
        found = found & (found >> np.uint64(more * step))
        have += more
    return found


@kernel(forceinline=True)
def windows(own, empty, length, step):
    """Return the bits that begin a window of `length` cells, each `step` above the last, all but few own.

    Five words: those windows of which no cell is empty, one, two, three and four, where all others are `own`.
    """
    nothing = own & ~own
    found = (~nothing, nothing, nothing, nothing, nothing)
    for i in range(length):
        found = longer(found, own >> np.uint64(i * step), empty >> np.uint64(i * step))
    return found


@kernel(forceinline=True)
def longer(found, own, empty):
    """Return what `windows` would of windows one cell longer, where that cell is at their first one's bit."""
    none, one, two, three, four = found
    return (
        none & own,
        (one & own) | (none & empty),
        (two & own) | (one & empty),
        (three & own) | (two & empty),
        (four & own) | (three & empty),
    )


@kernel(forceinline=True)
def covered(starts, length, step):
    """Return all the cells of windows that begin at `starts`."""
    found = starts
    have = 1
    while have < length:
        more = min(have, length - have)
        found = found | (found << np.uint64(more * step))
        have += more
    return found


@kernel
def at_once(fills, they_fill, moving):
    """Return 1 for who can fill a line with the next stone, or has two places for it; -1 if the other does.

    Args:
        fills: how many places fill a line of one's own.
        they_fill: the other side's.
        moving: whether the next stone is one's own.
    """
    if moving:
        return 1.0 if fills else -1.0 if they_fill > 1 else 0.0
    return -1.0 if they_fill else 1.0 if fills > 1 else 0.0


@kernel
def gaps(word, length, step):
    """Return the bits each of which would complete a run, were it set too; set ones may be among them.

    `(length - 1) * step` must be below 64.
    """
    if length == 4:
        return _gaps_in_four(word, np.uint64(step))
    found = word ^ word
    for gap in range(length):
        rest = ~(word ^ word)
        for i in range(length):
            if i < gap:
                rest &= word << np.uint64((gap - i) * step)
            elif i > gap:
                rest &= word >> np.uint64((i - gap) * step)
        found |= rest
    return found


@kernel(forceinline=True)
def _gaps_in_four(word, step):
    """Do so for runs of four, the length that most is asked for (as in P. Pons' Connect Four solver)."""
    below, above = word << step, word >> step
    two_below, two_above = below & (below << step), above & (above >> step)
    return (two_below & ((below << (step + step)) | above)) | (two_above & (below | (above >> (step + step))))
