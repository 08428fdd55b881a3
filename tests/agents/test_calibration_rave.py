"""RAVE visit for visit: a plain search that keeps each simulation's whole course and counts AMAF from it.

Nothing is shared with `agents.uct` but the random stream and the order in which it is drawn from: one draw
among the children of equal score, where there are several; then one a move of the rollout.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pytest
from agents_help import after, decide, returns_of
from agents_toys import Trio

from agents import Limit, make_agent
from envs import make_rules
from envs.rules import list_legal
from envs.streams import below, make_stream


@dataclass
class Node:
    """A node; `mover` moved into it by `action`; sums are of that player's returns."""

    action: int = -1
    mover: int = -1
    visits: int = 0
    total: float = 0.0
    later: int = 0
    """Simulations through the parent in which the mover played the action then or later on."""
    later_total: float = 0.0
    children: list[Node] = field(default_factory=list)

    def score(self, parent: Node, uct_c: float, rave_k: float) -> float:
        """Gelly and Silver (2011), equations 12 and 17, exploring by N + 1 visits."""
        if self.visits == self.later == 0:
            return math.inf
        beta = math.sqrt(rave_k / (3.0 * parent.visits + rave_k)) if self.visits else 1.0
        mean = self.total / self.visits if self.visits else 0.0
        root_log = float(np.sqrt(np.log(max(parent.visits, 1))))
        value = (1.0 - beta) * mean + beta * self.later_total / self.later
        return value + uct_c * root_log / math.sqrt(self.visits + 1)


def search(rules: Any, start: Any, rng: Any, uct_c: float, rave_k: float, simulations: int) -> Node:
    """Return the root after so many simulations."""
    root = Node()
    for _ in range(simulations):
        state, path, course = start.copy(), [root], []
        while not rules.is_terminal(state):
            player, actions = int(rules.current_player(state)), list_legal(rules, state).tolist()
            if path[-1] is root or path[-1].visits > 0:
                path[-1].children = path[-1].children or [Node(action, player) for action in actions]
                path.append(pick(path[-1], rng, uct_c, rave_k))
                action = path[-1].action
            else:
                action = actions[below(rng, len(actions))]
            course.append((player, action))
            rules.step(state, action)
        learn(path, course, returns_of(rules, state))
    return root


def pick(node: Node, rng: Any, uct_c: float, rave_k: float) -> Node:
    """Return one of the best children; one not visited changes places with the first such."""
    scores = [child.score(node, uct_c, rave_k) for child in node.children]
    best = [i for i, score in enumerate(scores) if score == max(scores)]
    i = best[int(below(rng, len(best)))] if len(best) > 1 else best[0]
    child = node.children[i]
    if child.visits == 0:
        front = sum(other.visits > 0 for other in node.children)
        node.children[front], node.children[i] = child, node.children[front]
    return child


def learn(path: list[Node], course: list[tuple[int, int]], returns: list[float]) -> None:
    """Count one simulation, whose moves were `course`, in every node of the path and in their children."""
    for depth, node in enumerate(path):
        node.visits += 1
        node.total += returns[node.mover] if depth else 0.0
        for child in node.children if depth + 1 < len(path) else []:
            if (child.mover, child.action) in course[depth:]:
                child.later += 1
                child.later_total += returns[child.mover]


@pytest.mark.parametrize(
    "rules",
    [make_rules("tic_tac_toe"), make_rules("hex", size=4), make_rules("connect_four"), Trio.make()],
    ids=["tic_tac_toe", "hex", "connect_four", "three players, extra turns"],
)
@pytest.mark.parametrize(("uct_c", "rave_k"), [(0.0, 100.0), (0.3, 1_000.0)])
def test_visits_are_those_of_a_plain_recount(rules: Any, uct_c: float, rave_k: float) -> None:
    agent = make_agent("uct", rules, uct_c=uct_c, rave_k=rave_k, solver=False, memory_mb=8)
    for seed in range(2):
        state = after(rules, rules.initial_state(), *([0, 1] if seed else []))
        agent.reset(0, seed)
        decision = decide(agent, rules, state, Limit(simulations=500))
        root = search(rules, state, make_stream(seed, 0), uct_c, rave_k, 500)
        expected = {child.action: child.visits for child in root.children}
        assert decision.visits is not None
        assert decision.visits.tolist() == [expected[int(action)] for action in list_legal(rules, state)]
        check_amaf(agent, root)


def check_amaf(agent: Any, root: Node) -> None:
    """Assert that the root's children know what was played later on as the recount does."""
    tree = agent._forest._trees[0]
    for i, child in enumerate(root.children):
        at = int(tree.first_child[0]) + i
        assert int(tree.action[at]) == child.action
        assert tree.amaf_visits[at] == child.later
        assert tree.amaf_sum[at] == pytest.approx(child.later_total, abs=1e-3)
