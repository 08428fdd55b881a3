"""A position as a picture and what follows from it, whatever a game of the user's own makes of them."""

from __future__ import annotations

import re
from contextlib import suppress
from typing import Any

import numpy as np
import numpy.typing as npt
from markupsafe import Markup

from arena.results.replay import action_name, board_text
from envs.actions import illegal, list_legal
from envs.pictures import text_picture

_ACTIVE = re.compile(
    r"<(script|foreignobject|iframe|object|embed)\b|<[^>]*\son\w+\s*=|javascript:", re.IGNORECASE
)
"""What a picture of a board has no need of: a label in it that was not escaped, most likely."""


def picture(
    rules: Any,
    state: npt.NDArray[Any],
    visits: npt.NDArray[np.int64] | None = None,
    last: int | None = None,
) -> Markup:
    """Return the board as an SVG element, or its text where the game cannot draw it.

    Args:
        rules: the game.
        state: what is drawn.
        visits: int64[num_actions], shown as shade and number.
        last: the action played last, which is marked.
    """
    for shown in (visits, None):
        with suppress(Exception):  # a game of the user's own, which may draw no visits, or nothing
            drawn = rules.to_svg(state, shown, last)
            if drawn.lstrip().startswith("<svg") and not _ACTIVE.search(drawn):
                return Markup(drawn)
    return Markup(text_picture(_text(rules, state)))


def _text(rules: Any, state: npt.NDArray[Any]) -> str:
    try:
        return board_text(rules, state)
    except Exception:  # likewise
        return " ".join(map(str, state.tolist()))


def position(rules: Any, actions: tuple[int, ...]) -> npt.NDArray[Any]:
    """Return where these actions lead from the initial state."""
    state: npt.NDArray[Any] = rules.initial_state()
    for action in actions:
        rules.step(state, action)
    return state


def after(rules: Any, state: npt.NDArray[Any], action: int) -> tuple[str, npt.NDArray[Any]]:
    """Return what an action is called, and the position that it leads to.

    Raises:
        ActionError: for an action that is not allowed, which an agent's record may have.
    """
    if action not in list_legal(rules, state):
        raise illegal(rules, state, action)
    below = state.copy()
    rules.step(below, action)
    return action_name(rules, state, action), below
