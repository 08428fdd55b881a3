"""Runs that end in the middle: nothing is lost, nothing is played twice, and `arena resume` plays the rest.

Set ARENA_INSTANTS to end as many runs of every kind at random instants; the suite tries one of each.
"""

from __future__ import annotations

import json
import os
import random
import resource
import signal
import sqlite3
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from arena.league.config import RoundRobin, load_league
from arena.machine.processes import children, descendants
from arena.records import GameRecord
from arena.referee.supervisor import RunError, resume_league, run_league
from arena.results.summary import summarise
from arena.runs import DATABASE, reserved
from arena.store import Store

ROOT, TESTS = Path(__file__).parents[2], Path(__file__).parents[1]
INSTANTS = int(os.environ.get("ARENA_INSTANTS", "1"))
LEAGUE = """\
name: long
seed: 5
games: [tic_tac_toe, {name: connect_four, rows: 4, columns: 5}]
agents: {a: {type: uct, memory_mb: 1}, b: {type: random}, c: {type: "toys:SlowFirst"}}
limit: {simulations: 100}
schedule: {rounds: 4}
"""
GAMES = 4 * 2 * 3 * 2

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")


@pytest.fixture(scope="module")
def league_file(tmp_path_factory) -> Path:
    file = tmp_path_factory.mktemp("league") / "long.yaml"
    file.write_text(LEAGUE + f"folders: [{str(TESTS)!r}]\n")
    return file


@pytest.fixture(scope="module")
def whole(league_file) -> tuple[Path, float]:
    """A run that nothing interrupted, and the seconds it took once it had begun."""
    outcome = run_league(load_league(league_file), league_file.parent / "whole", quiet=True)
    database = outcome.run / "league.sqlite"
    return database, time.time() - (outcome.run / "league.yaml").stat().st_mtime


def arena(*words: object, **options: Any) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-m", "arena", *map(str, words), "--json", "--quiet", "--no-report"],
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        start_new_session=True,
        text=True,
        **options,
    )


def games(database: Path) -> dict[int, GameRecord]:
    with Store.open(database) as store:
        return {record.spec.number: record for record in store.games()}


def one_below(command: int, generations: int) -> int | None:
    """Return a process so many generations below the command: 2 are the referees, 3 the seats."""
    pids = [command]
    for _ in range(generations):
        pids = [child for pid in pids for child in children(pid)]
    return random.choice(pids) if pids else None


def await_run(folder: Path) -> Path:
    while not (found := list(folder.glob("runs/*/league.sqlite-wal"))):
        time.sleep(0.02)
    return found[0].parent


@pytest.mark.parametrize("instant", range(INSTANTS))
@pytest.mark.parametrize(
    ("victim", "number"),
    [
        ("command", signal.SIGINT),
        ("command", signal.SIGKILL),
        ("referee", signal.SIGKILL),
        ("seat", signal.SIGKILL),
    ],
)
def test_whatever_is_killed_and_when_every_game_is_played_once(
    victim, number, instant, whole, league_file, tmp_path
):
    database, seconds = whole
    process = arena("run", league_file, "--runs-dir", tmp_path / "runs")
    try:
        run = await_run(tmp_path)
        time.sleep(random.Random(f"{victim} {number} {instant}").uniform(0, seconds))
        generations = {"command": 0, "referee": 2, "seat": 3}[victim]
        below = descendants(process.pid)
        pid = one_below(process.pid, generations)
        if pid is not None:
            os.kill(pid, number)
        out, err = process.communicate(timeout=100)
    finally:
        process.kill()
    kept = games(run / "league.sqlite")
    if victim == "command":
        ends = (130, 0, -number) if number == signal.SIGINT else (-number, 0)  # it may have been at its end
        assert process.returncode in ends, err
        assert process.returncode != 130 or f"arena resume {run}" in err or len(kept) == GAMES
        if process.returncode == 130 and out:
            only_whole_pairs_count(json.loads(out))
        again = arena("resume", run)
        out, err = again.communicate(timeout=100)
        assert again.returncode == 0, err
    else:
        assert process.returncode == 0, err
    check(database, run / "league.sqlite", kept, json.loads(out), of_a_seat=victim == "seat")
    assert not [pid for pid in below if Path(f"/proc/{pid}/exe").exists()]


def only_whole_pairs_count(told: dict) -> None:
    for game in told["games"]:
        assert sum(line["games"] for line in game["standings"]) == 2 * (game["played"] - game["unpaired"])


