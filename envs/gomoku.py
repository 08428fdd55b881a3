"""Gomoku and every other m,n,k game: so many stones in a row win. Rules and pictures, nothing else.

Players put a stone on any empty cell in turn; the first with `connect` stones in an unbroken row,
column or diagonal wins, and a full board is a draw (free-style gomoku, as in J. W. H. M. Uiterwijk
and H. J. van den Herik, "The advantage of the initiative", Information Sciences 122, 2000). With
`exact` a longer line does not count, the rule of Japanese tournaments. Action `row * columns + column`;
`h8` is column h, row 8, counted from below.

State: uint32[2 * lines + 5], 724 bytes for 15x15, where the board has `lines` rows, columns, falling
and rising diagonals, in that order. Each line takes two words, the first player's stones and the
second's; a bit is a column, in a column's own words a row. Then come the number of moves played, the
winner plus one (0 for none), the last move plus one (0 for none), and the two halves of the key.
"""

from __future__ import annotations

from typing import Annotated, Any, NamedTuple

import numpy as np
import numpy.typing as npt
from pydantic import Field

from envs.aec import environments
from envs.boards import owners, parse_cell, planes, square_name, square_text
from envs.features import features
from envs.kernels import kernel, list_bits, popcount
from envs.lines import at_once, covered, longer, runs, windows
from envs.parameters import ParameterError
from envs.pictures import square_picture
from envs.rules import TERMINAL, rules
from envs.shapes import STONES
from envs.streams import below

_0, _1, _32 = np.uint32(0), np.uint32(1), np.uint64(32)
_NONE, _ONE, _HALF = np.uint64(0), np.uint64(1), np.uint64(0xFFFFFFFF)
_PLY, _WINNER, _LAST, _LOW, _HIGH = -5, -4, -3, -2, -1


