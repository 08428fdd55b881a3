"""The run's database: full round trips, nothing half-written, clear refusals."""

from __future__ import annotations

import sqlite3
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from threading import Thread

import numpy as np
import pytest

from agents.base import Limit
from arena.columns import array_of, blob_of
from arena.records import (
    AgentChoice,
    Fault,
    GameChoice,
    GameRecord,
    LiveGame,
    MatchSpec,
    MoveRecord,
    Result,
    Termination,
)
from arena.store import Store, StoreError

HEX = GameChoice("hex small", "hex", {"size": 5})
UCT = AgentChoice("uct [bold]", "uct", {"uct_c": 1.2, "trees": 2}, games=("hex small",), limit=Limit(nodes=9))
RANDOM = AgentChoice("random", "random")


def spec(number: int) -> MatchSpec:
    seats = (UCT, RANDOM) if number % 2 == 0 else (RANDOM, UCT)
    fixed = {"max_plies": 99, "recorded": (0, 5)}
    return MatchSpec(
        number, HEX, seats, Limit(0.1, 500), 0.05, number // 2, 0, 2, (7, 0), (7, 1, number), **fixed
    )


def record(number: int) -> GameRecord:
    visits, legal = np.array([3, 0, 2**40]), np.array([1, 4, 24])
    trees, info = np.array([[1, 0, 300], [2, 0, 2**40 - 300]]), {"simulations": 700, "note": "größer"}
    search = {"kind": "tree", "trees": 2, "root": {"action": None, "visits": 3, "children": []}}
    moves = (
        MoveRecord(2, 0, 4, 0.1, 0.002, -0.25, legal, visits, info, 0.0, trees, search),
        MoveRecord(3, 1, 1, 1e-5, idle=0.25),
    )
    fault = Fault(1, 4, "RuntimeError: no", "Traceback …\n", 0.5) if number == 1 else None
    termination = Termination.CRASH if fault else Termination.NORMAL
    return GameRecord(spec(number), (0, 7), moves, (1.0, -1.0), termination, fault, 1.5)


def plain(game: GameRecord) -> GameRecord:
    """Arrays as types and lists, so that == compares all there is."""
    return replace(game, moves=tuple(map(plain_move, game.moves)))


def plain_move(move: MoveRecord) -> MoveRecord:
    arrays = {name: getattr(move, name) for name in ("legal_actions", "visits", "tree_visits")}
    return replace(move, **{name: a if a is None else (a.dtype, a.tolist()) for name, a in arrays.items()})


@pytest.fixture
def path(tmp_path):
    return tmp_path / "league.sqlite"


@pytest.fixture
def store(path):
    with Store.create(path, "name: x\n") as made:
        yield made


def test_what_goes_in_comes_out(store, path):
    for number in (2, 0, 1):
        store.add_game(record(number))
    with Store.open(path) as reader:
        assert reader.finished() == {0, 1, 2}
        assert [plain(game) for game in reader.games()] == [plain(record(number)) for number in range(3)]
        assert reader.about()["config"] == "name: x\n"
        move = next(reader.games()).moves[0]
        assert move.visits.dtype == move.legal_actions.dtype == np.int64


@pytest.mark.parametrize("most", [0, 1, 255, 256, 2**16, 2**32 - 1, 2**32, 2**63 - 1])
def test_counts_of_any_size_are_kept_in_as_many_bytes_as_they_need(most):
    blob = blob_of(np.array([0, most, 1]))
    width = next(width for width in (1, 2, 4, 8) if most < 256**width)
    assert len(blob) == 1 + 3 * width
    assert array_of(blob).tolist() == [0, most, 1]


def test_games_with_and_without_moves_stay_apart(store):
    """The moves of all games come from one query."""
    games = [record(number) for number in range(6)]
    games = [replace(game, moves=()) if game.spec.number in (0, 2, 3, 5) else game for game in games]
    for game in games:
        store.add_game(game)
    assert [plain(game) for game in store.games()] == [plain(game) for game in games]
    assert [game.moves for game in store.games(moves=False)] == [()] * 6


def test_whatever_an_agent_says_of_itself_is_kept(store):
    info = {"array": np.arange(3), "number": np.float32(0.5), "object": Path("x"), (1, 2): "dropped"}
    odd = replace(record(0), moves=(MoveRecord(2, 0, 4, 0.1, info=info),))
    fault = Fault(0, 2, "bad \udcff word", "\x00\udc80")
    store.add_game(replace(odd, fault=fault, termination=Termination.CRASH))
    (kept,) = store.games()
    assert kept.moves[0].info == {"array": [0, 1, 2], "number": 0.5, "object": repr(Path("x"))}
    assert kept.fault == Fault(0, 2, "bad \\udcff word", "\x00\\udc80")


def test_a_game_is_stored_once_and_a_second_time_changes_nothing(store):
    store.add_game(record(0))
    with pytest.raises(StoreError, match="game 0 is stored already"):
        store.add_game(replace(record(0), moves=()))
    assert [plain(game) for game in store.games()] == [plain(record(0))]


