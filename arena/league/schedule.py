"""Which game comes next: a pure function of the league file and of the results so far, and nothing that runs.

Every number and seed derives from the league's seed and the place in the schedule, never from the order
in which games finish; so a schedule is taken up again by telling it the results that are stored. Who meets
whom is in `arena.league.pairings`, when a game was played enough in `arena.league.stopping`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from itertools import permutations
from math import factorial

from arena.league.config import League
from arena.league.models import Knockout
from arena.league.pairings import WAIT, Pairing, games_of, pairings
from arena.league.stopping import stoppings
from arena.machine.cores import cores_needed
from arena.records import MatchSpec

_OPENING, _GAME = 0, 1


class Scheduler:
    """Hands out a league's games and takes in their results.

    The memory it needs does not grow with the games played. To take up a run, ask for `next` and `add` at
    once what is stored of the game: what then is handed out is what is missing.

    Args:
        league: the league file.
        num_players: players by the label of the game.

    Attributes:
        over: whether no further game comes.

    Raises:
        UnknownNameError: for an agent that cannot be found.
    """

    def __init__(self, league: League, num_players: Mapping[str, int]) -> None:
        self.over = False
        self._league, self._num_players = league, num_players
        self._cores = {agent.label: cores_needed(agent.type, agent.params) for agent in league.agents}
        self._points: Counter[tuple[str, str]] = Counter()
        self._stops = stoppings(league)
        self._in_play = 0
        self._specs = self._all()

    @property
    def total(self) -> int | None:
        """Games of the whole league, where the file alone says; results may end it sooner otherwise."""
        if self._stops or isinstance(self._league.schedule, Knockout):
            return None
        return sum(games_of(self._league, game, self._num_players[game.label]) for game in self._league.games)

    def next(self) -> MatchSpec | None:
        """Return the next game; None where it depends on results that are not in, or where all is `over`."""
        try:
            spec = next(self._specs)
        except StopIteration:
            self.over = True
            return None
        self._in_play += spec is not None
        return spec

    def add(self, spec: MatchSpec, returns: Sequence[float]) -> None:
        """Take the result of a game that was handed out: utility per seat. The order of results is free."""
        self._in_play -= 1
        for player, utility in zip(spec.players, returns, strict=True):
            self._points[spec.game.label, player.label] += 1 + (utility > 0) - (utility < 0)
        if spec.game.label in self._stops:
            self._stops[spec.game.label].add(spec, returns)

    def _all(self) -> Iterator[MatchSpec | None]:
        """Yield the games in order, and None as long as results must be waited for."""
        number = pair = 0
        for pairing in pairings(self._league, self._num_players, self._points):
            if isinstance(pairing, Pairing):
                if not self._is_stopped(pairing):
                    yield from self._seatings(pairing, number, pair)
                number, pair = number + factorial(len(pairing.players)), pair + 1
            while pairing == WAIT and self._in_play:
                yield None
            if self._stops and all(stop.over for stop in self._stops.values()):
                return

    def _is_stopped(self, pairing: Pairing) -> bool:
        stop = self._stops.get(self._league.games[pairing.game].label)
        return stop is not None and stop.over

    def _seatings(self, pairing: Pairing, number: int, pair: int) -> Iterator[MatchSpec]:
        """Yield the games of a pairing: one opening in every order of seats."""
        league, game = self._league, self._league.games[pairing.game]
        openings = league.openings_of(game)
        for seating, players in enumerate(permutations(pairing.players)):
            yield MatchSpec(
                number=number + seating,
                game=game,
                players=players,
                limit=league.limit,
                margin=league.margin,
                pair=pair,
                round=pairing.round,
                opening_plies=openings.random_plies,
                opening_seed=(league.seed, _OPENING, pairing.opening, pairing.game),
                opening=openings.line(pairing.opening),
                recorded=league.recorded,
                game_seed=(league.seed, _GAME, pairing.round, pairing.game, pair, seating),
                max_plies=league.max_plies,
                terms=league.terms,
                cap=league.cap,
                cores=max(self._cores[player.label] for player in players),
            )
