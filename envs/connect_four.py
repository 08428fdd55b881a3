"""Connect Four on any board of up to 64 bits. Rules and pictures, nothing else.

Players in turn drop a disc into a column that is not full, where it falls as low as it can; the first with
`connect` discs in an unbroken row, column or diagonal wins, and a full board is a draw (Milton Bradley 1974;
V. Allis, "A Knowledge-based Approach of Connect-Four", 1988). `4` is the fourth column from the left.

State: uint64[4], 32 bytes: the first player's discs, the second player's discs, the number of
moves played, and the winner plus one (0 for none). A column takes `rows + 1` bits from the bottom
up, the topmost always empty, so that no line wraps into the next column (the layout of J. Tromp's
Fhourstones). Action `c` drops a disc into column `c`, 0 on the left.
"""

from __future__ import annotations

from typing import Annotated, Any, NamedTuple

import numpy as np
import numpy.typing as npt
from pydantic import Field

from envs.actions import ActionError
from envs.aec import environments
from envs.boards import planes, square_text
from envs.features import features
from envs.kernels import kernel, popcount
from envs.lines import at_once, covered, gaps, runs, windows
from envs.parameters import ParameterError
from envs.pictures import square_picture
from envs.rules import TERMINAL, hash_word, rules
from envs.streams import below

_0, _1 = np.uint64(0), np.uint64(1)


