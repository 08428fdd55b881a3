"""Hex on a rhombus, or on any parallelogram. Rules and pictures, nothing else.

The first player connects the top and the bottom row, the second player the left and the right
column; there are no draws (P. Hein 1942, J. Nash 1948). Action `row * columns + column`; `c2` is
column c, row 2. With `swap` the second player may, as the first move, take over the stone on the
board by action `rows * columns`. Players keep their sides, so the stone goes where it is worth to its
new owner what it was worth to its old one: it is mirrored, row and column changing places.

State: uint32[3 * rows + 2 * columns + 4], 236 bytes for 11x11: the moves played (a swap is one), the
winner plus one (0 for none), whether the second player has swapped, and the last cell played
(`rows * columns` for none); then five boards of bits, as `envs.hexrows` has them: cells taken; each
player's stones; each player's stones that are connected to the edge that player starts from. The
second player's boards are transposed, so that both connect row 0 to the last row.
"""

from __future__ import annotations

from typing import Annotated, Any, NamedTuple

import numpy as np
import numpy.typing as npt
from pydantic import Field

from envs.aec import environments
from envs.boards import action_note, hex_text, owners, parse_cell, planes, square_name
from envs.features import features
from envs.hexbridges import bridged, fits
from envs.hexpaths import lacking
from envs.hexrows import beside, fill, spread
from envs.kernels import list_bits
from envs.parameters import ParameterError
from envs.pictures import hex_picture
from envs.rules import ANYWHERE, TERMINAL, hash_words, rules
from envs.streams import below

_0, _1, _2 = (np.uint32(n) for n in (0, 1, 2))
PLY, WINNER, SWAPPED, LAST = 0, 1, 2, 3
BOARDS = 4
"""Where the boards begin in a state."""


