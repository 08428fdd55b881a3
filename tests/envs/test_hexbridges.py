"""Chains of bridges on small boards of Hex: whoever has one wins, though all else be the other's."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import envs
from envs.hex import PLY
from envs.rules import list_legal


@pytest.mark.parametrize(
    "params", [{"size": 4}, {"size": 5}, {"rows": 3, "columns": 6}, {"rows": 6, "columns": 2}]
)
def test_a_chain_wins_with_its_own_cells_alone_whoever_moves(params: dict[str, int]) -> None:
    rules, rng = envs.make_rules("hex", **params), np.random.default_rng(2)
    found = 0
    for _ in range(2000):
        state = scattered(rules, rng)
        if rules.is_terminal(state):
            continue
        winner, cells = rules._bridged(state)
        if winner == 0:
            assert cells == 0
            continue
        found += 1
        loser = 1 if winner > 0 else 0
        others = [cell for cell in list_legal(rules, state).tolist() if not int(cells) >> cell & 1]
        for cell in others:
            put(rules, state, loser, cell)
        assert not loses(rules, state, 1 - loser, loser), rules.to_text(state)
    assert found > 100


def scattered(rules: Any, rng: Any) -> Any:
    """Return a board with stones of both at random; the game may be over."""
    state = rules.initial_state()
    cells = rng.permutation(rules.num_actions)[: rng.integers(2, rules.num_actions)]
    for cell in cells.tolist():
        if not rules.is_terminal(state):
            put(rules, state, int(rng.integers(2)), cell)
    return state


def put(rules: Any, state: Any, player: int, cell: int) -> None:
    state[PLY] = player
    rules.step(state, cell)


def loses(rules: Any, state: Any, side: int, mover: int) -> bool:
    """Return whether `side` can be beaten, by trying everything."""
    if rules.is_terminal(state):
        out = np.zeros(2)
        rules.returns(state, out)
        return bool(out[side] < 0)
    results = []
    for cell in list_legal(rules, state).tolist():
        child = state.copy()
        put(rules, child, mover, cell)
        results.append(loses(rules, child, side, 1 - mover))
    return all(results) if mover == side else any(results)


def test_two_bridges_that_share_a_cell_are_no_chain() -> None:
    rules = envs.make_rules("hex", size=3)
    state = rules.initial_state()
    put(rules, state, 0, rules.string_to_action(state, "b2"))
    assert rules._bridged(state)[0] == 1  # to either edge by cells of its own
    put(rules, state, 1, rules.string_to_action(state, "b1"))
    assert rules._bridged(state)[0] == 0


def test_a_board_that_fits_no_word_is_left_alone() -> None:
    rules = envs.make_rules("hex", size=7)
    state, out = rules.initial_state(), np.zeros(2)
    rules.score_bounds(state, out)
    assert out.tolist() == [-1, 1]
    assert int(rules.zone(state)) == 2**64 - 1
