"""Othello on any even square board of up to 8x8. Rules and pictures, nothing else.

Black, the first player, begins. A disc must be placed so that it encloses opposing discs in a
straight line between itself and another disc of its colour; all that are enclosed so, in any of
eight directions, are turned. Who cannot place a disc passes; when neither can, the game is over and
the majority of discs wins (rules of the World Othello Federation). Action `row * size + column`
places a disc, rows from the top; action `size * size` is the pass, legal only when it is the only
one. `d3` is column d, row 3.

State: uint64[4], 32 bytes: the first player's discs, the second player's discs, the player to move
(2 when the game is over), and the last action plus one (0 for none). Cell (row, column) is bit
`8 * row + column` on boards of every size.
"""

from __future__ import annotations

from typing import Annotated, Any, NamedTuple

import numpy as np
import numpy.typing as npt
from pydantic import Field

from envs.aec import environments
from envs.boards import action_note, parse_cell, planes, square_name, square_text
from envs.features import features
from envs.kernels import kernel, lowest_bit, popcount
from envs.parameters import ParameterError
from envs.pictures import square_picture
from envs.rules import TERMINAL, hash_words, rules
from envs.shapes import STONES
from envs.streams import below

_0, _1, _2, _7, _8, _9 = (np.uint64(n) for n in (0, 1, 2, 7, 8, 9))
_NOT_FIRST, _NOT_LAST = np.uint64(0xFEFEFEFEFEFEFEFE), np.uint64(0x7F7F7F7F7F7F7F7F)
"""All cells but those of column 0; but those of column 7."""


