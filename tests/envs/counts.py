"""Counting for tests: move sequences, whole games, and positions by ply, of any game.

What the counts must be, and where those numbers come from, stands in each game's own tests and in
`test_truth.py`.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

from envs.kernels import kernel


@kernel
def perft(rules, state, depth):
    """Count the sequences of `depth` legal moves, a pass being one, with a stack of states and moves."""
    states = np.empty((depth, state.shape[0]), state.dtype)
    actions = np.empty((depth, rules.max_legal), np.int64)
    left = np.zeros(depth, np.int64)
    states[0] = state
    left[0] = 0 if rules.is_terminal(state) else rules.legal_actions(state, actions[0])
    level, total = 0, 0
    while level >= 0:
        if level == depth - 1:  # the last moves are counted, not played
            total += left[level]
            left[level] = 0
        if left[level] == 0:
            level -= 1
            continue
        left[level] -= 1
        child = states[level + 1]
        child[:] = states[level]
        rules.step(child, actions[level, left[level]])
        level += 1
        left[level] = 0 if rules.is_terminal(child) else rules.legal_actions(child, actions[level])
    return total


def sequences(rules: Any, deepest: int) -> list[int]:
    """Return how many sequences of 1, 2, …, `deepest` legal moves there are from the start."""
    start = rules.initial_state()
    return [int(perft(rules, start, depth)) for depth in range(1, deepest + 1)]


@kernel
def count_games(rules, state, most):
    """Count the games, of any length up to `most` moves, played to their end."""
    states = np.empty((most + 1, state.shape[0]), state.dtype)
    actions = np.empty((most + 1, rules.max_legal), np.int64)
    left = np.zeros(most + 1, np.int64)
    states[0] = state
    left[0] = rules.legal_actions(state, actions[0])
    level, total = 0, 0
    while level >= 0:
        if left[level] == 0:
            level -= 1
            continue
        left[level] -= 1
        states[level + 1] = states[level]
        rules.step(states[level + 1], actions[level, left[level]])
        if rules.is_terminal(states[level + 1]):
            total += 1
            continue
        level += 1
        left[level] = rules.legal_actions(states[level], actions[level])
    return total


@kernel
def children(rules, states, keys, out, over):
    """Write every child of `states`, its key and whether play ended there; return how many."""
    actions = np.empty(rules.max_legal, np.int64)
    count = 0
    for i in range(states.shape[0]):
        for k in range(rules.legal_actions(states[i], actions)):
            out[count] = states[i]
            rules.step(out[count], actions[k])
            keys[count] = rules.hash_key(out[count])
            over[count] = rules.is_terminal(out[count])
            count += 1
    return count


def plies(rules: Any) -> Iterator[tuple[int, int]]:
    """Yield (positions, finished ones among them) at every ply, told apart by their key."""
    states, finished = rules.initial_state()[None], 0
    while len(states) + finished:
        yield len(states) + finished, finished
        room = max(1, len(states) * rules.max_legal)
        out, keys = np.empty((room, states.shape[1]), states.dtype), np.empty(room, np.uint64)
        over = np.empty(room, np.bool_)
        count = children(rules, states, keys, out, over)
        _, first = np.unique(keys[:count], return_index=True)
        states, finished = out[first][~over[first]], int(over[first].sum())


def published_sequences(truth: Path) -> dict[str, list[int]]:
    """Read OpenSpiel's counts of move sequences, by its names of games."""
    text = (truth / "openspiel" / "open_spiel_perft.json").read_text()
    table: dict[str, list[int]] = json.loads(text)["perft"]
    return table


def published_positions(truth: Path) -> dict[str, tuple[int, list[int]]]:
    """Read OpenSpiel's counts of positions: how many are finished, and how many there are by ply."""
    rows = json.loads((truth / "openspiel" / "reachable_positions.json").read_text())
    return {row["game"]: (row["terminal"], row["by_ply"][:-1]) for row in rows}
