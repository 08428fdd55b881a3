"""The statistics of leagues: tallies, Elo with error bars, ratings, the first seat's advantage.

The unit is the pair, one opening played twice with seats swapped: its two games are not independent,
so their five possible sums (the pentanomial) give the variance, not single games. Every estimate is
drawn towards equality by one imagined pair per pairing whose five results are equally likely. So one
real pair already gives a finite, wide interval, and none is ever nan, infinite or zero.

Nothing here reads databases or prints.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

Z95 = 1.959963984540054
"""Half the width of a 95% normal interval, in standard deviations."""
ELO = 400 / math.log(10)
"""Elo points in one unit of log-odds (A. Elo 1978)."""
_PAIR_SCORES = np.array([0.0, 0.25, 0.5, 0.75, 1.0])
_PRIOR = np.full(5, 0.2)
"""The imagined pair: weight one in all, spread evenly."""
_PRIOR_VARIANCE = float(_PRIOR @ (_PAIR_SCORES - 0.5) ** 2)

Floats = npt.NDArray[np.float64]
Meeting = tuple[tuple[int, float], ...]
"""The games of one pair as (seat, score in {0, 0.5, 1}) of one of its two agents."""


@dataclass(frozen=True)
class Estimate:
    """A value and half the width of its 95% interval."""

    value: float
    error: float


@dataclass(frozen=True)
class Tally:
    """Results of one agent against another (or of one seat against the other).

    Attributes:
        wins, draws, losses: single games.
        pairs: complete pairs by their points: 0, 1/2, 1, 3/2, 2.
    """

    wins: int = 0
    draws: int = 0
    losses: int = 0
    pairs: tuple[int, int, int, int, int] = (0, 0, 0, 0, 0)

    @classmethod
    def of(cls, scores: Sequence[float]) -> Tally:
        """Tally the scores (1, 1/2, 0) of one pair, or of one game whose pair is not complete."""
        pairs = [0] * 5
        if len(scores) == 2:
            pairs[round(2 * sum(scores))] = 1
        count = Counter(scores)
        return cls(count[1.0], count[0.5], count[0.0], tuple(pairs))  # type: ignore[arg-type] # five of them

    def __add__(self, other: Tally) -> Tally:
        """Put two tallies of the same opponents together."""
        pairs = tuple(a + b for a, b in zip(self.pairs, other.pairs, strict=True))
        return Tally(
            self.wins + other.wins,
            self.draws + other.draws,
            self.losses + other.losses,
            pairs,  # type: ignore[arg-type] # five of them
        )

    def __neg__(self) -> Tally:
        """Return the same results from the other side."""
        return Tally(self.losses, self.draws, self.wins, self.pairs[::-1])

    @property
    def games(self) -> int:
        """How many games."""
        return self.wins + self.draws + self.losses

    @property
    def score(self) -> float:
        """Points per game, in [0, 1]; 1/2 when there are no games."""
        return (self.wins + self.draws / 2) / self.games if self.games else 0.5

    def mean(self) -> Estimate:
        """Return points per game over the complete pairs, with its 95% interval."""
        weights = np.array(self.pairs) + _PRIOR
        total = float(weights.sum())
        mean = float(weights @ _PAIR_SCORES) / total
        variance = float(weights @ (_PAIR_SCORES - mean) ** 2) / total
        return Estimate(mean, Z95 * math.sqrt(variance / total))

    def elo(self) -> Estimate:
        """Return the Elo difference, 400 log10(s / (1 - s)), its interval by the delta method."""
        mean = self.mean()
        return Estimate(ELO * _logit(mean.value), ELO * mean.error / (mean.value * (1 - mean.value)))

    def superiority(self) -> float:
        """Return the likelihood of superiority: the probability that the true score is above 1/2."""
        mean = self.mean()
        return normal_cdf((mean.value - 0.5) * Z95 / mean.error)


def normal_cdf(z: float) -> float:
    """Return the standard normal distribution function."""
    return 0.5 * (1 + math.erf(z / math.sqrt(2)))


def _logit(p: float) -> float:
    return math.log(p / (1 - p))


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


def rate(agents: int, meetings: Mapping[tuple[int, int], Counter[Meeting]]) -> Ratings:
    """Fit R. Bradley and M. Terry's model (1952) with a term for the first seat, draws as half a win each.

    P(i beats j, i in the first seat) = 1 / (1 + exp(-(r_i - r_j + s))). Maximum likelihood by Newton's
    method, each pairing with the imagined pair added; intervals by the sandwich estimator, clustered
    by pair (P. Huber 1967). The order of games cannot matter: only counts go in.

    Args:
        agents: how many; they are numbered from 0.
        meetings: for each pairing (i, j), i < j, how often each meeting occurred, from i's side.
    """
    rows, scores, weights, clusters, repeats = _design(agents, meetings)
    theta = _newton(rows, scores, weights)
    bread = np.linalg.inv(_information(rows, weights, theta))
    residual = scores - _expected(rows, theta)
    gradients = np.zeros((len(repeats), agents + 1))
    np.add.at(gradients, clusters, residual[:, None] * rows)
    meat = (gradients * repeats[:, None]).T @ gradients + _prior_meat(agents, meetings)
    covariance = ELO**2 * bread @ meat @ bread
    errors = Z95 * np.sqrt(np.diag(covariance))
    estimates = [Estimate(float(ELO * t), float(e)) for t, e in zip(theta, errors, strict=True)]
    return Ratings(tuple(estimates[:-1]), estimates[-1], covariance[:-1, :-1])


def _design(
    agents: int, meetings: Mapping[tuple[int, int], Counter[Meeting]]
) -> tuple[Floats, Floats, Floats, npt.NDArray[np.int64], Floats]:
    """Return a row a distinct game: signs of (agents, seat), score, weight, cluster; and clusters' counts."""
    rows, scores, weights, clusters = [], [], [], []
    repeats: list[float] = []
    for (i, j), counts in sorted(meetings.items()):
        imagined: list[tuple[Meeting, float, bool]] = [(((0, 0.5), (1, 0.5)), 1.0, False)]
        real = [(meeting, float(count), True) for meeting, count in sorted(counts.items())]
        for meeting, count, counts_as_noise in imagined + real:
            for seat, score in meeting:
                row = np.zeros(agents + 1)
                row[i], row[j], row[-1] = 1.0, -1.0, 1.0 if seat == 0 else -1.0
                rows.append(row)
                scores.append(score)
                weights.append(count)
                clusters.append(len(repeats))
            repeats.append(count if counts_as_noise else 0.0)  # the imagined pair's own is _prior_meat
    return (
        np.array(rows).reshape(-1, agents + 1),
        np.array(scores),
        np.array(weights),
        np.array(clusters, np.int64),
        np.array(repeats),
    )


