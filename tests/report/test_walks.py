"""Walks of minimax in the report: the data that is replayed, and the tree."""

from __future__ import annotations

import json
from xml.etree import ElementTree

import numpy as np
import pytest
from searched import SVG, Circle, walked
from toy_games import Thicket

import envs
from arena.report import walks
from arena.report.tidy import parents
from envs.rules import TERMINAL, list_legal


def minimax(rules, state, root_player, name=""):
    """Name of the move into it, turn and value of a state and of all below it, by the definition."""
    player = int(rules.current_player(state))
    if player == TERMINAL:
        returns = np.zeros(rules.num_players)
        rules.returns(state, returns)
        return [(name, "", returns[root_player])]
    values, below = [], []
    for action in list_legal(rules, state).tolist():
        child = state.copy()
        rules.step(child, action)
        found = minimax(rules, child, root_player, rules.action_to_string(state, action))
        values.append(found[0][2])
        below += found
    if player == root_player:
        return [(name, "max", max(values)), *below]
    return [(name, "min", min(values)), *below]


WALKS = {
    "small": (lambda: envs.make_rules("tic_tac_toe"), (4, 0, 8, 2, 1)),
    "large": (lambda: envs.make_rules("tic_tac_toe"), (4, 0, 8)),
    "names by the ply": (Circle, ()),
    "extra turns": (lambda: Thicket.make(seed=9, plies=4), ()),
}


@pytest.mark.parametrize("case", WALKS)
def test_a_walk_has_the_nodes_of_the_tree_with_their_minimax_values(case):
    make, opening = WALKS[case]
    rules = make()
    state, player, search = walked(rules, opening)
    found = walks.nodes(rules, state, search["events"])
    assert [(node.name, node.turn, node.value) for node in found] == minimax(rules, state, player)


@pytest.mark.parametrize("case", WALKS)
def test_the_data_of_a_walk_says_all_of_its_nodes(case):
    make, opening = WALKS[case]
    rules = make()
    state, _, search = walked(rules, opening)
    found = walks.nodes(rules, state, search["events"])
    data = json.loads(json.dumps(walks.draw(rules, state, search, 0).data))
    columns = (data["level"], data["name"], data["turn"], data["value"])
    turns = {"M": "max", "m": "min", ".": ""}
    assert found == [
        walks.Node(level, data["names"][name], turns[turn], value)
        for level, name, turn, value in zip(*columns, strict=True)
    ]


def test_a_small_walk_is_drawn_whole_and_thick_is_where_values_came_from():
    rules = envs.make_rules("tic_tac_toe")
    state, _, search = walked(rules, (4, 0, 8, 2, 1))
    found = walks.nodes(rules, state, search["events"])
    picture = ElementTree.fromstring(walks.draw(rules, state, search, 3).picture)
    boxes = picture.findall(f"{SVG}g")
    assert [int(box.get("data-node")) for box in boxes] == list(range(len(found)))
    for box, node in zip(boxes, found, strict=True):
        texts = {each.get("class"): each.text for each in box.iter(f"{SVG}text")}
        assert texts["value"] == walks.worth(node.value)
        assert texts["name"] == (node.name or "root")
        assert texts["turn"] == {"max": "▲", "min": "▼", "": "■"}[node.turn]
    above = parents([node.level for node in found])
    carried = [
        int(path.get("data-node")) for path in picture.findall(f"{SVG}path") if "carried" in path.get("class")
    ]
    assert sorted(above[node] for node in carried) == [i for i, node in enumerate(found) if node.turn]
    assert all(found[node].value == found[above[node]].value for node in carried)


def test_a_large_walk_is_not_drawn_whole():
    rules = envs.make_rules("tic_tac_toe")
    state, _, search = walked(rules, (4, 0, 8))
    assert walks.draw(rules, state, search, 1).picture is None


def test_the_data_of_a_walk_has_no_more_digits_than_are_read():
    events = [{"event": "enter", "ply": 0, "action": None, "turn": "max"}]
    events.append({"event": "leaf", "ply": 0, "value": 1 / 3})
    rules = envs.make_rules("tic_tac_toe")
    drawn = walks.draw(rules, rules.initial_state(), {"events": events}, 0)
    assert drawn.data["value"] == [0.3333]


class Line:
    """A game with one move at a time, and of any length."""

    num_players, num_actions, max_legal = 2, 1, 1

    def initial_state(self):
        return np.zeros(1, np.int64)

    def legal_actions(self, state, out):
        out[0] = 0
        return 1

    def step(self, state, action):
        state[0] += 1

    def action_to_string(self, state, action):
        return "on"


@pytest.mark.parametrize(("nodes", "is_drawn"), [(walks.AT_ONCE, True), (walks.AT_ONCE + 1, False)])
def test_a_walk_straight_down_is_drawn_while_it_can_be_seen_at_once(nodes, is_drawn):
    """A tree of one leaf at the most, but of many levels."""
    rules, plies = Line(), range(nodes)
    events = [{"event": "enter", "ply": ply, "action": 0 if ply else None, "turn": "max"} for ply in plies]
    events += [{"event": "up", "ply": ply, "value": 0} for ply in reversed(plies)]
    drawn = walks.draw(rules, rules.initial_state(), {"events": events}, 0)
    assert (drawn.picture is not None) == is_drawn
