"""Go with area scoring on any board of up to 19x19. Rules and pictures, nothing else.

The rules are those of J. Tromp and B. Taylor, with suicide forbidden: Black, the first player, begins;
a stone takes the opposing chains that it leaves without a liberty; a stone whose own chain would be
left without one may not be played; nor may one that brings back any earlier position of the board
(positional superko; positions are told apart by 64-bit keys). A pass is always legal, and two in a row
end the game, as does move number 3 * size * size, whatever is on the board. A player's area is the stones
and the empty points that reach no stone of the other colour; White gets `komi` points on top, and a
whole `komi` can make a draw. Action `row * size + column` plays a stone, rows from the top, action
`size * size` is the pass. `D4` is column D (there is no I), row 4 from the bottom.

Uniformly random play fills its own eyes and hardly ends, so `rollout` is not uniform: see there.

State: uint64[10 + limit + (5 * points + size * size + 3) // 4], with `points = (size + 1) * (size + 2) + 1`:
3,296 bytes for 9x9, 13,680 for 19x19, two thirds of them the history. Words 0 to 8: the simple ko, the
board's key and the number of empty points (see `envs.chains`), the player to move (2 when the game is
over), moves played, passes in a row, the last action plus one, the most stones that the board has held,
and the winner plus one (0 for none). Then the board's key at the start and after every move; then, as
uint16, the board of `envs.chains`.
"""

from __future__ import annotations

from typing import Annotated, Any, NamedTuple

import numpy as np
import numpy.typing as npt
from pydantic import Field

from envs.aec import environments
from envs.chains import (
    BLACKS,
    EMPTY,
    FREE,
    KEY,
    KO,
    RIM,
    WHITES,
    after,
    area,
    clear,
    is_sensible,
    is_suicide,
    length,
    play,
)
from envs.crossings import parse_point, point_name, points_picture, points_text
from envs.kernels import kernel
from envs.rules import TERMINAL, hash_words, rules
from envs.streams import below

# Words of the state, after those of `envs.chains`.
MOVER, PLY, PASSES, LAST, MOST, WINNER, HISTORY = range(3, 10)


