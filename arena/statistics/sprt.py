"""The sequential probability ratio test on pairs: is the first of two agents `elo1` stronger, or `elo0`?

A. Wald's test (Annals of Mathematical Statistics 16, 1945) with the likelihood ratio generalised to the
five results of a pair, whose probabilities nobody knows, as fishtest and fastchess have it: M. Van den
Bergh, "Comments on Normalized Elo" (2020), section 1. When the test is asked is in `arena.league.stopping`.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Literal, Protocol

from arena.statistics.meetings import Seating, pair_scores

_SCORES = (0.0, 0.25, 0.5, 0.75, 1.0)
_NEVER = 1e-3
"""What counts for a result that never occurred, as in fishtest: no probability is quite 0."""


class Hypotheses(Protocol):
    """What is tested, in Elo, and the risks that one is accepted where the other is true."""

    elo0: float
    elo1: float
    alpha: float
    beta: float


class SequentialTest:
    """The test of one game.

    Args:
        settings: the hypotheses and the risks.
        agent: label of the agent whose advantage is in question.

    Attributes:
        pairs: by the agent's points: 0, 1/2, 1, 3/2, 2.
        lower, upper: a log-likelihood ratio at or below `lower` accepts elo0, at or above `upper` elo1.
    """

    def __init__(self, settings: Hypotheses, agent: str) -> None:
        self.settings, self.agent, self.pairs = settings, agent, [0] * 5
        self.lower = math.log(settings.beta / (1 - settings.alpha))
        self.upper = math.log((1 - settings.beta) / settings.alpha)

    def add(self, meeting: Sequence[Seating]) -> None:
        """Take one pair."""
        self.pairs[round(2 * sum(pair_scores(meeting, self.agent)))] += 1

    def is_enough(self) -> bool:
        """Return whether one of the two is accepted."""
        return self.accepted is not None

    @property
    def accepted(self) -> Literal["elo0", "elo1"] | None:
        """Which hypothesis is accepted, or None."""
        ratio = self.ratio
        return "elo0" if ratio <= self.lower else "elo1" if ratio >= self.upper else None

    @property
    def ratio(self) -> float:
        """The log-likelihood ratio of elo1 to elo0."""
        return log_likelihood_ratio(self.pairs, self.settings.elo0, self.settings.elo1)


def log_likelihood_ratio(pairs: Sequence[int], elo0: float, elo1: float) -> float:
    """Return how much better an advantage of `elo1` explains the pairs than `elo0` does; 0 for no pairs.

    Each advantage at its best: with the results' probabilities that are likeliest among those whose
    mean score is 1 / (1 + 10^(-elo/400)).

    Args:
        pairs: how many by points: 0, 1/2, 1, 3/2, 2.
    """
    if not any(pairs):
        return 0.0
    counts = [number or _NEVER for number in pairs]
    p0, p1 = (_likeliest(counts, 1 / (1 + 10 ** (-elo / 400))) for elo in (elo0, elo1))
    return sum(count * math.log(b / a) for count, a, b in zip(counts, p0, p1, strict=True))


def _likeliest(counts: Sequence[float], mean: float) -> list[float]:
    """Return the likeliest probabilities of the five results whose expectation is `mean`, in (0, 1).

    p_k = q_k / (1 + t (x_k - mean)) with the observed shares q and scores x, where t solves
    sum of p_k (x_k - mean) = 0 (Van den Bergh, proposition 1.1). That sum falls with t: bisection finds it.
    """
    total = sum(counts)
    shares = [(count / total, score - mean) for count, score in zip(counts, _SCORES, strict=True)]
    low, high = -1 / (1 - mean), 1 / mean  # where the last and the first denominator are 0
    while low < (t := (low + high) / 2) < high:
        if sum(share * x / (1 + t * x) for share, x in shares) > 0:
            low = t
        else:
            high = t
    return [share / (1 + t * x) for share, x in shares]
