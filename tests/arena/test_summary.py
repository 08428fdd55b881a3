"""Summaries of hand-made runs, figure by figure."""

from __future__ import annotations

import json
import math
import sqlite3
from dataclasses import replace
from itertools import permutations

import numpy as np
import pytest
from run_records import record, small_run, spec, write

from agents.base import Limit
from arena.league.config import RoundRobin
from arena.league.models import Knockout, Sprt, Until
from arena.records import AgentChoice, Fault, Termination
from arena.results.findings import MoveLimit, SeatResult
from arena.results.move_stats import Quantiles
from arena.results.summary import summarise


@pytest.fixture
def summary(tmp_path):
    return summarise(small_run(tmp_path))


def test_results_of_an_interrupted_run(summary, tmp_path):
    (game,) = summary.games
    assert (summary.run, summary.scheduled, summary.played, game.played) == (str(tmp_path), 4, 3, 3)
    counted = {(line.wins, line.draws, line.losses, line.score) for line in game.standings}
    assert counted == {(1, 1, 0, 0.75), (0, 1, 1, 0.25)}
    # One complete pair, 3/2 points of a's, and one imagined pair: its mean is (3/4 + 1/2) / 2 = 0.625.
    ahead, behind = game.crosstable
    assert (ahead.agent, ahead.opponent, ahead.wins, ahead.draws, ahead.losses) == ("a", "b", 1, 1, 0)
    assert (ahead.pairs, behind.pairs) == ((0, 0, 0, 1, 0), (0, 1, 0, 0, 0))
    assert ahead.elo.value == pytest.approx(400 * math.log10(0.625 / 0.375)) == -behind.elo.value
    assert ahead.superiority == pytest.approx(1 - behind.superiority)
    assert (behind.agent, behind.opponent, behind.wins, behind.draws, behind.losses) == ("b", "a", 0, 1, 1)
    assert set(game.seats) == {
        SeatResult("a", 0, 1, 0, 0),
        SeatResult("b", 1, 0, 0, 1),
        SeatResult("b", 0, 0, 1, 0),
        SeatResult("a", 1, 0, 1, 0),
    }


def test_what_lacks_its_pair_counts_in_no_result(summary):
    (game,) = summary.games
    assert (game.unpaired, game.standings[0].games) == (1, 2)
    # One real pair, 3/4 of the points, and one imagined, 1/2.
    assert game.first_seat.value == pytest.approx(0.625)
    assert game.first_seat_elo.value > 0
    assert sum(line.elo.value for line in game.standings) == pytest.approx(0, abs=1e-6)


def test_faults_and_repeated_games_are_counted(summary):
    (game,) = summary.games
    assert game.distinct == 2  # the third is the first again, as far as it went
    assert game.terminations == {"normal": 2, "timeout": 1}
    assert game.faults == {"a": {"timeout": 1}}
    (fault,) = summary.faults
    assert (fault.agent, fault.number, fault.ply, fault.termination) == ("a", 2, 2, "timeout")


def test_examples_of_faults_are_few_however_many_there_are(tmp_path):
    summary = summarise(small_run(tmp_path, faults=50))
    assert summary.games[0].faults == {"a": {"timeout": 50}}
    assert [fault.number for fault in summary.faults] == [2, 4, 6]


def test_visits_and_time(summary):
    (game,) = summary.games
    uses = {use.agent: use for use in game.searches}
    a, b = uses["a"], uses["b"]
    assert (a.moves, a.chosen_share, a.entropy) == (2, 0.5, pytest.approx(1.5))
    assert (b.moves, b.chosen_share) == (2, 0.75)
    assert b.entropy == pytest.approx(-0.75 * math.log2(0.75) - 0.25 * math.log2(0.25))
    assert (a.simulations_per_second, b.simulations_per_second) == (pytest.approx(2000), pytest.approx(1000))
    assert (a.first_moves, a.first_openings, a.first_opening) == (2, 1, ())
    assert a.first_shares == {0: 0.25, 4: 0.5, 8: 0.25}
    assert b.first_moves == 0
    times = {use.agent: use for use in game.time}
    assert (times["b"].moves, times["b"].mean, times["b"].longest) == (3, pytest.approx(0.014 / 3), 0.006)
    assert times["b"].overshoot_max == 0.001


