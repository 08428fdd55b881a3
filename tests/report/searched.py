"""Searches as agents might record them, for the tests of their pictures."""

from __future__ import annotations

import numpy as np

from agents.depth_first.trace import trace
from arena.report.positions import position
from envs.rules import TERMINAL, list_legal

SVG = "{http://www.w3.org/2000/svg}"
EVIL = "<script>alert('x')</script>"


class Circle:
    """Three players, one after the other; after action 1 the same moves again. Over after five plies.

    What an action is called depends on the ply.
    """

    num_players, num_actions, max_legal = 3, 2, 2

    def initial_state(self):
        return np.zeros(2, np.int64)

    def current_player(self, state):
        return TERMINAL if state[0] == 5 else int(state[1])

    def legal_actions(self, state, out):
        out[:2] = 0, 1
        return 2

    def step(self, state, action):
        state[0] += 1
        state[1] = (state[1] + 1 - action) % 3

    def returns(self, state, out):
        for player in range(3):
            out[player] = ((state[1] + 2 * player) % 5 - 2) / 2

    def action_to_string(self, state, action):
        return f"{'go' if action == 0 else 'stay'}{state[0]}"


def made_node(rules, state, action, visits, widths, random):
    """A node as a search might record it, with figures that no other has."""
    player = int(rules.current_player(state))
    legal = [] if player == TERMINAL else list_legal(rules, state).tolist()
    children, others = [], max(0, len(legal) - widths[0]) if widths else 0
    for each in legal[: widths[0]] if widths else []:
        below = state.copy()
        rules.step(below, each)
        part = int(random.integers(1, max(2, visits // (widths[0] + 1))))
        children.append(made_node(rules, below, each, part, widths[1:], random))
    value = round(float(random.uniform(-1, 1)), 4)
    return {
        "action": action, "visits": visits, "value": value, "player": player,
        "proven": abs(value) > 0.9, "children": children, "others": others if children else 0,
    }  # fmt: skip


def made_tree(rules, state, visits=100_000, count=2):
    random = np.random.default_rng(5)
    return {"kind": "tree", "trees": count, "root": made_node(rules, state, None, visits, (5, 3, 2), random)}


def row(depth, seconds, action=0, finished=True):
    value = depth / 10 if finished else None
    taken = {"nodes": 10**depth, "seconds": seconds, "finished": finished}
    return {"depth": depth, "action": action if finished else None, "value": value, **taken}


def walked(rules, opening):
    state = position(rules, opening)
    player = int(rules.current_player(state))
    events = trace(rules, state, player, list_legal(rules, state).tolist(), 100_000)
    return state, player, {"kind": "walk", "events": events}