def _prior_meat(agents: int, meetings: Mapping[tuple[int, int], Counter[Meeting]]) -> Floats:
    """Return the variance that the imagined pairs bring, on the ratings and on the seat."""
    meat = np.zeros((agents + 1, agents + 1))
    for i, j in meetings:
        row = np.zeros(agents + 1)
        row[i], row[j] = 1.0, -1.0
        seat = np.zeros(agents + 1)
        seat[-1] = 1.0
        meat += 4 * _PRIOR_VARIANCE * (np.outer(row, row) + np.outer(seat, seat))
    return meat


def _expected(rows: Floats, theta: Floats) -> Floats:
    return 1 / (1 + np.exp(-np.clip(rows @ theta, -40, 40)))


def _information(rows: Floats, weights: Floats, theta: Floats) -> Floats:
    """Return the information matrix, made regular: ratings that differ by a constant are the same."""
    p = _expected(rows, theta)
    information = rows.T @ (rows * (weights * p * (1 - p))[:, None])
    same = np.append(np.ones(len(theta) - 1), 0.0)
    information += np.outer(same, same)
    # An agent or a seat that nothing is known of stays at 0.
    information[np.diag_indices_from(information)] += 1e-9
    return information


def _newton(rows: Floats, scores: Floats, weights: Floats) -> Floats:
    theta = np.zeros(rows.shape[1])
    for _ in range(200):
        gradient = rows.T @ (weights * (scores - _expected(rows, theta)))
        step = np.linalg.solve(_information(rows, weights, theta), gradient)
        # The likelihood is concave; a bounded step keeps far starts from overshooting.
        theta += step / max(1.0, float(np.abs(step).max()))
        if np.abs(step).max() < 1e-10:
            break
    return theta
