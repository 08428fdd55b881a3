"""Nim with any piles, after Charles Bouton (Annals of Mathematics 3, 1901). Rules and pictures, nothing else.

Players in turn take one stone or more from one pile. Who takes the last stone of all wins; in
`misere` play that player loses. Action: `offsets[pile] + take - 1`, pile by pile; `2-3` takes three
stones from the second pile.

State: int16[piles + 1], 10 bytes for four piles: the stones left in each pile, the player to move.
"""

from __future__ import annotations

from typing import Annotated, Any, NamedTuple

import numpy as np
import numpy.typing as npt
from pydantic import Field

from envs.aec import environments
from envs.boards import per_cent, shares
from envs.pictures import piles_picture
from envs.rules import TERMINAL, list_legal, rules
from envs.streams import below

MOST_STONES = 255
MOST_PILES = 32


@rules
class Nim(NamedTuple):
    """`piles` are their stones at the beginning."""

    piles: npt.NDArray[np.int16]
    """int16[piles]"""
    misere: bool
    offsets: npt.NDArray[np.int64]
    """int64[piles]: the action that takes one stone from each pile."""
    pile_of: npt.NDArray[np.int64]
    """int64[num_actions]: the pile that an action takes from."""
    num_players: int
    num_actions: int
    max_legal: int

    @classmethod
    def make(
        cls,
        piles: Annotated[
            tuple[Annotated[int, Field(ge=1, le=MOST_STONES)], ...],
            Field(min_length=1, max_length=MOST_PILES, description="stones in each pile"),
        ] = (1, 3, 5, 7),
        misere: Annotated[bool, Field(description="whether taking the last stone loses")] = False,
    ) -> Nim:
        """Build the rules and their tables."""
        sizes = np.array(piles, np.int16)
        offsets = np.concatenate([[0], np.cumsum(sizes[:-1], dtype=np.int64)])
        pile_of = np.repeat(np.arange(sizes.size, dtype=np.int64), sizes)
        return cls(sizes, misere, offsets, pile_of, 2, pile_of.size, pile_of.size)

    def initial_state(self) -> npt.NDArray[np.int16]:
        return np.append(self.piles, np.int16(0))

    def current_player(self, state: Any) -> int:
        for pile in range(self.piles.shape[0]):
            if state[pile] > 0:
                return np.int64(state[-1])  # type: ignore[return-value] # a player, to kernels an int64
        return TERMINAL

    def legal_actions(self, state: Any, out: Any) -> int:
        count = 0
        for pile in range(self.piles.shape[0]):
            for take in range(state[pile]):
                out[count] = self.offsets[pile] + take
                count += 1
        return count

    def step(self, state: Any, action: int) -> None:
        pile = self.pile_of[np.int64(action)]
        state[pile] -= np.int64(action) - self.offsets[pile] + 1
        state[-1] = 1 - state[-1]

    def returns(self, state: Any, out: Any) -> None:
        value = 0.0
        if self.current_player(state) == TERMINAL:
            # The player to move did not take the last stone.
            value = 1.0 if (state[-1] == 1) != self.misere else -1.0
        out[0] = value
        out[1] = -value

    def rollout(self, state: Any, scratch: Any, rng: Any) -> None:
        """Draw a stone: each stone left stands for one move, which takes it and those above it."""
        left = np.int64(0)
        for pile in range(self.piles.shape[0]):
            left += state[pile]
        while left > 0:
            stone = below(rng, left)
            pile = 0
            while stone >= state[pile]:
                stone -= state[pile]
                pile += 1
            left -= state[pile] - stone
            state[pile] = stone
            state[-1] = 1 - state[-1]

    def action_to_string(self, state: Any, action: int) -> str:
        pile = int(self.pile_of[int(action)])
        return f"{pile + 1}-{int(action) - int(self.offsets[pile]) + 1}"

    def to_text(self, state: Any, visits: Any = None) -> str:
        """Write a line for each pile; after it the share of each visited take."""
        lines = [f"{pile + 1}: {'o' * int(stones)}".rstrip() for pile, stones in enumerate(state[:-1])]
        if visits is not None:
            part = shares(visits)
            for action in list_legal(self, state).tolist():
                if part[action] > 0:
                    name = self.action_to_string(state, action)
                    lines[int(self.pile_of[action])] += f"  {name} {per_cent(part[action])}%"
        return "\n".join(lines)

    def to_svg(self, state: Any, visits: Any = None, last: Any = None) -> str:
        piles = [
            [(action, self.action_to_string(state, action)) for action in range(first, first + int(stones))]
            for first, stones in zip(self.offsets.tolist(), state[:-1], strict=True)
        ]
        taken = None
        if last is not None:
            pile = int(self.pile_of[last])
            taken = pile, int(last - self.offsets[pile]) + 1
        return piles_picture(piles, visits, taken)


env, raw_env = environments(Nim)
