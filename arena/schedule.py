"""Who plays whom, when, from which opening: pure iterators of `MatchSpec`, and nothing that runs.

Every seed derives from the league's seed and the place in the schedule, never from the order in
which games finish.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import combinations, permutations

from arena.config import League
from arena.cores import cores_needed
from arena.records import AgentChoice, GameChoice, MatchSpec

_OPENING, _GAME = 0, 1


def round_robin(league: League, num_players: Mapping[str, int]) -> Iterator[MatchSpec]:
    """Yield every game of the league.

    In each round, for each game, each set of agents that play it meets once in every order of seats
    (two games for two players: a pair). All meetings of a round share one opening per game.

    Args:
        league: the league file.
        num_players: players by the label of the game.

    Raises:
        UnknownNameError: for an agent that cannot be found.
    """
    cores = {agent.label: cores_needed(agent.type, agent.params) for agent in league.agents}
    number = pair = 0
    for round_index in range(league.schedule.rounds):
        for game_index, game in enumerate(league.games):
            for players in combinations(entrants(league, game), num_players[game.label]):
                for seating, order in enumerate(permutations(players)):
                    place = (league.seed, _GAME, round_index, game_index, pair, seating)
                    opening = (league.seed, _OPENING, round_index, game_index)
                    width = max(cores[player.label] for player in order)
                    yield _match(league, game, order, number, pair, round_index, opening, place, width)
                    number += 1
                pair += 1


def entrants(league: League, game: GameChoice) -> list[AgentChoice]:
    """Return the agents that take part in `game`."""
    return [agent for agent in league.agents if agent.games is None or game.label in agent.games]


def _match(
    league: League,
    game: GameChoice,
    players: tuple[AgentChoice, ...],
    number: int,
    pair: int,
    round_index: int,
    opening_seed: tuple[int, ...],
    game_seed: tuple[int, ...],
    cores: int,
) -> MatchSpec:
    return MatchSpec(
        number=number,
        game=game,
        players=players,
        limit=league.limit,
        margin=league.margin,
        pair=pair,
        round=round_index,
        opening_plies=league.openings.random_plies,
        opening_seed=opening_seed,
        game_seed=game_seed,
        max_plies=league.max_plies,
        startup=league.startup,
        cores=cores,
    )
