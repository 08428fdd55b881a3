"""Hex on a rhombus. Rules and pictures, nothing else.

The first player connects the top and the bottom row, the second player the left and the right
column; there are no draws. Action `row * size + column`; `c2` is column c, row 2.

State: uint32[5 * size + 2], 228 bytes for 11x11. Five boards of `size` rows, a bit a column: cells
taken; each player's stones; each player's stones that are connected to the edge that player
starts from; then the number of moves played, and the winner plus one (0 for none). The second
player's boards are transposed, so that both connect row 0 to the last row, with the same
neighbours: (r-1, c), (r-1, c+1), (r, c-1), (r, c+1), (r+1, c-1), (r+1, c).
"""

from __future__ import annotations

from typing import Annotated, Any, NamedTuple

import numpy as np
import numpy.typing as npt
from pydantic import Field

from envs.aec import environments
from envs.boards import hex_text, parse_cell, square_name
from envs.kernels import kernel, lowest_bit, popcount
from envs.pictures import hex_picture
from envs.rules import TERMINAL, hash_words, rules
from envs.streams import below, next_uint64

_0, _1, _2, _4, _8, _16 = (np.uint32(n) for n in (0, 1, 2, 4, 8, 16))


@rules
class Hex(NamedTuple):
    """`size` cells a side."""

    size: int
    num_players: int
    num_actions: int
    max_legal: int

    @classmethod
    def make(cls, size: Annotated[int, Field(ge=1, le=26, description="cells a side")] = 11) -> Hex:
        """Build the rules."""
        return cls(size, 2, size * size, size * size)

    def initial_state(self) -> npt.NDArray[np.uint32]:
        return np.zeros(5 * self.size + 2, np.uint32)

    def current_player(self, state: Any) -> int:
        if state[5 * self.size + 1] != _0:
            return TERMINAL
        return np.int64(state[5 * self.size] & _1)  # type: ignore[return-value] # a player, to kernels an int64

    def legal_actions(self, state: Any, out: Any) -> int:
        full = np.uint32((1 << self.size) - 1)
        count = 0
        for row in range(self.size):
            empty = full & ~state[row]
            while empty != _0:
                out[count] = row * self.size + lowest_bit(empty)
                count += 1
                empty &= empty - _1
        return count

    def step(self, state: Any, action: int) -> None:
        size = self.size
        row, column = np.int64(action) // size, np.int64(action) % size
        state[row] |= _1 << np.uint32(column)
        player = np.int64(state[5 * size] & _1)
        if player == 1:
            row, column = column, row
        stones = state[(1 + player) * size : (2 + player) * size]
        connected = state[(3 + player) * size : (4 + player) * size]
        bit = _1 << np.uint32(column)
        stones[row] |= bit
        if row == 0 or (_beside(connected, row) & bit) != _0:
            connected[row] |= bit
            if _spread(stones, connected):
                state[5 * size + 1] = np.uint32(player + 1)
        state[5 * size] += _1

    def returns(self, state: Any, out: Any) -> None:
        winner = state[5 * self.size + 1]
        out[0] = np.float64(winner == _1) - np.float64(winner == _2)
        out[1] = -out[0]

    def rollout(self, state: Any, scratch: Any, rng: Any) -> None:
        """Fill the board, then look once: who is connected on a full board was so when play ended.

        Leaves the second player's boards as they were.
        """
        size = self.size
        if state[5 * size + 1] != _0:
            return
        left = size * size - np.int64(state[5 * size])
        first_moves = (left + 1 - np.int64(state[5 * size] & _1)) // 2
        stones = state[size : 2 * size]
        self._fill(state[:size], stones, first_moves, rng)
        connected = state[3 * size : 4 * size]
        connected[0] |= stones[0]
        state[5 * size + 1] = _1 if _spread(stones, connected) else _2
        state[5 * size] = np.uint32(size * size)

    def _fill(self, taken: Any, stones: Any, count: Any, rng: Any) -> None:
        """Add a uniformly random set of `count` empty cells to `stones`.

        Random bits give a set of about half of the cells; cells drawn at random are then taken out
        or put in until there are `count`. No cell is treated unlike another, so every set of that
        size is equally likely.
        """
        size = self.size
        full = np.uint32((1 << size) - 1)
        bits = np.uint64(0)
        bits_left = 0
        have = 0
        for row in range(size):
            if bits_left < size:
                bits = next_uint64(rng)
                bits_left = 64
            new = np.uint32(bits & np.uint64(0xFFFFFFFF)) & full & ~taken[row]
            bits >>= np.uint64(size)
            bits_left -= size
            have += popcount(new)
            stones[row] |= new
        while have != count:
            row, column = below(rng, size), below(rng, size)
            bit = _1 << np.uint32(column)
            if (taken[row] & bit) == _0 and ((stones[row] & bit) != _0) == (have > count):
                stones[row] ^= bit
                have += 1 if have < count else -1

    def hash_key(self, state: Any) -> np.uint64:
        """Hash the stones alone: how far `connected` was grown when play ended depends on the order."""
        return hash_words(state[: 2 * self.size])

    def action_to_string(self, state: Any, action: int) -> str:
        return square_name(int(action), self.size, self.size)

    def string_to_action(self, state: Any, text: str) -> int:
        return parse_cell("hex", text, self.size, self.size)

    def _cells(self, state: Any) -> list[int]:
        """Return the owner of each cell (-1 for none), row by row."""
        size = self.size
        first, taken = state[size : 2 * size], state[:size]
        cells = (
            (int(taken[row]) >> c & 1, int(first[row]) >> c & 1) for row in range(size) for c in range(size)
        )
        return [1 - mine if any_stone else -1 for any_stone, mine in cells]

    def observation(self, state: Any, player: int) -> npt.NDArray[np.int8]:
        """Return int8[size, size, 2]: the player's stones, the opponent's stones."""
        cells = np.array(self._cells(state)).reshape(self.size, self.size)
        return np.stack([cells == player, cells == 1 - player], axis=-1).astype(np.int8)

    def to_text(self, state: Any, visits: Any = None) -> str:
        return hex_text(self._cells(state), self.size, self.size, visits=visits)

    def to_svg(self, state: Any, visits: Any = None) -> str:
        return hex_picture(self._cells(state), self.size, self.size, visits=visits)