@rules
class Go(NamedTuple):
    """`size` points a side; `komi` points for White."""

    size: int
    komi: float
    limit: int
    """The most moves of a game."""
    keys: npt.NDArray[np.uint64]
    """uint64[3, length(size)]: the part of a stone in the board's key, by colour and point."""
    tables: int
    """The word of the state where the tables begin."""
    num_players: int
    num_actions: int
    max_legal: int

    @classmethod
    def make(
        cls,
        size: Annotated[int, Field(ge=1, le=19, description="points a side")] = 9,
        komi: Annotated[float, Field(ge=-400, le=400, description="White's points for moving second")] = 7.5,
    ) -> Go:
        """Build the rules."""
        limit, points = 3 * size * size, length(size)
        # The seed is any number; a game's keys are the same in every process.
        words = np.asarray(np.random.SeedSequence(size).generate_state(3 * points, np.uint64), np.uint64)
        actions = size * size + 1
        return cls(
            size, float(komi), limit, words.reshape(3, points), HISTORY + limit + 1, 2, actions, actions
        )

    def initial_state(self) -> npt.NDArray[np.uint64]:
        size = self.size
        words = (5 * length(size) + size * size + 3) // 4
        state = np.zeros(self.tables + words, np.uint64)
        clear(size, state[self.tables :].view(np.uint16))
        state[FREE] = size * size
        return state

    def current_player(self, state: Any) -> int:
        return TERMINAL if state[MOVER] == 2 else np.int64(state[MOVER])  # type: ignore[return-value] # an int64

    def legal_actions(self, state: Any, out: Any) -> int:
        if state[MOVER] == 2:
            return 0
        size = self.size
        cells = state[self.tables :].view(np.uint16)
        colour = np.int64(state[MOVER]) + 1
        count = 0
        for row in range(size):
            for column in range(size):
                point = (row + 1) * (size + 1) + column + 1
                if (
                    cells[point] == EMPTY
                    and not is_suicide(size, cells, point, colour)
                    and not self._repeats(state, cells, point, colour)
                ):
                    out[count] = row * size + column
                    count += 1
        out[count] = size * size
        return count + 1

    def step(self, state: Any, action: int) -> None:
        size, cell = self.size, np.int64(action)
        colour = np.int64(state[MOVER]) + 1
        cells = state[self.tables :].view(np.uint16)
        state[LAST] = cell + 1
        if cell == size * size:
            state[PASSES] += np.uint64(1)
            state[KO] = 0
        else:
            play(size, self.keys, state, cells, (cell // size + 1) * (size + 1) + cell % size + 1, colour)
            state[PASSES] = 0
            state[MOST] = max(np.int64(state[MOST]), size * size - np.int64(state[FREE]))
        ply = np.int64(state[PLY]) + 1
        state[PLY] = ply
        state[HISTORY + ply] = state[KEY]
        state[MOVER] = 2 - colour
        if state[PASSES] == 2 or ply == self.limit:
            self._finish(state, cells)

    def _finish(self, state: Any, cells: Any) -> None:
        lead = area(self.size, cells, np.int64(state[FREE])) - self.komi
        state[MOVER] = 2
        state[WINNER] = 1 if lead > 0 else 2 if lead < 0 else 0

    def returns(self, state: Any, out: Any) -> None:
        winner = np.int64(state[WINNER])
        out[0] = np.float64(winner == 1) - np.float64(winner == 2)
        out[1] = -out[0]

    def _repeats(self, state: Any, cells: Any, point: Any, colour: Any) -> bool:
        """Return whether a legal stone on `point` would bring back an earlier position."""
        key, stones = after(self.size, self.keys, state, cells, point, colour)
        # A board of more stones than ever before is new: so is all that comes before the first capture.
        if stones > np.int64(state[MOST]):
            return False
        return _is_among(np.uint64(key), state[HISTORY : HISTORY + np.int64(state[PLY]) + 1])

    def rollout(self, state: Any, scratch: Any, rng: Any) -> None:
        """Play random moves to the end, not uniformly: who has a sensible move plays one, or else passes.

        Each sensible move is equally likely; `envs.chains.is_sensible` says what is one. Of superko only the
        simple ko is heeded, and no history is written.
        """
        if state[MOVER] == 2:
            return
        cells = state[self.tables :].view(np.uint16)
        colour: Any = np.int64(state[MOVER]) + 1
        ply = np.int64(state[PLY])
        passes: Any = np.int64(state[PASSES])
        while passes < 2 and ply < self.limit:
            point = self._draw(state, cells, colour, rng)
            if point == 0:
                passes += 1
                state[KO] = 0
            else:
                passes = 0
                play(self.size, self.keys, state, cells, point, colour)
            colour, ply = 3 - colour, ply + 1
        state[PLY], state[PASSES] = ply, passes
        self._finish(state, cells)

    def _draw(self, state: Any, cells: Any, colour: Any, rng: Any) -> Any:
        """Draw a sensible point uniformly; 0 if there is none. What is no good goes to the list's end."""
        points = length(self.size)
        left = np.int64(state[FREE])
        while left > 0:
            i = below(rng, left)
            point = np.int64(cells[5 * points + i])
            if point != np.int64(state[KO]) and is_sensible(self.size, cells, point, colour):
                return point
            left -= 1
            last = cells[5 * points + left]
            cells[5 * points + i], cells[5 * points + left] = last, point
            cells[2 * points + last], cells[2 * points + point] = i, left
        return 0

    def evaluate(self, state: Any, player: int) -> float:
        """Count stones, empty points that only one colour's stones are beside, and `komi`.

        This is right where the board is nearly settled, so it may end a rollout that is cut short. It knows
        nothing of life and death, and so has no features to weigh: a search by depth gains little by it.
        """
        cells = state[self.tables :].view(np.uint16)
        points, lead = np.int64(length(self.size)), -self.komi
        for point in range(points):
            if cells[point] == EMPTY:
                beside = np.int64(cells[4 * points + point])
                # What the other colour may not count, and is not empty, is a stone.
                black = beside % BLACKS + beside // WHITES < 4
                white = beside % BLACKS + beside // BLACKS % BLACKS < 4
                lead += np.int64(black) - np.int64(white)
            elif cells[point] != RIM:
                lead += 3 - 2 * np.int64(cells[point])
        return (1 - 2 * player) * lead / (abs(lead) + self.size)

    def hash_key(self, state: Any) -> np.uint64:
        """Tell apart board, mover, simple ko and a pass just played; not the history, nor the ply."""
        passed = np.uint64(state[PASSES] > 0)
        return hash_words(state[KO : KEY + 1]) ^ (np.uint64(2) * state[MOVER] + passed)

    def action_to_string(self, state: Any, action: int) -> str:
        return "pass" if action == self.size * self.size else point_name(int(action), self.size)

    def string_to_action(self, state: Any, text: str) -> int:
        return parse_point("go", text, self.size)

    def _cells(self, state: Any) -> list[int]:
        """Return the owner of each point (-1 for none), row by row from the top."""
        stride = self.size + 1
        rows = state[self.tables :].view(np.uint16)[stride : stride * stride].reshape(self.size, stride)
        return (rows[:, 1:].astype(np.int64) - 1).ravel().tolist()

    def observation(self, state: Any, player: int) -> npt.NDArray[np.int8]:
        """Return int8[size, size, 4]: own stones, the opponent's, the simple ko, all 1 after a pass."""
        size, ko = self.size, int(state[KO])
        cells = np.array(self._cells(state)).reshape(size, size)
        forbidden = np.zeros((size, size), np.bool_)
        if ko:
            forbidden[ko // (size + 1) - 1, ko % (size + 1) - 1] = True
        passed = np.full((size, size), state[PASSES] > 0)
        return np.stack([cells == player, cells == 1 - player, forbidden, passed], axis=-1).astype(np.int8)

    def to_text(self, state: Any, visits: Any = None) -> str:
        return points_text(self._cells(state), self.size, visits)

    def to_svg(self, state: Any, visits: Any = None, last: Any = None) -> str:
        return points_picture(self._cells(state), self.size, visits, last=int(state[LAST]) - 1)


@kernel
def _is_among(key, keys):
    for i in range(keys.shape[0]):  # noqa: SIM110 - any() of a generator does not compile
        if keys[i] == key:
            return True
    return False


env, raw_env = environments(Go)
