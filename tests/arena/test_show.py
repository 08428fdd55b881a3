"""`arena show` and `arena list runs`: from the last run to one move, for people and for programs."""

import csv
import io
import json
import sqlite3
from contextlib import closing

import pytest
from click.testing import CliRunner
from run_records import record, small_run, spec, write

from arena.cli import cli
from arena.records import MoveRecord
from arena.results.show import STANDING_COLUMNS, as_table, page, standing_row
from arena.results.summary import summarise
from arena.store import Store


@pytest.fixture
def runs(tmp_path):
    for name in ("early-1", "late-1"):
        (tmp_path / name).mkdir()
        small_run(tmp_path / name, a="[bold]a", faults=2)
    return tmp_path


def invoke(runs, *words):
    words = [*map(str, words), "--runs-dir", str(runs)]
    return CliRunner().invoke(cli, words, env={"COLUMNS": "120"})


def test_the_last_run_is_shown_where_none_is_named(runs):
    assert "Kept in " + str(runs / "late-1") in invoke(runs, "show").output.replace("\n", "")
    for name in ("early-1", runs / "early-1", runs / "early-1" / "league.sqlite"):
        assert "early-1" in invoke(runs, "show", name).output


def test_games_are_listed_filtered_and_named_as_they_are(runs):
    everything = list(csv.DictReader(io.StringIO(invoke(runs, "show", "--games", "--csv").output)))
    with Store.open(runs / "late-1" / "league.sqlite") as store:
        games = list(store.games())
    assert [int(row["number"]) for row in everything] == [game.spec.number for game in games]
    assert [int(row["plies"]) for row in everything] == [len(game.actions) for game in games]
    lost = json.loads(invoke(runs, "show", "--agent", "[bold]a", "--result", "loss", "--json").output)
    assert {row["termination"] for row in lost} == {"timeout"}
    assert "[bold]a v b" in invoke(runs, "show", "--games").output


def test_a_draw_has_no_negative_zero_anywhere(runs, tmp_path):
    """Of what was recorded by an earlier version, too."""
    with closing(sqlite3.connect(runs / "late-1" / "league.sqlite")) as database:
        assert ("[0.0, -0.0]",) in set(database.execute("SELECT returns FROM games"))
    for words in ([], ["--json"], ["--csv"]):
        told = invoke(runs, "show", "--games", "--result", "draw", *words).output
        assert "[bold]a" in told
        assert "-0" not in told
    invoke(runs, "export", "--format", "jsonl", "--out", tmp_path / "out")
    assert "-0.0" not in (tmp_path / "out" / "games.jsonl").read_text()


def test_one_game_is_replayed_or_told_move_by_move(runs):
    assert "ply 1: b: a1" in invoke(runs, "show", "--game", 0).output
    moves = json.loads(invoke(runs, "show", "--game", 0, "--json").output)
    assert [(move["agent"], move["move"]) for move in moves] == [("[bold]a", "b2"), ("b", "a1")]
    assert len(json.loads(invoke(runs, "show", "--moves", "--json").output)) > len(moves)


def test_numbers_that_json_has_not_are_shown_as_none(tmp_path):
    info = {"depth": float("nan"), "simulations": float("inf")}
    of = spec(0, "a", "b")
    write(tmp_path, [of], [record(of, 1.0, MoveRecord(0, 0, 4, 0.1, info=info))])
    (move,) = json.loads(invoke(tmp_path, "show", tmp_path, "--game", 0, "--json").output)
    assert (move["depth"], move["simulations"]) == (None, None)
    assert "ply 0: a: b2" in invoke(tmp_path, "show", tmp_path, "--game", 0).output


def test_labels_with_blanks_in_them_stay_apart_in_csv(tmp_path):
    of = spec(0, "größer, a b", 'c "d')
    write(tmp_path, [of], [record(of, 1.0, MoveRecord(0, 0, 4, 0.1))])
    (row,) = csv.DictReader(io.StringIO(invoke(tmp_path, "show", tmp_path, "--games", "--csv").output))
    assert "größer" in row["players"]
    assert json.loads(row["players"]) == ["größer, a b", 'c "d']
    assert [float(utility) for utility in row["returns"].split()] == [1.0, -1.0]


