"""The transposition table: what is known of positions met before, 16 bytes each, in a fixed amount of memory.

A key has two places side by side. The first is for whatever was searched deepest in this move, the second
for the latest of the rest: what is not as deep as the first goes to the second, and so does the first where
it is outdone; what earlier moves stored, and less deep entries of the same position, give way (D. Breuker,
J. Uiterwijk and J. van den Herik, "Replacement schemes for transposition tables", ICCA Journal 17(4), 1994:
TwoDeep). All 64 bits of the key are kept and
compared. What is stored and when it is used is the matter of `agents.depth_first.negamax`.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from agents.depth_first.scores import later
from envs.kernels import kernel

ENTRY = np.dtype(
    [
        ("key", np.uint64),
        ("score", np.int32),  # for the player to move, plies counted from this position
        ("action", np.uint16),  # the best one, or NO_ACTION
        ("depth", np.uint8),  # plies searched, or COMPLETE
        ("bound", np.uint8),  # LOWER, UPPER or EXACT, and from bit 2 on the age (0: empty)
    ]
)
NO_ACTION = 2**16 - 1
COMPLETE = 255
"""Depth of an entry under which no leaf was judged: it holds for every depth."""
LOWER, UPPER, EXACT = 1, 2, 3
"""The value is at least the score, at most, or both."""
_OLDEST = 63
_CACHE_LINE = 64


class Table(NamedTuple):
    """Entries have ages, so that a new game need not write all of the memory anew."""

    entries: npt.NDArray[Any]
    """ENTRY[2 * pairs]."""
    ages: npt.NDArray[np.int64]
    """int64[2]: the age of what is stored now, and of what was stored first in this game."""

    @classmethod
    def allocate(cls, megabytes: float) -> Table:
        """Make an empty table of this size in MiB; where it is 0, of two entries: as good as none."""
        pairs = max(1, int(megabytes * 2**20) // (2 * ENTRY.itemsize))
        raw = np.empty(2 * pairs * ENTRY.itemsize + _CACHE_LINE, np.uint8)
        raw.fill(0)  # touches each page now, not while a clock runs
        start = -raw.ctypes.data % _CACHE_LINE  # so that a pair never lies on two lines
        return cls(raw[start : start + 2 * pairs * ENTRY.itemsize].view(ENTRY), np.ones(2, np.int64))

    def begin_game(self) -> None:
        """Forget all entries."""
        if self.ages[0] > _OLDEST // 2:
            self.entries.view(np.uint8).fill(0)
            self.ages[0] = 0
        self.ages[:] = self.ages[0] + 1

    def begin_move(self) -> None:
        """Let what earlier moves stored give way; in the end of a very long game it does not."""
        self.ages[0] = min(self.ages[0] + 1, _OLDEST)


@kernel(forceinline=True)
def place_of(table, key):
    """Return the first of a key's two places; mixed once more, for a game's own key may be a small number."""
    mixed = (key * np.uint64(0x9E3779B97F4A7C15)) >> np.uint64(32)
    pairs = np.uint64(table.entries.shape[0] // 2)
    return 2 * np.int64((mixed * pairs) >> np.uint64(32))


@kernel(forceinline=True)
def find(table, key):
    """Return where a position's entry of this game is, or -1."""
    at: int = place_of(table, key)
    for i in range(at, at + 2):
        if table.entries[i]["key"] == key and np.int64(table.entries[i]["bound"]) >> 2 >= table.ages[1]:
            return i
    return -1


@kernel(forceinline=True)
def recall(table, at, ply, depth, alpha, beta):
    """Return (whether the entry settles a search of `depth` in this window, its score seen from the root)."""
    score: int = later(np.int64(table.entries[at]["score"]), ply)
    bound = np.int64(table.entries[at]["bound"]) & 3
    if np.int64(table.entries[at]["depth"]) < depth:
        return False, score
    if bound == EXACT or (bound == LOWER and score >= beta) or (bound == UPPER and score <= alpha):
        return True, score
    return False, score


@kernel(forceinline=True)
def store(table, key, ply, depth, score, action, bound):
    """Keep what a search found out at `ply`; `score` is seen from the root."""
    at: int = place_of(table, key)
    age = table.ages[0]
    first = table.entries[at]
    if first["key"] != key and np.int64(first["bound"]) >> 2 == age:
        if first["depth"] > depth:
            at += 1
        else:
            table.entries[at + 1] = first
    entry = table.entries[at]
    entry["key"] = key
    entry["score"] = later(score, -ply)
    entry["action"] = action
    entry["depth"] = depth
    entry["bound"] = bound | age << 2