@rules
@features(distance=0.3)
class Hex(NamedTuple):
    """`rows` by `columns` cells."""

    rows: int
    columns: int
    swap: bool
    num_players: int
    num_actions: int
    max_legal: int

    @classmethod
    def make(
        cls,
        size: Annotated[int, Field(ge=1, le=26, description="cells a side, where nothing else is said")] = 11,
        rows: Annotated[int | None, Field(ge=1, le=26, description="rows, if not `size`")] = None,
        columns: Annotated[int | None, Field(ge=1, le=26, description="columns, if not `size`")] = None,
        swap: Annotated[bool, Field(description="the second player may take over the first stone")] = False,
    ) -> Hex:
        """Build the rules; `swap` needs as many rows as columns."""
        rows, columns = rows or size, columns or size
        if swap and rows != columns:
            allowed = f"only false on a board of {rows} x {columns}, where a stone has no mirror image"
            raise ParameterError.single("hex", "swap", swap, allowed)
        return cls(rows, columns, swap, 2, rows * columns + swap, rows * columns)

    def initial_state(self) -> npt.NDArray[np.uint32]:
        state = np.zeros(BOARDS + 3 * self.rows + 2 * self.columns, np.uint32)
        state[LAST] = self.rows * self.columns
        return state

    def current_player(self, state: Any) -> int:
        if state[WINNER] != _0:
            return TERMINAL
        return np.int64(state[PLY] & _1)  # type: ignore[return-value] # a player, to kernels an int64

    def legal_actions(self, state: Any, out: Any) -> int:
        full = np.uint32((1 << self.columns) - 1)
        count = 0
        for row in range(self.rows):
            empty = full & ~state[BOARDS + row]
            count = list_bits(empty, row * self.columns, out, count)
        if self.swap and state[PLY] == _1:
            out[count] = self.rows * self.columns
            count += 1
        return count

    def step(self, state: Any, action: int) -> None:
        player = np.int64(state[PLY] & _1)
        row, column = np.int64(action) // self.columns, np.int64(action) % self.columns
        if row == self.rows:  # the swap: only then is the action no cell
            row, column = self._take_back(state)
            state[SWAPPED] = _1
        state[LAST] = np.uint32(row * self.columns + column)
        self._place(state, player, row, column)
        state[PLY] += _1

    def _take_back(self, state: Any) -> Any:
        """Take the first stone from the board; return the row and column of its mirror image."""
        row, column = np.int64(state[LAST]) // self.columns, np.int64(state[LAST]) % self.columns
        for at in (row, self.rows + row, 2 * self.rows + self.columns + row):
            state[BOARDS + at] = _0
        return column, row

    def _place(self, state: Any, player: Any, row: Any, column: Any) -> None:
        """Put a stone on the board, and see whether it joins the player's edges."""
        rows, columns = self.rows, self.columns
        state[BOARDS + row] |= _1 << np.uint32(column)
        length = rows
        if player == 1:
            row, column = column, row
            length = columns
        first = BOARDS + rows + player * rows
        stones = state[first : first + length]
        first += rows + columns
        connected = state[first : first + length]
        bit = _1 << np.uint32(column)
        stones[row] |= bit
        if row == 0 or (beside(connected, row) & bit) != _0:
            connected[row] |= bit
            if spread(stones, connected):
                state[WINNER] = np.uint32(player + 1)

    def returns(self, state: Any, out: Any) -> None:
        out[0] = np.float64(state[WINNER] == _1) - np.float64(state[WINNER] == _2)
        out[1] = -out[0]

    def rollout(self, state: Any, scratch: Any, rng: Any) -> None:
        """Fill the board, then look once: who is connected on a full board was so when play ended.

        Leaves all but the first player's boards as they were.
        """
        while self.swap and state[PLY] < _2 and state[WINNER] == _0:
            self.step(state, scratch[below(rng, self.legal_actions(state, scratch))])
        if state[WINNER] != _0:
            return
        rows, columns = self.rows, self.columns
        left = rows * columns - np.int64(state[PLY]) + np.int64(state[SWAPPED])
        first_moves = (left + 1 - np.int64(state[PLY] & _1)) // 2
        stones = state[BOARDS + rows : BOARDS + 2 * rows]
        fill(state[BOARDS : BOARDS + rows], stones, columns, first_moves, rng)
        first = BOARDS + 2 * rows + columns
        connected = state[first : first + rows]
        connected[0] |= stones[0]
        state[WINNER] = _1 if spread(stones, connected) else _2

    def features(self, state: Any, player: int, out: Any) -> None:
        """Compare how many stones each side lacks to be connected, as `envs.hexpaths` counts them."""
        taken = state[BOARDS : BOARDS + self.rows]
        first = state[BOARDS + self.rows : BOARDS + 2 * self.rows]
        lacks: Any = lacking(first, taken, self.columns)
        out[0] = lacks[1 - player] - lacks[player]

    def prior(self, state: Any, actions: Any, count: int, out: Any) -> None:
        """Weigh a cell by its distances from the edges, twice that beside a stone; a swap as the middle."""
        taken, line = state[BOARDS : BOARDS + self.rows], np.int64(-1)
        near = _0
        for i in range(count):
            row, column = np.int64(actions[i]) // self.columns, np.int64(actions[i]) % self.columns
            if row == self.rows:
                out[i] = 1.0 + self.rows
            else:
                if row != line:
                    line, near = row, beside(taken, row)
                out[i] = 1.0 + min(row, self.rows - 1 - row) + min(column, self.columns - 1 - column)
                if near & (_1 << np.uint32(column)):
                    out[i] *= 2.0

    def score_bounds(self, state: Any, out: Any) -> None:
        """See on small boards what chains of bridges have won."""
        out[0], out[1] = -1.0, 1.0
        winner = 0
        if state[WINNER] != _0:
            winner = 1 if state[WINNER] == _1 else -1
        elif self._is_small(state):
            found: Any = self._bridged(state)
            winner = found[0]
        if winner != 0:
            out[0] = out[1] = winner

    def zone(self, state: Any) -> np.uint64:
        if not self._is_small(state):
            return ANYWHERE
        if state[WINNER] != _0:
            return np.uint64(0)
        found: Any = self._bridged(state)
        return found[1]

    def _is_small(self, state: Any) -> bool:
        """Return whether the board fits a word, and its stones stay with those who placed them."""
        return fits(self.rows, self.columns) and (not self.swap or state[PLY] > _1)

    def _bridged(self, state: Any) -> Any:
        taken = state[BOARDS : BOARDS + self.rows]
        return bridged(state[BOARDS + self.rows : BOARDS + 2 * self.rows], taken, self.columns)

    def pass_turn(self, state: Any) -> None:
        state[PLY] += _1

    def hash_key(self, state: Any) -> np.uint64:
        """Hash the stones and whose turn it is: how far chains were grown depends on the order of moves."""
        return hash_words(state[BOARDS : BOARDS + 2 * self.rows]) ^ np.uint64(state[PLY] & _1)

    def action_to_string(self, state: Any, action: int) -> str:
        if action == self.rows * self.columns:
            return "swap"
        return square_name(int(action), self.rows, self.columns)

    def string_to_action(self, state: Any, text: str) -> int:
        if self.swap and state[PLY] == _1 and text.strip().lower() == "swap":
            return self.rows * self.columns
        return parse_cell("hex", text, self.rows, self.columns)

    def _cells(self, state: Any) -> list[int]:
        """Return the owner of each cell (-1 for none), row by row."""
        taken = state[BOARDS : BOARDS + self.rows]
        first = state[BOARDS + self.rows : BOARDS + 2 * self.rows]
        places = ((row, column) for row in range(self.rows) for column in range(self.columns))
        return owners(places, first, taken)

    def observation(self, state: Any, player: int) -> npt.NDArray[np.int8]:
        """Return int8[rows, columns, 2]: the player's stones, the opponent's stones."""
        return planes(self._cells(state), player, self.rows, self.columns)

    def to_text(self, state: Any, visits: Any = None) -> str:
        board = hex_text(self._cells(state), self.rows, self.columns, visits=visits)
        return "\n".join(filter(None, [board, self._note(visits)]))

    def to_svg(self, state: Any, visits: Any = None, last: Any = None) -> str:
        last = int(state[LAST]) if state[PLY] else None
        note = self._note(visits)
        return hex_picture(self._cells(state), self.rows, self.columns, visits=visits, last=last, note=note)

    def _note(self, visits: Any) -> str:
        return action_note("swap", visits, self.rows * self.columns) if self.swap else ""


env, raw_env = environments(Hex)
