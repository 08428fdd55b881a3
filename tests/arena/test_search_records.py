"""Searches recorded in a game: of which moves, that it changes nothing, and what wrong records cost."""

from __future__ import annotations

import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from agents.base import Limit
from arena.columns import move_of, move_row
from arena.league.config import League
from arena.league.schedule import Scheduler
from arena.records import AgentChoice, GameChoice, GameRecord, MatchSpec, Termination, Terms
from arena.referee.match import play_match
from arena.referee.seats import SeatPool

GAME = GameChoice("tic_tac_toe", "tic_tac_toe")
UCT = AgentChoice("uct", "uct", {"trees": 2, "reuse_tree": True})
ALPHABETA = AgentChoice("alphabeta", "alphabeta", {"table_mb": 1})
WRONG = {
    "number": "3 is no mapping with a kind",
    "no_kind": "is no mapping with a kind",
    "not_finite": "Out of range float",
    "array": "ndarray is not JSON serializable",
    "vast": "a record of 2,000,028 bytes: there may be 1,048,576",
    "deep": "a record of more than 100 levels",
    "endless": "Circular reference",
    "error": "RuntimeError: none of your business",
}


@pytest.fixture(scope="module", autouse=True)
def _toys_on_the_path():
    sys.path.append(str(Path(__file__).parents[1]))
    yield
    sys.path.remove(str(Path(__file__).parents[1]))


def game(*players: AgentChoice, recorded: tuple[int, ...] = (0, 1), **given) -> MatchSpec:
    fields = {"limit": Limit(time=60), "margin": 0.05, "opening_plies": 0} | given
    return MatchSpec(
        0, GAME, players, pair=0, round=0, opening_seed=(7, 0), game_seed=(7, 1), recorded=recorded, **fields
    )


def tells(what: str) -> AgentChoice:
    return AgentChoice("tells", "toys:Tells", {"what": what})


def searches(record: GameRecord) -> list:
    return [move.search for move in record.moves]


def test_the_moves_are_counted_behind_the_opening_of_all_agents_together():
    record = play_match(game(UCT, ALPHABETA, recorded=(0, 3), opening_plies=1, limit=Limit(None, 300, 300)))
    assert len(record.opening) == 1
    kinds = [search and search["kind"] for search in searches(record)]
    assert kinds[:4] == ["deepening", None, None, "tree"]  # alphabeta has the first move behind the opening
    assert set(kinds[4:]) <= {None}


def test_a_record_is_that_of_its_move_and_is_kept():
    record = play_match(game(UCT, ALPHABETA, recorded=(0, 1), limit=Limit(None, 300, 300)))
    first, second = record.moves[:2]
    assert first.search["trees"] == 2
    assert first.search["root"]["visits"] == first.visits.sum() == 300
    assert second.search["depths"] == second.info["depths"]
    assert [move_of(move_row(0, move)).search for move in record.moves] == searches(record)


def test_it_changes_no_move():
    games = [
        play_match(game(UCT, ALPHABETA, recorded=recorded, limit=Limit(None, 300, 300)))
        for recorded in ((), tuple(range(9)))
    ]
    assert set(searches(games[0])) == {None}
    assert None not in searches(games[1])
    assert games[0].actions == games[1].actions
    for left_alone, asked in zip(games[0].moves, games[1].moves, strict=True):
        assert left_alone.value == asked.value
        assert np.array_equal(left_alone.visits, asked.visits)


def test_who_has_nothing_to_tell_is_recorded_without():
    record = play_match(game(AgentChoice("random", "random"), tells("nothing")))
    assert set(searches(record)) == {None}


@pytest.mark.parametrize("what", WRONG)
def test_a_wrong_record_says_so_and_costs_nothing(what):
    record = play_match(game(tells(what), AgentChoice("random", "random"), recorded=(0,)))
    assert record.termination is Termination.NORMAL
    assert record.moves[0].search["kind"] == "failed"
    assert WRONG[what] in record.moves[0].search["reason"]


@pytest.mark.parametrize(
    ("what", "termination", "reason"),
    [
        ("sleep", Termination.TIMEOUT, "no record of the search within 5 s"),
        ("death", Termination.CRASH, "exited with code 1"),
        ("exit", Termination.CRASH, "SystemExit: 3"),
    ],
)
def test_who_hangs_or_dies_meanwhile_loses_that_game_and_no_other(what, termination, reason):
    first, terms = AgentChoice("first", "toys:First"), Terms(startup=5.0)
    with SeatPool() as seats:
        record = play_match(game(first, tells(what), terms=terms), seats)
        after = play_match(game(first, tells(what), recorded=(), terms=terms), seats)
    assert (record.termination, record.fault.seat, record.fault.ply) == (termination, 1, 1)
    assert reason in record.fault.reason
    assert record.fault.overshoot == 0
    assert after.termination is Termination.NORMAL


def test_it_is_off_the_clock():
    record = play_match(game(tells("patience"), tells("nothing"), recorded=(0,), limit=Limit(time=2)))
    assert record.termination is Termination.NORMAL
    assert record.moves[0].search == {"kind": "mine"}
    assert record.moves[0].overshoot == 0


@pytest.mark.skipif(sys.platform != "linux", reason="asks Linux for the time of another process")
def test_what_it_computes_meanwhile_counts_as_out_of_turn():
    recorded, idle = (0,), []
    for asked in ((), recorded):
        record = play_match(game(tells("work"), AgentChoice("random", "random"), recorded=asked))
        idle.append(record.moves[2].idle)
    assert idle[0] < 0.1 < idle[1]


def test_a_league_says_which_moves():
    league = League("x", (GAME,), (UCT, ALPHABETA))
    assert Scheduler(league, {GAME.label: 2}).next().recorded == (0, 5)
    assert Scheduler(replace(league, recorded=()), {GAME.label: 2}).next().recorded == ()
