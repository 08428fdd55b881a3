"""Statistics against hand-made figures, simulated leagues of known strength, and their own symmetries."""

from __future__ import annotations

import math
from collections import Counter

import numpy as np
import pytest

from arena.stats import ELO, Tally, rate


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


def test_a_game_without_its_pair_counts_in_the_score_only():
    tally = Tally.of([1.0])
    assert tally.wins == 1
    assert sum(tally.pairs) == 0
    assert tally.elo().value == 0


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


def simulate(rng, strengths, seat, pairs):
    meetings = {}
    for i in range(len(strengths)):
        for j in range(i + 1, len(strengths)):
            ahead = (strengths[i] - strengths[j]) / ELO
            win = [1 / (1 + math.exp(-(ahead + s))) for s in (seat / ELO, -seat / ELO)]
            games = (rng.random((pairs, 2)) < win).astype(float)
            meetings[i, j] = Counter(((0, a), (1, b)) for a, b in games.tolist())
    return meetings


def test_intervals_cover_the_truth_in_95_percent_of_simulated_leagues():
    rng = np.random.default_rng(5)
    strengths = np.array([-120.0, -20.0, 40.0, 100.0])
    inside, total, seat_inside, leagues = 0, 0, 0, 400
    for _ in range(leagues):
        ratings = rate(4, simulate(rng, strengths, seat=35.0, pairs=60))
        for estimate, truth in zip(ratings.elo, strengths, strict=True):
            inside += abs(estimate.value - truth) < estimate.error
            total += 1
        seat_inside += abs(ratings.seat.value - 35.0) < ratings.seat.error
    assert 0.93 <= inside / total <= 0.97
    assert 0.92 <= seat_inside / leagues <= 0.98


def test_two_agents_rated_jointly_agree_with_their_tally():
    meetings = Counter({((0, 1.0), (1, 0.5)): 30, ((0, 0.0), (1, 1.0)): 20, ((0, 0.5), (1, 0.0)): 10})
    tally = Tally()
    for meeting, count in meetings.items():
        for _ in range(count):
            tally += Tally.of([score for _, score in meeting])
    ratings = rate(2, {(0, 1): meetings})
    assert ratings.elo[0].value - ratings.elo[1].value == pytest.approx(tally.elo().value, abs=1.0)
    assert 2 * ratings.elo[0].error == pytest.approx(tally.elo().error, rel=0.03)
    assert ratings.superiority(0, 1) == pytest.approx(tally.superiority(), abs=0.01)


def test_ratings_sum_to_zero_and_do_not_depend_on_names():
    meetings = simulate(np.random.default_rng(1), [0.0, 50.0, -80.0], seat=0.0, pairs=20)
    ratings = rate(3, meetings)
    assert sum(estimate.value for estimate in ratings.elo) == pytest.approx(0, abs=1e-6)
    swapped = {}
    names = [2, 0, 1]
    for (i, j), counts in meetings.items():
        a, b = names[i], names[j]
        flip = a > b
        swapped[min(a, b), max(a, b)] = Counter(
            {
                tuple((1 - s, 1 - x) if flip else (s, x) for s, x in meeting): n
                for meeting, n in counts.items()
            }
        )
    renamed = rate(3, swapped)
    for i in range(3):
        assert renamed.elo[names[i]].value == pytest.approx(ratings.elo[i].value, abs=1e-6)
        assert renamed.elo[names[i]].error == pytest.approx(ratings.elo[i].error, rel=1e-6)


@pytest.mark.parametrize(
    "meetings",
    [
        {},
        {(0, 1): Counter({((0, 1.0), (1, 1.0)): 5000})},
        {(0, 1): Counter({((0, 0.5), (1, 0.5)): 5000}), (2, 3): Counter({((0, 1.0),): 1})},
    ],
)
def test_whatever_was_played_every_rating_is_finite_and_uncertain(meetings):
    ratings = rate(4, meetings)
    for estimate in (*ratings.elo, ratings.seat):
        assert math.isfinite(estimate.value)
        assert 0.1 < estimate.error < 2000
    assert sum(estimate.value for estimate in ratings.elo) == pytest.approx(0, abs=1e-6)
    assert all(0 <= ratings.superiority(a, b) <= 1 for a in range(4) for b in range(4))


def test_a_gauntlet_agrees_with_its_head_to_heads():
    # 0 meets 1, 2, 3, which never meet each other; by hand: 400 log10 of the odds.
    one = Counter({((0, 1.0), (1, 1.0)): 300, ((0, 0.0), (1, 0.0)): 100})
    two = Counter({((0, 0.0), (1, 0.0)): 200, ((0, 1.0), (1, 1.0)): 200})
    three = Counter({((0, 0.0), (1, 0.0)): 240, ((0, 1.0), (1, 1.0)): 160})
    elo = [estimate.value for estimate in rate(4, {(0, 1): one, (0, 2): two, (0, 3): three}).elo]
    assert elo[0] - elo[1] == pytest.approx(400 * math.log10(3), abs=2)
    assert elo[0] - elo[2] == pytest.approx(0, abs=2)
    assert elo[0] - elo[3] == pytest.approx(400 * math.log10(0.4 / 0.6), abs=2)


def test_the_seat_is_told_apart_from_strength():
    # Equal agents, the first seat wins 3 of 4: by hand, s = 400 log10(3).
    first = Counter({((0, 1.0), (1, 0.0)): 500, ((0, 1.0), (1, 1.0)): 250, ((0, 0.0), (1, 0.0)): 250})
    ratings = rate(2, {(0, 1): first})
    assert ratings.elo[0].value == pytest.approx(0, abs=0.5)
    assert ratings.seat.value == pytest.approx(400 * math.log10(3), abs=1)


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