def check(whole: Path, database: Path, kept: dict[int, GameRecord], told: dict, of_a_seat: bool) -> None:
    """See that the run has every game once, as the whole one has it, but for what the kill cost."""
    expected, found = games(whole), games(database)
    assert sorted(found) == list(range(GAMES))
    assert all(found[number].seconds == record.seconds for number, record in kept.items())  # not again
    killed = [record for record in found.values() if record.fault is not None]
    assert len(killed) <= of_a_seat
    assert all(record.fault.reason == "killed by SIGKILL" for record in killed)
    for number, record in found.items():
        if record.fault is None:
            assert record.actions == expected[number].actions
            assert record.returns == expected[number].returns
    if not killed:
        assert [(game.standings, game.crosstable, game.seats) for game in summarise(database).games] == [
            (game.standings, game.crosstable, game.seats) for game in summarise(whole).games
        ]
    assert (told["played"], told["scheduled"]) == (GAMES, GAMES)


@pytest.fixture
def ended(league_file, tmp_path) -> Path:
    """A run of which the last three games are missing."""
    short = replace(load_league(league_file), schedule=RoundRobin(rounds=1))
    run = run_league(short, tmp_path / "runs", quiet=True).run
    with sqlite3.connect(run / DATABASE) as raw:
        for table in ("games", "moves", "faults"):
            raw.execute(f"DELETE FROM {table} WHERE number >= {GAMES // 4 - 3}")
    return run


def test_a_run_is_played_by_one_process_at_a_time(ended):
    with reserved(ended), pytest.raises(RunError, match="another process is playing this run"):
        resume_league(ended, quiet=True)
    assert len(games(ended / DATABASE)) == GAMES // 4 - 3
    resume_league(ended, quiet=True)
    assert len(games(ended / DATABASE)) == GAMES // 4


def test_a_run_whose_agents_are_gone_is_refused_with_a_word(ended):
    with sqlite3.connect(ended / DATABASE) as raw:
        raw.execute("UPDATE run SET value = replace(value, 'toys:', 'gone:') WHERE key = 'config'")
    with pytest.raises(RunError, match="agent 'gone:SlowFirst' cannot be imported") as refused:
        resume_league(ended, quiet=True)
    assert refused.value.exit_code == 2


def test_a_full_disk_is_one_line_and_the_rest_is_played_when_there_is_room(ended):
    before = len(games(ended / DATABASE))
    full = (ended / DATABASE).stat().st_size + 4096

    def fill() -> None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (full, full))

    process = arena("resume", ended, preexec_fn=fill)
    out, err = process.communicate(timeout=100)
    assert (process.returncode, out) == (1, "")
    why = "disk I/O error"  # where a file may not grow; "database or disk is full" where the disk is
    assert err == f"arena: {ended / DATABASE}: {why}\n"
    assert len(games(ended / DATABASE)) >= before
    assert arena("resume", ended).wait(100) == 0
    assert len(games(ended / DATABASE)) == GAMES // 4


def test_a_league_that_is_strict_about_faults_has_failed_by_one(league_file, tmp_path):
    text = league_file.read_text().replace("{type: random}", "toys:Raises").replace("rounds: 4", "rounds: 1")
    (tmp_path / "strict.yaml").write_text(f"{text}strict: true\n")
    process = arena("run", tmp_path / "strict.yaml", "--runs-dir", tmp_path)
    out, err = process.communicate(timeout=100)
    assert process.returncode == 1, err
    assert json.loads(out)["games"][0]["faults"]


HANGING = """\
name: hanging
games: [tic_tac_toe]
agents: {a: {type: random}, b: {type: "toys:Sleeps"}}
limit: {time: 10000}
"""


@pytest.mark.parametrize(("grace", "times"), [(1, 1), (10000, 2)])
def test_games_in_play_are_waited_for_while_grace_lasts_or_until_asked_again(grace, times, tmp_path):
    file = tmp_path / "hanging.yaml"
    file.write_text(HANGING + f"grace: {grace}\nfolders: [{str(TESTS)!r}]\n")
    process = arena("run", file, "--runs-dir", tmp_path / "runs")
    try:
        await_run(tmp_path)
        time.sleep(0.5)
        below = descendants(process.pid)
        for _ in range(times):
            os.kill(process.pid, signal.SIGINT)
            time.sleep(0.5)
        out, err = process.communicate(timeout=60)
    finally:
        process.kill()
    assert process.returncode == 130
    assert "Go on with: arena resume" in err
    assert json.loads(out)["played"] == 0
    assert not [pid for pid in below if Path(f"/proc/{pid}/exe").exists()]
