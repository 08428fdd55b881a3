"""Recorded searches in the report: which are shown, and what becomes of those that cannot be."""

from __future__ import annotations

from dataclasses import replace
from types import SimpleNamespace
from xml.etree import ElementTree

import numpy as np
import pytest
from run_records import record, spec, write
from searched import EVIL, made_tree, row, walked

import envs
from agents.base import Limit
from arena.records import AgentChoice, MoveRecord
from arena.report import trees, walks
from arena.report.page import write_report
from arena.report.positions import picture
from arena.report.searches import ROOM, SHOWN, Searches
from arena.results.replay import action_name


def game(number, label, *searches, opponent="b"):
    """A game of `label` and `opponent`, whose first moves have these searches."""
    moves = [MoveRecord(ply, ply % 2, ply, 0.01, search=search) for ply, search in enumerate(searches)]
    return record(spec(number, label, opponent), 1.0, *moves)


def gathered(*records, agents=("a", "b")):
    gatherer = Searches(envs.make_rules("tic_tac_toe"), {})
    for each in records:
        gatherer.add(each)
    return gatherer.view(SimpleNamespace(standings=[SimpleNamespace(agent=label) for label in agents]))


FAILED = {"kind": "failed", "reason": "the tree below has more than 9 events"}


@pytest.mark.parametrize("games", [1, 2, 3, 4, 7, 8, 9, 100])
def test_few_searches_of_an_agent_are_shown_the_first_and_one_of_the_second_half(games):
    shown = gathered(*(game(number, "a", FAILED) for number in range(games)))["a"]
    numbers = [search.number for search in shown]
    assert len(numbers) == min(SHOWN, games)
    assert numbers[: SHOWN - 1] == list(range(min(games, SHOWN - 1)))
    assert games < SHOWN or numbers[-1] >= games // 2


def test_each_agent_has_searches_of_its_own():
    rows = {"kind": "deepening", "depths": [row(1, 0.01)]}
    shown = gathered(*(game(number, "a", rows, FAILED, FAILED) for number in range(5)))
    kinds = {agent: [search.kind for search in searches] for agent, searches in shown.items()}
    assert kinds == {"a": ["deepening", "failed", "failed"], "b": ["failed"] * SHOWN}
    assert [(search.number, search.ply) for search in shown["a"]] == [(0, 0), (0, 2), (3, 2)]
    assert [(search.number, search.ply) for search in shown["b"]] == [(0, 1), (1, 1), (3, 1)]


class Sealed(dict):
    def __getitem__(self, key):
        raise AssertionError("looked at")


def test_searches_that_are_not_shown_are_not_looked_at():
    sealed = [game(number, "a", Sealed()) for number in (4, 5, 6)]
    shown = gathered(*(game(number, "a", FAILED) for number in range(4)), *sealed)["a"]
    assert [search.number for search in shown] == [0, 1, 3]


