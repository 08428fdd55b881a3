"""Exports read back by other programs: tables by csv, json and pyarrow, game records by sgfmill."""

import csv
import json
import re
from dataclasses import replace

import numpy as np
import pytest
from click.testing import CliRunner
from run_records import spec, write
from sgfmill import sgf

import arena.results.export
import envs
from arena.cli import cli
from arena.records import Fault, GameChoice, GameRecord, MoveRecord, Termination
from arena.results.export import ExportError, export
from arena.results.sgf import to_sgf
from arena.store import Store
from envs.rules import list_legal

CHOICES = {
    "go": GameChoice("go", "go", {"size": 5, "komi": 6.5}),
    "othello": GameChoice("othello 6x6", "othello", {"size": 6}),
    "gomoku": GameChoice("gomoku", "gomoku", {"rows": 6, "columns": 6}),
    "hex": GameChoice("hex", "hex", {"size": 4, "swap": True}),
    "havannah": GameChoice("havannah", "havannah", {"size": 3}),
    "nim": GameChoice("nim", "nim", {}),
}
SEARCH = {"kind": "deepening", "depths": [{"depth": 1, "value": -0.25}, {"depth": 2, "value": -0.0}]}


def played(number, choice):
    """A game of random moves, the second of them with made-up visits."""
    rng, rules = np.random.default_rng(number), envs.make_rules(choice.name, **choice.params)
    state, moves = rules.initial_state(), []
    while not rules.is_terminal(state):
        legal = list_legal(rules, state)
        action, seat = int(rng.choice(legal)), int(rules.current_player(state))
        trees = np.stack([legal * 0 + 1, legal * 0 + 2])
        told = {"legal_actions": legal, "visits": trees.sum(0), "tree_visits": trees}
        told |= {"value": -0.25, "search": SEARCH}
        moves.append(MoveRecord(len(moves), seat, action, 0.125, **(told if len(moves) == 1 else {})))
        rules.step(state, action)
    returns = np.zeros(2)
    rules.returns(state, returns)
    of = spec(number, "a]b:c\\", 'd "e"', game=choice)
    return GameRecord(of, (moves[0].action,), tuple(moves[1:]), tuple(returns), Termination.NORMAL, None, 1.5)


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    records = [played(number, choice) for number, choice in enumerate(CHOICES.values())]
    of = spec(len(records), "a]b:c\\", 'd "e"', game=CHOICES["go"])
    fault = Fault(1, 1, "12 is taken")
    one = (MoveRecord(0, 0, 12, 0.1),)
    records.append(GameRecord(of, (), one, (1.0, -1.0), Termination.ILLEGAL_ACTION, fault, 1.0))
    database = write(tmp_path_factory.mktemp("run"), [record.spec for record in records], records)
    return database, records


@pytest.mark.parametrize("form", ["csv", "jsonl", "parquet"])
def test_tables_say_what_was_played(run, tmp_path, form, monkeypatch):
    database, records = run
    monkeypatch.setattr(arena.results.export, "_BATCH", 7)  # so that Parquet is written in several goes
    with Store.open(database) as store:
        paths = export(store, form, tmp_path / "new")
    assert [path.name for path in paths] == [f"games.{form}", f"moves.{form}"]
    games, moves = (list(read(path)) for path in paths)
    assert [int(game["plies"]) for game in games] == [len(record.actions) for record in records]
    assert [game["termination"] for game in games] == [str(record.termination) for record in records]
    players = [json.loads(game["players"]) if form == "csv" else game["players"] for game in games]
    assert players == [["a]b:c\\", 'd "e"']] * len(records)
    assert [int(move["action"]) for move in moves] == [a for record in records for a in record.actions]
    searched = [move for move in moves if move["root_visits"]]
    assert len(searched) == len(CHOICES)
    assert {float(move["value"]) for move in searched} == {-0.25}
    told = [move["search"] if form == "jsonl" else json.loads(move["search"]) for move in searched]
    assert told == [SEARCH] * len(CHOICES)
    for move in searched:
        trees = json.loads(move["tree_visits"]) if form == "csv" else move["tree_visits"]
        legal = move["legal_actions"].split() if form == "csv" else move["legal_actions"]
        assert trees == [[1] * len(legal), [2] * len(legal)]
    assert "-0.0" not in str(told)
    assert not any(move["search"] for move in moves if not move["root_visits"])
    assert not list((tmp_path / "new").glob(".*"))


