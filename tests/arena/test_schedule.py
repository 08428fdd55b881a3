"""The schedule: who meets whom, in which seats, from which seeds, and what results change."""

from __future__ import annotations

import random
import tracemalloc
from collections import Counter
from dataclasses import replace
from itertools import islice

import pytest

from agents import Agent
from arena.league.config import League, Openings, RoundRobin
from arena.league.models import Gauntlet, Knockout, Sprt, Swiss, Until
from arena.league.schedule import Scheduler
from arena.league.stopping import Stopping, stoppings
from arena.records import AgentChoice, GameChoice

GAMES = (GameChoice("a", "tic_tac_toe"), GameChoice("b", "connect_four"))
AGENTS = (
    AgentChoice("x", "random"),
    AgentChoice("y", "random"),
    AgentChoice("z", "uct", {"trees": 2}, games=("a",)),
)
LEAGUE = League(
    "test", GAMES, AGENTS, seed=3, schedule=RoundRobin(rounds=4), openings=Openings(random_plies=2)
)


def every(league, players=2):
    """All games of a league, where the results do not matter."""
    return list(course(league, lambda spec: (0.0,) * players, players=players))


def course(league, returns, workers=1, players=2, seed=None):
    """Play a league: at most `workers` games at a time, which finish in random order if `seed` is given."""
    scheduler = Scheduler(league, dict.fromkeys((game.label for game in league.games), players))
    rng, in_play = random.Random(seed), []
    while True:
        while len(in_play) < workers and (spec := scheduler.next()) is not None:
            yield spec
            in_play.append(spec)
        if not in_play:
            assert scheduler.over
            return
        spec = in_play.pop(0 if seed is None else rng.randrange(len(in_play)))
        scheduler.add(spec, returns(spec))


def labels(spec):
    return tuple(player.label for player in spec.players)


class Forest(Agent):
    def __init__(self, rules, trees: int | str = 3): ...
    def act(self, view, limit): ...


@pytest.fixture(scope="module")
def specs():
    return every(LEAGUE)


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
    league = League("forest", GAMES[:1], agents, schedule=RoundRobin(rounds=1))
    assert {spec.cores for spec in every(league)} == {cores}


def test_three_players_sit_in_every_order_once():
    league = League("three", GAMES[:1], AGENTS, schedule=RoundRobin(rounds=2))
    specs = every(league, players=3)
    assert [spec.number for spec in specs] == list(range(12))
    for meeting in (specs[:6], specs[6:]):
        assert len({labels(spec) for spec in meeting}) == 6
        assert len({spec.pair for spec in meeting}) == len({spec.opening_seed for spec in meeting}) == 1


def test_numbers_count_from_zero(specs):
    assert [spec.number for spec in specs] == list(range(len(specs)))


def many(count, games=GAMES[:1], **changes):
    agents = tuple(AgentChoice(f"agent {number}", "random") for number in range(count))
    return League("many", games, agents, seed=5, **changes)


def stronger_wins(spec):
    """The agent with the lower number wins, in whatever seat."""
    first, second = (int(label.split()[1]) for label in labels(spec))
    return (1.0, -1.0) if first < second else (-1.0, 1.0)


def met(specs):
    return Counter(frozenset(labels(spec)) for spec in specs)


def test_in_a_gauntlet_only_challengers_meet_the_others():
    league = many(5, schedule=Gauntlet(type="gauntlet", challengers=["agent 0", "agent 3"], rounds=3))
    meetings = met(every(league))
    assert set(meetings.values()) == {3 * 2}
    assert {tuple(sorted(pair)) for pair in meetings} == {
        (one, other)
        for one in ("agent 0", "agent 1", "agent 2", "agent 3", "agent 4")
        for other in ("agent 0", "agent 1", "agent 2", "agent 3", "agent 4")
        if one < other and (one in ("agent 0", "agent 3")) != (other in ("agent 0", "agent 3"))
    }


