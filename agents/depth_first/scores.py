"""Scores: the integers that alpha-beta compares, which say what a position is worth and how soon.

A score is a value of [-1, 1] in RETURN_STEPS steps to either side, each worth PLIES, moved towards 0 by
the plies to where it was found: sooner wins and later losses score higher, and no number of plies makes up
for a step. Integers have neighbours, which null windows and equal moves ask for. What is searched lies in
`agents.depth_first.negamax`.
"""

from __future__ import annotations

import math

import numpy as np

from envs.kernels import kernel

RETURN_STEPS = 2**11 * 3 * 5**2 * 7
"""Thirds, sevenths, hundredths and 2,048ths are kept exactly, other returns to 1e-6."""
PLIES = 512
"""No value is known later than this many plies, less one."""
WIN = RETURN_STEPS * PLIES
"""The score of a game won at the root; four bytes hold it, and twice as much."""
INFINITE = 2 * WIN


@kernel(forceinline=True)
def exact_score(value, ply):
    """Return the score of a game that is over at `ply` and returns `value`."""
    return later(np.int64(math.floor(value * RETURN_STEPS + 0.5)) * PLIES, ply)


@kernel(forceinline=True)
def judged_score(value, ply):
    """Return the score of a position at `ply` that is judged to be worth `value`, never a win or a loss."""
    return exact_score(min(max(value, -MOST_JUDGED), MOST_JUDGED), ply)


MOST_JUDGED = 1.0 - 1.0 / RETURN_STEPS


@kernel(forceinline=True)
def later(score, plies):
    """Return a score as it looks from `plies` further up the tree; a negative number leads down."""
    if score > 0:
        return score - plies
    if score < 0:
        return score + plies
    return score


def value_of(score: int) -> float:
    """Return the value in [-1, 1] that a score stands for."""
    return _steps(score) / RETURN_STEPS


def plies_of(score: int) -> int:
    """Return after how many plies the value comes; 0 where it is 0."""
    return abs(_steps(score)) * PLIES - abs(score)


def is_win_or_loss(score: int) -> bool:
    """Return whether the value is 1 or -1, which no judgement comes to."""
    return abs(_steps(score)) == RETURN_STEPS


def _steps(score: int) -> int:
    return -(-score // PLIES) if score > 0 else score // PLIES
