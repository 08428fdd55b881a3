"""Tallies against hand-made figures, simulated pairs of known strength, and their own symmetries."""

from __future__ import annotations

import math

import numpy as np
import pytest

from arena.statistics.stats import MeanReturn, Tally


def test_a_pair_is_tallied_from_both_sides():
    tally = Tally.of([1.0, 0.5]) + Tally.of([0.0, 1.0]) + Tally.of([0.0, 0.0])
    assert (tally.wins, tally.draws, tally.losses) == (2, 1, 3)
    assert tally.pairs == (1, 0, 1, 1, 0)
    mirrored = -tally
    assert -mirrored == tally
    assert (-tally).pairs == (0, 1, 1, 0, 1)
    assert tally.score == pytest.approx(2.5 / 6)
    assert (-tally).elo().value == pytest.approx(-tally.elo().value)
    assert (-tally).superiority() == pytest.approx(1 - tally.superiority())


@pytest.mark.parametrize("scores", [[1.0, 1.0], [0.0, 0.0], [0.5, 0.5], [1.0, 0.0]])
def test_one_pair_gives_a_finite_wide_interval(scores):
    elo = Tally.of(scores).elo()
    assert math.isfinite(elo.value)
    assert 200 < elo.error < 1000


@pytest.mark.parametrize("pairs", [10, 1000, 100_000])
def test_only_draws_or_only_wins_are_never_certain(pairs):
    for one in (Tally.of([0.5, 0.5]), Tally.of([1.0, 1.0])):
        tally = Tally(one.wins * pairs, one.draws * pairs, 0, tuple(count * pairs for count in one.pairs))
        assert math.isfinite(tally.elo().value)
        assert math.isfinite(tally.elo().error)
        assert tally.elo().error > 0


def test_a_large_tally_agrees_with_the_plain_formulas():
    # 2,000 pairs: 100 at 0, 300 at 1/2, 800 at 1, 500 at 3/2, 300 at 2 points; by hand:
    # mean = (0.25*300 + 0.5*800 + 0.75*500 + 300) / 2000 = 0.575, variance = 0.0706..., as below.
    counts = np.array([100, 300, 800, 500, 300])
    values = np.array([0, 0.25, 0.5, 0.75, 1.0])
    mean = counts @ values / 2000
    error = 1.96 * math.sqrt(counts @ (values - mean) ** 2 / 2000 / 2000)
    tally = Tally(pairs=tuple(int(count) for count in counts))
    assert mean == pytest.approx(0.575)
    assert tally.mean().value == pytest.approx(mean, abs=1e-4)
    assert tally.mean().error == pytest.approx(error, rel=0.01)
    assert tally.elo().value == pytest.approx(400 * math.log10(0.575 / 0.425), abs=0.1)


@pytest.mark.parametrize(
    ("elo", "draws", "pairs"), [(0, 0.0, 30), (0, 0.6, 100), (100, 0.6, 10), (300, 0.3, 100)]
)
def test_a_tallys_interval_covers_the_truth_in_95_percent(elo, draws, pairs):
    rng = np.random.default_rng(elo + pairs)
    p = 1 / (1 + 10 ** (-elo / 400))
    draw = 2 * draws * min(p, 1 - p)
    inside = 0
    for _ in range(1000):
        u = rng.random((pairs, 2))
        points = np.where(u < p - draw / 2, 2, np.where(u < p + draw / 2, 1, 0)).sum(axis=1)
        estimate = Tally(pairs=tuple(np.bincount(points, minlength=5).tolist())).elo()
        inside += abs(estimate.value - elo) < estimate.error
    assert 920 <= inside <= 980


def test_pairs_whose_games_depend_on_each_other_are_judged_as_pairs():
    # An opening decides both games: 50 pairs of 1 point each say that neither agent is better, and
    # much more surely than 100 independent games would.
    decided = Tally.of([1.0, 0.0])
    tally = Tally(50, 0, 50, tuple(50 * count for count in decided.pairs))
    independent = 1.96 * 0.5 / math.sqrt(100)
    assert tally.mean().error < independent / 3


@pytest.mark.parametrize(
    ("pairs", "elo", "error", "superiority"),
    [  # as fastchess prints them of chess matches (its intervals have no imagined pair)
        ((307, 619, 1202, 725, 353), 10.73, 6.70, 0.9992),
        ((84, 124, 343, 125, 164), 33.40, 14.24, 1.0),
        ((12, 6, 25, 8, 9), -11.59, 56.66, 0.3429),
        ((0, 1, 58, 3, 438), 474.93, 44.28, 1.0),
    ],
)
def test_figures_agree_with_fastchess(pairs, elo, error, superiority):
    tally = Tally(pairs=pairs)
    shrinking = 1 / sum(pairs)  # what the imagined pair draws towards equality
    assert tally.elo().value == pytest.approx(elo, rel=3 * shrinking, abs=0.02)
    assert tally.elo().error == pytest.approx(error, rel=0.025)  # it averages the two ends instead
    assert tally.superiority() == pytest.approx(superiority, abs=0.002)


def test_mean_returns_by_hand():
    # Meetings of mean 1/2, 1/2 and -1/4, and the imagined one of mean 0 and square 1/3.
    mean = MeanReturn()
    for returns in ([1.0, 0.0], [0.5, 0.5], [-1.0, 0.5]):
        mean.add(returns)
    estimate = mean.estimate()
    assert estimate.value == pytest.approx(0.75 / 4)
    variance = (0.25 + 0.25 + 0.0625 + 1 / 3) / 4 - (0.75 / 4) ** 2
    assert estimate.error == pytest.approx(1.96 * math.sqrt(variance / 4), rel=1e-4)


@pytest.mark.parametrize("meetings", [0, 1, 1000])
def test_mean_returns_are_never_certain(meetings):
    mean = MeanReturn()
    for _ in range(meetings):
        mean.add([1.0, 1.0])
    assert 0 < mean.estimate().error <= 1.96 * math.sqrt(1 / 3)
    assert 0 <= mean.estimate().value <= 1


def test_the_interval_of_a_mean_return_covers_the_truth_in_95_percent():
    rng, inside = np.random.default_rng(2), 0
    for _ in range(1000):
        mean = MeanReturn()
        for luck in rng.uniform(-0.5, 0.5, 50):  # what the games of a meeting share
            mean.add((np.where(rng.random(6) < 0.5 + luck / 2, 1.0, -1.0)).tolist())
        inside += abs(mean.estimate().value) < mean.estimate().error
    assert 930 <= inside <= 970