@rules
@features(mobility=0.4, frontier=0.5, corners=0.2, corner_risks=-0.6, stable=0.14, discs=0.13)
class Othello(NamedTuple):
    """`size` cells a side."""

    size: int
    board: np.uint64
    """The bits of all cells."""
    inner: np.uint64
    """The bits of the cells in neither the first nor the last column."""
    middle: np.uint64
    """The bits of the cells in neither the first nor the last row."""
    corners: np.uint64
    num_players: int
    num_actions: int
    max_legal: int

    @classmethod
    def make(cls, size: Annotated[int, Field(ge=4, le=8, description="cells a side, even")] = 8) -> Othello:
        """Build the rules."""
        if size % 2:
            raise ParameterError.single("othello", "size", size, "4, 6 or 8")
        edge = size - 1
        cells = [(row, column) for row in range(size) for column in range(size)]
        board = sum(1 << 8 * row + column for row, column in cells)
        inner = sum(1 << 8 * row + column for row, column in cells if 0 < column < edge)
        middle = sum(1 << 8 * row + column for row, column in cells if 0 < row < edge)
        corners = 1 | 1 << edge | 1 << 8 * edge | 1 << 9 * edge
        bits = (np.uint64(board), np.uint64(inner), np.uint64(middle), np.uint64(corners))
        # Before a move there are at least four discs.
        return cls(size, *bits, 2, size * size + 1, size * size - 4)

    def initial_state(self) -> npt.NDArray[np.uint64]:
        corner = 9 * (self.size // 2 - 1)
        return np.array([0b1_00000010 << corner, 0b10_00000001 << corner, 0, 0], np.uint64)

    def current_player(self, state: Any) -> int:
        return TERMINAL if state[2] == _2 else np.int64(state[2])  # type: ignore[return-value] # an int64

    def legal_actions(self, state: Any, out: Any) -> int:
        if state[2] == _2:
            return 0
        player = np.int64(state[2])
        moves = self._moves(state[player], state[1 - player])
        if moves == _0:
            out[0] = self.size * self.size
            return 1
        count = 0
        while moves != _0:
            bit = lowest_bit(moves)
            out[count] = (bit >> 3) * self.size + (bit & 7)
            count += 1
            moves &= moves - _1
        return count

    def step(self, state: Any, action: int) -> None:
        player, cell = np.int64(state[2]), np.int64(action)
        mine, other = state[player], state[1 - player]
        if cell < self.size * self.size:
            move = self._bit(cell)
            turned = _turned(self.inner, mine, other, move)
            mine, other = mine | move | turned, other ^ turned
            state[player], state[1 - player] = mine, other
        over = self._moves(other, mine) == _0 and self._moves(mine, other) == _0
        state[2] = 2 if over else 1 - player
        state[3] = np.uint64(cell + 1)

    def _moves(self, mine: Any, other: Any) -> Any:
        """Return the cells where `mine` may place a disc."""
        return _enclosing(self.inner, mine, other) & self.board & ~(mine | other)

    def returns(self, state: Any, out: Any) -> None:
        ahead = self._lead(state) if state[2] == _2 else 0
        out[0] = np.float64(ahead > 0) - np.float64(ahead < 0)
        out[1] = -out[0]

    def _lead(self, state: Any) -> int:
        """Return how many discs the first player is ahead."""
        return popcount(state[0]) - popcount(state[1])

    def rollout(self, state: Any, scratch: Any, rng: Any) -> None:
        """Play on in two local words; leaves the last action as it was."""
        if state[2] == _2:
            return
        player = np.int64(state[2])
        mine, other = state[player], state[1 - player]
        passes = 0
        while passes < 2:
            moves = self._moves(mine, other)
            if moves == _0:
                passes += 1
            else:
                passes = 0
                for _ in range(below(rng, popcount(moves))):
                    moves &= moves - _1
                move = moves & (~moves + _1)
                turned = _turned(self.inner, mine, other, move)
                mine, other = mine | move | turned, other ^ turned
            mine, other, player = other, mine, 1 - player
        state[player], state[1 - player], state[2] = mine, other, _2

    def features(self, state: Any, player: int, out: Any) -> None:
        """Compare what P. S. Rosenbloom does ("A World-Championship-Level Othello Program", 1982), and less.

        `mobility`: moves; `frontier`: empty cells beside the other's discs; both as a share of both sides'.
        `corners`: discs on corners; `corner_risks`: discs diagonally beside an empty one. `stable`: discs
        that a corner keeps from ever being turned. `discs`: the lead, over the empty cells and one.
        """
        mine, other = state[player], state[1 - player]
        empty = self.board & ~(mine | other)
        out[0] = _share(self._moves(mine, other), self._moves(other, mine))
        out[1] = _share(empty & _around(other), empty & _around(mine))
        out[2] = popcount(mine & self.corners) - popcount(other & self.corners)
        risks = _around(empty & self.corners) & self.inner & self.middle
        out[3] = popcount(mine & risks) - popcount(other & risks)
        out[4] = popcount(self._stable(mine)) - popcount(self._stable(other))
        out[5] = (popcount(mine) - popcount(other)) / (popcount(empty) + 1.0)

    def _stable(self, mine: Any) -> Any:
        """Return discs that cannot be turned: on each axis one neighbour is as safe, or off the board."""
        stable = mine & self.corners
        grown = _0 if stable == _0 else mine
        while grown != _0:
            safe = ~self.inner | (stable << _1) | (stable >> _1)
            safe &= ~self.middle | (stable << _8) | (stable >> _8)
            rim = ~(self.inner & self.middle)
            safe &= rim | (stable << _7) | (stable >> _7)
            safe &= rim | (stable << _9) | (stable >> _9)
            grown = mine & safe & ~stable
            stable |= grown
        return stable

    def prior(self, state: Any, actions: Any, count: int, out: Any) -> None:
        """Weigh a corner as ten cells, a cell at the rim as two, one beside an empty corner as a fifth."""
        free = self.corners & ~(state[0] | state[1])
        risks = _around(free)
        for i in range(count):
            bit = self._bit(np.int64(actions[i]))
            if bit & free:
                out[i] = 10.0
            elif bit & risks:
                out[i] = 0.2
            else:
                out[i] = 2.0 if bit & self.board & ~(self.inner & self.middle) else 1.0

    def _bit(self, cell: Any) -> Any:
        """Return the bit of a cell; 0 for the pass."""
        return np.uint64(cell < self.size * self.size) << np.uint64(
            8 * (cell // self.size) + cell % self.size
        )

    def score_bounds(self, state: Any, out: Any) -> None:
        """Count the discs ahead at the end; cells that stay empty are the winner's."""
        cells = self.size * self.size
        out[0], out[1] = -cells, cells
        if state[2] == _2:
            ahead = self._lead(state)
            left = cells - popcount(state[0] | state[1])
            out[0] = ahead + left if ahead > 0 else ahead - left if ahead < 0 else 0
            out[1] = out[0]

    def candidates(self, state: Any, out: Any, weights: Any) -> int:
        """Weigh a move by how few it leaves the opponent, which ends the search below it soonest.

        Moves into the corners count for more, the opponent's too.
        """
        player, count = np.int64(state[2]), self.legal_actions(state, out)
        mine, other = state[player], state[1 - player]
        for i in range(count):
            cell = np.int64(out[i])
            weights[i] = 0.0
            if cell < self.size * self.size:
                move = _1 << np.uint64(8 * (cell // self.size) + cell % self.size)
                turned = _turned(self.inner, mine, other, move)
                left = self._moves(other ^ turned, mine | move | turned)
                weights[i] = -popcount(left) - popcount(left & self.corners)
                if move & self.corners != _0:
                    weights[i] += 4.0
        return count

    def hash_key(self, state: Any) -> np.uint64:
        return hash_words(state[:3])

    def action_to_string(self, state: Any, action: int) -> str:
        return "pass" if action == self.size * self.size else square_name(int(action), self.size, self.size)

    def string_to_action(self, state: Any, text: str) -> int:
        if text.strip().lower() == "pass":
            return self.size * self.size
        return parse_cell("othello", text, self.size, self.size)

    def _cells(self, state: Any) -> list[int]:
        """Return the owner of each cell (-1 for none), row by row from the top."""
        first, second = int(state[0]), int(state[1])
        bits = [8 * row + column for row in range(self.size) for column in range(self.size)]
        return [0 if first >> bit & 1 else 1 if second >> bit & 1 else -1 for bit in bits]

    def observation(self, state: Any, player: int) -> npt.NDArray[np.int8]:
        """Return int8[size, size, 2]: the player's discs, the opponent's discs."""
        return planes(self._cells(state), player, self.size, self.size)

    def to_text(self, state: Any, visits: Any = None) -> str:
        board = square_text(self._cells(state), self.size, self.size, visits=visits)
        return "\n".join(filter(None, [board, action_note("pass", visits, self.size * self.size)]))

    def to_svg(self, state: Any, visits: Any = None, last: Any = None) -> str:
        last, passing = int(state[3]) - 1, self.size * self.size
        notes = ["last move: pass" if last == passing else "", action_note("pass", visits, passing)]
        note = ", ".join(filter(None, notes))
        cells = self._cells(state)
        return square_picture(
            cells, self.size, self.size, visits=visits, discs=True, last=last, note=note, fills=STONES
        )


@kernel
def _enclosing(inner, mine, other):
    """Return the cells, free or not, from which a line of `other` leads to `mine`.

    A parallel prefix fill in each direction (Kogge-Stone): runs of one, then two, then four discs. No
    line through `inner` wraps into the next row; up and down a word has nothing to wrap into.
    """
    across = other & inner
    return (
        _enclosing_along(mine, across, _1)
        | _enclosing_along(mine, other, _8)
        | _enclosing_along(mine, across, _7)
        | _enclosing_along(mine, across, _9)
    )


@kernel
def _enclosing_along(mine, other, step):
    runs: Any = _runs_from(mine, other, step)
    up, down = runs
    return (up << step) | (down >> step)


@kernel(inline="always")  # a call would slow rollouts by a fifth
def _runs_from(start, other, step):
    """Return the discs of `other` in unbroken lines that begin beside `start`, upwards and downwards."""
    twice = step + step
    up = other & (start << step)
    down = other & (start >> step)
    up |= other & (up << step)
    down |= other & (down >> step)
    pairs_up = other & (other << step)
    pairs_down = pairs_up >> step
    up |= pairs_up & (up << twice)
    down |= pairs_down & (down >> twice)
    up |= pairs_up & (up << twice)
    down |= pairs_down & (down >> twice)
    return up, down


@kernel
def _around(cells):
    """Return cells and all beside them, in any of eight directions; some of it may be off the board."""
    column = cells | (cells << _8) | (cells >> _8)
    return column | ((column << _1) & _NOT_FIRST) | ((column >> _1) & _NOT_LAST)


@kernel
def _share(mine, other):
    """Return how many more cells `mine` are than `other`, as a share of all; 0 where there are none."""
    first, second = popcount(mine), popcount(other)
    return (first - second) / max(first + second, 1)


@kernel
def _turned(inner, mine, other, move):
    """Return the discs of `other` that `move` turns, found as `_enclosing` finds the cells."""
    across = other & inner
    return (
        _turned_along(mine, across, move, _1)
        | _turned_along(mine, other, move, _8)
        | _turned_along(mine, across, move, _7)
        | _turned_along(mine, across, move, _9)
    )


@kernel
def _turned_along(mine, other, move, step):
    runs: Any = _runs_from(move, other, step)
    up, down = runs
    # A run counts only if a disc of the mover's stands at its far end.
    turned = _0
    if (up << step) & mine != _0:
        turned = up
    if (down >> step) & mine != _0:
        turned |= down
    return turned


env, raw_env = environments(Othello)
