"""Runs of earlier versions, written here as those versions wrote them: all that shows runs reads them."""

from __future__ import annotations

import json
import sqlite3
import struct
import zlib
from contextlib import closing

import pytest
from click.testing import CliRunner

from arena.cli import cli
from arena.results.summary import summarise
from arena.runs import DATABASE
from arena.store import Store, StoreError

VERSION_3 = """
CREATE TABLE run (key TEXT PRIMARY KEY, value TEXT NOT NULL);
CREATE TABLE games (
    number INTEGER PRIMARY KEY, spec TEXT NOT NULL, opening TEXT NOT NULL, returns TEXT NOT NULL,
    termination TEXT NOT NULL, seconds REAL NOT NULL
);
CREATE TABLE faults (
    number INTEGER PRIMARY KEY REFERENCES games, seat INTEGER NOT NULL, ply INTEGER NOT NULL,
    reason TEXT NOT NULL, detail TEXT NOT NULL, overshoot REAL NOT NULL
);
CREATE TABLE moves (
    number INTEGER NOT NULL REFERENCES games, ply INTEGER NOT NULL, seat INTEGER NOT NULL,
    action INTEGER NOT NULL, time REAL NOT NULL, overshoot REAL NOT NULL, value REAL, legal_actions BLOB,
    visits BLOB, info TEXT NOT NULL, idle REAL NOT NULL, PRIMARY KEY (number, ply)
) WITHOUT ROWID;
"""
VERSION_4 = (
    VERSION_3.replace("idle REAL NOT NULL,", "idle REAL NOT NULL, tree_visits BLOB, search BLOB,")
    + """
CREATE TABLE live (
    number INTEGER PRIMARY KEY, spec TEXT NOT NULL, plies INTEGER NOT NULL, actions BLOB NOT NULL
);
"""
)
CONFIG = """
name: old
seed: 0
games: [{name: tic_tac_toe, label: ttt}]
agents:
  uct: {type: uct, trees: 2}
  random: {type: random}
limit: {simulations: 60}
margin: 0.05
schedule: {rounds: 1, type: round_robin}
openings: {random_plies: 2}
workers: 1
"""
TREE = {"kind": "tree", "trees": 2, "root": {"action": None, "visits": 200, "children": []}}
TREES = [[1, 5, 1, 10, 1, 7, 75], [4, 3, 2, 12, 1, 5, 73]]
VISITS, LEGAL = [5, 8, 3, 22, 2, 12, 148], [0, 1, 3, 4, 5, 6, 7]


def spec(number: int) -> str:
    players = [
        {"label": label, "type": label, "params": params, "games": None, "limit": None}
        for label, params in (("uct", {"trees": 2}), ("random", {}))
    ]
    limit = {"time": None, "simulations": 60, "nodes": None, "depth": None, "clock": None}
    told = {
        "number": number,
        "game": {"label": "ttt", "name": "tic_tac_toe", "params": {}},
        "players": players if number % 2 == 0 else players[::-1],
        "limit": limit,
        "margin": 0.05,
        "pair": number // 2,
        "round": 0,
        "opening_plies": 2,
        "opening_seed": [0, 0, 0, 0],
        "game_seed": [0, 1, 0, 0, 0, number],
        "max_plies": 10000,
        "cap": 60.0,
        "terms": {"startup": 120.0, "memory_mb": None, "freeze": False},
        "cores": 2,
        "opening": None,
    }
    return json.dumps(told)


def wide(numbers: list[int]) -> bytes:
    return struct.pack(f"<{len(numbers)}q", *numbers)


def narrow(numbers: list[int]) -> bytes:
    return bytes([1, *numbers])


MOVE_3 = (
    *(0, 2, 0, 4, 0.002, 0.0, 0.25, wide(LEGAL), wide(VISITS)),
    json.dumps({"simulations": 60, "tree_visits": TREES, "max_depth": 3}),
    0.5,
)
MOVE_4 = (
    *(0, 2, 0, 4, 0.002, 0.0, 0.25, narrow(LEGAL), narrow(VISITS)),
    *(json.dumps({"simulations": 60, "max_depth": 3}), 0.5, narrow([*TREES[0], *TREES[1]])),
    zlib.compress(json.dumps(TREE).encode()),
)
REST = [(3, 1, 0), (4, 0, 6), (5, 1, 1)]
"""Ply, seat and action of the moves that follow. In version 4 one has its search as a text."""


def fill(raw: sqlite3.Connection, version: str) -> None:
    """Write a game that ended by itself and one that ended by a fault; a pair, of which none is missing."""
    about = {"version": version, "created": "2026-11-30T12:00:00+00:00", "config": CONFIG, "games": "2"}
    raw.executemany("INSERT INTO run VALUES (?, ?)", about.items())
    games = [
        (0, spec(0), "[2, 8]", "[1.0, -1.0]", "normal", 0.5),
        (1, spec(1), "[2, 8]", "[-1.0, 1.0]", "crash", 0.1),
    ]
    raw.executemany("INSERT INTO games VALUES (?, ?, ?, ?, ?, ?)", games)
    raw.execute("INSERT INTO faults VALUES (1, 0, 2, 'exited with code 3', 'last words', 0.0)")
    columns = len(MOVE_3 if version == "3" else MOVE_4)
    rest = [(0, ply, seat, action, 0.001, 0.0, None, None, None, "{}", 0.0) for ply, seat, action in REST]
    if version == "4":
        rest = [(*row, None, json.dumps(TREE) if row[1] == 4 else None) for row in rest]
    rows = [MOVE_3 if version == "3" else MOVE_4, *rest]
    raw.executemany(f"INSERT INTO moves VALUES ({', '.join('?' * columns)})", rows)
    if version == "4":
        live = [(number, spec(number), 3, narrow([2, 8, 4])) for number in (1, 2)]
        raw.executemany("INSERT INTO live VALUES (?, ?, ?, ?)", live)


