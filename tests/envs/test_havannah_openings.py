"""Havannah's small boards solved by full search over the rules: which first moves win."""

from __future__ import annotations

import numpy as np
import pytest

import envs
from envs.kernels import kernel
from envs.rules import list_legal


@kernel
def solve(rules, start, first, keys, values):
    """Return the value of the action `first` to its player, by full search.

    The table, `keys` and `values`, is as long as a power of two; it holds what the mover reaches at
    best, and a later position overwrites an earlier one.
    """
    depth = rules.max_legal + 1
    states = np.empty((depth + 1, start.shape[0]), start.dtype)
    actions = np.empty((depth, rules.max_legal), np.int64)
    left, best = np.zeros(depth, np.int64), np.zeros(depth, np.int64)
    out = np.empty(2)
    states[1] = start
    rules.step(states[1], first)
    left[1], best[1], level = rules.legal_actions(states[1], actions[1]), -1, 1
    while True:
        if left[level] == 0 or best[level] == 1:
            slot = np.int64(rules.hash_key(states[level]) & np.uint64(keys.shape[0] - 1))
            keys[slot], values[slot] = rules.hash_key(states[level]), best[level]
            value = best[level]
            level -= 1
            if level == 0:
                return -value
        else:
            left[level] -= 1
            child = states[level + 1]
            child[:] = states[level]
            rules.step(child, actions[level, left[level]])
            key = rules.hash_key(child)
            slot = np.int64(key & np.uint64(keys.shape[0] - 1))
            if rules.is_terminal(child):
                rules.returns(child, out)
                value = np.int64(out[(level + 1) % 2])
            elif keys[slot] == key:
                value = values[slot]
            else:
                level += 1
                left[level], best[level] = rules.legal_actions(child, actions[level]), -1
                continue
        best[level] = max(best[level], -value)


def turned(size: int, action: int) -> set[int]:
    """Return a cell and those it becomes when the board turns by sixths about its middle."""
    cells, middle = [divmod(action, 2 * size - 1)], size - 1
    for row, column in cells[:]:
        down, right = row - middle, column - middle
        for _ in range(5):
            down, right = right, right - down
            cells.append((middle + down, middle + right))
    return {row * (2 * size - 1) + column for row, column in cells}


# T. Ewalds, "Playing and solving Havannah" (2012), chapter 5: these first moves win, all others lose.
@pytest.mark.parametrize(("size", "winning"), [(2, "a1 a2 b1 b3 c2 c3"), (3, "a1 a3 c1 c5 e3 e5")])
def test_solved_openings(size: int, winning: str) -> None:
    rules = envs.make_rules("havannah", size=size)
    start = rules.initial_state()
    keys, values = np.zeros(1 << 20, np.uint64), np.zeros(1 << 20, np.int8)
    openings, found = set(list_legal(rules, start).tolist()), {}
    while openings:
        cells = turned(size, min(openings))
        value = solve(rules, start, min(openings), keys, values)
        found.update(dict.fromkeys(cells, value))
        openings -= cells
    assert len(found) == rules.max_legal
    wins = {rules.string_to_action(start, name) for name in winning.split()}
    assert {cell for cell, value in found.items() if value == 1} == wins
    assert {cell for cell, value in found.items() if value == -1} == found.keys() - wins
