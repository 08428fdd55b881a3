"""Games whose own code fails in the middle, for the tests of the league; played as `broken_games:Name`."""

from __future__ import annotations

import time
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from envs.aec import environments
from envs.rules import TERMINAL, rules


@rules
class Trap(NamedTuple):
    """Two players move four times in turn; the third move raises, or hangs where `hangs` is 1.

    State: int8[1]: the moves played.
    """

    hangs: int
    num_players: int
    num_actions: int
    max_legal: int

    @classmethod
    def make(cls, hangs: int = 0) -> Trap:
        return cls(hangs, 2, 1, 1)

    def initial_state(self) -> npt.NDArray[np.int8]:
        return np.zeros(1, np.int8)

    def current_player(self, state: Any) -> int:
        return TERMINAL if state[0] == 4 else int(state[0] % 2)

    def legal_actions(self, state: Any, out: Any) -> int:
        out[0] = 0
        return 1

    def step(self, state: Any, action: int) -> None:
        state[0] += 1
        if state[0] == 3 and self.hangs:
            time.sleep(1000)
        if state[0] == 3:
            raise RuntimeError("the board broke")

    def returns(self, state: Any, out: Any) -> None:
        out[:] = 0.0


env, raw_env = environments(Trap)