@rules
@features(win=8.0, attack=2.0, fours=0.5, open_threes=0.5, threes=0.1, open_twos=0.1, twos=0.05, ones=0.01)
class Gomoku(NamedTuple):
    """`connect` stones in a line, in any of four directions, win."""

    rows: int
    columns: int
    connect: int
    exact: bool
    lines: npt.NDArray[np.int16]
    """int16[cells, 4]: the first player's word of the row, column, falling and rising line of each cell."""
    masks: npt.NDArray[np.uint32]
    """uint32[lines]: the bits that are on the board."""
    keys: npt.NDArray[np.uint32]
    """uint32[cells, 2, 2]: what each player's stone on each cell adds to the two halves of the key."""
    num_players: int
    num_actions: int
    max_legal: int

    @classmethod
    def make(
        cls,
        rows: Annotated[int, Field(ge=1, le=26, description="height of the board")] = 15,
        columns: Annotated[int, Field(ge=1, le=26, description="width of the board")] = 15,
        connect: Annotated[int, Field(ge=2, le=26, description="stones in a line that win")] = 5,
        exact: Annotated[bool, Field(description="whether longer lines do not count")] = False,
    ) -> Gomoku:
        """Build the rules and their tables."""
        if connect > max(rows, columns):
            most = f"at most {max(rows, columns)} on a board of {rows} x {columns}"
            raise ParameterError.single("gomoku", "connect", connect, most)
        cells, diagonals = rows * columns, rows + columns - 1
        row, column = np.divmod(np.arange(cells), columns)
        falling, rising = row - column + columns - 1 + rows + columns, row + column + rows + columns
        lines = np.stack([row, rows + column, falling, rising + diagonals], axis=-1)
        masks = np.zeros(rows + columns + 2 * diagonals, np.uint32)
        for direction, place in enumerate((column, row, column, column)):
            np.bitwise_or.at(masks, lines[:, direction], _1 << place.astype(np.uint32))
        keys = np.random.SeedSequence(0).generate_state(4 * cells, np.uint32).reshape(cells, 2, 2)
        words = (2 * lines).astype(np.int16)
        return cls(rows, columns, connect, exact, words, masks, keys.astype(np.uint32), 2, cells, cells)

    def initial_state(self) -> npt.NDArray[np.uint32]:
        return np.zeros(2 * self.masks.size + 5, np.uint32)

    def current_player(self, state: Any) -> int:
        if state[_WINNER] != _0 or state[_PLY] == np.uint32(self.num_actions):
            return TERMINAL
        return np.int64(state[_PLY] & _1)  # type: ignore[return-value] # a player, to kernels an int64

    def legal_actions(self, state: Any, out: Any) -> int:
        count = 0
        for row in range(self.rows):
            empty = self._empty(state, row)
            count = list_bits(empty, row * self.columns, out, count)
        return count

    def step(self, state: Any, action: int) -> None:
        cell, player = np.int64(action), np.int64(state[_PLY] & _1)
        if self._put(state, cell, player):
            state[_WINNER] = np.uint32(player + 1)
        state[_PLY] += _1
        state[_LAST] = np.uint32(cell + 1)
        state[_LOW] ^= self.keys[cell, player, 0]
        state[_HIGH] ^= self.keys[cell, player, 1]

    def returns(self, state: Any, out: Any) -> None:
        out[0] = np.float64(state[_WINNER] == _1) - np.float64(state[_WINNER] == np.uint32(2))
        out[1] = -out[0]

    def rollout(self, state: Any, scratch: Any, rng: Any) -> None:
        """Draw from a list of the empty cells; leaves the last move and the key as they were."""
        if state[_WINNER] != _0:
            return
        left = self.legal_actions(state, scratch)
        player = np.int64(state[_PLY] & _1)
        while left > 0:
            k = below(rng, left)
            left -= 1
            cell = np.int64(scratch[k])
            scratch[k] = scratch[left]
            if self._put(state, cell, player):
                state[_WINNER] = np.uint32(player + 1)
                break
            player = 1 - player
        state[_PLY] = np.uint32(self.num_actions - left)

    def features(self, state: Any, player: int, out: Any) -> None:
        """Compare forms, which have the names of those of five in a row; `connect` may make them longer.

        `win`: who can fill a line at once, or two when the other cannot. `attack`: whether who moves can make
        a four with both ends open, and need not defend. `fours`: cells that fill a line; `threes`, `twos`,
        `ones`: lines that lack two stones, three, four, and have none of the other's. `open_threes`,
        `open_twos`: what one stone, or two, make a four with both ends open of.
        """
        for i in range(2, 8):
            out[i] = 0.0
        fours = threats = they_four = their_threats = 0
        for line in range(self.masks.shape[0]):
            if state[2 * line] | state[2 * line + 1] != _0:
                forms: Any = self._forms(state, line, player)
                for i in range(6):
                    out[2 + i] += popcount(forms[i] & _HALF) - popcount(forms[i] >> _32)
                fours += popcount(forms[0] & _HALF)
                they_four += popcount(forms[0] >> _32)
                threats += popcount(forms[1] & _HALF)
                their_threats += popcount(forms[1] >> _32)
        moving = np.int64(state[_PLY] & _1) == player
        out[0] = at_once(fours, they_four, moving)
        if moving:
            out[1] = np.float64(threats > 0 and they_four == 0)
        else:
            out[1] = -np.float64(their_threats > 0 and fours == 0)

    def is_quiet(self, state: Any) -> bool:
        """Return whether neither side has a four, nor a three that could be one with both ends open."""
        for line in range(self.masks.shape[0]):
            if state[2 * line] | state[2 * line + 1] != _0:
                forms: Any = self._forms(state, line, 0)
                if forms[0] | forms[1]:
                    return False
        return True

    def _forms(self, state: Any, line: int, player: Any) -> Any:
        """Return the forms of a line: those of `player` in the lower half of each word, the other's above."""
        mine, other = np.uint64(state[2 * line + player]), np.uint64(state[2 * line + 1 - player])
        free = np.uint64(self.masks[line]) & ~(mine | other)
        return _forms(mine | (other << _32), free | (free << _32), self.connect, self.exact)

    def pass_turn(self, state: Any) -> None:
        state[_PLY] += _1
        state[_LOW] = ~state[_LOW]  # stones alone make the key

    def prior(self, state: Any, actions: Any, count: int, out: Any) -> None:
        """Weigh a cell beside a stone of either side as eight others."""
        row, near = np.int64(-1), _0
        for i in range(count):
            cell = np.int64(actions[i])
            if cell // self.columns != row:
                row = cell // self.columns
                near = self._beside(state, row)
            out[i] = 8.0 if near & (_1 << np.uint32(cell % self.columns)) else 1.0

    def _beside(self, state: Any, row: Any) -> Any:
        """Return the bits of a row's cells that have a stone on them or beside them."""
        taken = _0
        for other in range(max(row - 1, 0), min(row + 2, self.rows)):
            taken |= state[2 * other] | state[2 * other + 1]
        return taken | (taken << _1) | (taken >> _1)

    def hash_key(self, state: Any) -> np.uint64:
        return (np.uint64(state[_HIGH]) << _32) | np.uint64(state[_LOW])

    def _empty(self, state: Any, row: int) -> Any:
        return self.masks[row] & ~(state[2 * row] | state[2 * row + 1])

    def _put(self, state: Any, cell: Any, player: Any) -> bool:
        """Put a stone into the four lines of its cell; return whether one of them wins."""
        lines = self.lines
        across, down = lines[cell, 0] + player, lines[cell, 1] + player
        falling, rising = lines[cell, 2] + player, lines[cell, 3] + player
        bit = _1 << np.uint32((down >> 1) - self.rows)
        state[across] |= bit
        state[down] |= _1 << np.uint32(across >> 1)
        state[falling] |= bit
        state[rising] |= bit
        # Two lines of at most 26 bits at once: the bits between them keep them apart.
        straight = (np.uint64(state[across]) << _32) | np.uint64(state[down])
        slanted = (np.uint64(state[falling]) << _32) | np.uint64(state[rising])
        return self._wins(straight) or self._wins(slanted)

    def _wins(self, stones: Any) -> bool:
        found = runs(stones, self.connect, 1)
        if self.exact and found:
            found &= ~((stones << np.uint64(1)) | (stones >> np.uint64(self.connect)))
        return found != np.uint64(0)

    def action_to_string(self, state: Any, action: int) -> str:
        return square_name(int(action), self.rows, self.columns, bottom_up=True)

    def string_to_action(self, state: Any, text: str) -> int:
        return parse_cell("gomoku", text, self.rows, self.columns, bottom_up=True)

    def _cells(self, state: Any) -> list[int]:
        """Return the owner of each cell (-1 for none), row by row."""
        places = ((row, column) for row in range(self.rows) for column in range(self.columns))
        return owners(places, state[::2], state[1::2])

    def observation(self, state: Any, player: int) -> npt.NDArray[np.int8]:
        """Return int8[rows, columns, 2]: the player's stones, the opponent's stones."""
        return planes(self._cells(state), player, self.rows, self.columns)

    def to_text(self, state: Any, visits: Any = None) -> str:
        return square_text(self._cells(state), self.rows, self.columns, visits=visits, bottom_up=True)

    def to_svg(self, state: Any, visits: Any = None, last: Any = None) -> str:
        return square_picture(
            self._cells(state),
            self.rows,
            self.columns,
            visits,
            discs=True,
            bottom_up=True,
            last=int(state[_LAST]) - 1,
            fills=STONES,
        )


@kernel
def _forms(own, empty, connect, exact):
    """Return fours, open threes, threes, open twos, twos and ones, as bits.

    Two lines may share a word: the bits between them keep them apart.
    """
    last = np.uint64(connect - 1)
    shorter: Any = windows(own, empty, connect - 1, 1)
    ends = (empty << _ONE) & (empty >> last)
    found: Any = longer(shorter, own >> last, empty >> last)
    _, fours, threes, twos, ones = found
    if exact:
        fours &= ~((own << _ONE) | (own >> np.uint64(connect)))
    fours = covered(fours, connect, 1) & empty
    return fours, shorter[1] & ends, threes, shorter[2] & ends, twos, ones


env, raw_env = environments(Gomoku)
