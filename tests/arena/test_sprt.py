"""The sequential test against fastchess's figures, and its error rates by simulation."""

from __future__ import annotations

import math
import random

import pytest
from simulated import decide

from arena.league.models import Sprt
from arena.statistics.sprt import log_likelihood_ratio


@pytest.mark.parametrize(
    ("pairs", "elo0", "elo1", "ratio"),
    [  # of fastchess's own tests, app/tests/sprt_test.cpp, by logistic Elo
        ((223, 9863, 21279, 10037, 246), 0.5, 2.5, -3.07),
        ((871, 26175, 55983, 26678, 821), 0, 2, -4.98),
    ],
)
def test_the_ratio_agrees_with_fastchess(pairs, elo0, elo1, ratio):
    assert log_likelihood_ratio(pairs, elo0, elo1) == pytest.approx(ratio, abs=0.005)


def test_the_ratio_by_hand():
    # Only pairs of 0 and 2 points: the likeliest distribution of mean s is (1 - s, s) on them, so that the
    # ratio is that of a plain binomial test, but for the 3 results that are said to occur 1/1000 times each.
    s0, s1 = 0.5, 1 / (1 + 10 ** (-100 / 400))
    by_hand = 30 * math.log((1 - s1) / (1 - s0)) + 70 * math.log(s1 / s0)
    assert log_likelihood_ratio((30, 0, 0, 0, 70), 0, 100) == pytest.approx(by_hand, rel=1e-3)


@pytest.mark.parametrize("pairs", [(0, 0, 0, 0, 0), (0, 0, 1, 0, 0), (0, 0, 0, 0, 5000), (5000, 0, 0, 0, 1)])
def test_the_ratio_is_finite_and_turns_with_the_sides(pairs):
    ratio = log_likelihood_ratio(pairs, -10, 30)
    assert math.isfinite(ratio)
    assert log_likelihood_ratio(pairs[::-1], -30, 10) == pytest.approx(-ratio, abs=1e-9)


@pytest.mark.parametrize(("true", "wrong"), [("elo0", "elo1"), ("elo1", "elo0")])
def test_errors_are_as_rare_as_the_file_asks(true, wrong):
    settings = Sprt(type="sprt", elo0=0, elo1=80, alpha=0.1, beta=0.1)
    rng = random.Random(true)
    found = [decide(rng, getattr(settings, true), settings)[0] for _ in range(400)]
    # At most 0.1 but for how far the last pair oversteps; 3 standard deviations of 400 trials are 0.045.
    assert 0.03 <= found.count(wrong) / len(found) <= 0.145