def test_how_a_game_ended_is_told_by_its_number(store):
    assert not store.has_faults()
    for number in (1, 0):
        store.add_game(record(number))
    assert [store.result(number) for number in range(3)] == [
        Result((1.0, -1.0), None),
        Result((1.0, -1.0), 1),
        None,
    ]
    assert store.has_faults()


def test_a_game_is_kept_wholly_or_not_at_all(store):
    broken = replace(record(0), moves=(*record(0).moves, replace(record(0).moves[0], ply=2)))
    with pytest.raises(StoreError):
        store.add_game(broken)
    assert store.finished() == set()
    store.add_game(record(0))
    assert store.finished() == {0}


def test_games_are_read_from_a_number_on(store):
    for number in range(4):
        store.add_game(record(number))
    for moves in (True, False):
        assert [game.spec.number for game in store.games(moves, start=2)] == [2, 3]
    assert [plain(game) for game in store.games(start=3)] == [plain(record(3))]


def test_games_in_play_are_those_shown_last_and_not_kept_yet(store, path):
    games = [LiveGame(spec(number), 20_000 + number, (0, 2**40, number)) for number in range(3)]
    with Store.open(path) as reader:
        assert reader.live() == []
        store.show([games[2], games[0]])
        assert reader.live() == [games[0], games[2]]
        store.show([games[0], games[1]])
        store.add_game(record(0))
        assert reader.live() == [games[1]]
        store.show([])
        assert reader.live() == []


def test_a_new_database_is_whole_from_its_first_moment(tmp_path):
    """Whoever looks for it in a loop meanwhile never finds a part of it."""
    path, found = tmp_path / "league.sqlite", []

    def look() -> None:
        while not path.is_file():
            pass
        with Store.open(path) as reader:
            found.append(reader.about()["config"])

    watcher = Thread(target=look)
    watcher.start()
    with Store.create(path, "name: x\n"):
        watcher.join()
    assert found == ["name: x\n"]
    assert [file.name for file in tmp_path.iterdir()] == [path.name]


def test_readers_read_while_the_writer_writes(store, path):
    store.add_game(record(0))
    with Store.open(path) as reader:
        games = reader.games()
        assert next(games).spec.number == 0
        store.add_game(record(1))
        assert list(games) == []  # it sees one moment, whole
        assert reader.finished() == {0, 1}


WRITER = """
import os, sys
sys.path.insert(0, sys.argv[2])
from pathlib import Path
from test_store import Store, record, spec
with Store.create(Path(sys.argv[1]), "") as store:
    store.add_game(record(0))
    store._connection.execute("BEGIN IMMEDIATE")
    store._connection.execute("INSERT INTO games VALUES (1, '{}', '[]', '[]', 'normal', 0.0, '[]')")
    print("ready", flush=True)
    sys.stdin.read()
"""


def test_a_writer_killed_in_the_middle_of_a_game_costs_that_game_only(path):
    command = [sys.executable, "-c", WRITER, str(path), str(Path(__file__).parent)]
    writer = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    assert writer.stdout.readline() == b"ready\n"
    with Store.open(path) as reader:
        assert reader.finished() == {0}
    writer.kill()
    writer.communicate()
    with Store.open(path) as again:
        assert again.finished() == {0}
        again.add_game(record(1))
        assert [plain(game) for game in again.games()] == [plain(record(0)), plain(record(1))]


def test_what_is_no_run_is_refused(tmp_path, path):
    with pytest.raises(StoreError, match="there is no such run"):
        Store.open(path)
    path.write_text("hello, I am a text file and not a database at all" * 99)
    with pytest.raises(StoreError, match="is not the database of a run"):
        Store.open(path)
    with pytest.raises(StoreError, match="exists"):
        Store.create(path, "")
    assert path.read_text().startswith("hello")
    with pytest.raises(StoreError, match="No such file"):
        Store.create(tmp_path / "missing" / "league.sqlite", "")
    sqlite3.connect(tmp_path / "other.sqlite").close()
    (tmp_path / "empty.sqlite").touch()
    with pytest.raises(StoreError, match="is not the database of a run"):
        Store.open(tmp_path / "empty.sqlite")


def test_a_full_disk_is_one_clear_error_and_costs_nothing_stored(store):
    store.add_game(record(0))
    pages = store._connection.execute("PRAGMA page_count").fetchone()[0]
    store._connection.execute(f"PRAGMA max_page_count = {pages}")
    huge = replace(record(1).moves[0], info={"text": "x" * 100_000})
    with pytest.raises(StoreError, match=r"league\.sqlite: database or disk is full"):
        store.add_game(replace(record(1), moves=(huge,)))
    assert store.finished() == {0}


def test_a_database_that_is_removed_is_noticed_at_the_next_game(store, path):
    store.add_game(record(0))
    path.unlink()
    with pytest.raises(StoreError, match="was removed while the run was on"):
        store.add_game(record(1))


def test_a_read_only_database_is_one_clear_error(store):
    store._connection.execute("PRAGMA query_only = ON")
    with pytest.raises(StoreError, match="readonly"):
        store.add_game(record(0))
