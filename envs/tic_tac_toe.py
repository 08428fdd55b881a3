"""Tic-tac-toe: three in a row on three by three cells. Rules and pictures, nothing else.

Players mark an empty cell in turn; the first with three in a row, column or diagonal wins, and a full board
is a draw (E. R. Berlekamp, J. H. Conway and R. K. Guy, "Winning Ways", chapter 22). `c2` is column c, row 2
from the top.

State: uint16[3], 6 bytes: the first player's cells, the second player's cells (bit `i` is cell
`i`, row by row from the top left), and the number of moves played. Action `i` marks cell `i`.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from envs.aec import environments
from envs.boards import parse_cell, planes, square_name, square_text
from envs.pictures import square_picture
from envs.rules import TERMINAL, rules
from envs.streams import below

_LINES = (0o007, 0o070, 0o700, 0o111, 0o222, 0o444, 0o421, 0o124)


@rules
class TicTacToe(NamedTuple):
    """The game has no parameters."""

    wins: npt.NDArray[np.bool_]
    """bool[512]: whether a set of cells holds a line."""
    select: npt.NDArray[np.uint8]
    """uint8[512, 9]: the cell of the k-th bit of a set."""
    num_players: int = 2
    num_actions: int = 9
    max_legal: int = 9

    @classmethod
    def make(cls) -> TicTacToe:
        """Build the lookup tables."""
        wins = np.array([any(cells & line == line for line in _LINES) for cells in range(512)])
        select = np.zeros((512, 9), np.uint8)
        for cells in range(512):
            bits = [i for i in range(9) if cells >> i & 1]
            select[cells, : len(bits)] = bits
        return cls(wins, select)

    def initial_state(self) -> npt.NDArray[np.uint16]:
        return np.zeros(3, np.uint16)

    def current_player(self, state: Any) -> int:
        ply = np.int64(state[2])
        if ply == 9 or self.wins[state[0]] or self.wins[state[1]]:
            return TERMINAL
        return ply & 1  # type: ignore[return-value] # a player, to kernels an int64

    def legal_actions(self, state: Any, out: Any) -> int:
        taken = np.int64(state[0] | state[1])
        count = 0
        for cell in range(9):
            if not taken >> cell & 1:
                out[count] = cell
                count += 1
        return count

    def step(self, state: Any, action: int) -> None:
        state[state[2] & 1] |= np.uint16(1 << np.int64(action))
        state[2] += np.uint16(1)

    def returns(self, state: Any, out: Any) -> None:
        out[0] = np.float64(self.wins[state[0]]) - np.float64(self.wins[state[1]])
        out[1] = -out[0]

    def rollout(self, state: Any, scratch: Any, rng: Any) -> None:
        mine, other = np.int64(state[0]), np.int64(state[1])
        ply = np.int64(state[2])
        if ply & 1:
            mine, other = other, mine
        while ply < 9 and not self.wins[other] and not self.wins[mine]:
            empty = self.select[511 ^ (mine | other)]
            mine, other = other, mine | (1 << np.int64(empty[below(rng, 9 - ply)]))
            ply += 1
        if ply & 1:
            mine, other = other, mine
        state[0], state[1], state[2] = mine, other, ply

    def action_to_string(self, state: Any, action: int) -> str:
        return square_name(int(action), 3, 3)

    def string_to_action(self, state: Any, text: str) -> int:
        return parse_cell("tic_tac_toe", text, 3, 3)

    def _cells(self, state: Any) -> list[int]:
        return [0 if int(state[0]) >> i & 1 else 1 if int(state[1]) >> i & 1 else -1 for i in range(9)]

    def observation(self, state: Any, player: int) -> npt.NDArray[np.int8]:
        """Return int8[3, 3, 2]: the player's cells, the opponent's cells."""
        return planes(self._cells(state), player, 3, 3)

    def to_text(self, state: Any, visits: Any = None) -> str:
        return square_text(self._cells(state), 3, 3, visits=visits)

    def to_svg(self, state: Any, visits: Any = None, last: Any = None) -> str:
        return square_picture(self._cells(state), 3, 3, visits=visits, last=last)


env, raw_env = environments(TicTacToe)
