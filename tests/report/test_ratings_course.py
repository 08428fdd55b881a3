"""Ratings over the course, times and lengths: their figures against other ways to compute them."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import replace
from itertools import combinations

import numpy as np
import pytest
from run_records import record, small_run, spec, write
from test_charts import parsed

import envs
from agents.base import Clock, Limit
from arena.league.models import RoundRobin, Sprt, Until
from arena.records import AgentChoice, Fault, MoveRecord
from arena.report.course import Course
from arena.report.lengths import Lengths, quantile
from arena.report.page import write_report
from arena.report.times import Times, duration
from arena.results.summary import summarise
from arena.statistics.ratings import rate
from arena.store import Store

EVIL = "<script>x</script>"


def gathered(section, database, forfeits=True):
    """What a section has gathered of a run of one game, and the game's summary."""
    (game,) = summarise(database, forfeits).games
    with Store.open(database) as store:
        records = list(store.games())
    agents = dict.fromkeys(player.label for one in records for player in one.spec.players)
    section = section(envs.make_rules("tic_tac_toe"), {agent: 1 + i for i, agent in enumerate(agents)})
    for one in records:
        section.add(one)
    return section, game


def long_run(folder, schedule=None, pairs=60, late=frozenset()):
    """A run in which `a` wins all pairs of the first half, and then loses all; pairs are rounds."""
    specs, records = [], []
    for number in range(2 * pairs):
        of = replace(spec(number, *"ab"[:: 1 - 2 * (number % 2)]), round=number // 2)
        won = of.players[0].label == "ab"[of.round >= pairs // 2]
        fault = Fault(int(won), 2, "late") if number in late else None
        specs.append(of)
        records.append(record(of, 1.0 if won else -1.0, fault=fault))
    return write(folder, specs, records, schedule)


def elo(wins, losses):
    """The rating of the first of two after so many pairs won and lost as a whole, first seats balanced."""
    duels = {((0, 1, 1, 1.0), (0, 1, -1, 1.0)): wins, ((0, 1, 1, 0.0), (0, 1, -1, 0.0)): losses}
    return rate(2, {tuple(sorted(meeting)): count for meeting, count in duels.items() if count}).elo[0]


def test_the_course_is_the_fit_of_the_games_so_far(tmp_path):
    course, game = gathered(Course, long_run(tmp_path))
    steps = course.steps(game)
    assert len(steps) == 24
    assert steps[-1].games == 120
    assert np.ptp(np.diff([0, *(step.games for step in steps)])) <= 2
    for step in steps:
        pairs = step.games // 2
        truth = elo(min(pairs, 30), max(0, pairs - 30))
        assert step.ratings.elo[0].value == pytest.approx(truth.value, abs=1e-6)
        assert step.ratings.elo[0].error == pytest.approx(truth.error)
    standing = {line.agent: line.elo for line in game.standings}
    assert steps[-1].ratings.elo == (standing["a"], standing["b"])
    view = course.view(game)
    widest = [max(one.error for one in step.ratings.elo) for step in (steps[0], steps[-1])]
    assert view["finding"] == (
        f"a and b are level so far; the widest interval went from ±\u00a0{widest[0]:.0f}"
        f" to ±\u00a0{widest[1]:.0f} Elo."
    )
    assert "games played" in {text.text for text in parsed(view["chart"]).iter() if text.text}


@pytest.mark.parametrize(
    "schedule", [Sprt(type="sprt", elo0=0, elo1=100), RoundRobin(until=Until(elo_error=150)), None]
)
def test_the_course_counts_what_the_standings_count(tmp_path, schedule):
    course, game = gathered(Course, long_run(tmp_path, schedule))
    assert course.steps(game)[-1].games == game.standings[0].games
    assert (game.standings[0].games == 120) is (schedule is None)


@pytest.mark.parametrize("forfeits", [True, False])
def test_the_course_leaves_out_forfeited_pairs_where_the_standings_do(tmp_path, forfeits):
    course, game = gathered(Course, long_run(tmp_path, late={3, 40, 41}), forfeits)
    steps = course.steps(game)
    assert steps[-1].games == game.standings[0].games == (120 if forfeits else 116)
    standing = {line.agent: line.elo for line in game.standings}
    assert steps[-1].ratings.elo == (standing["a"], standing["b"])


@pytest.mark.parametrize(
    ("winners", "leads"),
    [
        ("aaaaaaaa", "a has led all along"),
        ("aabbbbbbbbbb", "b has led since 10 games were played"),
        ("abababab", "a and b are level so far"),
    ],
)
def test_who_leads_and_since_when(tmp_path, winners, leads):
    """Each wins both games of its pairs."""
    specs = [spec(number, *"ab"[:: 1 - 2 * (number % 2)]) for number in range(2 * len(winners))]
    records = [record(of, 1.0 if of.players[0].label == winners[of.pair] else -1.0) for of in specs]
    course, game = gathered(Course, write(tmp_path, specs, records))
    assert course.view(game)["finding"].startswith(leads)


@pytest.mark.parametrize(("agents", "banded"), [("abcd", "abcd"), ("abcde", "a")])
def test_intervals_are_shaded_of_few_agents_or_of_who_leads(tmp_path, agents, banded):
    """The earlier in the alphabet wins, in whatever seat."""
    pairs = list(combinations(agents, 2))
    specs = [spec(2 * i + back, *pair[:: 1 - 2 * back]) for i, pair in enumerate(pairs) for back in (0, 1)]
    records = [record(of, 1.0 if of.number % 2 == 0 else -1.0) for of in specs]
    course, game = gathered(Course, write(tmp_path, specs, records))
    view = course.view(game)
    assert "".join(view["banded"]) == banded
    styles = [element.attrib.get("style", "") for element in parsed(view["chart"]).iter()]
    assert sum("fill: var(--series" in style and "opacity: 0.1" in style for style in styles) == len(banded)


def test_one_meeting_is_no_course(tmp_path):
    course, game = gathered(Course, small_run(tmp_path))
    assert course.view(game) is None


def timed_run(folder, limits, times):
    """Two games in which the agents' moves take these times; what is over 0.1 s is over the limit."""
    players = tuple(AgentChoice(name, "uct", limit=limit) for name, limit in limits.items())
    specs = [replace(spec(number, *limits), players=players[:: 1 - 2 * number]) for number in range(2)]
    moves = [
        MoveRecord(ply, ply % 2, ply, time, overshoot=max(0.0, time - 0.1)) for ply, time in enumerate(times)
    ]
    return write(folder, specs, [record(of, 1.0, *moves) for of in specs])


def test_moves_over_their_limit_are_told(tmp_path):
    times, game = gathered(Times, timed_run(tmp_path, {EVIL: None, "b": None}, [0.02, 0.09, 0.1, 0.104]))
    view = times.view(game)
    worst = game.time[0].agent
    assert view["finding"] == f"2 of 8 moves (25.0%) went over their limit, {worst} by 4 ms at most."
    texts = {text.text for text in parsed(view["chart"]).iter() if text.text}
    assert {EVIL, "4 moves, median 91.2 ms"} <= texts  # the upper end of the bin of 90 ms


def test_moves_within_their_limits_and_without_any(tmp_path):
    times, game = gathered(Times, timed_run(tmp_path, {"a": None, "b": Limit(nodes=9)}, [0.02, 0.05]))
    assert times.view(game)["finding"] == "None of 4 moves went over its limit."
    (tmp_path / "free").mkdir()
    free = timed_run(tmp_path / "free", {"a": Limit(depth=2), "b": Limit(nodes=9)}, [0.002, 0.05])
    times, game = gathered(Times, free)
    assert times.view(game)["finding"].startswith(f"{game.time[0].agent} takes longest: 26 ms a move")
    (tmp_path / "clock").mkdir()
    clocks = {name: Limit(clock=Clock(60, 1)) for name in "ab"}
    times, game = gathered(Times, timed_run(tmp_path / "clock", clocks, [0.02, 0.05]))
    assert times.view(game)["finding"] == "None of 4 moves went over its limit."


@pytest.mark.parametrize(
    ("limit", "drawn"), [(Limit(0.1), True), (Limit(depth=2), False), (Limit(clock=Clock(60, 1)), False)]
)
def test_the_note_explains_limits_where_the_chart_has_them(tmp_path, limit, drawn):
    database = timed_run(tmp_path, {"a": limit, "b": limit}, [0.02, 0.05])
    times, game = gathered(Times, database)
    assert ("stroke: var(--ink)" in times.view(game)["chart"]) == drawn
    assert ("Upright lines are limits." in write_report(database).read_text(encoding="utf-8")) == drawn


def test_games_lost_by_timeout_are_told(tmp_path):
    times, game = gathered(Times, small_run(tmp_path, faults=2))
    assert times.view(game)["finding"].endswith("2 games were lost by timeout.")


def test_a_histogram_of_times_stands_where_the_times_are(tmp_path):
    """A bar's place on the logarithmic axis, read off the picture by the marks of the limits."""
    limits = {"a": Limit(0.001), "b": Limit(1.0)}
    times, game = gathered(Times, timed_run(tmp_path, limits, [0.01, 0.01]))
    paths = [element.attrib for element in parsed(times.view(game)["chart"]).iter() if "d" in element.attrib]
    marks = [path["d"].split()[1] for path in paths if "stroke: var(--ink)" in path["style"]]
    one, other = sorted(map(float, marks))
    bars = [path["d"] for path in paths if "fill: var(--series" in path["style"]]
    for bar in bars:
        edges = [float(x) for x in re.findall(r"[ML] ([\d.]+) ", bar)]
        low, high = (10 ** (-3 + 3 * (end(edges) - one) / (other - one)) for end in (min, max))
        assert low / 1.01 <= 0.01 <= high * 1.01
        assert high / low == pytest.approx(10 ** (1 / 50), rel=0.01)


@pytest.mark.parametrize(
    ("seconds", "text"), [(0, "0 µs"), (4.2e-6, "4.2 µs"), (0.0199, "19.9 ms"), (1, "1 s"), (1234, "1,230 s")]
)
def test_durations_are_written_in_fitting_units(seconds, text):
    assert duration(seconds) == text


def lengths_run(folder, games):
    """Games of so many plies, each with the first seat's return; 1 ply is an agent's fault."""
    specs = [spec(number, *"ab"[:: 1 - 2 * (number % 2)]) for number in range(len(games))]
    records = []
    for of, (plies, first) in zip(specs, games, strict=True):
        moves = [MoveRecord(ply, ply % 2, 0, 0.01) for ply in range(plies)]
        fault = Fault(0, 1, "late") if plies == 1 else None
        records.append(record(of, first, *moves, fault=fault))
    return write(folder, specs, records)


def bars(chart):
    """How many games are said of each bar: by plies and result."""
    titles = [element.text for element in parsed(chart).iter() if element.tag.endswith("title")]
    matches = [re.fullmatch(r"(\d+(?: to \d+)?) plies: (.*) ([\d,]+)", title) for title in titles]
    return {match.group(1, 2): int(match[3]) for match in matches}


def test_games_by_length_and_result(tmp_path):
    games = [(5, 1.0), (5, 1.0), (7, -1.0), (9, 0.0), (9, 0.3), (1, -1.0), (1, -1.0), (9, -1.0)]
    lengths, game = gathered(Lengths, lengths_run(tmp_path, games))
    view = lengths.view(game)
    assert view["left_out"] == 2
    assert view["finding"] == (
        "The middle half of 6 games lasted 5 to 9 plies, the median is 7 "
        "(5 where the first seat won, 7 where it lost)."
    )
    assert bars(view["chart"]) == {
        ("5", "first seat won"): 2,
        ("9", "first seat won"): 1,
        ("9", "drawn"): 1,
        ("7", "lost"): 1,
        ("9", "lost"): 1,
    }


def test_long_ranges_have_several_lengths_to_a_bar(tmp_path):
    games = [(plies, 1.0) for plies in range(10, 110)]
    lengths, game = gathered(Lengths, lengths_run(tmp_path, games))
    drawn = bars(lengths.view(game)["chart"])
    assert len(drawn) == 34
    assert drawn["10 to 12", "first seat won"] == 3
    assert sum(drawn.values()) == 100


def test_games_that_are_all_as_long(tmp_path):
    lengths, game = gathered(Lengths, lengths_run(tmp_path, [(9, 1.0), (9, 1.0)]))
    view = lengths.view(game)
    assert view["finding"] == "The middle half of 2 games lasted 9 plies, the median is 9."
    texts = {element.text for element in parsed(view["chart"]).iter() if element.tag.endswith("text")}
    ticks = {text for text in texts if text[:1].isdecimal()}
    assert {"0", "9"} & ticks
    assert all(tick.isdecimal() for tick in ticks)


def test_without_a_finished_game_there_are_no_lengths(tmp_path):
    lengths, game = gathered(Lengths, lengths_run(tmp_path, [(1, -1.0)]))
    assert lengths.view(game) is None


def test_quantiles_of_counts():
    values = np.random.default_rng(2).integers(0, 50, 999)
    for q in (0.25, 0.5, 0.75, 1.0):
        assert quantile(Counter(values.tolist()), q) == np.quantile(values, q, method="inverted_cdf")