@pytest.fixture(params=["3", "4"])
def version(request):
    return request.param


@pytest.fixture
def run(tmp_path, version):
    run = tmp_path / "runs" / "old-1"
    run.mkdir(parents=True)
    with closing(sqlite3.connect(run / DATABASE)) as raw, raw:
        raw.executescript({"3": VERSION_3, "4": VERSION_4}[version])
        fill(raw, version)
    return run


def said(*arguments: object, code: int = 0) -> str:
    """Return what a command printed, which ended so and without a traceback."""
    result = CliRunner().invoke(cli, list(map(str, arguments)))
    assert result.exit_code == code, result.output
    return result.output


def test_games_and_moves_are_read_as_they_were(run, version):
    with Store.open(run / DATABASE) as store:
        first, second = store.games()
        assert store.game(1).fault == second.fault
        assert [game.spec.number for game in store.live()] == ([2] if version == "4" else [])
    assert (first.actions, first.chance, first.spec.recorded) == ((2, 8, 4, 0, 6, 1), (), ())
    assert (second.fault.reason, second.fault.detail) == ("exited with code 3", "last words")
    move = first.moves[0]
    assert (move.value, move.idle, move.info) == (0.25, 0.5, {"simulations": 60, "max_depth": 3})
    assert (move.legal_actions.tolist(), move.visits.tolist()) == (LEGAL, VISITS)
    assert move.tree_visits.tolist() == TREES
    assert move.search == (TREE if version == "4" else None)
    assert [later.search for later in first.moves[1:]] == [None] * 3  # a text is none that can be unpacked
    assert first.moves[1].visits is None


def test_every_command_that_shows_runs_shows_them(run, tmp_path):
    assert json.loads(said("show", run, "--json"))["games"][0]["standings"]
    assert json.loads(said("show", run, "--games", "--json"))[1]["fault"] == "exited with code 3"
    assert json.loads(said("show", run, "--game", 0, "--json"))[2]["visits"] == sum(VISITS)
    assert "old-1" in said("list", "runs", "--runs-dir", run.parent)
    assert "2 of 2" in said("watch", run, "--once")
    said("report", run, "--quiet")
    assert "exited with code 3" in (run / "report.html").read_text()
    said("export", run, "--format", "jsonl", "--out", tmp_path)
    moves = [json.loads(line) for line in (tmp_path / "moves.jsonl").read_text().splitlines()]
    assert moves[2]["tree_visits"] == TREES
    assert summarise(run / DATABASE).played == 2


def test_a_game_of_which_chance_was_not_kept_is_shown_up_to_there(run, version, tmp_path):
    with closing(sqlite3.connect(run / DATABASE)) as raw, raw:
        raw.execute("UPDATE moves SET ply = ply + 10 WHERE ply > 3")
        if version == "4":
            raw.execute("UPDATE moves SET search = ? WHERE ply > 3", MOVE_4[-1:])
    shown = said("show", run, "--game", 0)
    assert "ply 3: random" in shown
    assert "ply 4" not in shown
    assert "What chance did from here on was not kept" in shown
    assert [game["plies"] for game in json.loads(said("show", run, "--games", "--json"))] == [16, 2]
    said("report", run, "--quiet")
    said("export", run, "--format", "pgn", "--out", tmp_path)


def test_they_are_not_continued(run):
    before = (run / DATABASE).read_bytes()
    line = said("resume", run, code=2)
    assert line.count("\n") == 1
    assert "it can be shown, not continued" in line
    assert f"arena run {run / 'league.yaml'}" in line
    assert (run / DATABASE).read_bytes() == before


def test_one_that_breaks_off_is_not_told_to_go_on(run):
    with closing(sqlite3.connect(run / DATABASE)) as raw, raw:
        raw.execute("UPDATE run SET value = '4' WHERE key = 'games'")
    assert "arena resume" not in said("watch", run)


@pytest.mark.parametrize(
    ("version", "remedy"),
    [("6", "a newer Arena made it; update this one"), ("2", "only the Arena that made it")],
)
def test_other_versions_are_refused_with_a_remedy(version, remedy, tmp_path):
    with closing(sqlite3.connect(tmp_path / DATABASE)) as raw, raw:
        raw.executescript(VERSION_3)
        fill(raw, "3")
        raw.execute("UPDATE run SET value = ? WHERE key = 'version'", (version,))
    with pytest.raises(StoreError, match=rf"version {version}, and this Arena reads 3, 4, 5: {remedy}"):
        Store.open(tmp_path / DATABASE)
    assert remedy in said("show", tmp_path, code=2)
    assert remedy in said("resume", tmp_path, code=2)
