"""UCT again, slow and plain: nodes are objects, and nothing is shared with `agents.uct`.

It draws from a stream in the order that `agents.uct` documents: one draw an expansion, for the k-th
unvisited child; then whatever the game's rollout draws. Unvisited children are kept in a list where
the chosen one changes places with the first, as in the tree's arrays.

With `solver` a node may know its exact returns, one for every player. It learns them when the game ends
in it, when a child is worth 1 to its mover, or when all its children know theirs and a simulation comes
by the best of them. A child that is a sure loss, and at the root any child that knows, is left alone
while others do not know.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from envs.rules import TERMINAL, list_legal
from envs.streams import below


class Node:
    """A node; `mover` moved into it by `action`, and `total` is the sum of that player's returns."""

    def __init__(self, action: int, mover: int) -> None:
        self.action, self.mover = action, mover
        self.visits, self.total = 0, 0.0
        self.tried: list[Node] = []
        self.untried: list[Node] | None = None
        self.exact: list[float] | None = None

    def score(self, parent_visits: int, uct_c: float, at_root: bool) -> float:
        if self.exact is not None:
            value = self.exact[self.mover]
            return value - 3 if at_root or value == -1 else value
        return self.total / self.visits + uct_c * math.sqrt(math.log(parent_visits) / self.visits)


def search(
    rules: Any, root_state: Any, rng: Any, uct_c: float, simulations: int, solver: bool = False
) -> Node:
    """Return the root after `simulations`, or when its exact returns are known."""
    root = Node(-1, -1)
    while root.visits < simulations and root.exact is None:
        state = root_state.copy()
        path = descend(rules, root, state, rng, uct_c)
        over = rules.current_player(state) == TERMINAL
        rules.rollout(state, np.zeros(rules.max_legal, np.int32), rng)
        returns = np.zeros(rules.num_players)
        rules.returns(state, returns)
        for node in path:
            node.visits += 1
            node.total += returns[node.mover] if node.mover >= 0 else 0.0
        if over and solver:
            prove(path, [float(value) for value in returns])
    return root


def prove(path: list[Node], returns: list[float]) -> None:
    """Let as many nodes of the path as can be, from its end, know that `returns` are theirs."""
    path[-1].exact = returns
    for child, node in zip(path[:0:-1], path[-2::-1], strict=True):
        mine = returns[child.mover]
        known = [other.exact[child.mover] for other in node.tried if other.exact is not None]
        settled = not node.untried and len(known) == len(node.tried) and mine == max(known)
        if mine < 1 and not settled:
            break
        node.exact = returns


def descend(rules: Any, root: Node, state: Any, rng: Any, uct_c: float) -> list[Node]:
    """Play `state` forward to a new node or the end of the game; return the nodes from the root."""
    path = [root]
    while rules.current_player(state) != TERMINAL:
        node = path[-1]
        if node is not root and node.visits == 0:
            break
        if node.untried is None:
            player = int(rules.current_player(state))
            node.untried = [Node(int(action), player) for action in list_legal(rules, state)]
        if node.exact is not None:
            known = [other for other in node.tried if other.exact is not None]
            child = max(known, key=lambda other: other.exact[other.mover])  # type: ignore[index]
        elif node.untried:
            drawn = int(below(rng, len(node.untried)))
            node.untried[0], node.untried[drawn] = node.untried[drawn], node.untried[0]
            child = node.untried.pop(0)
            node.tried.append(child)
        else:
            child = best(node, uct_c)
        rules.step(state, child.action)
        path.append(child)
    return path


def best(node: Node, uct_c: float) -> Node:
    """Return the first child of the highest UCB1 score, up to the rounding of single precision."""
    scores = [child.score(node.visits, uct_c, node.mover < 0) for child in node.tried]
    return node.tried[scores.index(max(scores))]


def visits_by_action(root: Node) -> dict[int, int]:
    """Return the visits of each action at the root."""
    return {child.action: child.visits for child in root.tried + (root.untried or [])}
