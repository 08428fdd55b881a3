"""Go against published numbers of legal boards."""

from __future__ import annotations

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
        cells = state[rules.tables :].view(np.uint16)
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
