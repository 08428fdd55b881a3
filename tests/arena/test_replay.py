"""Replays: positions, names, visits; lists of games and moves; what filters let through."""

import csv
import io
import json

import pytest
from run_records import record, searched, spec, write

import envs
from agents.base import Limit
from arena.records import AgentChoice, GameChoice, GameRecord, MatchSpec, MoveRecord, Termination
from arena.referee.match import play_match
from arena.results.replay import board_text, final_state, steps
from arena.results.show import (
    GAME_COLUMNS,
    MOVE_COLUMNS,
    as_csv,
    as_json,
    game_row,
    game_rows,
    move_rows,
    page,
    replay,
)
from arena.results.wanted import Wanted
from arena.store import Store

RULES = envs.make_rules("tic_tac_toe")
OPENED = GameRecord(
    spec(7, "a", "b"),
    (4,),
    (searched(1, 1, 0, [0, 1, 2], [6, 3, 1], time=0.002, value=0.25), MoveRecord(2, 0, 8, 0.004)),
    (0.0, 0.0),
    Termination.MAX_PLIES,
)
ILLEGAL = play_match(
    MatchSpec(
        8,
        GameChoice("tic_tac_toe", "tic_tac_toe"),
        (AgentChoice("b", "toys:First"), AgentChoice("a", "toys:Cheats")),
        Limit(time=60),
        margin=0.05,
        pair=4,
        round=0,
        opening_plies=0,
        opening_seed=(1,),
        game_seed=(1, 8),
    )
)
"""As a referee writes it down: `a` answers what is taken."""


def test_every_ply_has_its_position_its_name_and_its_visits():
    played = list(steps(RULES, OPENED))
    assert [(step.ply, step.seat, step.agent, step.name) for step in played] == [
        (0, 0, "", "b2"),
        (1, 1, "b", "a1"),
        (2, 0, "a", "c3"),
    ]
    boards = [RULES.to_text(step.state) for step in played]
    assert [board.count("X") + board.count("O") for board in boards] == [0, 1, 2]
    assert played[1].visits(9).tolist() == [6, 3, 1, 0, 0, 0, 0, 0, 0]
    assert played[1].chosen_share == 0.6
    assert played[0].visits(9) is played[2].visits(9) is None


def test_the_end_is_where_the_last_move_led():
    assert RULES.to_text(final_state(RULES, OPENED)).split("\n")[1].split()[1:] == ["O", ".", "."]


def test_an_illegal_action_is_told_and_not_played():
    assert ILLEGAL.termination is Termination.ILLEGAL_ACTION
    assert [(step.agent, step.name) for step in steps(RULES, ILLEGAL)] == [("b", "a1")]
    assert RULES.to_text(final_state(RULES, ILLEGAL)).count("X") == 1
    text = page(replay(ILLEGAL))
    assert text.count("\nply ") == 1
    assert "is no legal action here" in text


def test_a_replay_has_a_board_a_move_and_all_that_is_known_of_it():
    text = page(replay(OPENED))
    assert text.count("ply ") == 3
    assert "ply 1: b: a1  value +0.25, time 2.00 ms, simulations 10, chosen 60%" in text
    assert " 60" in text  # on the board


def test_rows_are_the_same_in_json_and_csv():
    rows = list(move_rows(OPENED))
    from_csv = list(csv.DictReader(io.StringIO(as_csv(rows, MOVE_COLUMNS))))
    from_json = json.loads(as_json(rows))
    assert [row["move"] for row in from_csv] == [row["move"] for row in from_json] == ["b2", "a1", "c3"]
    assert [row["visits"] for row in from_json] == [None, 10, None]
    assert (tuple(rows[0]), tuple(game_row(OPENED))) == (MOVE_COLUMNS, GAME_COLUMNS)
    games = list(csv.DictReader(io.StringIO(as_csv(map(game_row, (OPENED, ILLEGAL)), GAME_COLUMNS))))
    assert [json.loads(game["players"]) for game in games] == [["a", "b"], ["b", "a"]]
    assert "is no legal action" in games[1]["fault"]


@pytest.mark.parametrize(
    ("wanted", "numbers"),
    [
        (Wanted(), [0, 1, 7, 8]),
        (Wanted(number=7), [7]),
        (Wanted(agent="c"), [1]),
        (Wanted(agent="a", against="b"), [0, 7, 8]),
        (Wanted(agent="a", against="a"), []),
        (Wanted(result="win"), [0, 1, 8]),
        (Wanted(agent="a", result="loss"), [1, 8]),
        (Wanted(agent="a", result="draw"), [7]),
        (Wanted(termination="illegal_action"), [8]),
        (Wanted(game="hex"), []),
    ],
    ids=str,
)
def test_filters_let_through_what_is_wanted(wanted, numbers):
    games = [record(spec(0, "a", "b"), 1.0), record(spec(1, "c", "a"), 0.5), OPENED, ILLEGAL]
    assert [game.spec.number for game in games if game in wanted] == numbers


@pytest.fixture(scope="module")
def race():
    players = tuple(AgentChoice(label, "random") for label in "abc")
    choice = GameChoice("race", "toy_games:Race", {"goal": 4})
    return play_match(MatchSpec(0, choice, players, Limit(time=60), 0.05, 0, 0, 1, (3,), (3, 0)))


def test_a_game_with_chance_is_replayed_throw_by_throw(race):
    rules = envs.make_rules("toy_games:Race", goal=4)
    whole = list(steps(rules, race))
    thrown = [step.ply for step in whole if step.state[4] == 0]
    assert [step.ply for step in whole if step.by == "chance"] == thrown
    assert [step.by for step in whole[:3]] == ["chance", "opening", "chance"]
    assert [ply for ply, _ in race.chance] == thrown[2:] != []
    end = final_state(rules, race)
    assert end[5] == len(race.moves) + 1
    assert rules.current_player(end) == -2


def test_a_stored_game_with_chance_is_the_same(race, tmp_path):
    database = write(tmp_path, [race.spec], [race])
    with Store.open(database) as store:
        stored = store.game(0)
        (row,) = game_rows(store, Wanted())
    assert stored.actions == race.actions
    assert row["plies"] == len(race.actions)
    assert "chance: " in page(replay(stored))


def test_a_board_as_text_steers_no_terminal():
    class Loud:
        def to_text(self, state):
            return "a \x1b[2J board\nof two lines \n"

    assert board_text(Loud(), None) == "a \ufffd[2J board\nof two lines"


@pytest.mark.parametrize("record", [OPENED, ILLEGAL], ids=["opened", "illegal"])
def test_a_replay_has_every_board_once(record):
    text = page(replay(record))
    assert text.count("At the end") == 1
    assert text.count("a   b   c") + text.count("a b c") == len(record.actions) + 1
