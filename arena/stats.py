"""The statistics of leagues: tallies, Elo with error bars, ratings, the first seat's advantage.

The unit is the pair, one opening played twice with seats swapped: its two games are not independent,
so their five possible sums (the pentanomial) give the variance, not single games, as in fishtest and
fastchess (M. Van den Bergh, "Comments on Normalized Elo", 2020). Every estimate is drawn towards
equality by one imagined pair per pairing, spread evenly over the five results. So one real pair
already gives a finite, wide interval, and none is ever nan, infinite or zero.

A game whose pair is not complete counts in wins, draws, losses and score. The intervals of a `Tally`
leave it out; `rate` takes it as a pair of one game. Nothing here reads databases or prints.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations

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
_TIE = 2.0
"""Standard deviation, in log-odds (347 Elo), of the difference between agents that never met."""

Floats = npt.NDArray[np.float64]
Meeting = tuple[tuple[int, float], ...]
"""The games of one pair as (seat, score in {0, 0.5, 1}) of one of its two agents, in sorted order."""
Meetings = Mapping[tuple[int, int], Counter[Meeting]]
"""For each pairing (i, j), i < j, how often each meeting occurred, from i's side."""


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
    def of(cls, scores: Sequence[float], times: int = 1) -> Tally:
        """Tally, `times` times, the scores (1, 1/2, 0) of a pair or of a game without its pair."""
        pairs = [0] * 5
        if len(scores) == 2:
            pairs[round(2 * sum(scores))] = times
        count = Counter({score: times * games for score, games in Counter(scores).items()})
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
        """Return points per game over the complete pairs, with its 95% interval.

        With weights w_k = pairs_k + 1/5 on the scores x_k = 0, 1/4, ..., 1 and n = sum of w_k:
        mean m = sum of w_k x_k / n, variance v = sum of w_k (x_k - m)^2 / n, interval 1.96 sqrt(v / n).
        """
        weights = np.array(self.pairs) + _PRIOR
        total = float(weights.sum())
        mean = float(weights @ _PAIR_SCORES) / total
        variance = float(weights @ (_PAIR_SCORES - mean) ** 2) / total
        return Estimate(mean, Z95 * math.sqrt(variance / total))

    def elo(self) -> Estimate:
        """Return the Elo difference, 400 log10(m / (1 - m)), its interval by the delta method.

        The interval is that of `mean` times the slope there, 400 / ln 10 / (m (1 - m)).
        """
        mean = self.mean()
        return Estimate(ELO * _logit(mean.value), ELO * mean.error / (mean.value * (1 - mean.value)))

    def superiority(self) -> float:
        """Return the likelihood of superiority: the probability that the true score is above 1/2.

        Normal distribution function of (m - 1/2) over the standard error of m.
        """
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


def rate(agents: int, meetings: Meetings) -> Ratings:
    """Fit R. Bradley and M. Terry's model (Biometrika 39, 1952) with a term for the first seat.

    P(i beats j, i in the first seat) = 1 / (1 + exp(-(r_i - r_j + s))), as R. Davidson and R. Beaver
    (Biometrics 33, 1977) add the order of play; a draw is half a win each. Maximum likelihood by
    Newton's method, the imagined pairs added; intervals by the sandwich estimator (P. Huber 1967),
    clustered by pair (K. Liang and S. Zeger, Biometrika 73, 1986). The order of games cannot matter:
    only counts go in.

    Args:
        agents: how many; they are numbered from 0.
        meetings: what was played.
    """
    rows, scores, weights, clusters, repeats = _design(agents, meetings)
    links = _links(agents, meetings)
    theta = _newton(rows, scores, weights, links)
    bread = np.linalg.inv(_information(rows, weights, theta, links))
    residual = scores - _expected(rows, theta)
    gradients = np.zeros((len(repeats), agents + 1))
    np.add.at(gradients, clusters, residual[:, None] * rows)
    meat = (gradients * repeats[:, None]).T @ gradients + _prior_meat(agents, meetings) + links
    covariance = ELO**2 * bread @ meat @ bread
    errors = Z95 * np.sqrt(np.diag(covariance))
    estimates = [Estimate(float(ELO * t), float(e)) for t, e in zip(theta, errors, strict=True)]
    return Ratings(tuple(estimates[:-1]), estimates[-1], covariance[:-1, :-1])


def _design(agents: int, meetings: Meetings) -> tuple[Floats, Floats, Floats, npt.NDArray[np.int64], Floats]:
    """Return a row a distinct game: signs of (agents, seat), score, weight, cluster; and clusters' counts.

    The imagined pairs come as two draws each and with a cluster's count of 0: as noise, they are in
    `_prior_meat`.
    """
    rows, scores, weights, clusters = [], [], [], []
    repeats: list[float] = []
    two_draws: Meeting = ((0, 0.5), (1, 0.5))
    for (i, j), counts in sorted(meetings.items()):
        real = [(meeting, float(count), float(count)) for meeting, count in sorted(counts.items())]
        for meeting, count, noise in [(two_draws, 1.0, 0.0), *real]:
            for seat, score in meeting:
                row = _row(agents, i, j)
                row[-1] = 1.0 if seat == 0 else -1.0
                rows.append(row)
                scores.append(score)
                weights.append(count)
                clusters.append(len(repeats))
            repeats.append(noise)
    return (
        np.array(rows).reshape(-1, agents + 1),
        np.array(scores),
        np.array(weights),
        np.array(clusters, np.int64),
        np.array(repeats),
    )


def _row(agents: int, i: int, j: int) -> Floats:
    row = np.zeros(agents + 1)
    row[i], row[j] = 1.0, -1.0
    return row


def _prior_meat(agents: int, meetings: Meetings) -> Floats:
    """Return the variance that the imagined pairs bring, on the ratings and on the seat."""
    meat = np.zeros((agents + 1, agents + 1))
    for i, j in meetings:
        row = _row(agents, i, j)
        meat += 4 * _PRIOR_VARIANCE * np.outer(row, row)
        meat[-1, -1] += 4 * _PRIOR_VARIANCE
    return meat


def _links(agents: int, meetings: Meetings) -> Floats:
    """Return the precision of a weak normal prior that ties agents that never met.

    Each such difference is normal around 0 with standard deviation `_TIE`, and counts 1/agents. So
    every agent has a rating however little was played, even where a league falls into parts.
    """
    precision = np.zeros((agents + 1, agents + 1))
    for i, j in combinations(range(agents), 2):
        if (i, j) not in meetings:
            row = _row(agents, i, j)
            precision += np.outer(row, row) / (agents * _TIE**2)
    if not meetings:
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
