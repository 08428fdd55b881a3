"""Havannah on a hexagon of hexagons. Rules and pictures, nothing else.

The first to own one of three structures wins: a ring, a chain of stones around at least one cell,
whatever that holds; a bridge, a chain that joins two of the six corners; a fork, a chain that joins
three of the six sides, to which corners do not belong (C. Freeling's rules, mindsports.nl). A full
board without a structure is a draw. With `swap` the second player may, as the first move, take over
the stone on the board: the action is its cell.

Action `row * side + column`, with `side = 2 * size - 1`; a cell is on the board where row and column
differ by less than `size`. `c2` is column c, row 2. It touches b1, c1, b2, d2, c3 and d3.

State: uint32[2 * (side + 2) + side * side + 3], 1,048 bytes for size 8: the moves played (a swap is
one), the outcome (0 for none, the winner plus one, 3 for a draw), the last action (`side * side` for
none), then the two players' rows of stones and the stones' links (both in `envs.hexgroups`). Rows of
bits stand last row first, so that neighbours lie as that module wants them.
"""

from __future__ import annotations

import itertools
from typing import Annotated, Any, NamedTuple

import numpy as np
import numpy.typing as npt
from pydantic import Field

from envs.actions import ActionError
from envs.aec import environments
from envs.boards import action_note, column_name, lattice_text, owners, parse_cell, planes, square_name
from envs.features import features
from envs.hexgoals import SIDES, lacking
from envs.hexgroups import CLOSED, HEADS, MARKS, ROOT, STEPS, around, fills_a_ring, join, steps_in
from envs.hexpaths import MOST_WORDS
from envs.kernels import kernel, list_bits, lowest_bit, popcount, room
from envs.pictures import lattice_picture
from envs.rules import TERMINAL, hash_words, rules
from envs.streams import below

_0, _1, _2, _8, _16 = (np.uint32(n) for n in (0, 1, 2, 8, 16))
_ONE, _32 = np.uint64(1), np.uint64(32)
_SIX_BITS, _BYTE = np.uint32(63), np.uint32(255)
ROWS = 3
"""Where the rows of stones begin in a state."""
PLY, OUTCOME, LAST = 0, 1, 2
DRAW = np.uint32(3)


