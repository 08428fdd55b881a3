"""The statistics of pairs: tallies, points and Elo with error bars; and of mean returns.

The unit is the pair, one opening played twice with seats swapped: its two games are not independent,
so their five possible sums (the pentanomial) give the variance, not single games, as in fishtest and
fastchess (M. Van den Bergh, "Comments on Normalized Elo", 2020). Every estimate is drawn towards
equality by one imagined pair per pairing, spread evenly over the five results. So one real pair
already gives a finite, wide interval, and none is ever nan, infinite or zero. A game whose pair is not
complete does not count. The joint fit of all agents is in `arena.statistics.ratings`, the sequential test in
`arena.statistics.sprt`.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

Z95 = 1.959963984540054
"""Half the width of a 95% normal interval, in standard deviations."""
ELO = 400 / math.log(10)
"""Elo points in one unit of log-odds (A. Elo 1978)."""
_PAIR_SCORES = np.array([0.0, 0.25, 0.5, 0.75, 1.0])
_PRIOR = np.full(5, 0.2)
"""The imagined pair: weight one in all, spread evenly."""
PRIOR_VARIANCE = float(_PRIOR @ (_PAIR_SCORES - 0.5) ** 2)
"""Variance of the imagined pair's score."""


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
        """Tally, `times` times, the scores (1, 1/2, 0) of the two games of a pair."""
        pairs = [0] * 5
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


class MeanReturn:
    """The mean of returns, which are utilities in [-1, 1], over meetings of any number of players.

    The games of a meeting are not independent, so that their mean is one observation. One imagined meeting,
    as likely to return anything in [-1, 1], draws the mean towards 0.
    """

    def __init__(self) -> None:
        self._count, self._sum, self._squares = 1, 0.0, 1 / 3

    def add(self, returns: Sequence[float]) -> None:
        """Take an agent's returns in the games of one meeting."""
        mean = sum(returns) / len(returns)
        self._count, self._sum, self._squares = self._count + 1, self._sum + mean, self._squares + mean**2

    def estimate(self) -> Estimate:
        """Return the mean with its 95% interval, 1.96 standard errors."""
        mean = self._sum / self._count
        return Estimate(mean, Z95 * math.sqrt((self._squares / self._count - mean**2) / self._count))


def normal_cdf(z: float) -> float:
    """Return the standard normal distribution function."""
    return 0.5 * (1 + math.erf(z / math.sqrt(2)))


def _logit(p: float) -> float:
    return math.log(p / (1 - p))
