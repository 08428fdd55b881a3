"""Parameters that make no game are refused with the game, the name, the value and what is allowed."""

from __future__ import annotations

import importlib
from pathlib import Path
from typing import Any

import pytest

import envs


@pytest.mark.parametrize(
    ("game", "params", "said"),
    [
        ("hex", {"size": 0}, ["size", "0", "1", "26"]),
        ("hex", {"size": 500}, ["size", "500", "1", "26"]),
        ("hex", {"size": -3}, ["size", "-3", "1", "26"]),
        ("hex", {"size": "x"}, ["size", "'x'", "integer", "1", "26"]),
        ("hex", {"size": "5"}, ["size", "'5'", "integer"]),
        ("hex", {"size": True}, ["size", "True", "integer"]),
        ("hex", {"size": 5.5}, ["size", "5.5", "integer"]),
        ("hex", {"size": None}, ["size", "None", "integer"]),
        ("hex", {"sise": 5}, ["sise", "size"]),
        ("tic_tac_toe", {"size": 3}, ["size"]),
        ("connect_four", {"connect": 8}, ["connect", "8", "7"]),
        ("connect_four", {"rows": 4, "columns": 5, "connect": 6}, ["connect", "6", "at most 5"]),
        ("connect_four", {"connect": 1}, ["connect", "1", "2"]),
        ("connect_four", {"rows": 9}, ["rows", "9", "at most 8", "columns = 7"]),
        ("connect_four", {"rows": 64, "columns": 1}, ["rows", "64", "63"]),
        ("connect_four", {"columns": 33, "rows": 1}, ["columns", "33", "32"]),
        ("gomoku", {"rows": 27}, ["rows", "27", "26"]),
        ("gomoku", {"rows": 3, "columns": 4}, ["connect", "5", "at most 4"]),
        ("gomoku", {"exact": 1}, ["exact", "1", "true or false"]),
        ("breakthrough", {"rows": 9}, ["rows", "9", "at most 8", "columns = 8"]),
        ("breakthrough", {"columns": 1}, ["columns", "1", "from 2 to 26"]),
        ("nim", {"piles": []}, ["piles", "a list at least 1 long and at most 32 long"]),
        ("nim", {"piles": [3, 0]}, ["piles", "[3, 0]", "each an integer from 1 to 255"]),
        ("nim", {"piles": 3}, ["piles", "3", "a list"]),
    ],
)
def test_refused(game: str, params: dict[str, Any], said: list[str]) -> None:
    with pytest.raises(envs.ParameterError) as refused:
        envs.make_rules(game, **params)
    for part in [game, *said]:
        assert part in str(refused.value)


def test_every_mistake_is_told_at_once() -> None:
    with pytest.raises(envs.ParameterError) as refused:
        envs.make_rules("connect_four", rows=0, columns="x", conect=4)
    assert sorted(name for name, _ in refused.value.problems) == ["columns", "conect", "rows"]


@pytest.mark.parametrize(
    ("game", "params"),
    [
        ("hex", {"size": 1}),
        ("hex", {"size": 26}),
        ("connect_four", {"rows": 8}),
        ("connect_four", {"rows": 63, "columns": 1}),
        ("connect_four", {"rows": 1, "columns": 32}),
    ],
)
def test_the_ends_of_the_range_are_games(game: str, params: dict[str, int]) -> None:
    rules = envs.make_rules(game, **params)
    assert not rules.is_terminal(rules.initial_state())


def test_the_readme_names_every_game_with_its_parameters() -> None:
    readme = (Path(__file__).parents[2] / "README.md").read_text()
    section = readme.partition("\n## Games\n")[2].partition("\n## ")[0]
    rows = {line.split("`")[1]: line for line in section.splitlines() if line.startswith("| `")}
    assert sorted(rows) == sorted(envs.game_names())
    for name, row in rows.items():
        for parameter in envs.game_parameters(name):
            default = {True: "true", False: "false", None: ""}.get(parameter.default, parameter.default)
            said = f"{parameter.name}: {list(default) if isinstance(default, tuple) else default}"
            assert said in row or (default == "" and f"`{parameter.name}`" in row), (name, said)


@pytest.mark.parametrize("name", envs.game_names())
def test_a_game_says_how_many_bytes_its_state_takes(name: str) -> None:
    said = importlib.import_module(f"envs.{name}").__doc__.replace("\n", " ")
    size = f"{envs.make_rules(name).initial_state().nbytes:,} bytes"
    assert f" {size}" in said
