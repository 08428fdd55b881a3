"""`arena solve`: what it says of a position, as text and as data, and what it refuses."""

from __future__ import annotations

import json
import re

import pytest
from click.testing import CliRunner

from arena.cli import cli


def solve(*words: str):
    return CliRunner().invoke(cli, ["solve", *words], catch_exceptions=False)


def test_text_tells_the_board_the_value_and_the_best_moves():
    done = solve("connect_four", "rows=4", "columns=4", "--moves", "1 2 1 2 1")
    assert done.exit_code == 0
    assert done.stdout.startswith(" 1 2 3 4\n . . . .\n X . . .\n X O . .\n X O . .\n")
    assert "\nO, the second player to move\n" in done.stdout
    assert "\nValue: draw (+0 points)\n" in done.stdout
    assert "\nBest moves: 1\n" in done.stdout


def test_data_tells_the_same():
    done = solve("hex", "size=3", "--moves", "a1 b2", "--json")
    data = json.loads(done.stdout)
    assert data["player"] == 0
    assert data["value"] == "win for O, the second player"
    assert (data["points"], data["proven"], data["undecided"]) == ([-1, -1], True, [])
    assert len(data["best"]) == 7  # all lose alike
    assert data["nodes"] > 0


def test_points_and_the_line_of_best_play():
    data = json.loads(solve("connect_four", "--moves", "4 1 4 1 4 2", "--json").stdout)
    assert (data["value"], data["points"]) == ("win for X, the first player", [18, 18])
    assert data["best"] == data["line"] == ["4"]


def test_a_finished_game():
    done = solve("tic_tac_toe", "--moves", "a1 b1 a2 b2 a3")
    assert "\nThe game is over\nValue: win for X, the first player\nSearched: 0 positions" in done.stdout


def test_a_list_as_parameter():
    assert json.loads(solve("nim", "piles=[1, 2]", "--json").stdout)["best"] == ["2-1"]


def test_time_that_is_not_enough_ends_with_3_and_says_what_is_known():
    done = solve("connect_four", "--time", "0.001", "--memory-mb", "1")
    assert done.exit_code == 3
    assert re.search(
        r"\nValue: not known \(-\d+ to \+\d+ points\)\nNot decided: 1 2 3 4 5 6 7\n", done.stdout
    )


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["hexx"], "arena: unknown game 'hexx' (did you mean hex?)"),
        (["hex", "size"], "arena: hex: size: 'size' is not allowed: a parameter and its value, as size=5"),
        (["hex", "size=0"], "arena: hex: size: 0 is not allowed: an integer from 1 to 26"),
        (["hex", "width=5"], "arena: hex: width: unknown parameter"),
        (["hex", "size=3", "--moves", "a1 a1"], "arena: hex: 'a1' is no legal action here"),
        (["hex", "size=3", "--moves", "z9"], "arena: hex: 'z9' is no cell of this board: allowed: a1 to c3"),
    ],
)
def test_bad_input_is_one_line_and_ends_with_2(words: list[str], said: str):
    done = solve(*words)
    assert done.exit_code == 2
    assert done.stdout == ""
    assert done.stderr.startswith(said)
    assert done.stderr.count("\n") == 1
