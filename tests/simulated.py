"""Leagues of known strengths, simulated: what ratings, intervals and sequential tests are checked against."""

from __future__ import annotations

import math
from collections import Counter
from itertools import combinations

import numpy as np

from arena.statistics.meetings import Seating
from arena.statistics.sprt import SequentialTest
from arena.statistics.stats import ELO


def pair(i, j, first, second):
    """The two games of i and j: i's score where it moves first, and where it moves second."""
    return ((i, j, -1, second), (i, j, 1, first))


def simulate(rng, strengths, seat, pairs, draws=0.0, met=None):
    """Play `pairs` pairs for each two agents (of `met`); a share of at most `draws` of the games is drawn."""
    meetings = Counter()
    for i, j in met or combinations(range(len(strengths)), 2):
        ahead = (strengths[i] - strengths[j]) / ELO
        win = np.array([1 / (1 + math.exp(-(ahead + s))) for s in (seat / ELO, -seat / ELO)])
        drawn = 2 * draws * np.minimum(win, 1 - win)
        u = rng.random((pairs, 2))
        games = np.where(u < win - drawn / 2, 1.0, np.where(u < win + drawn / 2, 0.5, 0.0))
        meetings.update(pair(i, j, a, b) for a, b in games.tolist())
    return meetings


def plackett_luce(rng, strengths, order, seat):
    """Return returns by seat: places drawn one after the other, by strength, 1 for the first to -1."""
    worth = np.exp(
        [(strengths[agent] + (seat if place == 0 else 0)) / ELO for place, agent in enumerate(order)]
    )
    returns, left = [0.0] * len(order), list(range(len(order)))
    for rank in range(len(order)):
        shares = worth[left] / worth[left].sum()
        returns[left.pop(int(rng.choice(len(left), p=shares)))] = 1 - 2 * rank / (len(order) - 1)
    return tuple(returns)


def decide(rng, elo, settings, draws=0.3):
    """Play pairs at a true advantage, a share `draws` of the games drawn, until a sequential test is over.

    Return what it accepts, and after how many pairs.
    """
    test = SequentialTest(settings, "a")
    win = 1 / (1 + 10 ** (-elo / 400))
    while not test.is_enough():
        luck = [rng.random(), rng.random()]
        one, two = (1.0 if u < win - draws / 2 else 0.0 if u < win + draws / 2 else -1.0 for u in luck)
        test.add([Seating(("a", "b"), (one, -one)), Seating(("b", "a"), (-two, two))])
    return test.accepted, sum(test.pairs)