@rules
@features(pairs=0.04, bridge=0.05, fork=0.16, nearest=3.2)
class Havannah(NamedTuple):
    """`size` cells a side."""

    size: int
    side: int
    """Rows, and columns, of the board."""
    swap: bool
    cells: npt.NDArray[np.uint32]
    """uint32[side * side]: of each action its column, its row of bits << 8, its marks << 16."""
    board: npt.NDArray[np.uint32]
    """uint32[side]: the cells of each row of bits."""
    steps: npt.NDArray[np.int64]
    """int64[7]: from a cell's action to those of its neighbours."""
    goals: npt.NDArray[np.uint64]
    """uint64[12, side + 5]: the cells of each side and each corner, on the boards of `envs.hexpaths`."""
    rims: npt.NDArray[np.uint64]
    """uint64[12, side + 5]: what lies off the board and beside two cells of a side."""
    num_players: int
    num_actions: int
    max_legal: int

    @classmethod
    def make(
        cls,
        size: Annotated[int, Field(ge=2, le=15, description="cells a side of the hexagon")] = 8,
        swap: Annotated[bool, Field(description="the second player may take over the first stone")] = False,
    ) -> Havannah:
        """Build the rules."""
        side = 2 * size - 1
        cells, board = np.zeros(side * side, np.uint32), np.zeros(side, np.uint32)
        for row, column in _on_board(size):
            cells[row * side + column] = column | side - 1 - row << 8 | _marks(size, row, column) << 16
            board[side - 1 - row] |= np.uint32(1 << column)
        count = 3 * size * (size - 1) + 1
        goals, rims = _goals(size)
        tables = cells, board, steps_in(side, down=-1), goals, rims
        return cls(size, side, swap, *tables, 2, side * side, count)

    def initial_state(self) -> npt.NDArray[np.uint32]:
        state = np.zeros(ROWS + 2 * (self.side + 2) + self.num_actions, np.uint32)
        state[LAST] = self.num_actions
        return state

    def current_player(self, state: Any) -> int:
        if state[OUTCOME] != _0:
            return TERMINAL
        return np.int64(state[PLY] & _1)  # type: ignore[return-value] # a player, to kernels an int64

    def legal_actions(self, state: Any, out: Any) -> int:
        side = self.side
        may_swap = self.swap and state[PLY] == _1
        count = 0
        for row in range(side):
            at = ROWS + side - row
            empty = self.board[side - 1 - row]
            if not may_swap:
                empty &= ~(state[at] | state[at + side + 2])
            count = list_bits(empty, row * side, out, count)
        return count

    def step(self, state: Any, action: int) -> None:
        cell = np.int64(action)
        if self.swap and state[PLY] == _1 and np.int64(state[LAST]) == cell:
            self._take_over(state, cell)
        elif _place(self, state, np.int64(state[PLY] & _1), cell):
            state[OUTCOME] = _1 + (state[PLY] & _1)
        state[PLY] += _1
        state[LAST] = np.uint32(cell)
        if state[OUTCOME] == _0 and self._is_full(state):
            state[OUTCOME] = DRAW

    def _is_full(self, state: Any) -> bool:
        """Return whether no cell is empty; looks only when enough moves have been played."""
        if np.int64(state[PLY]) < self.max_legal:
            return False
        return self._stones(state) == self.max_legal

    def _stones(self, state: Any) -> int:
        count = 0
        for row in range(ROWS, ROWS + 2 * (self.side + 2)):
            count += popcount(state[row])
        return count

    def _take_over(self, state: Any, cell: Any) -> None:
        """Give the first stone to the second player; its link stays as it is."""
        row = ROWS + 1 + np.int64((self.cells[cell] >> _8) & _BYTE)
        state[row + self.side + 2] = state[row]
        state[row] = _0

    def returns(self, state: Any, out: Any) -> None:
        out[0] = np.float64(state[OUTCOME] == _1) - np.float64(state[OUTCOME] == _2)
        out[1] = -out[0]

    def rollout(self, state: Any, scratch: Any, rng: Any) -> None:
        """Draw from the empty cells without listing them anew; leaves the last action as it was."""
        while self.swap and state[PLY] < _2 and state[OUTCOME] == _0:
            self.step(state, scratch[below(rng, self.legal_actions(state, scratch))])
        if state[OUTCOME] != _0:
            return
        left = self.legal_actions(state, scratch)
        player = np.int64(state[PLY] & _1)
        while left > 0:
            i = below(rng, left)
            cell = np.int64(scratch[i])
            left -= 1
            scratch[i] = scratch[left]
            if _place(self, state, player, cell):
                state[OUTCOME] = np.uint32(player + 1)
                return
            player = 1 - player
        state[OUTCOME] = DRAW

    def features(self, state: Any, player: int, out: Any) -> None:
        """Compare what each side lacks of a bridge and of a fork (`envs.hexgoals`), and has of a ring.

        `pairs`: stones side by side, of which rings are made. `bridge`, `fork`: how many stones more the
        other lacks; `nearest`: the lead in 1 / (1 + stones lacking of the nearer one).
        """
        own, empty = room(MOST_WORDS).view(np.uint64), room(MOST_WORDS).view(np.uint64)
        words, pairs = self.side + 5, 0
        own[:words] = empty[:words] = 0
        for row in range(self.side):
            at = ROWS + 1 + row
            pairs += self._pairs(state, at) - self._pairs(state, at + self.side + 2)
            first, second = np.uint64(state[at]), np.uint64(state[at + self.side + 2])
            free = np.uint64(self.board[row]) & ~(first | second)
            own[row + 2] = (first | (second << _32)) << _ONE
            empty[row + 2] = (free | (free << _32)) << _ONE
        lack, other = room(4), 1 - player
        lacking(own[:words], empty[:words], self.goals[SIDES:], self.rims[SIDES:], 2, lack[:2])
        lacking(own[:words], empty[:words], self.goals[:SIDES], self.rims[:SIDES], 3, lack[2:])
        out[0] = pairs if player == 0 else -pairs
        out[1], out[2] = lack[other] - lack[player], lack[2 + other] - lack[2 + player]
        mine, theirs = min(lack[player], lack[2 + player]), min(lack[other], lack[2 + other])
        out[3] = 1.0 / (1.0 + mine) - 1.0 / (1.0 + theirs)

    def _pairs(self, state: Any, at: Any) -> int:
        """Count the pairs of neighbouring stones in a row and between it and the row before."""
        row, above = state[at], state[at - 1]
        return popcount(row & (row >> _1)) + popcount(row & above) + popcount(row & (above >> _1))

    def prior(self, state: Any, actions: Any, count: int, out: Any) -> None:
        """Weigh a cell by its distance from the rim, three times as much beside a stone."""
        line, near, side = np.int64(-1), _0, self.side
        for i in range(count):
            row, column = np.int64(actions[i]) // side, np.int64(actions[i]) % side
            if row != line:
                at = ROWS + side - row
                above = state[at - 1] | state[at + side + 1]
                here, under = state[at] | state[at + side + 2], state[at + 1] | state[at + side + 3]
                line, near = row, (above >> _1) | above | (here >> _1) | (here << _1) | under | (under << _1)
            rim = min(min(row, side - 1 - row), min(column, side - 1 - column))
            out[i] = 1.0 + min(rim, self.size - 1 - abs(row - column))
            if near & (_1 << np.uint32(column)):
                out[i] *= 3.0

    def pass_turn(self, state: Any) -> None:
        state[PLY] += _1

    def candidates(self, state: Any, out: Any, weights: Any) -> int:
        """List all legal actions, weighed by what the mover's group there would have more of a structure.

        That is the square of how many sides a group has, a corner counting as one and a half, and a little
        for each stone beside; it costs much less than `evaluate`.
        """
        count = self.legal_actions(state, out)
        for i in range(count):
            weights[i] = self._gain(state, np.int64(out[i]))
        return count

    def _gain(self, state: Any, cell: Any) -> float:
        here = self.cells[cell]
        rows = ROWS + 1 + np.int64(state[PLY] & _1) * (self.side + 2)
        beside = around(state, rows + np.int64((here >> _8) & _BYTE), here & _BYTE)
        heads, marks, had = HEADS[beside], here >> _16, 0.0
        while heads != _0:
            place = ROWS + 2 * (self.side + 2) + cell + self.steps[lowest_bit(heads)]
            while state[place] & ROOT == _0:
                place = np.int64(state[place])
            had += _progress(state[place])
            marks |= state[place] & MARKS
            heads &= heads - _1
        return _progress(marks) - had + 0.1 * popcount(beside)

    def hash_key(self, state: Any) -> np.uint64:
        """Hash the stones and whose turn it is: how groups are linked depends on the order of moves."""
        key = hash_words(state[ROWS : ROWS + 2 * (self.side + 2)])
        return key ^ np.uint64(state[PLY] & _1)

    def action_to_string(self, state: Any, action: int) -> str:
        if self.swap and state[PLY] == _1 and int(state[LAST]) == action:
            return "swap"
        return square_name(int(action), self.side, self.side)

    def string_to_action(self, state: Any, text: str) -> int:
        if self.swap and state[PLY] == _1 and text.strip().lower() == "swap":
            return int(state[LAST])
        action = parse_cell("havannah", text, self.side, self.side)
        row, column = divmod(action, self.side)
        if abs(row - column) >= self.size:
            low, high = max(0, row + 1 - self.size), min(self.side, row + self.size) - 1
            allowed = f"{column_name(low)} to {column_name(high)} in row {row + 1}"
            raise ActionError("havannah", text, "no cell of this board", allowed)
        return action

    def _owners(self, state: Any) -> list[int]:
        """Return the owner of each cell on the board (-1 for none), in the order of their actions."""
        last = ROWS + self.side  # where the rows of bits end, and begin for people
        return owners(_on_board(self.size), state[last:ROWS:-1], state[last + self.side + 2 : ROWS : -1])

    def observation(self, state: Any, player: int) -> npt.NDArray[np.int8]:
        """Return int8[side, side, 2]: the player's stones, the opponent's stones; 0 off the board."""
        return planes(self._owners(state), player, self.side, self.side, _on_board(self.size))

    def to_text(self, state: Any, visits: Any = None) -> str:
        places, labels, shown = self._drawn(visits)
        return lattice_text(places, self._owners(state), labels, shown, self._note(state, visits))

    def to_svg(self, state: Any, visits: Any = None, last: Any = None) -> str:
        places, labels, shown = self._drawn(visits)
        on_board = _on_board(self.size)
        names = [square_name(row * self.side + column, self.side, self.side) for row, column in on_board]
        last = divmod(int(state[LAST]), self.side)
        return lattice_picture(
            places,
            names,
            self._owners(state),
            labels,
            visits=shown,
            last=on_board.index(last) if last in on_board else None,
            note=self._note(state, visits),
        )

    def _note(self, state: Any, visits: Any) -> str:
        may_swap = self.swap and state[PLY] == _1
        return action_note("swap", visits, int(state[LAST])) if may_swap else ""

    def _drawn(self, visits: Any) -> tuple[list[tuple[int, int]], list[tuple[int, int, str]], Any]:
        """Return where cells and labels stand on the lattice of pictures, and the visits of the cells."""
        places = [(row, column - row) for row, column in _on_board(self.size)]
        cells = [row * self.side + column for row, column in _on_board(self.size)]
        labels = []
        for i in range(self.side):
            before = max(0, i + 1 - self.size) - 1
            labels += [(before, i - before, column_name(i)), (i, before - i, str(i + 1))]
        return places, labels, None if visits is None else np.asarray(visits)[cells]