def test_json_is_strict_and_says_the_same(summary):
    def refuse(constant):
        raise AssertionError(constant)

    data = json.loads(summary.to_json(), parse_constant=refuse)
    (limit,) = data["limits"]
    assert (limit["limit"]["time"], limit["limit"]["depth"]) == (0.1, None)
    assert (limit["latest"], limit["agents"]) == (pytest.approx(0.15), ["a", "b"])
    assert data["scheduled"] == 4
    assert data["games"][0]["standings"][0]["score"] == 0.75
    assert data["games"][0]["first_seat"]["value"] == pytest.approx(0.625)


def test_limits_are_told_with_the_agents_they_hold_for(tmp_path):
    own = [AgentChoice("c", "uct", limit=Limit(nodes=5)), AgentChoice("d", "uct", limit=Limit(0.1))]
    specs = [spec(0, "a", "b"), replace(spec(1, "a", "c"), players=(AgentChoice("a", "uct"), own[0]))]
    specs.append(replace(specs[1], number=2, pair=1, players=(own[1], own[0])))
    specs[1] = replace(specs[1], pair=2)
    summary = summarise(write(tmp_path, specs, [record(one, 0.0) for one in specs]))
    assert summary.limits == (
        MoveLimit(Limit(time=0.1), pytest.approx(0.15), ("a", "b", "d")),
        MoveLimit(Limit(nodes=5), 60.0, ("c",)),
    )


def test_one_game_and_no_game_at_all(tmp_path):
    (tmp_path / "one").mkdir()
    (tmp_path / "none").mkdir()
    one = summarise(write(tmp_path / "one", [spec(0, "a", "b")], [record(spec(0, "a", "b"), 1.0)]))
    best, other = one.games[0].standings
    assert (best.games, best.score, other.score, best.better_than_next) == (0, 0.5, 0.5, 0.5)
    none = summarise(write(tmp_path / "none", [spec(0, "a", "b")], []))
    assert (none.scheduled, none.played, none.games) == (1, 0, ())
    assert all(math.isfinite(line.elo.error) and line.elo.error > 0 for line in (best, other))


def forfeited_run(folder):
    """Two pairs: a wins the first, and is late twice in the second."""
    specs = [spec(number, *"ab"[:: 1 - 2 * (number % 2)]) for number in range(4)]
    late = [
        record(specs[2], -1.0, fault=Fault(0, 2, "late")),
        record(specs[3], 1.0, fault=Fault(1, 2, "late")),
    ]
    return write(folder, specs, [record(specs[0], 1.0), record(specs[1], -1.0), *late])


def test_forfeited_games_count_or_do_not_with_their_pairs(tmp_path):
    database = forfeited_run(tmp_path)
    (game,), (without,) = summarise(database).games, summarise(database, forfeits=False).games
    assert {(line.wins, line.losses) for line in game.standings} == {(2, 2)}
    assert (without.standings[0].agent, without.standings[0].wins, without.standings[0].losses) == ("a", 2, 0)
    assert (game.forfeited, without.forfeited) == (0, 2)
    assert game.faults == without.faults == {"a": {Termination.TIMEOUT: 2}}


