"""The walk of minimax through a small tree, event by event, for a picture or a step-by-step replay.

It is slow and plain on purpose; the search that plays is in `agents.minimax`.
"""

from __future__ import annotations

import itertools
from collections.abc import Generator, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from envs.rules import TERMINAL, list_legal

Event = dict[str, Any]


class TooManyEvents(ValueError):
    """The walk is longer than was allowed."""


def trace(
    rules: Any, state: npt.NDArray[Any], root_player: int, actions: Sequence[int], most: int
) -> list[Event]:
    """Return what happens on the walk below `state`, in order.

    A node is entered: `{"event": "enter", "ply", "action", "player", "turn"}`, where the action led into it
    (None at the root), and the turn is "max" for `root_player`, "min" for the other (both None where the
    game is over). A node is left with its value for `root_player`: `{"event": "leaf", "ply", "value"}`
    where the game is over, `{"event": "up", "ply", "value"}` above.

    Args:
        rules: the game, of two players.
        state: the root; it is left alone.
        root_player: whose returns the values are.
        actions: the root's actions in the order of the walk; further down they ascend.
        most: how many events there may be.

    Raises:
        TooManyEvents: if there are more.
    """
    events = list(itertools.islice(_walk(rules, state, root_player, 0, None, actions), most + 1))
    if len(events) > most:
        raise TooManyEvents(
            f"The tree below this position has more than {most} events: record a later move, play a smaller "
            "game, or let `trace` be more"
        )
    return events


def _walk(
    rules: Any,
    state: npt.NDArray[Any],
    root_player: int,
    ply: int,
    action: int | None,
    actions: Sequence[int] = (),
) -> Generator[Event, None, float]:
    """Yield the events at and below a node, and return its value."""
    player = int(rules.current_player(state))
    if player == TERMINAL:
        yield {"event": "enter", "ply": ply, "action": action, "player": None, "turn": None}
        returns = np.zeros(rules.num_players)
        rules.returns(state, returns)
        value = float(returns[root_player])
        yield {"event": "leaf", "ply": ply, "value": value}
        return value
    turn, choose = ("max", max) if player == root_player else ("min", min)
    yield {"event": "enter", "ply": ply, "action": action, "player": player, "turn": turn}
    values = []
    for each in actions or list_legal(rules, state).tolist():
        child = state.copy()
        rules.step(child, each)
        values.append((yield from _walk(rules, child, root_player, ply + 1, each)))
    yield {"event": "up", "ply": ply, "value": choose(values)}
    return choose(values)
