"""Gomoku against OpenSpiel's counts and games, solved m,n,k boards, and lines found cell by cell."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from test_connect_four import connected_in_line
from test_games import random_game, returns_of

import envs
from envs.kernels import kernel
from envs.rules import list_legal


def place(rules: Any, text: str) -> Any:
    """Play moves given by name."""
    state = rules.initial_state()
    for name in text.split():
        rules.step(state, rules.string_to_action(state, name))
    return state


@pytest.mark.parametrize("file", ["gomoku.json", "mnk.json"])
def test_recorded_games(truth: Path, file: str) -> None:
    rules = envs.make_rules("gomoku")
    record = json.loads((truth / "openspiel" / "playthroughs" / file).read_text())
    state = rules.initial_state()
    for shown in record["states"]:
        if "history" in shown:  # in the middle the recordings only tell the moves
            planes = np.asarray(rules.observation(state, 0)).reshape(-1, 2)
            board = "".join("x" if mine else "o" if other else "." for mine, other in planes)
            recorded = shown["board"].translate(str.maketrans("bw", "xo"))
            assert board == re.sub("[^.xo]", "", recorded)
            assert rules.is_terminal(state) == shown["terminal"]
            assert returns_of(rules, state) == shown["returns"]
        if not shown.get("terminal", True):
            assert rules.current_player(state) == shown["player"]
            assert list_legal(rules, state).tolist() == shown["legal"]
        if "apply" in shown:
            assert not rules.is_terminal(state)
            rules.step(state, shown["apply"])
    assert rules.is_terminal(state)


# Uiterwijk and van den Herik (2000); a won 4,3,3 stays won on more room.
SOLVED = [(3, 3, 3, 0), (3, 4, 3, 1), (4, 3, 3, 1), (4, 4, 3, 1), (4, 4, 4, 0)]


@pytest.mark.parametrize(("rows", "columns", "connect", "value"), SOLVED)
def test_solved_boards(rows: int, columns: int, connect: int, value: int) -> None:
    rules = envs.make_rules("gomoku", rows=rows, columns=columns, connect=connect)
    start, room = rules.initial_state(), 3 ** (rows * columns)
    wins = [can_win(rules, start, 0, player, np.zeros(room, np.int8)) for player in (0, 1)]
    assert [bool(win) for win in wins] == [value == 1, value == -1]


@kernel
def can_win(rules, state, code, player, table):
    """Whether `player` can force a win; `code` numbers the position in base 3, `table` remembers."""
    if rules.is_terminal(state):
        out = np.empty(2)
        rules.returns(state, out)
        return out[player] == 1
    if table[code] != 0:
        return table[code] == 2
    mover = rules.current_player(state)
    actions = np.empty(rules.max_legal, np.int64)
    win = mover != player
    for k in range(rules.legal_actions(state, actions)):
        child = state.copy()
        rules.step(child, actions[k])
        if can_win(rules, child, code + (mover + 1) * 3 ** actions[k], player, table) != win:
            win = not win
            break
    table[code] = 1 + win
    return win


BOARDS = [(15, 15, 5), (26, 26, 7), (1, 9, 3), (12, 1, 2), (26, 3, 20), (2, 26, 26), (5, 8, 8), (6, 7, 4)]


@pytest.mark.parametrize(("rows", "columns", "connect"), BOARDS)
@pytest.mark.parametrize("exact", [False, True])
def test_play_ends_with_the_first_line(rows: int, columns: int, connect: int, exact: bool) -> None:
    rules = envs.make_rules("gomoku", rows=rows, columns=columns, connect=connect, exact=exact)
    for seed in range(12):
        for state in random_game(rules, 8, seed)[-12:]:
            planes = rules.observation(state, 0)
            won = [has_line(planes[..., player], connect, exact) for player in (0, 1)]
            assert returns_of(rules, state) == [float(won[0]) - won[1], float(won[1]) - won[0]]
            assert rules.is_terminal(state) == (any(won) or bool(planes.any(-1).all()))


def has_line(cells: Any, connect: int, exact: bool) -> bool:
    """Look for lines along every row, column and diagonal, written out as text."""
    if not exact:
        return connected_in_line(cells, connect)
    rows, columns = cells.shape
    ways = range(-rows + 1, columns)
    diagonals = [side.diagonal(k) for side in (cells, cells[:, ::-1]) for k in ways]
    texts = ("".join(map(str, line)) for line in (*cells, *cells.T, *diagonals))
    return any(len(run) == connect for text in texts for run in text.split("0"))


def test_overlines_count_unless_exact() -> None:
    moves = "a1 a9 b1 c9 c1 e9 e1 g9 f1 i9 d1"  # d1 joins three and two into six
    free, exact = (envs.make_rules("gomoku", rows=9, columns=9, exact=exact) for exact in (False, True))
    assert returns_of(free, place(free, moves)) == [1, -1]
    assert not exact.is_terminal(place(exact, moves))
    assert returns_of(exact, place(exact, moves.replace("f1", "h8"))) == [1, -1]


def test_evaluation_prefers_longer_and_open_lines_and_knows_who_moves() -> None:
    rules = envs.make_rules("gomoku")

    def value(moves: str) -> float:
        return rules.evaluate(place(rules, moves), 0)

    closed = [value("h8 h7 h9 a1 h10"), value("h8 h7 h9 a1 h10 c1 h11")]
    opened = [value("h8 a1 h9 c1 h10"), value("h8 a1 h9 c1 h10 e1 h11")]
    assert value("") == 0 < value("h8") < closed[0] < closed[1] < opened[1]
    assert value("h8") < value("h8 a1 h9") < opened[0] < opened[1]
    assert closed[0] < opened[0]
    assert value("h8 h7 h9 a1 h10 c1 h11 e1") > closed[1] + 0.2
    for state in random_game(rules, 9):
        assert -1 < rules.evaluate(state, 0) == -rules.evaluate(state, 1) < 1


def test_names_count_from_below() -> None:
    rules = envs.make_rules("gomoku")
    assert rules.action_to_string(rules.initial_state(), 0) == "a15"
    assert rules.string_to_action(rules.initial_state(), "H8") == 112


def test_pictures_show_stones_visits_and_the_last_move() -> None:
    rules = envs.make_rules("gomoku", rows=3, columns=4, connect=3)
    state = place(rules, "a1 b2")
    visits = np.zeros(12, np.int64)
    visits[rules.string_to_action(state, "d3")] = 3
    visits[rules.string_to_action(state, "c1")] = 1
    assert (
        rules.to_text(state, visits)
        == "    a   b   c   d\n3   .   .   .  75\n2   .   O   .   .\n1   X   .  25   ."
    )
    svg = rules.to_svg(state, visits)
    assert "d3: 3 visits, 75.00%" in svg
    assert svg.count("<circle") == 3  # two stones and the mark of the last
    assert rules.to_svg(rules.initial_state()).count("<circle") == 0
