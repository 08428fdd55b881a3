"""Breakthrough (Dan Troyka, 2000) as OpenSpiel plays it. Rules and pictures, nothing else.

The first player, Black, begins at the top and moves down; the second, White, moves up. A piece goes
one step straight ahead or diagonally ahead, onto an empty cell; a diagonal step may also take an
enemy piece. Who reaches the far row, or takes the last enemy piece, wins; there are no draws, and
whoever is to move can. Each side has two rows of pieces, one on boards of fewer than six rows.

Action `3 * cell + side`: the piece on `cell` (counted row by row from the top) steps ahead and to the
left (0), straight (1) or to the right (2), as the picture shows it. `a7b6` is a step, `a7xb6` takes.

State: uint64[5], 40 bytes: the first player's pieces, the second player's pieces (bit `i` is cell
`i`), the player to move, the winner plus one (0 for none), the last action plus one (0 for none).
"""

from __future__ import annotations

import re
from typing import Annotated, Any, NamedTuple

import numpy as np
import numpy.typing as npt
from pydantic import Field

from envs.actions import illegal
from envs.aec import environments
from envs.boards import per_cent, planes, shares, square_name, square_text
from envs.features import features
from envs.kernels import kernel, lowest_bit, popcount
from envs.parameters import ParameterError
from envs.pictures import square_picture
from envs.rules import TERMINAL, hash_words, list_legal, rules
from envs.shapes import STONES
from envs.streams import below

_0, _1 = np.uint64(0), np.uint64(1)
_MOVER, _WINNER, _LAST = 2, 3, 4
_MOVE = re.compile(r"([a-z]+[0-9]+)[-x]?([a-z]+[0-9]+)")


