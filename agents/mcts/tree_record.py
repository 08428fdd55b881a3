"""What is recorded of a search by trees: their first levels, merged by path, as plain data.

It is read off the trees after the move (`agents.base.Agent.search_record`); who draws it knows no trees.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from agents.mcts.forest import Forest
from agents.mcts.roots import merge
from envs.rules import TERMINAL, list_legal

LEVELS = (5, 3, 2)
"""Of how many children of a node of each level there is a record, the root's first: of the most visited."""
DIGITS = 4
"""Of a value behind the point: a picture shows no more, and most of a record is values."""

Node = dict[str, Any]


def tree_record(rules: Any, state: npt.NDArray[Any], forest: Forest) -> dict[str, Any]:
    """Return the first levels of trees that were grown from `state`.

    `{"kind": "tree", "trees": how many, "root": node}`; a node is `{"action", "visits", "value", "player",
    "proven", "children", "others"}`. Visits are summed over the trees; the value is their mean by visits,
    exact where proven, for the player who moved into the node. The root, which no action led into, has what
    its children have together, for its player to move. `player` is who is to move, TERMINAL where the game is
    over. Children come by visits, most first; `others` counts the visited ones that are left out. Nodes of
    the last level have neither.
    """
    roots = forest.roots(list_legal(rules, state))
    whole = merge(roots)
    visits = int(whole.visits.sum())
    value = whole.values.max() if whole.is_solved else whole.value_sum.sum() / max(visits, 1)
    root = _node(rules, forest, state, (), (visits, value, whole.is_solved))
    return {"kind": "tree", "trees": len(roots), "root": root}


def _node(
    rules: Any,
    forest: Forest,
    state: npt.NDArray[Any],
    path: tuple[int, ...],
    known: tuple[int, float, bool],
) -> Node:
    """Return the node that `path` leads to; `known` are its visits, its value, and whether that is proven."""
    visits, value, proven = known
    children, others = _children(rules, forest, state, path)
    return {
        "action": path[-1] if path else None,
        "visits": int(visits),
        "value": round(float(value), DIGITS) if visits else None,
        "player": int(rules.current_player(state)),
        "proven": bool(proven),
        "children": children,
        "others": others,
    }


def _children(
    rules: Any, forest: Forest, state: npt.NDArray[Any], path: tuple[int, ...]
) -> tuple[list[Node], int]:
    """Return the most visited children of a node, and how many others are visited."""
    if len(path) == len(LEVELS) or rules.current_player(state) == TERMINAL:
        return [], 0
    legal, nodes = list_legal(rules, state), []
    below = merge(forest.roots(legal, path))
    visited = np.flatnonzero(below.visits)
    order = visited[np.argsort(-below.visits[visited], kind="stable")]
    shown = order[: LEVELS[len(path)]]
    for i in shown.tolist():
        after = state.copy()
        rules.step(after, int(legal[i]))
        known = below.visits[i], below.values[i], below.proven[i]
        nodes.append(_node(rules, forest, after, (*path, int(legal[i])), known))
    return nodes, len(order) - len(shown)
