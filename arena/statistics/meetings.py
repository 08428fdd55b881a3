"""Games put together: one opening in every order of seats is one meeting, and counts when it is complete.

What meetings tell is computed in `arena.statistics.stats` and `arena.statistics.ratings`.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations
from math import factorial

from arena.records import MatchSpec
from arena.statistics.ratings import Duel, Meeting


@dataclass(frozen=True)
class Seating:
    """One finished game of a meeting: the agents' labels and their utility, by seat."""

    labels: tuple[str, ...]
    returns: tuple[float, ...]


class OpenMeetings:
    """Collects games until all of their meeting are there."""

    def __init__(self) -> None:
        self._open: dict[int, list[Seating]] = {}

    def add(self, spec: MatchSpec, returns: Sequence[float]) -> list[Seating] | None:
        """Take a game; return all games of its meeting when it is the last of them."""
        games = self._open.setdefault(spec.pair, [])
        games.append(Seating(tuple(player.label for player in spec.players), tuple(returns)))
        return self._open.pop(spec.pair) if len(games) == factorial(len(spec.players)) else None

    @property
    def games(self) -> int:
        """How many games wait for others of their meeting."""
        return sum(map(len, self._open.values()))


def pair_scores(games: Sequence[Seating], agent: str) -> list[float]:
    """Return the scores (1, 1/2, 0) of one of two agents in the games of their meeting."""
    return [outcome(game.returns[game.labels.index(agent)]) for game in games]


def duels(games: Sequence[Seating], agents: Sequence[str]) -> Meeting:
    """Return a meeting as its duels; an agent's number is its place in `agents`."""
    return tuple(sorted(duel for game in games for duel in _duels(game, agents)))


def _duels(game: Seating, agents: Sequence[str]) -> Iterator[Duel]:
    seats = sorted((agents.index(label), seat) for seat, label in enumerate(game.labels))
    for (i, seat), (j, other) in combinations(seats, 2):
        first = 1 if seat == 0 else -1 if other == 0 else 0
        yield i, j, first, outcome(game.returns[seat] - game.returns[other])


def outcome(utility: float) -> float:
    """Return 1, 1/2 or 0 points for a utility above, at or below 0."""
    return 0.5 if utility == 0 else float(utility > 0)
