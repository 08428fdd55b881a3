"""Games that exist only for tests: small, odd, and plain to reason about. Real games are in `envs`."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from envs.aec import environments
from envs.kernels import kernel
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


@rules
class Thicket(NamedTuple):
    """A random tree for two, the same for equal `seed`: its lines cross, and some who move move again.

    State: int64[3]: the place, of `width` on each ply; the ply; the player to move. The rest is drawn by
    hashing: how many moves there are, where each leads, who moves then, and where the game is over before
    `plies`. Its returns are eighths of -1 to 1, so that there are ties; estimates of unfinished games are
    of no use, nor are weights of moves, nor what is said to be quiet.
    """

    seed: int
    width: int
    plies: int
    num_players: int
    num_actions: int
    max_legal: int

    @classmethod
    def make(cls, seed: int = 0, width: int = 4, plies: int = 6, moves: int = 4) -> Thicket:
        return cls(seed, width, plies, 2, moves, moves)

    def initial_state(self) -> npt.NDArray[np.int64]:
        return np.array([0, 0, self.seed % 2], np.int64)

    def current_player(self, state: Any) -> int:
        over = state[1] == self.plies or (state[1] > 0 and self._drawn(state, 1, 6) == 0)
        return TERMINAL if over else state[2]

    def legal_actions(self, state: Any, out: Any) -> int:
        count = 1 + self._drawn(state, 2, self.max_legal)
        first = self._drawn(state, 3, self.max_legal - count + 1)
        for i in range(count):
            out[i] = first + i
        return count

    def step(self, state: Any, action: int) -> None:
        place = self._drawn(state, 4 + 2 * action, self.width)
        again = self._drawn(state, 5 + 2 * action, 4) == 0
        state[0] = place
        state[1] += 1
        if not again:
            state[2] = 1 - state[2]

    def returns(self, state: Any, out: Any) -> None:
        over = state[1] == self.plies or (state[1] > 0 and self._drawn(state, 1, 6) == 0)
        out[0] = (self._drawn(state, 100, 17) - 8) / 8.0 if over else 0.0
        out[1] = -out[0]

    def evaluate(self, state: Any, player: int) -> float:
        return (1 - 2 * player) * (self._drawn(state, 101, 19) - 9) / 10.0

    def is_quiet(self, state: Any) -> bool:
        return self._drawn(state, 102, 2) == 0

    def prior(self, state: Any, actions: Any, count: int, out: Any) -> None:
        for i in range(count):
            out[i] = self._drawn(state, 103 + actions[i], 5)

    def _drawn(self, state: Any, question: int, below: int) -> int:
        """Return a number below `below` that the tree and the state say for this question."""
        return drawn((((self.seed * 64 + state[0]) * 64 + state[1]) * 2 + state[2]) * 256 + question, below)


@kernel
def drawn(question, below):  # type: ignore[no-untyped-def]
    """Hash a question to a number below `below`, by SplitMix64."""
    word = np.uint64(question) * np.uint64(0x9E3779B97F4A7C15)
    word = (word ^ (word >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    word = (word ^ (word >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return np.int64((word ^ (word >> np.uint64(31))) % np.uint64(below))


env, raw_env = environments(Race)