ODD = [
    ({"simulations": [1, 2], "depth": "deep"}, None, None),
    ({"simulations": float("inf"), "depth": float("nan"), "other": [float("nan")]}, None, None),
    ({"simulations": 10**30, "depth": 10**30}, None, 1e30),
    ({"simulations": 12.0, "depth": 3.5}, 12, 3.5),
    ({"simulations": 60, "depth": 3}, 60, 3),
]
"""What an agent says of itself, and the simulations and depth that are exported of it."""


@pytest.mark.parametrize("form", ["csv", "jsonl", "parquet"])
def test_whatever_an_agent_says_of_itself_the_export_is_whole_and_nothing_is_cut(tmp_path, form):
    moves = [MoveRecord(ply, ply % 2, ply, 0.1, info=info) for ply, (info, _, _) in enumerate(ODD)]
    search = {"kind": "of an agent's own", "value": float("inf")}
    moves[0] = replace(moves[0], search=search)
    of = spec(0, "a", "b")
    record = GameRecord(of, (), tuple(moves), (1.0, -1.0), Termination.NORMAL, None, 1.0)
    with Store.open(write(tmp_path, [of], [record])) as store:
        (_, path) = export(store, form, tmp_path / "new")
    rows = list(read(path))
    assert [number(row["simulations"]) for row in rows] == [simulations for _, simulations, _ in ODD]
    assert [number(row["depth"]) for row in rows] == [depth for _, _, depth in ODD]
    told = rows[0]["search"] if form == "jsonl" else json.loads(rows[0]["search"], parse_constant=pytest.fail)
    assert told == {**search, "value": None}


def number(cell):
    return None if cell in ("", None) else float(cell)


@pytest.mark.parametrize("form", ["csv", "parquet"])
def test_tables_of_a_run_without_games_have_their_columns(run, tmp_path, form):
    empty = write(tmp_path, [spec(0, "a", "b")], [])
    columns = []
    for database in (run[0], empty):
        with Store.open(database) as store:
            columns.append([heads(path) for path in export(store, form, database.parent / "export")])
    assert columns[0] == columns[1]


def heads(path):
    if path.suffix == ".csv":
        return path.read_text().splitlines()[0].split(",")
    return pytest.importorskip("pyarrow.parquet").read_schema(path).names


def read(path):
    if path.suffix == ".csv":
        with path.open(newline="") as file:
            yield from csv.DictReader(file)
    elif path.suffix == ".jsonl":
        for line in path.read_text().splitlines():
            yield json.loads(line, parse_constant=pytest.fail)
    else:
        yield from pytest.importorskip("pyarrow.parquet").read_table(path).to_pylist()


@pytest.fixture(scope="module")
def records_of(run, tmp_path_factory):
    with Store.open(run[0]) as store:
        paths = export(store, "sgf", tmp_path_factory.mktemp("sgf"))
    assert {path.name for path in paths} == {
        "go.sgf",
        "othello-6x6.sgf",
        "gomoku.sgf",
        "hex.sgf",
        "havannah.sgf",
    }
    return {path.stem.split("-")[0]: path.read_bytes() for path in paths}


