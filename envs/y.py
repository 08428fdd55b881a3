"""Y on a triangle of hexagons. Rules and pictures, nothing else.

The first to own a chain that touches all three sides wins; a corner belongs to two sides. There are no
draws (C. Shannon; C. Schensted and C. Titus, "Mudcrack Y and Poly-Y", 1975). Row r has `size - r`
cells. Action `row * size + column`; `c2` is column c, row 2.

State: uint32[2 * (size + 2) + size * size + 3], 600 bytes for size 11: the moves played, the winner
plus one (0 for none), the last action (`size * size` for none), then the two players' rows of stones
and the stones' links (both in `envs.hexgroups`).
"""

from __future__ import annotations

from typing import Annotated, Any, NamedTuple

import numpy as np
import numpy.typing as npt
from pydantic import Field

from envs.actions import ActionError
from envs.aec import environments
from envs.boards import column_name, lattice_text, owners, parse_cell, planes, square_name
from envs.hexgroups import around, join, steps_in
from envs.hexrows import fill
from envs.kernels import kernel, list_bits
from envs.pictures import lattice_picture
from envs.reduction import has_y, prospect, put_row
from envs.rules import ANYWHERE, TERMINAL, hash_words, rules

_0, _1, _2, _4, _7 = (np.uint32(n) for n in (0, 1, 2, 4, 7))
PLY, WINNER, LAST = 0, 1, 2
ROWS = 3
"""Where the rows of stones begin in a state."""


@rules
class Y(NamedTuple):
    """`size` cells a side."""

    size: int
    steps: npt.NDArray[np.int64]
    """int64[7]: from a cell's action to those of its neighbours."""
    num_players: int
    num_actions: int
    max_legal: int

    @classmethod
    def make(
        cls, size: Annotated[int, Field(ge=1, le=26, description="cells a side of the triangle")] = 11
    ) -> Y:
        """Build the rules."""
        return cls(size, steps_in(size), 2, size * size, size * (size + 1) // 2)

    def initial_state(self) -> npt.NDArray[np.uint32]:
        state = np.zeros(ROWS + 2 * (self.size + 2) + self.num_actions, np.uint32)
        state[LAST] = self.num_actions
        return state

    def current_player(self, state: Any) -> int:
        if state[WINNER] != _0:
            return TERMINAL
        return np.int64(state[PLY] & _1)  # type: ignore[return-value] # a player, to kernels an int64

    def legal_actions(self, state: Any, out: Any) -> int:
        size = self.size
        count = 0
        for row in range(size):
            at = ROWS + 1 + row
            empty = _line(size, row) & ~(state[at] | state[at + size + 2])
            count = list_bits(empty, row * size, out, count)
        return count

    def step(self, state: Any, action: int) -> None:
        size, cell = self.size, np.int64(action)
        row, column = cell // size, cell % size
        player = np.int64(state[PLY] & _1)
        at = ROWS + 1 + player * (size + 2) + row
        neighbours = around(state, at, np.uint32(column))
        state[at] |= _1 << np.uint32(column)
        sides = _0
        if row == 0:
            sides |= _1
        if column == 0:
            sides |= _2
        if row + column == size - 1:
            sides |= _4
        marks = join(state, neighbours, ROWS + 2 * (size + 2) + cell, self.steps, sides)
        if marks & _7 == _7:
            state[WINNER] = np.uint32(player + 1)
        state[PLY] += _1
        state[LAST] = np.uint32(cell)

    def returns(self, state: Any, out: Any) -> None:
        out[0] = np.float64(state[WINNER] == _1) - np.float64(state[WINNER] == _2)
        out[1] = -out[0]

    def rollout(self, state: Any, scratch: Any, rng: Any) -> None:
        """Fill the board, then look once: who has a Y on a full board had it when play ended.

        Leaves all but the winner unfinished.
        """
        if state[WINNER] != _0:
            return
        size = self.size
        first = state[ROWS + 1 : ROWS + 1 + size]
        taken = state[ROWS + 3 + size : ROWS + 3 + 2 * size]  # the second player's stones, and more
        for row in range(size):
            # In plain Python a kernel's word comes back as an int, whose ~ is no word.
            taken[row] |= first[row] | ~np.uint32(_line(size, row))
        left = self.max_legal - np.int64(state[PLY])
        fill(taken, first, size, (left + 1 - np.int64(state[PLY] & _1)) // 2, rng)
        state[WINNER] = _1 if has_y(first) else _2

    def evaluate(self, state: Any, player: int) -> float:
        """Reduce the board, empty cells being anybody's."""
        value = prospect(self, state)
        return value if player == 0 else -value

    def _fill(self, state: Any, values: Any) -> int:
        for row in range(self.size):
            at = ROWS + 1 + row
            put_row(values, row * self.size, state[at], state[at + self.size + 2], self.size - row)
        return self.size

    def zone(self, state: Any) -> np.uint64:
        return np.uint64(0) if self.num_actions <= 64 else ANYWHERE

    def pass_turn(self, state: Any) -> None:
        state[PLY] += _1

    def hash_key(self, state: Any) -> np.uint64:
        """Hash the stones and whose turn it is: how groups are linked depends on the order of moves."""
        return hash_words(state[ROWS : ROWS + 2 * (self.size + 2)]) ^ np.uint64(state[PLY] & _1)

    def action_to_string(self, state: Any, action: int) -> str:
        return square_name(int(action), self.size, self.size)

    def string_to_action(self, state: Any, text: str) -> int:
        action = parse_cell("y", text, self.size, self.size)
        row, column = divmod(action, self.size)
        if row + column >= self.size:
            allowed = f"a to {column_name(self.size - 1 - row)} in row {row + 1}"
            raise ActionError("y", text, "no cell of this board", allowed)
        return action

    def _owners(self, state: Any) -> list[int]:
        """Return the owner of each cell on the board (-1 for none), in the order of their actions."""
        first = ROWS + 1
        return owners(_on_board(self.size), state[first:], state[first + self.size + 2 :])

    def observation(self, state: Any, player: int) -> npt.NDArray[np.int8]:
        """Return int8[size, size, 2]: the player's stones, the opponent's stones; 0 off the board."""
        return planes(self._owners(state), player, self.size, self.size, _on_board(self.size))

    def to_text(self, state: Any, visits: Any = None) -> str:
        return lattice_text(_on_board(self.size), self._owners(state), self._labels(), self._shown(visits))

    def to_svg(self, state: Any, visits: Any = None, last: Any = None) -> str:
        cells = _on_board(self.size)
        names = [square_name(row * self.size + column, self.size, self.size) for row, column in cells]
        last = cells.index(divmod(int(state[LAST]), self.size)) if state[PLY] else None
        shown = self._shown(visits)
        return lattice_picture(cells, names, self._owners(state), self._labels(), visits=shown, last=last)

    def _labels(self) -> list[tuple[int, int, str]]:
        lines = range(self.size)
        return [(-1, i, column_name(i)) for i in lines] + [(i, -1, str(i + 1)) for i in lines]

    def _shown(self, visits: Any) -> Any:
        """Return the visits of the cells on the board."""
        cells = [row * self.size + column for row, column in _on_board(self.size)]
        return None if visits is None else np.asarray(visits)[cells]


def _on_board(size: int) -> list[tuple[int, int]]:
    """Return row and column of each cell, row by row."""
    return [(row, column) for row in range(size) for column in range(size - row)]


@kernel
def _line(size, row):
    """Return the bits of a row that are cells."""
    return np.uint32((1 << (size - row)) - 1)


env, raw_env = environments(Y)
