"""A recorded game again, move by move: positions, names of moves, and what the searches saw.

How a terminal shows it is here too; how the report does is in its own files. The records come from
`arena.store`.
"""

from __future__ import annotations

import functools
import json
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

import envs
from arena.records import GameRecord, LiveGame, MoveRecord
from arena.referee.progress import printable
from envs.rules import CHANCE


@dataclass(frozen=True)
class Step:
    """One ply of a recorded game.

    Attributes:
        ply: 0-based.
        state: the position it was played in.
        seat: who played it; -1 for chance.
        agent: its label; "" where no agent moved.
        action: the action id.
        name: of the action, as people write it.
        move: what is recorded of it; None where no agent moved.
    """

    ply: int
    state: npt.NDArray[Any]
    seat: int
    agent: str
    action: int
    name: str
    move: MoveRecord | None

    @property
    def by(self) -> str:
        """Who played it, in words: an agent, chance, or the opening."""
        return self.agent if self.move is not None else "chance" if self.seat == CHANCE else "opening"

    @property
    def chosen_share(self) -> float | None:
        """The share of the root's visits that the action had; None without a search."""
        if self.move is None or self.move.visits is None or not self.move.visits.any():
            return None
        assert self.move.legal_actions is not None
        at = np.searchsorted(self.move.legal_actions, self.action)
        return float(self.move.visits[at] / self.move.visits.sum())

    def visits(self, num_actions: int) -> npt.NDArray[np.int64] | None:
        """Return int64[num_actions], the root's visits; None without a search."""
        if self.move is None or self.move.visits is None:
            return None
        visits = np.zeros(num_actions, np.int64)
        visits[self.move.legal_actions] = self.move.visits
        return visits


def rules_of(record: GameRecord | LiveGame) -> Any:
    """Return the rules that a game is played by."""
    return _rules(record.spec.game.name, json.dumps(dict(record.spec.game.params), sort_keys=True))


@functools.lru_cache(maxsize=32)
def _rules(name: str, params: str) -> Any:
    return envs.make_rules(name, **json.loads(params))


def steps(rules: Any, record: GameRecord) -> Iterator[Step]:
    """Yield the plies of a game; an action that was not allowed is none, and told by the fault."""
    state = rules.initial_state()
    moves = {move.ply: move for move in record.moves}
    for ply, action in enumerate(record.actions):
        move = moves.get(ply)
        seat = int(rules.current_player(state)) if move is None else move.seat
        agent = "" if move is None else record.spec.players[move.seat].label
        name = action_name(rules, state, action)
        yield Step(ply, state.copy(), seat, agent, action, name, move)
        rules.step(state, action)


def action_name(rules: Any, state: npt.NDArray[Any], action: int) -> str:
    """Return what people of this game call an action, or its number where the game has no name for it."""
    try:
        return printable(str(rules.action_to_string(state, action)))
    except Exception:  # a game of the user's own, whose names may fail
        return str(action)


def board_text(rules: Any, state: npt.NDArray[Any], visits: npt.NDArray[np.int64] | None = None) -> str:
    """Return the board as its game writes it, without what would steer a terminal."""
    text = rules.to_text(state) if visits is None else rules.to_text(state, visits)
    return "\n".join(map(printable, str(text).rstrip().splitlines()))


def final_state(rules: Any, record: GameRecord) -> npt.NDArray[Any]:
    """Return where the game ended."""
    state: npt.NDArray[Any] = rules.initial_state()
    for action in record.actions:
        rules.step(state, action)
    return state