@pytest.mark.parametrize("game", ["go", "othello", "gomoku", "hex", "havannah"])
def test_game_records_read_back_as_the_same_moves(run, records_of, game):
    """By sgfmill, which knows Go's points and leaves those of other games as they are written."""
    record = next(record for record in run[1] if record.spec.game.name == game)
    rules = envs.make_rules(game, **record.spec.game.params)
    tree = sgf.Sgf_game.from_bytes(split(records_of[game])[0])
    root = tree.get_root()
    assert (root.get("PB"), root.get("PW")) == ("a]b:c\\", 'd "e"')
    assert (root.get_raw("RE") or b"0")[:1] == {1.0: b"B", 0.0: b"0", -1.0: b"W"}[record.returns[0]]
    state, nodes = rules.initial_state(), list(tree.get_main_sequence())[1:]
    for node, action in zip(nodes, record.actions, strict=True):
        colour = "BW"[int(rules.current_player(state))]
        assert action_of(game, rules, state, node.get_raw(colour).decode()) == action
        rules.step(state, action)
    assert "25%" not in nodes[0].get("C")
    assert re.search(r"^-0\.25, 0\.125 s, \d+% of the visits$", nodes[1].get("C"))


def split(text):
    """Return the game trees of a file; sgfmill reads one."""
    return [b"(;FF[4]" + part for part in text.split(b"(;FF[4]")[1:]]


def action_of(game, rules, state, text):
    """Read a move as the formats' own pages have it."""
    if game in ("hex", "havannah"):
        return rules.string_to_action(state, "swap" if text == "swap-pieces" else text)
    columns = rules.columns if game == "gomoku" else rules.size
    if text == "":
        return columns * columns
    return (ord(text[1]) - ord("a")) * columns + ord(text[0]) - ord("a")


def test_boards_that_are_not_square_say_columns_and_rows():
    choice = GameChoice("gomoku", "gomoku", {"rows": 5, "columns": 7})
    text = to_sgf(envs.make_rules("gomoku", **choice.params), played(1, choice), "cup")
    assert "SZ[7:5]" in text


def test_an_illegal_move_is_a_forfeit_and_no_move(records_of):
    tree = sgf.Sgf_game.from_bytes(split(records_of["go"])[1])
    assert tree.get_root().get("RE") == "B+F"
    assert len(list(tree.get_main_sequence())) == 2


def test_pgn_names_players_moves_and_results(run, tmp_path):
    with Store.open(run[0]) as store:
        paths = export(store, "pgn", tmp_path)
    text = next(path for path in paths if path.stem == "nim").read_text()
    record = next(record for record in run[1] if record.spec.game.name == "nim")
    assert '[White "a]b:c\\\\"]\n[Black "d \\"e\\""]' in text
    assert len(re.findall(r"^\d+\.", text, re.MULTILINE)) == len(record.actions)
    assert text.rstrip().endswith("1-0" if record.returns[0] > 0 else "0-1")


def test_games_whose_labels_are_nearly_alike_get_files_of_their_own(tmp_path):
    choices = [GameChoice(label, "hex", {"size": 3}) for label in ("hex 3", "hex-3", "HEX 3", "hex-3-2")]
    records = [played(number, choice) for number, choice in enumerate(choices)]
    with Store.open(write(tmp_path, [record.spec for record in records], records)) as store:
        paths = export(store, "pgn", tmp_path / "new")
    rounds = [re.findall(r'\[Round "(\d+)"\]', path.read_text()) for path in paths]
    assert rounds == [["0"], ["1"], ["2"], ["3"]]
    assert len({path.name.lower() for path in paths}) == len(choices)


def test_the_command_names_the_files_and_says_what_it_cannot_do(run, tmp_path, monkeypatch):
    words = ["export", str(run[0].parent), "--out", str(tmp_path / "here"), "--format"]
    assert CliRunner().invoke(cli, [*words, "jsonl"]).output.split() == [
        str(tmp_path / "here" / "games.jsonl"),
        str(tmp_path / "here" / "moves.jsonl"),
    ]
    monkeypatch.setattr(arena.results.export, "has_sgf", lambda game: False)
    done = CliRunner().invoke(cli, [*words, "sgf"])
    assert done.exit_code == 2
    assert "no game of this run is written as SGF" in done.output
    with Store.open(run[0]) as store, pytest.raises(ExportError):
        export(store, "sgf", tmp_path)