@kernel
def _beside(rows, row):
    """Return the cells of `row` that touch a cell of `rows`."""
    near = (rows[row] << _1) | (rows[row] >> _1)
    if row > 0:
        near |= rows[row - 1] | (rows[row - 1] >> _1)
    if row + 1 < rows.shape[0]:
        near |= rows[row + 1] | (rows[row + 1] << _1)
    return near


@kernel
def _along(seeds, row):
    """Return the runs of `row` that hold a seed (a parallel prefix fill, five doublings each way)."""
    up, down = seeds, seeds
    up_open, down_open = row, row
    for shift in (_1, _2, _4, _8, _16):
        up |= up_open & (up << shift)
        up_open &= up_open << shift
        down |= down_open & (down >> shift)
        down_open &= down_open >> shift
    return up | down


@kernel
def _spread(stones, connected):
    """Grow `connected` through `stones`; return whether it reached the last row (it may stop there)."""
    last = stones.shape[0] - 1
    grew = True
    while grew:
        grew = False
        connected[0] = _along(connected[0] & stones[0], stones[0])
        for row in range(1, last + 1):
            above = connected[row - 1]
            seeds = stones[row] & (connected[row] | above | (above >> _1))
            connected[row] = _along(seeds, stones[row])
        if connected[last] != _0:
            return True
        for row in range(last - 1, -1, -1):
            below_it = connected[row + 1]
            seeds = stones[row] & (below_it | (below_it << _1)) & ~connected[row]
            if seeds != _0:
                connected[row] |= _along(seeds, stones[row])
                grew = True
    return False


env, raw_env = environments(Hex)