def test_of_many_agents_fewer_searches_are_shown_but_of_each_one():
    for agents, each in ((ROOM // SHOWN, SHOWN), (ROOM // 2, 2), (ROOM + 6, 1)):
        labels = [f"agent {number}" for number in range(agents)]
        shown = gathered(
            *(game(number, label, FAILED) for label in labels for number in range(5)), agents=labels
        )
        assert {label: len(searches) for label, searches in shown.items()} == dict.fromkeys(labels, each)


def test_the_board_is_that_of_the_position_with_the_move_before_marked():
    rules = envs.make_rules("tic_tac_toe")
    first, third = gathered(game(0, "a", FAILED, None, FAILED))["a"]
    state = rules.initial_state()
    assert first.board == rules.to_svg(state)
    rules.step(state, 0)
    rules.step(state, 1)
    assert third.board == rules.to_svg(state, None, 1)


def test_without_recorded_searches_there_is_nothing_to_show():
    assert gathered(game(0, "a", None, None)) is None


def test_the_limit_of_the_agent_is_the_budget():
    rows = {"kind": "deepening", "depths": [row(1, 0.01)]}
    of = spec(0, "a", "b")
    own = replace(of, players=(AgentChoice("a", "x", limit=Limit(0.02)), of.players[1]))
    (search,) = gathered(record(own, 1.0, MoveRecord(0, 0, 0, 0.01, search=rows)))["a"]
    assert search.drawn.bars[0].width == pytest.approx(50)


def tree_node(action, *children):
    known = {"action": action, "visits": 1, "value": 0.0, "player": 0, "proven": False, "others": 0}
    return known | {"children": list(children)}


ILLEGAL = tree_node(None, tree_node(4, tree_node(4)))
UNDRAWN = "what it recorded cannot be drawn"
ENDLESS = [
    {"event": "enter", "ply": 0, "action": None, "turn": "max"},
    {"event": "leaf", "ply": 0, "value": "1e999"},
]
LONG = [{"event": "enter", "ply": 0, "action": None, "turn": "max"}] * (walks.MOST + 1)
HUGE = tree_node(None, *(tree_node(n % 9) for n in range(trees.MOST + 11)))


@pytest.mark.parametrize(
    ("search", "told"),
    [
        (FAILED, "the tree below has more than 9 events"),
        ({"kind": "dream"}, "there is no picture of the kind 'dream'"),
        ({"kind": "tree", "root": 7}, "what it recorded cannot be drawn: TypeError"),
        ({"kind": "walk", "events": [{"event": "leaf"}]}, "what it recorded cannot be drawn: KeyError"),
        ({"kind": "walk", "events": ENDLESS}, "what it recorded cannot be drawn: ValueError: '1e999'"),
        (
            {"kind": "deepening", "depths": [row(1, 1) | {"nodes": EVIL}]},
            "what it recorded cannot be drawn: Val",
        ),
        ({"kind": "tree", "trees": 1, "root": ILLEGAL}, "what it recorded cannot be drawn: ActionError"),
        ({"kind": "walk", "events": LONG}, f"{UNDRAWN}: ValueError: a walk of 7,501 nodes"),
        ({"kind": "failed", "reason": "x" * 1_000_000}, "xxx"),
        ({"kind": "y" * 1_000_000}, "there is no picture of the kind 'yyy"),
        (
            {"kind": "tree", "trees": 1, "root": HUGE},
            "what it recorded cannot be drawn: ValueError: a tree of 512",
        ),
    ],
)
def test_what_cannot_be_drawn_is_told(search, told):
    (shown,) = gathered(game(0, "a", search))["a"]
    assert shown.kind == "failed"
    assert shown.drawn.startswith(told)
    assert len(shown.drawn) < 1000


class Hostile:
    """A game whose names are markup, and which cannot draw itself."""

    def __init__(self, rules):
        self._rules = rules

    def __getattr__(self, name):
        return getattr(self._rules, name)

    def action_to_string(self, state, action):
        return EVIL

    def to_svg(self, state, visits=None, last=None):
        raise ValueError

    def to_text(self, state, visits=None):
        return EVIL


def test_names_of_moves_and_boards_as_text_are_escaped():
    rules = Hostile(envs.make_rules("tic_tac_toe"))
    state, _, search = walked(rules, (4, 0, 8, 2, 1))
    pictures = [
        trees.draw(rules, state, made_tree(rules, state), 3).picture,
        walks.draw(rules, state, search, 3).picture,
    ]
    for drawn in (*pictures, picture(rules, state)):
        ElementTree.fromstring(drawn)
        assert "<script" not in drawn
        assert "&lt;script" in drawn


def test_a_game_without_names_or_text_is_shown_by_numbers():
    rules = SimpleNamespace()
    assert action_name(rules, np.zeros(2), 17) == "17"
    assert "0 7" in picture(rules, np.array([0, 7]))


@pytest.mark.parametrize(
    "drawn",
    [
        None,
        f"no picture {EVIL}",
        f"<svg>{EVIL}</svg>",
        "<svg><a href='javascript:alert(1)'/></svg>",
        "<svg><g onclick='alert(1)'/></svg>",
    ],
)
def test_a_picture_that_is_none_or_would_act_is_drawn_as_text(drawn):
    rules = SimpleNamespace(to_svg=lambda *_: drawn, to_text=lambda *_: "as text")
    assert "as text" in picture(rules, np.zeros(2))
    rules.to_svg = lambda *_: "<svg><title>one on = two</title></svg>"
    assert picture(rules, np.zeros(2)) == rules.to_svg()


def test_a_name_cannot_turn_what_is_around_it():
    rules = SimpleNamespace(action_to_string=lambda *_: "a\u202eb\x1b[2J")
    assert action_name(rules, np.zeros(2), 17) == "a\ufffdb\ufffd[2J"


def test_the_page_shows_every_kind_and_leads_to_the_replays(tmp_path):
    rules = envs.make_rules("tic_tac_toe")
    _, _, walk = walked(rules, (4, 0, 8, 2, 1))
    rows = {"kind": "deepening", "depths": [row(1, 0.01), row(2, 0.03, finished=False)]}
    failed = {"kind": "failed", "reason": EVIL}
    moves = [made_tree(rules, rules.initial_state()), rows, failed]
    first = game(0, EVIL, *moves)
    second = record(spec(1, "b", EVIL), 1.0, MoveRecord(5, 1, 3, 0.01, search=walk))
    second = replace(second, opening=(4, 0, 8, 2, 1))
    page = write_report(write(tmp_path, [first.spec, second.spec], [first, second])).read_text()
    for wanted in (
        'class="search-tree"',
        'class="timeline"',
        'class="walk"',
        "#game-0-ply-1",
        "#game-1-ply-5",
    ):
        assert page.count(wanted) == 1
    assert EVIL not in page