@rules
@features(win=8.0, runner=0.6, pieces=0.05, advance=0.55, captures=0.35)
class Breakthrough(NamedTuple):
    """Pieces only move ahead."""

    rows: int
    columns: int
    start: npt.NDArray[np.uint64]
    """uint64[2]: each player's pieces at the beginning."""
    far: npt.NDArray[np.uint64]
    """uint64[2]: the row that each player must reach."""
    bands: npt.NDArray[np.uint64]
    """uint64[rows]: the cells of each row."""
    edges: npt.NDArray[np.uint64]
    """uint64[3]: the cells from which a step to that side stays on the board."""
    num_players: int
    num_actions: int
    max_legal: int

    @classmethod
    def make(
        cls,
        rows: Annotated[int, Field(ge=2, le=32, description="height of the board")] = 8,
        columns: Annotated[int, Field(ge=2, le=26, description="width of the board")] = 8,
    ) -> Breakthrough:
        """Build the rules; `rows * columns` may be 64 at most."""
        if rows * columns > 64:
            most = f"at most {64 // columns} with columns = {columns} (64 bits a board)"
            raise ParameterError.single("breakthrough", "rows", rows, most)
        camp = 2 if rows >= 6 else 1
        bands = [((1 << columns) - 1) << (row * columns) for row in range(rows)]
        column = sum(1 << (row * columns) for row in range(rows))
        start = np.array([sum(bands[:camp]), sum(bands[-camp:])], np.uint64)
        far = np.array([bands[-1], bands[0]], np.uint64)
        board = sum(bands)
        edges = np.array([board & ~column, board, board & ~(column << (columns - 1))], np.uint64)
        tables = start, far, np.array(bands, np.uint64), edges
        return cls(rows, columns, *tables, 2, 3 * rows * columns, 3 * camp * columns)

    def initial_state(self) -> npt.NDArray[np.uint64]:
        state = np.zeros(5, np.uint64)
        state[:2] = self.start
        return state

    def current_player(self, state: Any) -> int:
        if state[_WINNER] != _0:
            return TERMINAL
        return np.int64(state[_MOVER])  # type: ignore[return-value] # a player, to kernels an int64

    def legal_actions(self, state: Any, out: Any) -> int:
        player = np.int64(state[_MOVER])
        mine, other = state[player], state[1 - player]
        left = self._movable(player, mine, other, 0)
        straight = self._movable(player, mine, other, 1)
        right = self._movable(player, mine, other, 2)
        movers = left | straight | right
        count = 0
        while movers != _0:
            bit = movers & (~movers + _1)
            movers ^= bit
            cell = lowest_bit(bit)
            for side, pieces in enumerate((left, straight, right)):
                if pieces & bit:
                    out[count] = 3 * cell + side
                    count += 1
        return count

    def step(self, state: Any, action: int) -> None:
        cell, side = np.int64(action) // 3, np.int64(action) % 3
        player = np.int64(state[_MOVER])
        start = _1 << np.uint64(cell)
        end = self._shifted(player, start, side)
        state[player] ^= start | end
        state[1 - player] &= ~end
        if (end & self.far[player]) != _0 or state[1 - player] == _0:
            state[_WINNER] = np.uint64(player + 1)
        state[_MOVER] = np.uint64(1 - player)
        state[_LAST] = np.uint64(np.int64(action) + 1)

    def returns(self, state: Any, out: Any) -> None:
        out[0] = np.float64(state[_WINNER] == _1) - np.float64(state[_WINNER] == np.uint64(2))
        out[1] = -out[0]

    def rollout(self, state: Any, scratch: Any, rng: Any) -> None:
        """Draw among the sets of pieces that can step to each side; leaves the last move as it was."""
        player = np.int64(state[_MOVER])
        mine, other = state[player], state[1 - player]
        over = state[_WINNER] != _0
        while not over:
            left = self._movable(player, mine, other, 0)
            straight = self._movable(player, mine, other, 1)
            right = self._movable(player, mine, other, 2)
            first, second = popcount(left), popcount(straight)
            k = below(rng, first + second + popcount(right))
            if k < first:
                pieces, side = left, 0
            elif k < first + second:
                pieces, side, k = straight, 1, k - first
            else:
                pieces, side, k = right, 2, k - first - second
            start = _nth_bit(pieces, k)
            end = self._shifted(player, start, side)
            mine, other = other & ~end, mine ^ (start | end)
            over = (end & self.far[player]) != _0 or mine == _0
            player = 1 - player
        if state[_WINNER] == _0:
            state[_WINNER] = np.uint64(2 - player)
            state[_MOVER] = np.uint64(player)
            state[player], state[1 - player] = mine, other

    def features(self, state: Any, player: int, out: Any) -> None:
        """Compare pieces, their way ahead, and who gets there first.

        `win`: who is sure to arrive first. `runner`: who has a piece that nothing can stop any more, nearer
        to its end than the other's. `pieces`; `advance`: squares of the part of the way they have come.
        `captures`: pieces that who moves can take and nobody guards.
        """
        other = 1 - player
        mine, theirs = state[player], state[other]
        run = self._distance(player, mine & ~self._reach(other, theirs))
        they_run = self._distance(other, theirs & ~self._reach(player, mine))
        out[0] = np.float64(self._arrives(state, player, run)) - self._arrives(state, other, they_run)
        out[1] = np.sign(they_run - run)
        out[2] = popcount(mine) - popcount(theirs)
        out[3] = self._advance(player, mine) - self._advance(other, theirs)
        if np.int64(state[_MOVER]) == player:
            out[4] = popcount(self._loose(state, other))
        else:
            out[4] = -popcount(self._loose(state, player))

    def is_quiet(self, state: Any) -> bool:
        """Return whether nobody is a step from the far row, and the mover has no unguarded piece to take."""
        mover = np.int64(state[_MOVER])
        near = min(self._distance(mover, state[mover]), self._distance(1 - mover, state[1 - mover]))
        return near > 1 and self._loose(state, 1 - mover) == _0

    def _arrives(self, state: Any, player: Any, run: Any) -> bool:
        """Return whether a player is sure to arrive first, whose nearest runner is `run` steps away.

        Who moves and is one step away arrives: diagonally ahead there can only be pieces to take.
        """
        pieces, theirs = state[player], state[1 - player]
        they_need = self._distance(1 - player, theirs)
        if np.int64(state[_MOVER]) == player:
            return run <= they_need or self._distance(player, pieces) == 1
        close = pieces & self._shifted(1 - player, self.far[player], 1)
        attacked = close & self._steps_aside(1 - player, theirs)
        return they_need > 1 and (run < they_need or popcount(close) > 1 or close != attacked)

    def _distance(self, player: Any, pieces: Any) -> int:
        """Return how many steps the foremost of `pieces` has to go; `rows` where there is none."""
        for steps in range(self.rows):
            if pieces & self.bands[self.rows - 1 - steps if player == 0 else steps]:
                return steps
        return self.rows

    def _advance(self, player: Any, pieces: Any) -> float:
        total = 0.0
        for row in range(self.rows):
            come = row if player == 0 else self.rows - 1 - row
            total += popcount(pieces & self.bands[row]) * come * come
        return total / ((self.rows - 1) * (self.rows - 1))

    def _loose(self, state: Any, player: Any) -> Any:
        """Return the player's pieces that the other attacks and none of the player's guards."""
        pieces = state[player]
        attacked = self._steps_aside(1 - player, state[1 - player])
        return pieces & attacked & ~self._steps_aside(player, pieces)

    def _steps_aside(self, player: Any, pieces: Any) -> Any:
        """Return the cells diagonally ahead of pieces."""
        left = self._shifted(player, pieces & self.edges[0], 0)
        return left | self._shifted(player, pieces & self.edges[2], 2)

    def _reach(self, player: Any, pieces: Any) -> Any:
        """Return all cells that pieces could ever step on, on a board without others."""
        front, found = pieces, _0
        for _ in range(self.rows - 1):
            front = (self._steps_aside(player, front) | self._shifted(player, front, 1)) & self.edges[1]
            found |= front
        return found

    def pass_turn(self, state: Any) -> None:
        state[_MOVER] = _1 - state[_MOVER]

    def prior(self, state: Any, actions: Any, count: int, out: Any) -> None:
        """Weigh a step that takes a piece as four others, one that wins by the far row as a hundred."""
        player = np.int64(state[_MOVER])
        for i in range(count):
            cell, side = np.int64(actions[i]) // 3, np.int64(actions[i]) % 3
            end = self._shifted(player, _1 << np.uint64(cell), side)
            if end & self.far[player]:
                out[i] = 100.0
            else:
                out[i] = 4.0 if end & state[1 - player] else 1.0

    def hash_key(self, state: Any) -> np.uint64:
        return hash_words(state[:_WINNER])

    def _movable(self, player: Any, mine: Any, other: Any, side: int) -> Any:
        """Return the pieces that can step to that side."""
        blocked = mine | other if side == 1 else mine
        # Where a step would have to come from to end on a blocked cell.
        return mine & self.edges[side] & ~self._shifted(1 - player, blocked, 2 - side)

    def _shifted(self, player: Any, pieces: Any, side: Any) -> Any:
        """Move pieces one step; those at the edge of that side land on the wrong row."""
        if player == 0:
            return pieces << np.uint64(self.columns + side - 1)
        return pieces >> np.uint64(self.columns + 1 - side)

    def action_to_string(self, state: Any, action: int) -> str:
        start, end = self._ends(int(state[_MOVER]), int(action))
        takes = "x" if int(state[0] | state[1]) >> end & 1 else ""
        return f"{self._name(start)}{takes}{self._name(end)}"

    def string_to_action(self, state: Any, text: str) -> int:
        found = _MOVE.fullmatch(text.strip().lower())
        wanted = found.groups() if found else ()
        for start, end, action, _ in self._steps(state):
            if wanted == (self._name(start), self._name(end)):
                return action
        raise illegal(self, state, text, by_name=True)

    def _name(self, cell: int) -> str:
        return square_name(cell, self.rows, self.columns, bottom_up=True)

    def _ends(self, player: int, action: int) -> tuple[int, int]:
        """Return the cells where a step begins and ends."""
        cell, side = divmod(action, 3)
        return cell, cell + side - 1 + (-self.columns if player else self.columns)

    def _cells(self, state: Any) -> list[int]:
        """Return the owner of each cell (-1 for none), row by row."""
        first, second = int(state[0]), int(state[1])
        bits = range(self.rows * self.columns)
        return [0 if first >> bit & 1 else 1 if second >> bit & 1 else -1 for bit in bits]

    def observation(self, state: Any, player: int) -> npt.NDArray[np.int8]:
        """Return int8[rows, columns, 2]: the player's pieces, the opponent's pieces."""
        return planes(self._cells(state), player, self.rows, self.columns)

    def _steps(self, state: Any) -> list[tuple[int, int, int, str]]:
        """Return start, end, action and name of each legal step; none when the game is over."""
        player = int(self.current_player(state))
        actions = [] if player == TERMINAL else list_legal(self, state).tolist()
        return [(*self._ends(player, a), a, self.action_to_string(state, a)) for a in actions]

    def to_text(self, state: Any, visits: Any = None) -> str:
        """Draw the board; the most visited steps, by name, stand below it."""
        board = square_text(self._cells(state), self.rows, self.columns, bottom_up=True)
        if visits is None:
            return board
        part = shares(visits)
        steps = sorted(((part[action], name) for *_, action, name in self._steps(state)), reverse=True)
        best = "  ".join(f"{name} {per_cent(share)}%" for share, name in steps[:8] if share > 0)
        return f"{board}\n{best}".rstrip()

    def to_svg(self, state: Any, visits: Any = None, last: Any = None) -> str:
        last = int(state[_LAST]) - 1
        return square_picture(
            self._cells(state),
            self.rows,
            self.columns,
            discs=True,
            bottom_up=True,
            last=self._ends(1 - int(state[_MOVER]), last)[1] if last >= 0 else None,
            fills=STONES,
            steps=self._steps(state),
            step_visits=visits,
        )


@kernel
def _nth_bit(word, n):
    """Return the n-th bit set, counted from 0 at the lowest."""
    for _ in range(n):
        word &= word - _1
    return word & (~word + _1)


env, raw_env = environments(Breakthrough)
