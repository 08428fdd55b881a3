"""Games made up for the tests of agents."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from envs.rules import TERMINAL, rules
from envs.streams import below


@rules
class Trio(NamedTuple):
    """Three players take 1 to 3 of ten coins, heads up; whoever takes a tail coin moves again.

    State: int64[5]: coins left, the player to move, each player's takings. Coins 3, 6 and 9 are tails.
    The player with the most coins wins 1, the others lose 0.5 each; equals share.
    """

    num_players: int = 3
    num_actions: int = 3
    max_legal: int = 3

    @classmethod
    def make(cls) -> Trio:
        return cls()

    def initial_state(self) -> npt.NDArray[np.int64]:
        return np.array([10, 0, 0, 0, 0], np.int64)

    def current_player(self, state: Any) -> int:
        return TERMINAL if state[0] == 0 else np.int64(state[1])

    def legal_actions(self, state: Any, out: Any) -> int:
        count = min(3, np.int64(state[0]))
        for i in range(count):
            out[i] = i
        return count

    def step(self, state: Any, action: int) -> None:
        player = state[1]
        state[0] -= action + 1
        state[2 + player] += action + 1
        if state[0] % 3 != 0:
            state[1] = (player + 1) % 3

    def returns(self, state: Any, out: Any) -> None:
        most = max(state[2], max(state[3], state[4]))
        winners = 0
        for player in range(3):
            winners += state[2 + player] == most
        for player in range(3):
            out[player] = 1.5 / winners - 0.5 if state[2 + player] == most else -0.5
        if state[0] > 0:
            out[:] = 0.0


@rules
class Wasteful(NamedTuple):
    """A coin is guessed: action 1 wins. Every step makes an array, and the game says so."""

    allocates = True

    num_players: int = 2
    num_actions: int = 2
    max_legal: int = 2

    @classmethod
    def make(cls) -> Wasteful:
        return cls()

    def initial_state(self) -> npt.NDArray[np.int8]:
        return np.zeros(2, np.int8)

    def current_player(self, state: Any) -> int:
        return TERMINAL if state[0] else 0

    def legal_actions(self, state: Any, out: Any) -> int:
        out[0], out[1] = 0, 1
        return 2

    def step(self, state: Any, action: int) -> None:
        fresh = np.empty(2, np.int8)
        fresh[0], fresh[1] = 1, action
        state[:] = fresh

    def returns(self, state: Any, out: Any) -> None:
        out[0] = np.float64(state[0]) * (2.0 * np.float64(state[1]) - 1.0)
        out[1] = -out[0]

    def rollout(self, state: Any, scratch: Any, rng: Any) -> None:
        if state[0] == 0:
            self.step(state, below(rng, 2))


class _SecretlyWasteful(Wasteful):
    allocates = False

    @classmethod
    def make(cls) -> Wasteful:
        return cls()


SecretlyWasteful = rules(_SecretlyWasteful)
