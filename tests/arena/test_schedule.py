"""The schedule: who meets whom, in which seats, from which seeds."""

from __future__ import annotations

from collections import Counter

import pytest

from agents import Agent
from arena.config import League, Openings, Schedule
from arena.records import AgentChoice, GameChoice
from arena.schedule import round_robin

GAMES = (GameChoice("a", "tic_tac_toe"), GameChoice("b", "connect_four"))
AGENTS = (
    AgentChoice("x", "random"),
    AgentChoice("y", "random"),
    AgentChoice("z", "uct", {"trees": 2}, games=("a",)),
)
LEAGUE = League("test", GAMES, AGENTS, seed=3, schedule=Schedule(rounds=4), openings=Openings(random_plies=2))


class Forest(Agent):
    def __init__(self, rules, trees: int | str = 3): ...
    def act(self, view, limit): ...


@pytest.fixture(scope="module")
def specs():
    return list(round_robin(LEAGUE, {"a": 2, "b": 2}))


def test_every_pair_meets_twice_a_round_with_seats_swapped(specs):
    meetings = Counter(
        (spec.round, spec.game.label, *(player.label for player in spec.players)) for spec in specs
    )
    assert set(meetings.values()) == {1}
    assert len(specs) == 4 * (3 * 2 + 1 * 2)
    for spec in specs:
        assert meetings[spec.round, spec.game.label, spec.players[1].label, spec.players[0].label] == 1


def test_the_games_of_a_pair_share_their_opening_and_nothing_else_does(specs):
    by_pair: dict[int, list] = {}
    for spec in specs:
        by_pair.setdefault(spec.pair, []).append(spec)
    for first, second in by_pair.values():
        assert first.opening_seed == second.opening_seed
        assert first.players == second.players[::-1]
    assert len({spec.game_seed for spec in specs}) == len(specs)
    openings = {spec.opening_seed for spec in specs}
    assert len(openings) == 4 * 2
    assert not openings & {spec.game_seed for spec in specs}


def test_an_agent_only_plays_its_games(specs):
    assert not [spec for spec in specs if spec.game.label == "b" and "z" in [p.label for p in spec.players]]


def test_a_game_takes_the_cores_of_its_hungriest_agent(specs):
    assert {spec.cores for spec in specs if AGENTS[2] in spec.players} == {2}
    assert {spec.cores for spec in specs if AGENTS[2] not in spec.players} == {1}


@pytest.mark.parametrize(("params", "cores"), [({}, 3), ({"trees": 2}, 2), ({"trees": "auto"}, 1)])
def test_an_agents_own_default_says_how_many_cores_it_takes(params, cores):
    agents = (AGENTS[0], AgentChoice("forest", "test_schedule:Forest", params))
    league = League("forest", GAMES[:1], agents, schedule=Schedule(rounds=1))
    assert {spec.cores for spec in round_robin(league, {"a": 2})} == {cores}


def test_three_players_sit_in_every_order():
    league = League("three", GAMES[:1], AGENTS, schedule=Schedule(rounds=1))
    orders = {tuple(player.label for player in spec.players) for spec in round_robin(league, {"a": 3})}
    assert len(orders) == 6


def test_numbers_count_from_zero(specs):
    assert [spec.number for spec in specs] == list(range(len(specs)))
