"""Games that exist only for tests: small, odd, and plain to reason about. Real games are in `envs`."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from envs.aec import environments
from envs.rules import CHANCE, TERMINAL, rules
from envs.streams import below

STAY, RUN, HOP = 0, 1, 2


@rules
class Race(NamedTuple):
    """Three players race over `goal` squares with a die of three.

    The mover may STAY (a pass), RUN as far as the die says if that does not overshoot, or, after a
    three, HOP one square and move again. Reaching the goal is worth 1, being beaten -1/2.

    State: int8[6]: three positions, the mover, the die (0 before it is thrown), the moves played.
    """

    goal: int
    num_players: int
    num_actions: int
    max_legal: int

    @classmethod
    def make(cls, goal: int = 5) -> Race:
        return cls(goal, 3, 3, 3)

    def initial_state(self) -> npt.NDArray[np.int8]:
        return np.zeros(6, np.int8)

    def current_player(self, state: Any) -> int:
        if state[:3].max() >= self.goal or state[5] >= 60:
            return TERMINAL
        return CHANCE if state[4] == 0 else int(state[3])

    def legal_actions(self, state: Any, out: Any) -> int:
        die = state[4]
        actions = [STAY]
        if state[state[3]] + die <= self.goal:
            actions.append(RUN)
        if die == 3:
            actions.append(HOP)
        for i, action in enumerate(actions):
            out[i] = action
        return len(actions)

    def step(self, state: Any, action: int) -> None:
        mover, die = int(state[3]), int(state[4])
        if die == 0:
            state[4] = action + 1
            return
        state[mover] += (0, die, 1)[action]
        if action != HOP:
            state[3] = (mover + 1) % 3
        state[4] = 0
        state[5] += 1

    def returns(self, state: Any, out: Any) -> None:
        out[:] = 0.0
        if state[:3].max() >= self.goal:
            out[:] = -0.5
            out[state[:3].argmax()] = 1.0

    def sample_chance(self, state: Any, rng: Any) -> int:
        return int(below(rng, 3))

    def observation(self, state: Any, player: int) -> npt.NDArray[np.int8]:
        return state[:5]  # type: ignore[no-any-return] # a view on purpose: the environment must not hand it out


env, raw_env = environments(Race)