def test_standings_come_as_csv(runs):
    rows = list(csv.DictReader(io.StringIO(invoke(runs, "show", "--csv").output)))
    assert {row["agent"] for row in rows} == {"[bold]a", "b"}
    line = summarise(runs / "late-1" / "league.sqlite").games[0].standings[0]
    assert tuple(standing_row("", line)) == STANDING_COLUMNS == tuple(rows[0])
    first = next(row for row in rows if row["agent"] == line.agent)
    told = [float(first[name]) for name in ("mean_return", "mean_return_error", "elo", "elo_error")]
    assert told == [line.mean_return.value, line.mean_return.error, line.elo.value, line.elo.error]


@pytest.mark.parametrize(
    ("words", "text"),
    [
        (["lat-1"], "did you mean late-1?"),
        (["--game", 77], "no game 77"),
        (["--game", 77, "--json"], "no game 77"),
        (["--result", "won"], "'won' is not one of"),
        (["--agent", "[bold]"], "--agent [bold]: unknown (did you mean [bold]a?): agents are [bold]a, b"),
        (["--against", "c", "--csv"], "--against c: unknown: agents are [bold]a, b"),
        (["--game-name", "tictactoe"], "unknown (did you mean tic_tac_toe?): games are tic_tac_toe"),
        (
            ["--termination", "crashed", "--json"],
            "did you mean crash?): games end by normal, illegal_action,",
        ),
        (["--agent", "c\x1b[2J"], "--agent c\N{REPLACEMENT CHARACTER}[2J: unknown"),
        (["--json", "--csv"], "--json and --csv"),
    ],
)
def test_what_is_not_there_is_refused(runs, words, text):
    done = invoke(runs, "show", *words)
    assert done.exit_code == 2
    assert text in done.output


@pytest.mark.parametrize(
    "words",
    [
        ["--agent", "b", "--result", "draw", "--termination", "timeout"],
        ["--termination", "crash", "--moves"],
        ["--game", 0, "--termination", "crash"],
        ["--game", 0, "--moves", "--against", "b", "--agent", "b"],
    ],
)
def test_where_no_game_matches_that_is_said(runs, words):
    done = invoke(runs, "show", *words)
    assert done.exit_code == 0
    assert done.output.strip() == ("no such move" if "--moves" in words else "no such game")
    assert json.loads(invoke(runs, "show", *words, "--json").output) == []
    heading = invoke(runs, "show", *words, "--csv").output.splitlines()
    whole = [word for word in words if word in ("--moves", "--game", 0)] or ["--games"]
    assert heading == invoke(runs, "show", *whole, "--csv").output.splitlines()[:1]


def test_a_run_without_games_has_tables_with_a_heading_alone(runs, tmp_path):
    (tmp_path / "none").mkdir()
    write(tmp_path / "none", [spec(0, "a", "b")], [])
    for words in ([], ["--games"], ["--moves"]):
        heading = invoke(runs, "show", "late-1", *words, "--csv").output.splitlines()[0]
        assert invoke(runs, "show", "none", *words, "--csv").output.splitlines() == [heading]
    assert invoke(runs, "show", "none", "--games").output == "no such game\n"
    assert "no game was finished" in invoke(runs, "show", "none").output


def test_runs_are_listed(runs):
    (runs / "broken-1").mkdir()
    (runs / "broken-1" / "league.sqlite").write_text("no database at all, but long enough to be read as one")
    rows = {row["run"]: row for row in json.loads(invoke(runs, "list", "runs", "--json").output)}
    assert rows["late-1"]["played"] == 4
    assert sorted(rows["late-1"]["agents"]) == ["[bold]a", "b"]
    assert "not the database of a run" in rows["broken-1"]["fault"]
    assert "late-1" in invoke(runs, "list", "runs").output
    assert "arena run" in invoke(runs / "nowhere", "list", "runs").output


def test_long_lists_are_folded_so_that_short_columns_stay_whole(monkeypatch):
    monkeypatch.setenv("COLUMNS", "60")
    row = {"run": "evening-1", "played": 9966, "agents": [f"agent_{i}" for i in range(9)]}
    text = page(as_table([row]))
    assert "evening-1" in text
    assert "9,966" in text
    assert all(label in text for label in row["agents"])
    assert max(map(len, text.splitlines())) <= 60
