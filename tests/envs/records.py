"""Games recorded for tests: every state with its mover, legal actions and returns, played compiled."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from envs.kernels import kernel


class Game(NamedTuple):
    """A game, or its beginning; each array has a row for every state."""

    states: npt.NDArray[Any]
    players: npt.NDArray[np.int64]
    returns: npt.NDArray[np.float64]
    counts: npt.NDArray[np.int64]
    """How many actions are legal."""
    legal: npt.NDArray[np.int64]
    """The legal actions, then what was there before."""
    moves: npt.NDArray[np.int64]
    """The action played; the last state has none."""


def record(rules: Any, choices: npt.NDArray[np.int64], start: Any = None) -> Game:
    """Play on until the game or `choices` ends: each picks a legal action, counted round and round."""
    start, rows = rules.initial_state() if start is None else start, len(choices) + 1
    states = np.repeat(start[None], rows, axis=0)
    players, counts, moves = (np.zeros(rows, np.int64) for _ in range(3))
    returns, legal = np.full((rows, rules.num_players), np.nan), np.full((rows, rules.max_legal), -1)
    game = Game(states, players, returns, counts, legal, moves)
    length = _play(rules, *game, choices)
    return Game(*(part[: length + 1] for part in game))


@kernel
def _play(rules, states, players, returns, counts, legal, moves, choices):
    """Fill a row for every state; return how many moves were played."""
    for ply in range(states.shape[0]):
        state = states[ply]
        players[ply] = rules.current_player(state)
        rules.returns(state, returns[ply])
        if rules.is_terminal(state):
            return ply
        counts[ply] = rules.legal_actions(state, legal[ply])
        if ply < choices.shape[0]:
            moves[ply] = legal[ply, choices[ply] % counts[ply]]
            states[ply + 1] = state
            rules.step(states[ply + 1], moves[ply])
    return choices.shape[0]
