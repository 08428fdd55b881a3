"""`arena solve`: what one position is worth and which moves keep that, in words and as data.

The proof is found by `agents.depth_first.prover`; this file reads the position, shows how far the proof is,
and tells it.
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
from tqdm import tqdm

import envs
from agents.depth_first.prover import Proof, Prover
from envs.boards import SYMBOLS

_LAYOUT = "{elapsed} of {postfix}"


def play(rules: Any, moves: str) -> npt.NDArray[Any]:
    """Return the position after `moves`, names with blanks between them; ActionError for a wrong one."""
    state: npt.NDArray[Any] = rules.initial_state()
    for name in moves.split():
        rules.step(state, rules.string_to_action(state, name))
    return state


@dataclass(frozen=True)
class Solution:
    """A position, what is known of it and what that took.

    Attributes:
        rules: the game's.
        state: the position.
        proof: its value and its best moves.
        line: actions of best play, as far as time allowed.
        nodes: positions searched.
        seconds: of search.
    """

    rules: Any
    state: npt.NDArray[Any]
    proof: Proof
    line: tuple[int, ...]
    nodes: int
    seconds: float

    def as_data(self) -> dict[str, Any]:
        """Return what JSON can hold; points are the first player's."""
        player = int(self.rules.current_player(self.state))
        return {
            "player": player if player >= 0 else None,
            "value": self.verdict,
            "points": [self.proof.low + 0.0, self.proof.high + 0.0],
            "proven": self.proof.is_complete,
            "best": self._names(self.proof.best),
            "undecided": self._names(self.proof.undecided),
            "line": self._line(),
            "nodes": self.nodes,
            "seconds": round(self.seconds, 3),
        }

    def as_text(self) -> str:
        """Return the board, and below it a line for each thing that is known."""
        player = int(self.rules.current_player(self.state))
        said = {
            "Value": self.verdict + self._points(),
            "Best moves": " ".join(self._names(self.proof.best)),
            "Not decided": " ".join(self._names(self.proof.undecided)),
            f"Best play ({len(self.line)} plies)": " ".join(self._line()),
            "Searched": f"{self.nodes:,} positions in {self.seconds:.2f} s",
        }
        mover = f"{_name(player)} to move" if player >= 0 else "The game is over"
        lines = [f"{label}: {text}" for label, text in said.items() if text]
        return "\n".join([self.rules.to_text(self.state), "", mover, *lines])

    @property
    def verdict(self) -> str:
        """The value in words, as far as it is known."""
        low, high = self.proof.low, self.proof.high
        if low > 0 or high < 0:
            return f"win for {_name(0 if low > 0 else 1)}"
        if low == high:
            return "draw"
        if low == 0 or high == 0:
            return f"a draw or better for {_name(0 if low == 0 else 1)}"
        return "not known"

    def _points(self) -> str:
        """Return the points in brackets, in games that count any."""
        low, high = self.proof.low, self.proof.high
        bounds = np.zeros(2)
        self.rules.score_bounds(self.rules.initial_state(), bounds)
        if bounds[1] <= 1:
            return ""
        return f" ({low:+g} points)" if low == high else f" ({low:+g} to {high:+g} points)"

    def _names(self, actions: Iterable[int]) -> list[str]:
        return [self.rules.action_to_string(self.state, action) for action in actions]

    def _line(self) -> list[str]:
        state, names = self.state.copy(), []
        for action in self.line:
            names.append(self.rules.action_to_string(state, action))
            self.rules.step(state, action)
        return names


def _name(player: int) -> str:
    return f"{SYMBOLS[player]}, the {('first', 'second')[player]} player"


def solve(
    game: str, params: Mapping[str, Any], moves: str, seconds: float, memory_mb: int, quiet: bool = False
) -> Solution:
    """Prove a position within `seconds`; compiling is off the clock.

    Raises:
        UnknownNameError: for a name that leads to no game.
        ParameterError: for parameters that the game does not take.
        ActionError: for moves that cannot be played.
        AgentRefused: for games that cannot be proven.
    """
    rules = envs.make_rules(game, **params)
    state = play(rules, moves)
    with tqdm(bar_format=_LAYOUT, disable=True if quiet else None, leave=False) as bar:
        prover = Prover(
            rules, memory_mb, lambda nodes: bar.set_postfix_str(f"{seconds:g} s, {nodes:,} positions")
        )
        begin = time.monotonic_ns()
        deadline = begin + int(seconds * 1e9)
        proof = prover.prove(state, deadline)
        line = tuple(prover.line(state, deadline))
    return Solution(rules, state, proof, line, prover.nodes, (time.monotonic_ns() - begin) / 1e9)
