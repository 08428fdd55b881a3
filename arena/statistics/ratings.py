"""Ratings: one joint fit of all agents of a game, with a term for the first seat and honest intervals.

A game is looked at as its duels, one for each two of its players (one only, between two); a meeting is one
opening in every order of seats, and the unit whose duels depend on each other. A draw is half a win to each,
as in Ordo, so that a difference in ratings always is 400 log10 of the odds that head-to-head scores show; R.
Davidson's model of draws (Journal of the American Statistical Association 65, 1970) has a scale of its own,
which widens with draws. What drawing takes from the spread is in the intervals, for those come from the
meetings as they were. Rankings of more than two are broken into all their duels, whose fit is consistent for
R. Luce's and R. Plackett's model too (H. Azari Soufiani et al., Advances in NIPS 26, 2013); ratings that are
brought up to date game by game, as TrueSkill's and openskill's, would depend on the order of the games.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from itertools import combinations

import numpy as np
import numpy.typing as npt

from arena.statistics.stats import ELO, PRIOR_VARIANCE, Z95, Estimate, normal_cdf

_TIE = 2.0
"""Standard deviation, in log-odds (347 Elo), of the difference between agents that never met."""

Floats = npt.NDArray[np.float64]
Duel = tuple[int, int, int, float]
"""Two agents in one game, (i, j, seat, score): i < j; seat is 1 where i moves first, -1 where j does, 0 where
another; score is 1, 1/2 or 0, as i does better than j, as well, or worse."""
Meeting = tuple[Duel, ...]
"""The duels of all games of one meeting, in sorted order."""


@dataclass(frozen=True)
class Ratings:
    """A joint fit of all agents of one game.

    Attributes:
        elo: one estimate an agent; they sum to 0.
        seat: Elo that the first seat is worth.
        covariance: of the ratings, Elo squared, [agents, agents].
    """

    elo: tuple[Estimate, ...]
    seat: Estimate
    covariance: Floats

    def superiority(self, a: int, b: int) -> float:
        """Return the probability that agent `a` is stronger than agent `b`."""
        difference = self.elo[a].value - self.elo[b].value
        spread = self.covariance[a, a] + self.covariance[b, b] - 2 * self.covariance[a, b]
        return normal_cdf(difference / math.sqrt(spread)) if spread > 0 else 0.5


def rate(agents: int, meetings: Mapping[Meeting, int]) -> Ratings:
    """Fit R. Bradley and M. Terry's model (Biometrika 39, 1952) with a term for the first seat.

    P(i beats j, i in the first seat) = 1 / (1 + exp(-(r_i - r_j + s))), as R. Davidson and R. Beaver
    (Biometrics 33, 1977) add the order of play. Maximum likelihood by Newton's method, one imagined pair
    added for each two agents that met; intervals by the sandwich estimator (P. Huber 1967), clustered by
    meeting (K. Liang and S. Zeger, Biometrika 73, 1986). The order of games cannot matter: only counts go in.

    Args:
        agents: how many; they are numbered from 0.
        meetings: how often each was played.
    """
    meetings = dict(sorted(meetings.items()))  # so that not even rounding depends on the order
    met = {(i, j) for meeting in meetings for i, j, _, _ in meeting}
    links = _links(agents, met)
    rows, scores, weights, clusters = _design(agents, meetings, met)
    theta = _newton(rows, scores, weights, links)
    bread = np.linalg.inv(_information(rows, weights, theta, links))
    gradients = np.zeros((len(meetings), agents + 1))
    played = clusters >= 0
    residual = (scores - _expected(rows, theta))[played]
    np.add.at(gradients, clusters[played], residual[:, None] * rows[played])
    repeats = np.fromiter(meetings.values(), float, len(meetings))
    meat = (gradients * repeats[:, None]).T @ gradients + _prior_meat(agents, met) + links
    covariance = ELO**2 * bread @ meat @ bread
    errors = Z95 * np.sqrt(np.diag(covariance))
    estimates = [Estimate(float(ELO * t), float(e)) for t, e in zip(theta, errors, strict=True)]
    return Ratings(tuple(estimates[:-1]), estimates[-1], covariance[:-1, :-1])


def _design(
    agents: int, meetings: Mapping[Meeting, int], met: set[tuple[int, int]]
) -> tuple[Floats, Floats, Floats, npt.NDArray[np.int64]]:
    """Return a row a distinct duel: signs of (agents, seat), score, weight, and its meeting.

    The imagined pairs come as two draws each, of no meeting (-1): as noise, they are in `_prior_meat`.
    """
    duels = [
        (duel, float(count), place) for place, (one, count) in enumerate(meetings.items()) for duel in one
    ]
    duels += [((i, j, seat, 0.5), 1.0, -1) for i, j in sorted(met) for seat in (1, -1)]
    rows = [_row(agents, i, j, seat) for (i, j, seat, _), _, _ in duels]
    return (
        np.array(rows).reshape(-1, agents + 1),
        np.array([duel[3] for duel, _, _ in duels]),
        np.array([weight for _, weight, _ in duels]),
        np.array([place for _, _, place in duels], np.int64),
    )


def _row(agents: int, i: int, j: int, seat: int = 0) -> Floats:
    row = np.zeros(agents + 1)
    row[i], row[j], row[-1] = 1.0, -1.0, seat
    return row


def _prior_meat(agents: int, met: set[tuple[int, int]]) -> Floats:
    """Return the variance that the imagined pairs bring, on the ratings and on the seat."""
    meat = np.zeros((agents + 1, agents + 1))
    for i, j in met:
        row = _row(agents, i, j)
        meat += 4 * PRIOR_VARIANCE * np.outer(row, row)
        meat[-1, -1] += 4 * PRIOR_VARIANCE
    return meat


def _links(agents: int, met: set[tuple[int, int]]) -> Floats:
    """Return the precision of a weak normal prior that ties agents that never met.

    Each such difference is normal around 0 with standard deviation `_TIE`, and counts 1/agents. So
    every agent has a rating however little was played, even where a league falls into parts.
    """
    precision = np.zeros((agents + 1, agents + 1))
    for i, j in combinations(range(agents), 2):
        if (i, j) not in met:
            row = _row(agents, i, j)
            precision += np.outer(row, row) / (agents * _TIE**2)
    if not met:
        precision[-1, -1] = _TIE**-2
    return precision


def _expected(rows: Floats, theta: Floats) -> Floats:
    return 1 / (1 + np.exp(-np.clip(rows @ theta, -40, 40)))


def _information(rows: Floats, weights: Floats, theta: Floats, links: Floats) -> Floats:
    """Return the information matrix, made regular: ratings that differ by a constant are the same."""
    p = _expected(rows, theta)
    same = np.append(np.ones(len(theta) - 1), 0.0)
    return rows.T @ (rows * (weights * p * (1 - p))[:, None]) + links + np.outer(same, same)


def _newton(rows: Floats, scores: Floats, weights: Floats, links: Floats) -> Floats:
    theta = np.zeros(rows.shape[1])
    for _ in range(200):
        gradient = rows.T @ (weights * (scores - _expected(rows, theta))) - links @ theta
        step = np.linalg.solve(_information(rows, weights, theta, links), gradient)
        # The likelihood is concave; a bounded step keeps far starts from overshooting.
        theta += step / max(1.0, float(np.abs(step).max()))
        if np.abs(step).max() < 1e-10:
            break
    return theta
