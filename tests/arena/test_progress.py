"""What is seen while a league runs, and where it goes."""

from __future__ import annotations

import io
import json
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest
from click.testing import CliRunner
from run_records import record, spec

from arena.cli import cli
from arena.records import Fault
from arena.referee.progress import Progress, describe
from arena.store import Store, StoreError


class Terminal(io.StringIO):
    def isatty(self):
        return True


def play(stream, games: int = 40, quiet: bool = False, clock=None):
    with Progress(games, quiet, stream) as progress:
        progress.message("getting ready")
        progress.start()
        for number in range(games):
            if clock:
                clock.now += 1.0
            progress.finished(record(spec(number, "a", "b"), 1.0))
    return stream.getvalue()


@pytest.fixture
def clock(monkeypatch):
    made = SimpleNamespace(now=100.0)
    monkeypatch.setattr("arena.referee.progress.time", SimpleNamespace(monotonic=lambda: made.now))
    return made


def test_plain_lines_come_every_five_seconds_and_at_the_end(clock):
    lines = play(io.StringIO(), games=12, clock=clock).splitlines()
    assert lines == [
        "getting ready",
        "5/12 games, 1.0 a second, 7 s left, a leads with 100%",
        "10/12 games, 1.0 a second, 2 s left, a leads with 100%",
        "12/12 games, 1.0 a second, 0 s left, a leads with 100%",
    ]
    assert play(io.StringIO(), games=5, clock=clock).count("5/5 games") == 1


def test_games_of_before_count_and_take_no_time(clock):
    with Progress(12, False, stream := io.StringIO()) as progress:
        progress.kept(spec(0, "a", "b"), (-1.0, 1.0))
        progress.kept(spec(1, "b", "a"), (1.0, -1.0))
        for number in range(2, 7):
            clock.now += 1.0
            progress.finished(record(spec(number, "a", "b"), 1.0))
    assert stream.getvalue() == "7/12 games, 1.0 a second, 5 s left, a leads with 71%\n"
    with Progress(1, False, stream := io.StringIO()) as progress:
        progress.kept(spec(0, "a", "b"), (-1.0, 1.0))
    assert stream.getvalue() == ""


def test_where_results_decide_the_number_of_games_none_is_told(clock):
    with Progress(None, False, stream := io.StringIO()) as progress:
        for number in range(5):
            clock.now += 1.0
            progress.finished(record(spec(number, "a", "b"), 1.0))
    assert stream.getvalue() == "5 games, 1.0 a second, a leads with 100%\n"
    with Progress(None, False, terminal := Terminal()) as progress:
        progress.start()
        progress.finished(record(spec(0, "a", "b"), 1.0))
    assert "1 games" in terminal.getvalue()


def test_quiet_is_silent():
    assert play(io.StringIO(), quiet=True) == play(Terminal(), quiet=True) == ""


def test_a_terminal_gets_a_bar_and_every_game_by_name():
    text = play(Terminal(), games=3)
    assert "game 2 tic_tac_toe: a v b: a won" in text
    assert "3/3 games" in text
    assert "a leads with 100%" in text


def test_a_fault_is_named_and_cannot_steer_the_terminal():
    lost = record(spec(7, "a", "b"), -1.0, fault=Fault(0, 3, "late\x1b[2J\nagain"))
    assert describe(lost) == "game 7 tic_tac_toe: a v b: b won by timeout of a at ply 3: late�[2J�again"
    assert describe(record(spec(0, "a", "b"), 0.0)).endswith("drawn")


LEAGUE = """\
name: small
games: [tic_tac_toe]
agents: {a: random, b: random}
limit: {time: 60}
schedule: {rounds: 2}
"""


@pytest.fixture
def run(tmp_path):
    (tmp_path / "small.yaml").write_text(LEAGUE)
    return ["run", str(tmp_path / "small.yaml"), "--runs-dir", str(tmp_path / "runs")]


def test_results_go_to_stdout_as_one_document_and_progress_to_stderr(run):
    command = [sys.executable, "-m", "arena", *run, "--json"]
    root = Path(__file__).parents[2]
    done = subprocess.run(command, capture_output=True, text=True, cwd=root, timeout=120)
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["played"] == 4
    assert "4/4 games" in done.stderr


def test_a_disk_that_fills_up_is_one_line_and_exit_code_1(run, monkeypatch):
    def full(self, record):
        raise StoreError(f"{self.path.name}: database or disk is full")

    monkeypatch.setattr(Store, "add_game", full)
    answer = CliRunner().invoke(cli, [*run, "--quiet"])
    assert (answer.exit_code, answer.stdout) == (1, "")
    assert answer.stderr == "arena: league.sqlite: database or disk is full\n"


def test_a_runs_folder_that_cannot_be_made_is_one_line_and_exit_code_1(run, monkeypatch):
    def refuse(parent, name):
        raise PermissionError(13, "Permission denied", str(parent / name))

    monkeypatch.setattr("arena.referee.supervisor.new_run_folder", refuse)
    answer = CliRunner().invoke(cli, [*run, "--quiet"])
    assert answer.exit_code == 1
    assert answer.stderr.startswith("arena: ")
    assert answer.stderr.endswith("runs/small: Permission denied\n")