@pytest.mark.parametrize("count", [2, 7, 8, 16])
def test_a_swiss_league_pairs_everyone_with_new_opponents_of_like_strength(count):
    rounds = min(5, count - 1)
    league = many(count, schedule=Swiss(type="swiss", rounds=rounds, pairs=2))
    specs = list(course(league, stronger_wins))
    assert len(specs) == Scheduler(league, {"a": 2}).total == rounds * (count // 2) * 2 * 2
    assert set(met(specs).values()) == {2 * 2}
    for number in range(rounds):
        playing = Counter(label for spec in specs if spec.round == number for label in labels(spec))
        assert set(playing.values()) == {4}
        assert len(playing) == count // 2 * 2
    wins = Counter()
    for spec in specs if count == 16 else ():  # nobody needs to pause or meet someone far away
        one, other = labels(spec)
        if spec.number % 4 == 0:
            assert abs(wins[one, spec.round] - wins[other, spec.round]) <= 1
            won = min(one, other, key=lambda label: int(label.split()[1]))
            for label in (one, other):
                wins[label, spec.round + 1] = wins[label, spec.round] + (label == won)


@pytest.mark.parametrize("count", [6, 10, 14])
def test_in_half_as_many_rounds_as_agents_nobody_meets_twice_whatever_the_results(count):
    # Then who has not met can always be paired (G. Dirac's theorem).
    for seed in range(5):
        league = many(count, schedule=Swiss(type="swiss", rounds=count // 2))
        specs = list(course(replace(league, seed=seed), chance))
        assert set(met(specs).values()) == {2}


def test_a_pause_counts_as_a_drawn_meeting():
    specs = course(many(7, schedule=Swiss(type="swiss", rounds=2)), stronger_wins)
    # The last pauses; of the others 0, 2 and 4 win. Then it stands between them and those who lost.
    second = met(spec for spec in specs if spec.round == 1)
    assert {tuple(sorted(pair)) for pair in second} == {
        ("agent 0", "agent 2"),
        ("agent 4", "agent 6"),
        ("agent 1", "agent 3"),
    }


def test_in_a_swiss_league_all_pause_as_often_and_meet_again_only_when_they_must():
    specs = list(course(many(3, schedule=Swiss(type="swiss", rounds=6)), stronger_wins))
    assert set(met(specs).values()) == {2 * 2}


@pytest.mark.parametrize(("count", "meetings"), [(2, 1), (5, 4), (8, 7), (13, 12)])
def test_a_knockout_is_won_by_the_strongest_and_all_others_lose_one_meeting(count, meetings):
    specs = list(course(many(count, schedule=Knockout(type="knockout", pairs=2)), stronger_wins))
    assert len(specs) == meetings * 2 * 2
    lost = Counter(max(labels(spec), key=lambda label: int(label.split()[1])) for spec in specs)
    assert lost == {f"agent {number}": 4 for number in range(1, count)}
    if count == 8:  # the first in the file meets the last
        assert {tuple(sorted(pair)) for pair in met(spec for spec in specs if spec.round == 0)} == {
            (f"agent {number}", f"agent {7 - number}") for number in range(4)
        }
    final = [spec for spec in specs if spec.round == specs[-1].round]
    assert set(met(final)) == {frozenset(("agent 0", "agent 1"))}


def test_a_tied_meeting_is_played_on_and_then_goes_to_the_earlier_in_the_file():
    specs = list(course(many(2, schedule=Knockout(type="knockout")), lambda spec: (0.0, 0.0)))
    assert len(specs) == 4
    assert len({spec.opening_seed for spec in specs}) == 2
    specs = list(course(many(4, schedule=Knockout(type="knockout")), lambda spec: (1.0, -1.0)))
    assert set(met(specs[-4:])) == {frozenset(("agent 0", "agent 1"))}


@pytest.mark.parametrize(
    "schedule",
    [
        RoundRobin(rounds=3),
        RoundRobin(rounds=60, until=Until(elo_error=100)),
        Swiss(type="swiss", rounds=3),
        Knockout(type="knockout", pairs=2),
    ],
    ids=lambda schedule: schedule.type,
)
def test_what_is_played_depends_on_no_number_of_workers_and_no_order_of_finish(schedule):
    league = many(5, games=GAMES, schedule=schedule)

    def counted(**way):
        stops, found = stoppings(league), []
        for spec in sorted(course(league, chance, **way), key=lambda spec: spec.number):
            stop = stops.get(spec.game.label)
            if stop is not None:
                stop.add(spec, chance(spec))
            if stop is None or stop.counts(spec):
                found.append(spec)
        return found

    one = list(course(league, chance))
    assert one == counted() == counted(workers=4, seed=1)


def chance(spec):
    return random.Random(repr(spec.game_seed)).choice([(1.0, -1.0), (0.0, 0.0), (-1.0, 1.0)])


@pytest.mark.parametrize("schedule", [Swiss(type="swiss", rounds=4), Knockout(type="knockout"), RoundRobin()])
def test_a_schedule_is_taken_up_again_from_its_results(schedule):
    league = many(6, schedule=schedule)
    whole = list(course(league, chance))
    stored = {spec.number for spec in whole if spec.number % 3}
    scheduler = Scheduler(league, {"a": 2})
    missing = []
    while (spec := scheduler.next()) is not None or missing:
        if spec is None:
            spec = missing.pop()
            scheduler.add(spec, chance(spec))
        elif spec.number in stored:
            scheduler.add(spec, chance(spec))
        else:
            missing.append(spec)
        assert spec in whole
    assert scheduler.over


def test_an_sprt_stops_once_one_is_clearly_better_and_never_before():
    schedule = Sprt(type="sprt", elo0=0, elo1=50)
    lost = len(list(course(many(2, schedule=schedule), lambda spec: stronger_wins(spec)[::-1])))
    won = len(list(course(many(2, schedule=schedule), stronger_wins)))
    assert 4 < won < 200
    assert 4 < lost < 200
    level = many(2, schedule=schedule.model_copy(update={"rounds": 30}))
    assert len(list(course(level, lambda spec: (1.0, -1.0)))) <= 60


class Enough:
    """A rule that three rounds satisfy, neither fewer nor more."""

    def __init__(self):
        self.seen = []

    def add(self, meeting):
        self.seen.append(meeting[0].labels)

    def is_enough(self):
        return len(self.seen) == 3


def test_what_was_enough_stays_enough_whatever_was_in_before_its_turn():
    specs = every(many(2, schedule=RoundRobin(rounds=6)))
    stop = Stopping(Enough(), 1)
    for spec in reversed(specs):
        assert not stop.over
        stop.add(spec, (1.0, -1.0))
    assert (stop.over, stop.rounds) == (True, 3)
    assert [stop.counts(spec) for spec in specs] == [True] * 6 + [False] * 6


def test_a_game_that_was_played_enough_stops_alone():
    league = many(2, games=GAMES, schedule=RoundRobin(rounds=500, until=Until(elo_error=60)))

    def returns(spec):  # one game is always drawn, the other as it comes
        return (0.0, 0.0) if spec.game.label == "a" else chance(spec)

    played = Counter(spec.game.label for spec in course(league, returns))
    assert 4 < played["a"] < played["b"] < 1000


def test_written_openings_come_in_turn_and_are_equal_for_all_of_a_round():
    own = {"b": Openings(lines=["4 4"])}
    openings = Openings(lines=["a1 b2", "c3", "b1"])
    league = many(3, games=GAMES, schedule=RoundRobin(rounds=5), openings=openings, own_openings=own)
    seen = {(spec.game.label, spec.round): spec.opening for spec in every(league)}
    assert [seen["a", number] for number in range(5)] == ["a1 b2", "c3", "b1", "a1 b2", "c3"]
    assert {seen["b", number] for number in range(5)} == {"4 4"}


@pytest.mark.parametrize(
    "schedule",
    [RoundRobin(rounds=100_000), Sprt(type="sprt", rounds=500_000, elo0=-1, elo1=1)],
    ids=lambda schedule: schedule.type,
)
def test_a_long_league_needs_no_more_memory_than_a_short_one(schedule):
    league = many(2, schedule=schedule)

    def peak(games):
        tracemalloc.start()
        specs = course(league, chance, workers=4)
        for _ in islice(specs, games):
            pass
        size = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        return size

    peak(10)
    assert peak(5000) < peak(200) + 10_000
