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


def test_an_agent_that_always_wins_and_one_that_never_plays_stay_finite():
    ratings = rate(3, {(0, 1): Counter({((0, 1.0), (1, 1.0)): 50})})
    for estimate in (*ratings.elo, ratings.seat):
        assert math.isfinite(estimate.value)
        assert math.isfinite(estimate.error)
    assert ratings.elo[0].value > ratings.elo[1].value
