"""Searches in opening positions and along the game: their figures against other ways to compute them."""

from __future__ import annotations

import math
import re
from collections import defaultdict
from dataclasses import replace

import numpy as np
import pytest
from run_records import searched, spec, write
from test_charts import parsed

import envs
from arena.records import GameRecord, MoveRecord, Termination
from arena.report import charts
from arena.report.sharpness import Sharpness
from arena.report.visit_bars import visit_bars
from arena.report.visits import Searches, Visits
from arena.results.summary import summarise

EVIL = "<script>x</script>"
COLOURS = {EVIL: 1, "b": 2}


def trees_of(ply, legal, *trees, seat=0):
    """A search that plays the first of its actions."""
    trees = np.array(trees)
    move = searched(ply, seat, legal[0], legal, trees.sum(axis=0).tolist(), time=0.1)
    return replace(move, tree_visits=trees if len(trees) > 1 else None)


def game(number, *moves, opening=(), labels=(EVIL, "b")):
    return GameRecord(spec(number, *labels), opening, moves, (1.0, -1.0), Termination.NORMAL)


def told(section, folder, records):
    """What a section says of a run of these games."""
    (game,) = summarise(write(folder, [one.spec for one in records], records)).games
    section = section(envs.make_rules("tic_tac_toe"), COLOURS)
    for one in records:
        section.add(one)
    return section, section.view(game)


def variation(p, q):
    """The total variation distance, by its definition: the most they differ on any set of actions."""
    return sum(max(0.0, a - b) for a, b in zip(p, q, strict=True))


def test_a_positions_searches_are_summed_and_their_trees_compared():
    legal = list(range(5))
    rng = np.random.default_rng(1)
    every = [rng.integers(0, 40, (3, 5)) for _ in range(20)]
    searches = Searches(np.array(legal))
    for trees in every:
        searches.add(trees_of(0, legal, *trees.tolist()))
    assert searches.visits.tolist() == sum(trees.sum(axis=0) for trees in every).tolist()
    assert searches.played == {0: 20}
    distances = [
        variation(tree / tree.sum(), trees.sum(axis=0) / trees.sum()) for trees in every for tree in trees
    ]
    assert searches.distance == pytest.approx(np.mean(distances))
    assert len(searches.trees) == 48
    assert searches.trees[4] == pytest.approx(every[1][1] / every[1][1].sum())


def test_a_single_tree_is_off_nothing_and_one_without_visits_says_nothing():
    searches = Searches(np.array([1, 2]))
    searches.add(trees_of(0, [1, 2], [3, 1]))
    searches.add(trees_of(0, [1, 2], [300, 100], [2, 1]))  # as on a machine with more to do than it can
    assert searches.distance is None
    assert [tree.tolist() for tree in searches.trees] == [[0.75, 0.25]] * 2
    searches.add(trees_of(0, [1, 2], [3, 1], [1, 3]))
    assert searches.distance == pytest.approx(0.25)


def test_the_most_frequent_positions_are_shown_and_the_others_counted(tmp_path):
    openings = [(0,), (1,), (1,), (2,), (3,), (4,), (5,), (5,), (5,)]
    records = []
    for number, opening in enumerate(openings):
        legal = [action for action in range(9) if action not in opening]
        move = trees_of(1, legal, [4, 2, 1, 1, 0, 0, 0, 0], seat=number % 2)
        labels = (EVIL, "b") if number % 2 == 0 else ("b", EVIL)
        records.append(game(number, move, opening=opening, labels=labels))
    records.append(game(9, MoveRecord(0, 0, 4, 0.1)))  # without a search
    records.append(game(10, MoveRecord(1, 0, 4, 0.1), trees_of(2, [6, 7], [1, 1]), opening=(8,)))  # nor first
    _, view = told(Visits, tmp_path, records)
    assert [position["name"] for position in view["positions"]] == [
        "After c2",
        "After b1",
        "After a1",
        "After c1",
    ]
    assert [position["games"] for position in view["positions"]] == [3, 2, 1, 1]
    assert (view["openings_more"], view["games_more"]) == (2, 2)
    assert {one["agent"]: one["moves"] for one in view["positions"][0]["agents"]} == {EVIL: 3}
    assert view["finding"] == f"After c2, {EVIL} looks most at a1 (50%)."


def test_what_each_agent_looked_at_in_the_first_position(tmp_path):
    legal = list(range(9))
    records = [
        game(0, trees_of(0, legal, [5, 0, 0, 0, 3, 0, 0, 0, 2], [0, 0, 0, 0, 9, 0, 0, 0, 1])),
        game(1, trees_of(0, legal, [6, 0, 0, 0, 2, 0, 0, 0, 0]), labels=("b", EVIL)),
    ]
    _, view = told(Visits, tmp_path, records)
    (position,) = view["positions"]
    assert view["finding"] == (
        f"In the first position, {EVIL} looks most at b2 (60%) and b looks most at a1 (75%)."
        f" Single trees differ from their sum by 30.0% of the visits for {EVIL}."
    )
    (one,) = (one for one in position["agents"] if one["agent"] == EVIL)
    assert (one["visits"], one["preferred"], one["share"]) == (20, "b2", 0.6)
    assert "b2: 12 visits, 60.00%" in one["board"]
    root = parsed(one["chart"])
    titles = [element.text for element in root.iter() if element.tag.endswith("title")]
    assert titles == ["b2: 12 visits, 60.00%", "a1: 5 visits, 25.00%", "c3: 3 visits, 15.00%"]
    assert "6 others" in {element.text for element in root.iter()}
    assert root.attrib["aria-label"] == f"tic_tac_toe: visits of {EVIL}. In the first position"


