"""Lines: unbroken runs of bits, which games of so many in a row look for.

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
