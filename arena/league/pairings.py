"""Who meets whom, by type of schedule: pure, lazy iterators that know nothing of games in play.

A pairing is a set of agents that play one opening, once in every order of seats. Where an iterator
needs the results of everything it has yielded, it yields `WAIT` and is asked again once they are there;
it finds them in the `points` it was given. What becomes of a pairing is in `arena.league.schedule`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations, count
from math import factorial
from typing import Literal

from arena.league.config import League
from arena.league.models import Gauntlet, Knockout, RoundRobin, Sprt, Swiss
from arena.records import AgentChoice, GameChoice

WAIT: Literal["wait"] = "wait"
"""Yielded where the results of all pairings so far are needed."""

Agents = Sequence[AgentChoice]
Points = Mapping[tuple[str, str], int]
"""Half points by the labels of game and agent, so that they add up exactly."""


_STEPS = 10_000
"""Pairings of a Swiss round that are tried before some may meet once more; some searches would never end."""


@dataclass(frozen=True)
class Pairing:
    """A meeting that is to be played.

    Attributes:
        round: 0-based round.
        game: index of the game in the league.
        players: who meets, in the first of their orders of seats.
        opening: which of the game's openings, counted from 0; equal for all who meet in a round.
    """

    round: int
    game: int
    players: tuple[AgentChoice, ...]
    opening: int


Pairings = Iterator[Pairing | Literal["wait"]]


def pairings(league: League, num_players: Mapping[str, int], points: Points) -> Pairings:
    """Yield what the league's schedule asks for, in order.

    Args:
        league: the league file.
        num_players: players by the label of the game.
        points: kept up to date by the caller, with the results of everything yielded at each `WAIT`.
    """
    schedule = league.schedule
    if isinstance(schedule, Swiss):
        return _swiss(league, schedule, points)
    if isinstance(schedule, Knockout):
        return _knockout(league, schedule, points)
    return _rounds(league, schedule, num_players)


def meetings(league: League, game: GameChoice, players: int) -> Iterator[tuple[AgentChoice, ...]]:
    """Yield who meets in each round of a game, where that does not depend on results."""
    agents = entrants(league, game)
    if not isinstance(league.schedule, Gauntlet):
        yield from combinations(agents, players)
        return
    challengers = [agent for agent in agents if agent.label in league.schedule.challengers]
    others = [agent for agent in agents if agent not in challengers]
    for challenger in challengers:
        for rest in combinations(others, players - 1):
            yield (challenger, *rest)


def games_of(league: League, game: GameChoice, players: int) -> int:
    """Return how many games are played of a game that nothing stops."""
    schedule = league.schedule
    assert not isinstance(schedule, Knockout), "ties of a knockout are played on"
    if isinstance(schedule, Swiss):
        return 2 * schedule.pairs * schedule.rounds * (len(entrants(league, game)) // 2)
    return schedule.rounds * meetings_a_round(league, game, players) * factorial(players)


def meetings_a_round(league: League, game: GameChoice, players: int) -> int:
    """Return how many `meetings` there are."""
    return sum(1 for _ in meetings(league, game, players))


def entrants(league: League, game: GameChoice) -> list[AgentChoice]:
    """Return the agents that take part in `game`."""
    return [agent for agent in league.agents if agent.games is None or game.label in agent.games]


def _rounds(
    league: League, schedule: RoundRobin | Gauntlet | Sprt, num_players: Mapping[str, int]
) -> Pairings:
    for round_index in range(schedule.rounds):
        for index, game in enumerate(league.games):
            for players in meetings(league, game, num_players[game.label]):
                yield Pairing(round_index, index, players, round_index)


def _meeting(
    round_index: int, game: int, players: tuple[AgentChoice, ...], first: int, pairs: int
) -> Iterator[Pairing]:
    for opening in range(first, first + pairs):
        yield Pairing(round_index, game, players, opening)


def _swiss(league: League, schedule: Swiss, points: Points) -> Pairings:
    boards = [_Swiss(game.label, entrants(league, game), schedule.pairs, points) for game in league.games]
    for round_index in range(schedule.rounds):
        for index, board in enumerate(boards):
            for players in board.next_round():
                yield from _meeting(round_index, index, players, schedule.pairs * round_index, schedule.pairs)
        yield WAIT


class _Swiss:
    """The Swiss system in one game: who has met whom, and who had to pause."""

    def __init__(self, game: str, agents: Agents, pairs: int, points: Points) -> None:
        self.game, self.agents, self.pairs, self.points = game, agents, pairs, points
        self.met: Counter[frozenset[str]] = Counter()
        self.paused: Counter[str] = Counter()

    def next_round(self) -> list[tuple[AgentChoice, ...]]:
        """Pair agents with about as many points; of an odd number, the last that paused least does."""
        ranked = sorted(self.agents, key=self._strength, reverse=True)  # stable: ties as in the file
        if len(ranked) % 2:
            resting = min(reversed(ranked), key=lambda agent: self.paused[agent.label])
            self.paused[resting.label] += 1
            ranked.remove(resting)
        tries = (self._pair(ranked, most, iter(range(_STEPS))) for most in count())
        found = next(pairs for pairs in tries if pairs is not None)
        self.met.update(frozenset(agent.label for agent in pair) for pair in found)
        return found

    def _strength(self, agent: AgentChoice) -> int:
        """Return an agent's half points, a pause counted as a drawn meeting."""
        drawn = 2 * self.pairs
        return self.points.get((self.game, agent.label), 0) + drawn * self.paused[agent.label]

    def _pair(
        self, ranked: list[AgentChoice], most: int, steps: Iterator[int]
    ) -> list[tuple[AgentChoice, ...]] | None:
        """Pair each with the nearest below it of those that it met least; None where `most` does not do."""
        if not ranked:
            return []
        first, others = ranked[0], ranked[1:]
        for other in sorted(others, key=lambda agent: self._met(first, agent)):
            if self._met(first, other) <= most and next(steps, None) is not None:
                rest = self._pair([agent for agent in others if agent is not other], most, steps)
                if rest is not None:
                    return [(first, other), *rest]
        return None

    def _met(self, one: AgentChoice, other: AgentChoice) -> int:
        return self.met[frozenset((one.label, other.label))]


