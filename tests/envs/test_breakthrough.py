"""Breakthrough against OpenSpiel's counts and a recorded game, and against its rules read cell by cell."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from test_games import random_game, returns_of

import envs
from envs.rules import list_legal


def board(rules: Any, state: Any) -> str:
    planes = np.asarray(rules.observation(state, 0)).reshape(-1, 2)
    return "".join("b" if mine else "w" if other else "." for mine, other in planes)


def test_recorded_game(truth: Path) -> None:
    rules = envs.make_rules("breakthrough")
    record = json.loads((truth / "openspiel" / "playthroughs" / "breakthrough.json").read_text())
    state = rules.initial_state()
    for shown in record["states"]:
        if "history" in shown:  # in the middle the recordings only tell the moves
            lines = shown["board"].splitlines()[: rules.rows]
            assert board(rules, state) == "".join(line[1:] for line in lines)
            assert rules.is_terminal(state) == shown["terminal"]
            assert returns_of(rules, state) == shown["returns"]
        if not shown.get("terminal", True):
            assert rules.current_player(state) == shown["player"]
            names = [rules.action_to_string(state, action) for action in list_legal(rules, state)]
            recorded = [name.removesuffix("*") for name in shown["legal_str"]]
            assert sorted(name.replace("x", "") for name in names) == sorted(recorded)
        if "apply_str" in shown:
            rules.step(state, rules.string_to_action(state, shown["apply_str"].strip('"').removesuffix("*")))
    assert rules.is_terminal(state)


def legal_by_cells(cells: Any, player: int) -> list[int]:
    """Read the rules cell by cell; 0 and 1 own pieces, -1 is empty."""
    rows, columns = cells.shape
    found = []
    for row, column in np.argwhere(cells == player).tolist():
        for side in range(3):
            r, c = row + (1 - 2 * player), column + side - 1
            if (
                0 <= r < rows
                and 0 <= c < columns
                and cells[r, c] in ((-1,) if side == 1 else (-1, 1 - player))
            ):
                found.append(3 * (row * columns + column) + side)
    return found


SIZES = [(8, 8), (2, 2), (3, 3), (5, 12), (6, 2), (32, 2), (2, 26), (7, 9)]


@pytest.mark.parametrize(("rows", "columns"), SIZES)
def test_play_follows_the_rules_read_cell_by_cell(rows: int, columns: int) -> None:
    rules = envs.make_rules("breakthrough", rows=rows, columns=columns)
    for seed in range(8):
        states = random_game(rules, 8, seed)
        for state in states:
            planes = np.asarray(rules.observation(state, 0))
            cells = np.where(planes[..., 0], 0, np.where(planes[..., 1], 1, -1))
            won = [bool((cells[-1] == 0).any()), bool((cells[0] == 1).any())]
            won = [won[0] or not (cells == 1).any(), won[1] or not (cells == 0).any()]
            assert returns_of(rules, state) == [float(won[0]) - won[1], float(won[1]) - won[0]]
            assert rules.is_terminal(state) == any(won)
            if not any(won):
                assert list_legal(rules, state).tolist() == legal_by_cells(cells, rules.current_player(state))
        # Every move takes a piece one row on.
        assert len(states) <= 2 * rules.max_legal // 3 * (rows - 1) + 1


def test_taking_the_last_piece_wins() -> None:
    rules = envs.make_rules("breakthrough", rows=4, columns=2)
    state = rules.initial_state()
    for name in ("a4a3", "b1b2", "a3xb2", "a1xb2", "b4b3", "b2a3", "b3b2"):
        assert not rules.is_terminal(state)
        rules.step(state, rules.string_to_action(state, name))
    assert not rules.is_terminal(state)
    rules.step(state, rules.string_to_action(state, "a3a4"))
    assert returns_of(rules, state) == [-1, 1]
    lone = np.array([1 << 2, 1 << 5, 1, 0, 0], np.uint64)  # a3 and b2, White to move
    rules.step(lone, rules.string_to_action(lone, "b2xa3"))
    assert returns_of(rules, lone) == [-1, 1]
    assert not lone[0]


def test_evaluation_counts_pieces_and_steps() -> None:
    rules = envs.make_rules("breakthrough")
    state = rules.initial_state()
    assert rules.evaluate(state, 0) == 0
    rules.step(state, rules.string_to_action(state, "c7d6"))
    assert rules.evaluate(state, 0) > 0
    for state in random_game(rules, 9):
        assert -1 < rules.evaluate(state, 0) == -rules.evaluate(state, 1) < 1


def test_names_of_moves() -> None:
    rules = envs.make_rules("breakthrough", rows=4, columns=4)
    state = rules.initial_state()
    for name in ("b4b3", "c1c2"):
        rules.step(state, rules.string_to_action(state, name))
    taking = rules.string_to_action(state, "b3xc2")
    assert [rules.string_to_action(state, name) for name in ("B3-C2", " b3c2 ")] == [taking, taking]
    assert rules.action_to_string(state, taking) == "b3xc2"
    for text in ("b3b1", "c2b3", "b3", "b3xc2x"):
        with pytest.raises(ValueError, match=re.escape("breakthrough") + ".*allowed.*b3xc2"):
            rules.string_to_action(state, text)


def test_pictures_show_the_visited_steps_and_the_last_move() -> None:
    rules = envs.make_rules("breakthrough", rows=3, columns=3)
    state = rules.initial_state()
    plain = rules.to_svg(state)
    rules.step(state, rules.string_to_action(state, "a3b2"))
    visits = np.zeros(rules.num_actions, np.int64)
    visits[rules.string_to_action(state, "c1xb2")] = 3
    visits[rules.string_to_action(state, "c1c2")] = 1
    drawn = "  a b c\n3 . X X\n2 . X .\n1 O O O"
    assert rules.to_text(state) == drawn
    assert rules.to_text(state, visits) == drawn + "\nc1xb2 75%  c1c2 25%"
    assert "c1xb2: 3 visits, 75.00%" in rules.to_svg(state, visits)
    assert rules.to_svg(state).count("<circle") == plain.count("<circle") + 1