@rules
@features(win=8.0, threats=0.1, idle_threats=0.35, zugzwang=0.8, twos=0.13, ones=0.03)
class ConnectFour(NamedTuple):
    """`connect` discs in a line, in any of four directions, win."""

    rows: int
    columns: int
    connect: int
    column_masks: npt.NDArray[np.uint64]
    """uint64[columns]: the playable bits of each column."""
    board: np.uint64
    """All of them."""
    lowest: np.uint64
    """The lowest bit of each column."""
    turns: npt.NDArray[np.uint64]
    """uint64[2]: each player's cells by turns, once all other columns and what lies below are full."""
    num_players: int
    num_actions: int
    max_legal: int

    @classmethod
    def make(
        cls,
        rows: Annotated[int, Field(ge=1, le=63, description="height of the board")] = 6,
        columns: Annotated[int, Field(ge=1, le=32, description="width of the board")] = 7,
        connect: Annotated[int, Field(ge=2, le=32, description="discs in a line that win")] = 4,
    ) -> ConnectFour:
        """Build the rules; `(rows + 1) * columns` may be 64 at most."""
        if (rows + 1) * columns > 64:
            most = f"at most {64 // columns - 1} with columns = {columns} (64 bits a board)"
            raise ParameterError.single("connect_four", "rows", rows, most)
        if connect > max(rows, columns):
            most = f"at most {max(rows, columns)} on a board of {rows} x {columns}"
            raise ParameterError.single("connect_four", "connect", connect, most)
        masks = [((1 << rows) - 1) << column * (rows + 1) for column in range(columns)]
        lowest = sum(1 << column * (rows + 1) for column in range(columns))
        turns = [0, 0]
        for row in range(rows):
            turns[((columns - 1) * rows + row) % 2] |= lowest << row
        return cls(
            rows,
            columns,
            connect,
            np.array(masks, np.uint64),
            np.uint64(sum(masks)),
            np.uint64(lowest),
            np.array(turns, np.uint64),
            2,
            columns,
            columns,
        )

    def initial_state(self) -> npt.NDArray[np.uint64]:
        return np.zeros(4, np.uint64)

    def current_player(self, state: Any) -> int:
        if state[3] != _0 or state[2] == np.uint64(self.rows * self.columns):
            return TERMINAL
        return np.int64(state[2] & _1)  # type: ignore[return-value] # a player, to kernels an int64

    def legal_actions(self, state: Any, out: Any) -> int:
        discs = state[0] | state[1]
        count = 0
        for column in range(self.columns):
            if self._is_open(discs, column):
                out[count] = column
                count += 1
        return count

    def step(self, state: Any, action: int) -> None:
        player = np.int64(state[2] & _1)
        state[player] |= self._landing(state[0] | state[1], action)
        state[2] += _1
        if self._has_line(state[player]):
            state[3] = np.uint64(player + 1)

    def returns(self, state: Any, out: Any) -> None:
        out[0] = np.float64(state[3] == np.uint64(1)) - np.float64(state[3] == np.uint64(2))
        out[1] = -out[0]

    def rollout(self, state: Any, scratch: Any, rng: Any) -> None:
        if state[3] != _0:
            return
        full = np.uint64(self.rows * self.columns)
        ply = state[2]
        mine, other = state[np.int64(ply & _1)], state[np.int64(~ply & _1)]
        while ply < full:
            # A full column is drawn again: uniform among the open ones.
            column = below(rng, self.columns)
            landing = self._landing(mine | other, column)
            if landing == _0:
                continue
            mine, other = other, mine | landing
            ply += _1
            if self._has_line(other):
                state[3] = ((ply - _1) & _1) + _1
                break
        state[2] = ply
        state[np.int64(ply & _1)], state[np.int64(~ply & _1)] = mine, other

    def features(self, state: Any, player: int, out: Any) -> None:
        """Compare the lines that each side can still fill, and who gains by zugzwang (V. Allis 1988).

        `win`: who can win at once, or has two cells to win by when the other cannot. `threats`: cells out of
        reach that fill a line and are the player's where nobody gives way (see `turns`); `idle_threats`: such
        cells that are the other's turn. `zugzwang`: whether one side alone has a threat that no threat of
        the other's lies below. `twos`, `ones`: lines that lack two discs, or three.
        """
        mine, other = state[player], state[1 - player]
        landings = self._landings(state)
        empty = self.board & ~(mine | other)
        has: Any = _prospects(self.rows, self.connect, mine, empty)
        they_have: Any = _prospects(self.rows, self.connect, other, empty)
        fills, twos, ones = has
        they_fill, their_twos, their_ones = they_have
        moving = np.int64(state[2] & _1) == player
        out[0] = at_once(popcount(fills & landings), popcount(they_fill & landings), moving)
        far, their_turns = empty & ~landings, self.turns[1 - player]
        threats, theirs = fills & far & self.turns[player], they_fill & far & their_turns
        out[1] = popcount(threats) - popcount(theirs)
        out[2] = popcount(fills & far & their_turns) - popcount(they_fill & far & self.turns[player])
        undercut, they_undercut = threats & ~self._upwards(theirs), theirs & ~self._upwards(threats)
        out[3] = np.float64(undercut != _0) - np.float64(they_undercut != _0)
        out[4] = twos - their_twos
        out[5] = ones - their_ones

    def is_quiet(self, state: Any) -> bool:
        """Return whether no disc fills a line now, of either colour."""
        empty = self.board & ~(state[0] | state[1])
        fills: Any = _prospects(self.rows, self.connect, state[0], empty)
        they_fill: Any = _prospects(self.rows, self.connect, state[1], empty)
        return (fills[0] | they_fill[0]) & self._landings(state) == _0

    def prior(self, state: Any, actions: Any, count: int, out: Any) -> None:
        """Weigh a column by its distance from the nearer edge, the outermost as 1: more lines cross there."""
        for i in range(count):
            column = np.int64(actions[i])
            out[i] = 1.0 + min(column, self.columns - 1 - column)

    def hash_key(self, state: Any) -> np.uint64:
        """Hash the mover's discs plus all discs, a sum no other position has (J. Tromp, P. Pons)."""
        mine = state[np.int64(state[2] & _1)]
        return hash_word(mine + (state[0] | state[1]))

    def score_bounds(self, state: Any, out: Any) -> None:
        """Count the discs that the winner has left, and one more, as P. Pons does.

        "Solving Connect 4: how to build a perfect AI" (blog.gamesolver.org). So the sooner a win the more it
        is worth. A win with this move, or a loss with the next, is seen at once.
        """
        ply: Any = np.int64(state[2])
        cells = self.rows * self.columns
        if state[3] != _0:
            points = (cells + 2 - ply) // 2
            out[0] = points if state[3] == _1 else -points
            out[1] = out[0]
            return
        least, most = -(max(cells - 2 - ply, 0) // 2), max(cells - 1 - ply, 0) // 2
        if self._winning(state[ply & 1]) & self._landings(state) != _0:
            least = most = (cells + 1 - ply) // 2
        elif ply < cells and self._safe(state) == _0:
            least = most = -((cells - ply) // 2)
        out[0], out[1] = (least, most) if ply & 1 == 0 else (-most, -least)

    def candidates(self, state: Any, out: Any, weights: Any) -> int:
        """List the moves that do not let the opponent win with the next; those that make most threats first.

        Among equals the central columns weigh more. Ordering and pruning are P. Pons'.
        """
        mine = state[np.int64(state[2] & _1)]
        free, safe = self.board & ~(state[0] | state[1]), self._safe(state)
        count = 0
        for column in range(self.columns):
            landing = safe & self.column_masks[column]
            if landing != _0:
                out[count] = column
                threats = popcount(self._winning(mine | landing) & free)
                weights[count] = 32 * threats + min(column, self.columns - 1 - column)
                count += 1
        return count

    def _safe(self, state: Any) -> Any:
        """Return the landings after which the opponent cannot win with the next move."""
        threats = self._winning(state[np.int64(~state[2] & _1)]) & self.board
        landings = self._landings(state)
        forced = landings & threats
        if forced != _0:
            if forced & (forced - _1) != _0:
                return _0  # only one of two threats can be met
            landings = forced
        return landings & ~(threats >> _1)

    def _landings(self, state: Any) -> Any:
        """Return the cells where discs come to rest now."""
        return ((state[0] | state[1]) + self.lowest) & self.board

    def _winning(self, discs: Any) -> Any:
        """Return the bits, free or not, on the board or not, that would complete a line of `discs`."""
        return (
            self._gaps_along(discs, 1)
            | self._gaps_along(discs, self.rows)
            | self._gaps_along(discs, self.rows + 1)
            | self._gaps_along(discs, self.rows + 2)
        )

    def _gaps_along(self, discs: Any, step: int) -> Any:
        return _0 if (self.connect - 1) * step > 63 else gaps(discs, self.connect, step)

    def _upwards(self, cells: Any) -> Any:
        """Return each column's cells from its lowest of `cells` up."""
        # A column's bits, taken from the power of two above them, are turned over above the lowest.
        above = (self.board << _1) & ~self.board
        return ((above - cells) | cells) & self.board

    def _is_open(self, discs: Any, column: int) -> bool:
        return self._landing(discs, column) != _0

    def _landing(self, discs: Any, column: int) -> Any:
        """Return the bit where a disc comes to rest; 0 in a full column."""
        mask = self.column_masks[column]
        # Adding the column's lowest bit carries through its discs to the first empty cell.
        return ((discs & mask) + (mask & (~mask + _1))) & mask

    def _has_line(self, discs: Any) -> bool:
        return (
            self._in_line(discs, 1)
            | self._in_line(discs, self.rows)
            | self._in_line(discs, self.rows + 1)
            | self._in_line(discs, self.rows + 2)
        )

    def _in_line(self, discs: Any, step: int) -> bool:
        if (self.connect - 1) * step > 63:
            return False  # the word has no room for it, and a shift by 64 or more would mean nothing
        return runs(discs, self.connect, step) != _0

    def action_to_string(self, state: Any, action: int) -> str:
        return str(int(action) + 1)

    def string_to_action(self, state: Any, text: str) -> int:
        if not text.strip().isdecimal() or not 1 <= int(text) <= self.columns:
            raise ActionError("connect_four", text, "no column", f"1 to {self.columns}")
        return int(text) - 1

    def _cells(self, state: Any) -> list[int]:
        """Return the owner of each cell (-1 for none), row by row from the top."""
        first, second = int(state[0]), int(state[1])
        bits = [c * (self.rows + 1) + r for r in reversed(range(self.rows)) for c in range(self.columns)]
        return [0 if first >> bit & 1 else 1 if second >> bit & 1 else -1 for bit in bits]

    def observation(self, state: Any, player: int) -> npt.NDArray[np.int8]:
        """Return int8[rows, columns, 2]: the player's discs, the opponent's discs."""
        return planes(self._cells(state), player, self.rows, self.columns)

    def to_text(self, state: Any, visits: Any = None) -> str:
        return square_text(self._cells(state), self.rows, self.columns, column_visits=visits, numbered=True)

    def to_svg(self, state: Any, visits: Any = None, last: Any = None) -> str:
        cells, columns = self._cells(state), self.columns
        if last is not None:  # a column: the topmost disc in it
            last = next((cell for cell in range(last, len(cells), columns) if cells[cell] >= 0), None)
        return square_picture(
            cells, self.rows, columns, column_visits=visits, discs=True, numbered=True, last=last
        )


@kernel
def _prospects(rows, connect, mine, empty):
    """Return the cells that fill a line, and how many lines lack two and three discs."""
    fills, twos, ones = _0, 0, 0
    for direction in range(4):
        step = rows + direction - 1 if direction else 1
        if (connect - 1) * step < 64:
            found: Any = windows(mine, empty, connect, step)
            _, one, two, three, _ = found
            fills |= covered(one, connect, step)
            twos += popcount(two)
            ones += popcount(three)
    return fills & empty, twos, ones


env, raw_env = environments(ConnectFour)
