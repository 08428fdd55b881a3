"""Go against published numbers of legal boards and of move sequences."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

import envs
from envs.chains import is_suicide, play
from envs.kernels import kernel


@kernel
def count_legal_boards(rules, start, state):
    """Count the boards that arise stone by stone without capture or suicide: all chains have liberties."""
    size, total = rules.size, 0
    for code in range(3 ** (size * size)):
        state[:] = start
        cells = state[rules.tables :].view(np.int16)
        rest, stones, legal = code, 0, True
        for cell in range(size * size):
            colour, rest = rest % 3, rest // 3
            point = (cell // size + 1) * (size + 1) + cell % size + 1
            if colour and legal:
                legal = not is_suicide(size, cells, point, colour)
                if legal:
                    play(size, rules.keys, state, cells, point, colour)
                    stones += 1
        total += legal and size * size - np.int64(state[2]) == stones
    return total


# J. Tromp and G. Farnebäck, "Combinatorics of Go"; OEIS A094777.
@pytest.mark.parametrize(("size", "count"), [(1, 1), (2, 57), (3, 12_675)])
def test_number_of_legal_boards(size: int, count: int) -> None:
    rules = envs.make_rules("go", size=size)
    assert count_legal_boards(rules, rules.initial_state(), rules.initial_state()) == count


@kernel
def perft(rules, states, actions, depth):
    """Count the sequences of `depth` legal moves from states[0]."""
    left = np.zeros(depth + 1, np.int64)
    left[0] = rules.legal_actions(states[0], actions[0])
    level, total = 0, 0
    while level >= 0:
        if level == depth - 1:
            total += left[level]
            left[level] = 0
        if left[level] == 0:
            level -= 1
            continue
        left[level] -= 1
        states[level + 1] = states[level]
        rules.step(states[level + 1], actions[level, left[level]])
        if not rules.is_terminal(states[level + 1]):
            level += 1
            left[level] = rules.legal_actions(states[level], actions[level])
    return total


# OpenSpiel 2.0.2; nothing can be repeated so early.
PERFT = {3: [10, 91, 738, 5281, 33384], 5: [26, 651, 15650], 9: [82, 6643, 531522]}


@pytest.mark.parametrize("size", PERFT)
def test_number_of_move_sequences(size: int) -> None:
    rules, found = envs.make_rules("go", size=size), []
    for depth in range(1, len(PERFT[size]) + 1):
        states = np.repeat(rules.initial_state()[None], depth + 1, axis=0)
        found.append(perft(rules, states, np.zeros((depth + 1, rules.max_legal), np.int64), depth))
    assert found == PERFT[size]


def test_number_of_move_sequences_of_the_truth(truth: Path) -> None:
    table = json.loads((truth / "openspiel" / "open_spiel_perft.json").read_text())["perft"]
    assert {key: row for key, row in table.items() if key.startswith("go(")} == {
        f"go(board_size={size})": counts for size, counts in PERFT.items()
    }
