"""Actions from people and agents: read, checked against the state, and refused in one form.

`@rules` puts these checks around what a game writes to name and read its actions; environments and referees
refuse an action by the same words. Kernels never come here: what they step is legal because it came from
`legal_actions`.
"""

from __future__ import annotations

import functools
import operator
from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt

from envs.parameters import shown

_LISTED = 12
"""Legal actions that a refusal names."""


class ActionError(ValueError):
    """An action that cannot be read, or not be played here.

    Attributes:
        game: whose action it should have been.
        value: what was given instead, a text or an action id.
        allowed: what would have been taken, in words.
    """

    def __init__(self, game: str, value: object, what: str, allowed: str) -> None:
        """Say that `value` is `what`, as "no cell of this board"."""
        super().__init__(game, value, what, allowed)
        self.game, self.value, self.what, self.allowed = game, value, what, allowed

    def __str__(self) -> str:
        """Return one line."""
        return f"{self.game}: {shown(self.value)} is {self.what}: allowed: {self.allowed}"


def game_name(game: type) -> str:
    """Return what a class of rules is called in messages: its module, or itself where it has no file."""
    module = game.__module__.rpartition(".")[2]
    return game.__name__ if module == "__main__" else module


def list_legal(rules: Any, state: npt.NDArray[Any]) -> npt.NDArray[np.int64]:
    """Return the legal actions of `state` as a fresh int64 array, ascending."""
    out = np.empty(rules.max_legal, np.int64)
    return out[: rules.legal_actions(state, out)].copy()


def illegal(rules: Any, state: npt.NDArray[Any], value: object, by_name: bool = False) -> ActionError:
    """Return the error that refuses `value` at `state`, to be raised or quoted.

    Args:
        rules: the game's.
        state: where the action was to be played.
        value: an action id, or whatever was given for one.
        by_name: what is allowed is told by names alone, not by ids and names.
    """
    if rules.is_terminal(state):
        return ActionError(game_name(type(rules)), value, "no legal action here", "none, the game is over")
    legal = list_legal(rules, state).tolist()
    names = [_name(rules, state, action) for action in legal[:_LISTED]]
    if not by_name:
        names = [f"{action} ({name})" for action, name in zip(legal, names, strict=False)]
    more = f", … ({len(legal)} in all)" if len(legal) > _LISTED else ""
    return ActionError(game_name(type(rules)), value, "no legal action here", ", ".join(names) + more)


def _name(rules: Any, state: npt.NDArray[Any], action: int) -> str:
    try:
        return str(rules.action_to_string(state, action))
    except Exception:  # a game of the user's own; its mistake is no reason to refuse in another way
        return str(action)


def naming(action_to_string: Callable[..., str]) -> Callable[..., str]:
    """Return an `action_to_string` that refuses what is no action of the game."""

    @functools.wraps(action_to_string)
    def name(self: Any, state: npt.NDArray[Any], action: int) -> str:
        try:
            known = 0 <= operator.index(action) < self.num_actions
        except TypeError:
            known = False
        if not known:
            raise ActionError(game_name(type(self)), action, "no action", f"0 to {self.num_actions - 1}")
        return action_to_string(self, state, action)

    return name


def reading(string_to_action: Callable[..., int]) -> Callable[..., int]:
    """Return a `string_to_action` that refuses what is no text, and what is not legal at the state."""

    @functools.wraps(string_to_action)
    def read(self: Any, state: npt.NDArray[Any], text: str) -> int:
        if not isinstance(text, str):
            raise illegal(self, state, text, by_name=True)
        try:
            action = int(string_to_action(self, state, text))
        except ActionError:
            raise
        except (ValueError, LookupError) as error:  # a game of the user's own, in words of its own
            raise illegal(self, state, text, by_name=True) from error
        # At a state where chance moves there is no list of what is legal.
        chance = not self.is_terminal(state) and self.current_player(state) < 0
        if not chance and (self.is_terminal(state) or action not in list_legal(self, state)):
            raise illegal(self, state, text, by_name=True)
        return action

    return read