def test_openings_are_kept_in_little_room(tmp_path):
    section = Visits(envs.make_rules("hex", size=11), COLOURS)
    for number in range(100):
        section.add(game(number, trees_of(1, [5, 6], [1, 1]), opening=(number,)))
    assert len(section._searches) == 64


def test_what_cannot_be_believed_is_left_out(tmp_path):
    moves = [
        trees_of(0, [0, 4], visits) for visits in ([2**62, 2**62 - 1], [2**62, 2**62 - 1], [3, 1], [0, 0])
    ]
    _, view = told(Visits, tmp_path, [game(number, move) for number, move in enumerate(moves)])
    (position,) = view["positions"]
    assert (position["games"], position["agents"][0]["visits"]) == (1, 4)


def test_bars_and_marks_stand_where_the_shares_are():
    visits = np.array([10, 0, 60, 30])
    trees = [np.array([0.2, 0, 0.5, 0.3]), np.array([0.0, 0, 0.8, 0.2])]
    root = parsed(visit_bars(visits, list("abcd"), trees, charts.colour("series-1"), "t"))
    paths = [element.attrib for element in root.iter() if "d" in element.attrib]
    bars = [path["d"] for path in paths if "fill: var(--series-1)" in path["style"]]
    edges = [sorted({float(x) for x in re.findall(r"[ML] ([\d.]+) ", bar)}) for bar in bars]
    left, scale = edges[0][0], (edges[0][1] - edges[0][0]) / 0.6
    assert [(right - left) / scale for _, right in edges] == pytest.approx([0.6, 0.3, 0.1], abs=2e-3)
    marks = [path["d"] for path in paths if "stroke: var(--ink)" in path["style"]]
    places = [[float(x) for x in re.findall(r"M ([\d.]+) ", mark)] for mark in marks]
    assert [(x - left) / scale for row in places for x in row] == pytest.approx(
        [0.5, 0.8, 0.3, 0.2, 0.2, 0.0], abs=2e-3
    )


def test_many_actions_have_their_sum_in_place_of_bars():
    visits = np.arange(1, 31)
    root = parsed(visit_bars(visits, [f"action{n}" for n in range(30)], [], charts.colour("series-1"), EVIL))
    texts = [element.text for element in root.iter()]
    assert "20 others" in texts
    assert f"{visits[:20].sum() / visits.sum():.1%}" in texts
    assert sum(bool(re.match(r"action\d+: ", text or "")) for text in texts) == 10


def test_sharpness_by_ply(tmp_path):
    rng = np.random.default_rng(4)
    records, truth = [], {EVIL: defaultdict(list), "b": defaultdict(list)}
    for number in range(6):
        moves = []
        for ply in range(6 if number else 9):
            legal = list(range(9 - ply))
            visits = rng.integers(0, 30, len(legal)).tolist()
            moves.append(searched(ply, ply % 2, int(rng.choice(legal)), legal, visits, time=0.1))
            total = sum(visits)
            entropy = -sum(n / total * math.log2(n / total) for n in visits if n)
            if total:
                truth[(EVIL, "b")[ply % 2]][ply].append((visits[moves[-1].action] / total, entropy))
        records.append(game(number, *moves))
    section, view = told(Sharpness, tmp_path, records)
    for agent, by_ply in truth.items():
        rows = section.by_ply(agent)
        assert rows[:, 0].tolist() == sorted(by_ply)
        for ply, number, *means in rows:
            assert number == len(by_ply[int(ply)])
            assert means == pytest.approx(np.mean(by_ply[int(ply)], axis=0))
    shares = {agent: np.mean([x for both in rows.values() for x, _ in both]) for agent, rows in truth.items()}
    best = max(shares, key=lambda agent: shares[agent])
    assert view["finding"].startswith(
        f"The move that {best} plays has {shares[best]:.0%} of its visits, more than any other; their entropy"
    )
    texts = {element.text for element in parsed(view["chart"]).iter()}
    assert {"ply", "entropy of the visits, bits", charts.short(EVIL), "b"} <= texts


def test_searches_of_one_ply_are_a_mark(tmp_path):
    moves = [searched(0, 0, 4, [0, 4], [1, 3], time=0.1)]
    _, view = told(Sharpness, tmp_path, [game(0, *moves), game(1, *moves)])
    assert "entropy is 0.8 bits at ply 0." in view["finding"]
    assert "<use" in view["chart"]  # how matplotlib draws a marker


def test_lines_are_faint_where_few_games_got_to(tmp_path):
    """One of 20 games is longer than the others: the strong lines end where they do."""
    short = [searched(ply, ply % 2, 0, [0, 1], [3, 1], time=0.1) for ply in range(4)]
    long = [*short, *(searched(ply, ply % 2, 0, [0, 1], [3, 1], time=0.1) for ply in range(4, 8))]
    records = [game(number, *(long if number == 7 else short)) for number in range(20)]
    _, view = told(Sharpness, tmp_path, records)
    assert "at ply 0 to 0.8 at ply 2" in view["finding"] or "at ply 1 to 0.8 at ply 3" in view["finding"]
    paths = [element.attrib for element in parsed(view["chart"]).iter() if "d" in element.attrib]
    ends = defaultdict(set)
    for path in paths:
        if "stroke: var(--series" in path["style"]:
            ends["stroke-opacity" in path["style"]].add(float(re.findall(r"([\d.]+) [\d.]+$", path["d"])[0]))
    assert max(ends[False]) < min(ends[True])


@pytest.mark.parametrize("section", [Visits, Sharpness])
def test_without_searches_there_is_nothing_to_show(tmp_path, section):
    _, view = told(section, tmp_path, [game(0, MoveRecord(0, 0, 4, 0.1))])
    assert view is None
