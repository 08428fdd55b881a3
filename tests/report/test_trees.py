"""Search trees in the report: every node has its figures, every edge its visits."""

from __future__ import annotations

import re
from xml.etree import ElementTree

import numpy as np
import pytest
from searched import SVG, Circle, made_tree
from toy_games import Thicket

import envs
from arena.report import trees
from arena.report.figures import signed
from arena.report.tidy import HEIGHT, heights, parents


def by_path(rules, state, node, path=(), seat=None):
    """The nodes by the names of the moves to them, each with the seat that its value is of."""
    found = {" ".join(path): (node, node["player"] if seat is None else seat)}
    for child in node["children"]:
        below = state.copy()
        rules.step(below, child["action"])
        name = rules.action_to_string(state, child["action"])
        found |= by_path(rules, below, child, (*path, name), node["player"])
    return found


GAMES = {
    "tic_tac_toe": lambda: envs.make_rules("tic_tac_toe"),
    "hex": lambda: envs.make_rules("hex", size=5),
    "extra turns": lambda: Thicket.make(seed=9),
    "three players": Circle,
}


@pytest.mark.parametrize("game", GAMES)
def test_a_tree_shows_every_node_with_its_figures(game):
    rules = GAMES[game]()
    state = rules.initial_state()
    search = made_tree(rules, state)
    picture = ElementTree.fromstring(trees.draw(rules, state, search, 0).picture)
    expected = by_path(rules, state, search["root"])
    boxes = picture.findall(f"{SVG}g")
    assert len(boxes) == len(expected) > 5
    for box in boxes:
        path, told = box.find(f"{SVG}title").text.split(": ")
        node, seat = expected[path.replace("root", "")]
        proven = ", proven" if node["proven"] else ""
        assert (
            told == f"{node['visits']:,} visits, value {signed(node['value'], 4)} for seat {seat + 1}{proven}"
        )
        texts = {each.get("class"): each.text for each in box.iter(f"{SVG}text")}
        assert texts["name"] == path.split()[-1]
        assert texts["seat"] == str(seat + 1)
        assert texts["value"] == ("✓ " if proven else "") + signed(node["value"], 2)
        assert int(texts.get("more", "+ 0 more").split()[1]) == node["others"]
        assert ("win" if node["value"] > 0 else "loss") in box.get("class")
        assert box.get("style") == f"--part: {abs(node['value']):.0%}"


@pytest.mark.parametrize("game", GAMES)
def test_edges_are_as_thick_as_the_visits_and_lead_from_parent_to_child(game):
    rules = GAMES[game]()
    state = rules.initial_state()
    search = made_tree(rules, state)
    picture = ElementTree.fromstring(trees.draw(rules, state, search, 0).picture)
    nodes = [node for node, _ in by_path(rules, state, search["root"]).values()]
    boxes = picture.findall(f"{SVG}g")
    edges = picture.findall(f"{SVG}path")
    together = sum(child["visits"] for child in search["root"]["children"])
    assert len(edges) == len(nodes) - 1
    for node, box, edge in zip(nodes[1:], boxes[1:], edges, strict=True):
        thick = max(1, HEIGHT * node["visits"] / together)
        assert float(edge.get("stroke-width")) == pytest.approx(thick, abs=0.01)
        *_, x, y = map(float, re.findall(r"[\d.]+", edge.get("d")))
        assert box.get("transform") == f"translate({x:g} {y:g})"


def test_the_move_played_and_the_answers_most_looked_at_stand_out():
    rules = Circle()
    state = rules.initial_state()
    search = made_tree(rules, state)
    drawn = trees.draw(rules, state, search, 1)
    boxes = ElementTree.fromstring(drawn.picture).findall(f"{SVG}g")
    line = [box.find(f"{SVG}title").text.split(":")[0] for box in boxes if "line" in box.get("class").split()]
    node, expected = search["root"]["children"][1], ["stay0"]
    while node["children"]:
        node = max(node["children"], key=lambda child: child["visits"])
        expected.append(("go" if node["action"] == 0 else "stay") + str(len(expected)))
    assert line == [" ".join(expected[: i + 1]) for i in range(len(expected))]
    share = search["root"]["children"][1]["visits"] / 100_000
    assert drawn.sentence.startswith(f"100,000 visits in 2 trees, {share:.0%} of them on stay0, ")


def test_a_move_that_is_not_in_the_tree_is_told():
    rules = envs.make_rules("tic_tac_toe")
    drawn = trees.draw(rules, rules.initial_state(), made_tree(rules, rules.initial_state(), count=1), 8)
    assert drawn.sentence == "100,000 visits; c3 was played, which is not among the most visited."


@pytest.mark.parametrize("seed", range(5))
def test_boxes_of_a_tree_do_not_overlap_and_parents_stand_between_their_children(seed):
    random = np.random.default_rng(seed)
    levels = [0]
    for _ in range(60):
        levels.append(int(random.integers(1, levels[-1] + 2)))
    ys, above = heights(levels), parents(levels)
    for node in range(len(levels)):
        same = [y for y, level in zip(ys, levels, strict=True) if level == levels[node]]
        assert sum(abs(y - ys[node]) < HEIGHT for y in same) == 1
        children = [ys[child] for child, parent in enumerate(above) if parent == node]
        assert not children or min(children) <= ys[node] <= max(children)
        assert above[node] == max((i for i in range(node) if levels[i] == levels[node] - 1), default=-1)