def _on_board(size: int) -> list[tuple[int, int]]:
    """Return row and column of each cell, row by row."""
    lines = range(2 * size - 1)
    return [(row, column) for row in lines for column in lines if abs(row - column) < size]


def _marks(size: int, row: int, column: int) -> int:
    """Return the side of the board that a cell lies on in bits 0 to 5, or its corner in bits 6 to 11."""
    last = 2 * size - 2
    clockwise = (row, row + size - 1 - column, last - column, last - row, column + size - 1 - row, column)
    sides = [i for i, distance in enumerate(clockwise) if distance == 0]
    if len(sides) < 2:
        return sum(1 << i for i in sides)
    return 1 << 6 + (sides[0] if sides[1] == sides[0] + 1 else 5)


def _goals(size: int) -> Any:
    """Return `goals` and `rims`."""
    side = 2 * size - 1
    marks = {(side - 1 - row, column): _marks(size, row, column) for row, column in _on_board(size)}
    goals, rims = np.zeros((12, side + 5), np.uint64), np.zeros((12, side + 5), np.uint64)
    for row, column in itertools.product(range(-1, side + 1), repeat=2):
        bits = np.uint64(1 << column + 1 | 1 << column + 33)
        near = [(row + down, column + right) for down, right in STEPS if (down, right) != (0, 0)]
        beside = [marks[cell] for cell in near if cell in marks]
        for goal in range(12):
            if (row, column) in marks:
                goals[goal, row + 2] |= bits * np.uint64(marks[row, column] >> goal & 1)
            elif len(beside) > 1 and all(mark >> goal & 1 for mark in beside):
                rims[goal, row + 2] |= bits
    return goals, rims


@kernel
def _progress(marks):
    """Return the square of how many sides a group has, a corner counting as one and a half."""
    reached = popcount(marks & _SIX_BITS) + 1.5 * popcount((marks >> np.uint32(6)) & _SIX_BITS)
    return reached * reached


@kernel(forceinline=True)
def _place(rules, state, player, cell):
    """Put a stone on the board; return whether that makes a ring, a bridge or a fork."""
    here = rules.cells[np.uint64(cell)]
    column = here & _BYTE
    row = np.uint64(ROWS + 1 + player * (rules.side + 2) + np.int64((here >> _8) & _BYTE))
    neighbours = around(state, row, column)
    state[row] |= _1 << column
    links = ROWS + 2 * (rules.side + 2)
    marks = join(state, neighbours, links + cell, rules.steps, here >> _16)
    return _is_structure(marks) or fills_a_ring(state, row)


@kernel
def _is_structure(marks):
    """Return whether a group with such marks is a bridge or a fork, or has closed a ring."""
    corners = (marks >> np.uint32(6)) & _SIX_BITS
    return marks & CLOSED != _0 or corners & (corners - _1) != _0 or popcount(marks & _SIX_BITS) >= 3


env, raw_env = environments(Havannah)
