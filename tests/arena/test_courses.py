"""Whole leagues by schedules that depend on results: the same when they are resumed."""

from __future__ import annotations

import sqlite3
from dataclasses import replace

import pytest

from agents.base import Limit
from arena.league.config import League, Openings, RoundRobin
from arena.league.models import Knockout, Sprt, Swiss, Until
from arena.records import AgentChoice, GameChoice
from arena.referee.supervisor import resume_league, run_league
from arena.results.summary import summarise

GAMES = (GameChoice("a", "tic_tac_toe"), GameChoice("b", "connect_four", {"rows": 4, "columns": 5}))
WEAK, STRONG = (
    AgentChoice(name, "uct", limit=Limit(simulations=n)) for name, n in (("weak", 2), ("strong", 90))
)
OTHERS = tuple(AgentChoice(f"random {n}", "random") for n in range(3))


@pytest.mark.parametrize(
    ("schedule", "agents"),
    [
        (Swiss(type="swiss", rounds=3), (WEAK, *OTHERS, STRONG)),
        (Knockout(type="knockout", pairs=2), (WEAK, *OTHERS, STRONG)),
        (Sprt(type="sprt", elo0=0, elo1=200), (STRONG, WEAK)),
        (RoundRobin(rounds=40, until=Until(elo_error=110)), (STRONG, *OTHERS[:2])),
    ],
    ids=lambda value: getattr(value, "type", ""),
)
def test_a_league_is_the_same_when_it_is_resumed_with_other_workers(tmp_path, schedule, agents):
    league = League("course", GAMES, agents, 5, Limit(time=60), schedule=schedule, openings=Openings())
    run = run_league(league, tmp_path, workers=1, quiet=True).run
    one = summarise(run / "league.sqlite")
    lose_games(run / "league.sqlite")
    resume_league(run, workers=2, quiet=True)
    two = summarise(run / "league.sqlite")
    assert two.scheduled == two.played >= one.played == one.scheduled
    for first, second in zip(one.games, two.games, strict=True):
        assert (first.surplus, first.unpaired, first.faults) == (0, 0, {})
        assert comparable(first) == comparable(second)
    if isinstance(schedule, Knockout):
        assert one.games[0].winner is not None
    if isinstance(schedule, Sprt):
        assert [game.sprt.accepted for game in one.games] == ["elo1", "elo1"]
    if isinstance(schedule, RoundRobin):
        assert all(game.until.reached for game in one.games)


def lose_games(database):
    """Take a third of the games out of a run, and that it is complete."""
    with sqlite3.connect(database) as connection:
        for table in ("games", "moves", "faults"):
            connection.execute(f"DELETE FROM {table} WHERE number % 3 = 1")
        connection.execute("DELETE FROM run WHERE key = 'games'")


def comparable(game):
    """Leave out what time and games in play change."""
    return replace(game, played=0, distinct=0, unpaired=0, surplus=0, terminations={}, time=(), searches=())
