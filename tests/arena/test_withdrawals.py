"""Agents that fail in game after game: withdrawn after as many as the file says, no sooner and for good."""

from __future__ import annotations

from pathlib import Path

import pytest

from agents.base import Limit
from arena.league.config import League, RoundRobin
from arena.league.withdrawals import Withdrawals
from arena.records import AgentChoice, GameChoice, MatchSpec, Result, Termination
from arena.referee.supervisor import resume_league, run_league
from arena.store import Store

GAMES = GameChoice("one", "tic_tac_toe"), GameChoice("other", "tic_tac_toe")
A, B, C = (AgentChoice(label, "random") for label in "abc")


def spec(*players: AgentChoice, game: GameChoice = GAMES[0]) -> MatchSpec:
    return MatchSpec(0, game, players, Limit(time=1), 0.05, 0, 0, 0, (0,), (0,))


def withdrawals(**settings) -> Withdrawals:
    return Withdrawals(League("x", GAMES, (A, B, C), max_faults=3, **settings))


def note(counted: Withdrawals, asked: MatchSpec, *faults: int | None) -> list[str]:
    """Tell of games in which a seat, or none, is at fault; return what is said of it."""
    return [text for fault in faults for text in counted.note(asked, Result((0.0, 0.0), fault))]


def test_only_faults_in_a_row_and_in_one_game_count():
    counted = withdrawals()
    assert note(counted, spec(A, B), 0, 0, None, 0, 0, 1, 0, 0) == []
    assert note(counted, spec(A, B, game=GAMES[1]), 0) == []
    assert counted.forfeit(spec(A, C)) is None
    assert note(counted, spec(C, A), 1) == ["a is withdrawn from one: at fault in 3 games in a row"]
    assert counted.forfeit(spec(A, C, game=GAMES[1])) is None
    assert counted.forfeit(spec(B, C)) is None
    assert note(counted, spec(A, B), 0, None) == []  # games that were in play yet
    record = counted.forfeit(spec(C, A))
    assert (record.termination, record.returns) == (Termination.WITHDRAWN, (1.0, -1.0))
    assert (record.fault.seat, record.fault.reason) == (1, "withdrawn: at fault in 3 games in a row")
    assert record.termination.is_fault


@pytest.mark.parametrize(("scored", "both"), [("unplayed", False), ("loss", True)])
def test_games_that_are_worth_nothing_are_void(scored, both):
    counted = withdrawals(withdrawn=scored)
    note(counted, spec(A, B), 0, 0, 0, *([1, 1, 1] if both else []))
    record = counted.forfeit(spec(A, B))
    assert (record.termination, record.returns) == (Termination.VOID, (0.0, 0.0))


@pytest.mark.parametrize("scored", ["loss", "unplayed"])
def test_a_league_goes_on_without_an_agent_that_always_fails(scored, tmp_path):
    league = League(
        "test",
        GAMES[:1],
        (A, B, AgentChoice("bad", "toys:Raises")),
        limit=Limit(time=60),
        schedule=RoundRobin(rounds=3),
        max_faults=3,
        withdrawn=scored,
        workers=1,
        folders=(str(Path(__file__).parents[1]),),
    )
    outcome = run_league(league, tmp_path, quiet=True)
    again = resume_league(outcome.run, quiet=True)
    assert again == outcome
    with Store.open(outcome.run / "league.sqlite") as store:
        records = list(store.games())
        assert int(store.about()["games"]) == len(records)
    ended = [game.termination for game in records if "bad" in {player.label for player in game.spec.players}]
    further = [Termination.WITHDRAWN] * (9 if scored == "loss" else 0)
    assert ended == [Termination.CRASH] * 3 + further
    assert len(records) - len(ended) == 6
