"""The README holds: its code runs as it is printed there, and it names every command."""

from __future__ import annotations

import json
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from agents import agent_parameters
from arena.league.models import SCHEDULES
from arena.league.yaml_lines import parse_document
from envs.rules import _Defaults

ROOT = Path(__file__).parents[1]
README = (ROOT / "README.md").read_text()


def block(language: str, containing: str) -> str:
    """Return the fenced block of `language` that contains a text."""
    blocks = re.findall(rf"```{language}\n(.*?)```", README, re.DOTALL)
    return next(text for text in blocks if containing in text)


def section(title: str) -> str:
    return README.split(f"## {title}\n")[1].split("\n## ")[0]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with the README's agent, game and league, the league made short."""
    (tmp_path / "my_bots.py").write_text(block("python", "class Greedy"))
    (tmp_path / "nim.py").write_text(block("python", "class Nim"))
    league = (
        block("yaml", "hex-evening").replace("rounds: 50", "rounds: 1").replace("time: 0.1", "time: 0.02")
    )
    league += "margin: 30\n"  # so that a busy machine makes nobody late
    league = league.replace("{name: hex, size: 7}", '{name: "nim:Nim", sticks: 9}').replace(", trees: 2", "")
    (tmp_path / "league.yaml").write_text(league)
    return tmp_path


def run(folder: Path, *command: str) -> subprocess.CompletedProcess:
    return subprocess.run(
        [sys.executable, *command], cwd=folder, capture_output=True, text=True, timeout=300, check=False
    )


def test_the_agent_the_game_and_the_league_play(folder):
    done = run(folder, "-m", "arena", "run", "league.yaml")
    assert done.returncode == 0, done.stderr
    assert "tic_tac_toe: 6 games" in done.stdout
    assert re.search(r"^Nim\b.*: 6 games", done.stdout, re.MULTILINE)
    assert "mine" in done.stdout
    assert "Faults" not in done.stdout


def test_the_game_passes_pettingzoos_own_test(folder):
    code = "import nim; from pettingzoo.test import api_test; api_test(nim.env(), num_cycles=50)"
    done = run(folder, "-c", code)
    assert done.returncode == 0, done.stderr
    assert "Passed API test" in done.stdout


def test_the_python_example_finds_a_move(folder):
    done = run(folder, "-c", block("python", "make_agent"))
    assert done.returncode == 0, done.stderr
    assert re.match(r"[a-g][1-7] ", done.stdout)


@pytest.mark.parametrize("line", block("sh", "arena solve").splitlines())
def test_what_is_solved_is_proven(folder, line):
    done = run(folder, "-m", *shlex.split(line))
    assert done.returncode == 0, done.stderr


def test_the_agent_is_as_short_as_is_said():
    assert len(block("python", "class Greedy").splitlines()) <= 15
    assert len(block("python", "class Nim").splitlines()) <= 60


@pytest.mark.parametrize(("agent", "title"), [("uct", "UCT"), ("alphabeta", "Alpha-beta")])
def test_every_option_is_in_its_agents_table_with_its_default(agent, title):
    rows = re.findall(r"^\| `(\w+)` \| `([^`]*)` \| \S", section(f"{title}'s options"), re.MULTILINE)
    assert rows == [(one.name, written(one.default)) for one in agent_parameters(agent)]


def test_every_schedule_is_in_its_table_with_its_defaults():
    rows = re.findall(
        r"^\| `(\{type: .*?\})` \| \S", section("Schedules, openings, and when to stop"), re.MULTILINE
    )
    given = [parse_document(row).data for row in rows]
    assert [one["type"] for one in given] == list(SCHEDULES)
    for one in given:
        needed = {key: value for key, value in one.items() if key in ("type", "challengers")}
        model = SCHEDULES[one["type"]]
        assert model.model_validate(one) == model.model_validate(needed)


def written(default):
    return default if isinstance(default, str) else json.dumps(default)


def test_every_picture_is_there_and_small():
    pictures = [ROOT / file for file in re.findall(r"!\[.+?\]\((.+?)\)", README)]
    assert len(pictures) == 2
    assert all(picture.stat().st_size < 200_000 for picture in pictures)


def test_every_command_is_named():
    from arena.cli import cli

    for name in cli.commands:
        assert f"arena {name}" in README


def test_every_optional_member_of_a_game_is_named():
    members = [name for name in vars(_Defaults) if not name.startswith("_")]
    assert [
        name
        for name in members
        if f"| `{name}`" not in section("Your own game") and f", `{name}`" not in section("Your own game")
    ] == []