def _knockout(league: League, schedule: Knockout, points: Points) -> Pairings:
    agents = [entrants(league, game) for game in league.games]
    brackets = [_bracket(len(entered)) for entered in agents]
    for round_index in range(max(map(len, brackets)).bit_length() - 1):
        matches = [
            (index, _Match(game.label, agents[index], places, points))
            for index, game in enumerate(league.games)
            for places in _neighbours(brackets[index])
        ]
        for half in (2 * round_index, 2 * round_index + 1):  # what is tied after the first is played on
            for index, match in matches:
                if match.is_tied():
                    yield from _meeting(
                        round_index, index, match.players, half * schedule.pairs, schedule.pairs
                    )
            yield WAIT
        brackets = [
            [match.winner() for where, match in matches if where == index] for index in range(len(agents))
        ]


def _bracket(agents: int) -> list[int]:
    """Return the places of agents, best first, such that the best two can only meet at the end.

    The length is the next power of two; who would meet one that is not there goes on at once.
    """
    places = [0]
    while len(places) < agents:
        places = [place for one in places for place in (one, 2 * len(places) - 1 - one)]
    return places


def _neighbours(bracket: list[int]) -> Iterator[tuple[int, int]]:
    return zip(bracket[::2], bracket[1::2], strict=False)  # who is left alone has won


class _Match:
    """A meeting of a knockout between the agents at two places of a list; the first may stand alone."""

    def __init__(self, game: str, agents: Agents, places: tuple[int, int], points: Points) -> None:
        self.game, self.points = game, points
        self.places = sorted(places)
        self.players = tuple(agents[place] for place in self.places if place < len(agents))
        self.before = self._difference()

    def is_tied(self) -> bool:
        """Return whether there are two to meet and neither is ahead, as before they play."""
        return len(self.players) == 2 and self._lead() == 0

    def winner(self) -> int:
        """Return the place of who goes on; of a tie, the one that the file names first."""
        return self.places[0] if self._lead() >= 0 else self.places[1]

    def _lead(self) -> int:
        """Return by how many half points the first is ahead in this meeting; 0 where it stands alone."""
        return self._difference() - self.before

    def _difference(self) -> int:
        points = [self.points.get((self.game, agent.label), 0) for agent in self.players]
        return points[0] - points[-1]