def long_run(folder, schedule, pairs=120):
    """A run in which a wins every pair of the first half, and then loses all; pairs are rounds."""
    specs = [
        replace(spec(number, *"ab"[:: 1 - 2 * (number % 2)]), round=number // 2)
        for number in range(2 * pairs)
    ]
    winners = {of.number: "ab"[of.round >= pairs // 2] for of in specs}
    wins = [record(of, 1.0 if of.players[0].label == winners[of.number] else -1.0) for of in specs]
    return write(folder, specs, wins, schedule)


def test_a_sequential_test_counts_no_game_after_its_decision(tmp_path):
    (game,) = summarise(long_run(tmp_path, Sprt(type="sprt", elo0=0, elo1=100))).games
    test = game.sprt
    assert (test.agent, test.opponent, test.elo0, test.elo1, test.accepted) == ("a", "b", 0, 100, "elo1")
    assert test.ratio >= test.upper == pytest.approx(math.log(0.95 / 0.05)) == -test.lower
    assert 0 < test.pairs < 60  # what was lost later does not change it
    assert game.standings[0].games == 2 * test.pairs
    assert game.surplus == game.played - 2 * test.pairs


def test_a_gap_in_the_results_decides_nothing(tmp_path):
    database = long_run(tmp_path, Sprt(type="sprt", elo0=0, elo1=100))
    with sqlite3.connect(database) as connection:
        connection.execute("DELETE FROM games WHERE number = 1")
    (game,) = summarise(database).games
    assert (game.sprt.accepted, game.sprt.pairs, game.surplus, game.unpaired) == (None, 0, 0, 1)


def test_precision_is_told_when_it_is_reached(tmp_path):
    (game,) = summarise(long_run(tmp_path, RoundRobin(until=Until(elo_error=150)))).games
    assert game.until.reached
    assert game.until.widest <= 150
    assert game.standings[0].games == 2 * game.until.rounds
    assert game.standings[0].elo.error == pytest.approx(game.until.widest)


def test_a_knockout_is_won_by_who_lost_no_meeting(tmp_path):
    # d beats a; c and b tie, and the file names c first; then d beats c by one win, with a draw.
    specs, records = [], []
    for pair, (one, other, number, firsts) in enumerate(
        [("c", "b", 0, (1.0, 1.0)), ("d", "a", 0, (1.0, -1.0)), ("c", "d", 1, (-1.0, 0.0))]
    ):
        for back, first in enumerate(firsts):
            labels = (other, one) if back else (one, other)
            specs.append(replace(spec(2 * pair + back, *labels), round=number))
            records.append(record(specs[-1], first))
    cup = Knockout(type="knockout")
    assert summarise(write(tmp_path, specs, records, cup)).games[0].winner == "d"
    (tmp_path / "tie").mkdir()
    assert summarise(write(tmp_path / "tie", specs[:2], records[:2], cup)).games[0].winner == "c"
    (tmp_path / "part").mkdir()
    assert summarise(write(tmp_path / "part", specs, records[:5], cup)).games[0].winner is None


def test_three_players_get_returns_and_ratings_with_their_errors(tmp_path):
    orders = list(permutations("abc"))
    specs = [replace(spec(number, *order), pair=0) for number, order in enumerate(orders)]
    places = {"a": 1.0, "b": 0.0, "c": -1.0}
    records = [replace(record(of, 0.0), returns=tuple(places[p.label] for p in of.players)) for of in specs]
    (game,) = summarise(write(tmp_path, specs, records)).games
    assert game.players == 3
    assert [line.agent for line in game.standings] == ["a", "b", "c"]
    assert game.standings[0].mean_return.value == pytest.approx(0.5)  # one meeting of 1, and the imagined 0
    assert game.standings[0].elo.value > game.standings[1].elo.value > game.standings[2].elo.value
    assert game.standings[0].elo.error > 100
    assert (game.crosstable, game.first_seat.value) == ((), 0.0)
    (partial,) = summarise(write_again(tmp_path, specs, records[:5])).games
    assert (partial.unpaired, partial.standings[0].games) == (5, 0)


def write_again(folder, specs, records):
    (folder / "again").mkdir()
    return write(folder / "again", specs, records)


def test_quantiles_are_right_within_a_bin():
    values = np.random.default_rng(3).lognormal(-5, 2, 5000)
    kept = Quantiles()
    for value in values:
        kept.add(float(value))
    for q in (0.01, 0.5, 0.99):
        true = np.quantile(values, q, method="inverted_cdf")
        assert true <= kept.quantile(q) * (1 + 1e-9)
        assert kept.quantile(q) <= true * 10 ** (1 / 50) * (1 + 1e-9)
    assert kept.quantile(1.0) == kept.highest == values.max()
    assert kept.mean == pytest.approx(values.mean())
    assert (Quantiles().quantile(0.5), Quantiles().mean) == (0.0, 0.0)
