"""What games think of moves before any search: a weight for each, whatever the order they are asked in."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import envs
from envs.kernels import kernel
from envs.rules import list_legal

SMALL: dict[str, list[dict[str, Any]]] = {
    "breakthrough": [{}, {"rows": 5, "columns": 3}],
    "connect_four": [{}, {"rows": 4, "columns": 5, "connect": 3}, {"rows": 1, "columns": 5}],
    "hex": [{"size": 5}, {"rows": 3, "columns": 6}, {"size": 4, "swap": True}],
    "havannah": [{"size": 2}, {"size": 4, "swap": True}],
    "othello": [{"size": 4}, {}],
    "gomoku": [{}, {"rows": 4, "columns": 5, "connect": 3}, {"rows": 26, "columns": 26}],
}
GIVEN = [name for name in envs.game_names() if "prior" in envs.game_class(name).given]
CASES = [(name, params) for name in GIVEN for params in SMALL.get(name, [{}])]


@kernel
def ask(rules, state, actions, count, out):
    rules.prior(state, actions, count, out)


def weights(rules: Any, state: Any, actions: Any) -> dict[int, float]:
    """Return the weight of each action, the compiled one, and assert that plain Python says the same."""
    compiled, plain = np.full(len(actions) + 1, -1.0), np.full(len(actions) + 1, -1.0)
    asked = np.array([*actions, 0], np.int32)
    ask(rules, state, asked, len(actions), compiled)
    rules.prior(state, asked, len(actions), plain)
    assert np.array_equal(compiled, plain)
    assert compiled[-1] == -1.0  # no more than was asked for
    return dict(zip(map(int, actions), compiled[:-1].tolist(), strict=True))


@pytest.mark.parametrize(("name", "params"), CASES, ids=str)
def test_weights_are_positive_and_those_of_the_actions_in_any_order(
    name: str, params: dict[str, Any]
) -> None:
    rules, rng = envs.make_rules(name, **params), np.random.default_rng(4)
    for _ in range(3):
        state = rules.initial_state()
        while not rules.is_terminal(state):
            before, legal = state.copy(), list_legal(rules, state)
            found = weights(rules, state, legal)
            assert min(found.values()) > 0.0
            assert np.isfinite(list(found.values())).all()
            assert weights(rules, state, rng.permutation(legal)) == found
            assert np.array_equal(state, before)
            rules.step(state, int(rng.choice(legal)))


def named(rules: Any, moves: str) -> tuple[Any, dict[str, float]]:
    """Return the state after these moves, and the weight of each move there by its name."""
    state = rules.initial_state()
    for move in moves.split():
        rules.step(state, rules.string_to_action(state, move))
    found = weights(rules, state, list_legal(rules, state))
    return state, {rules.action_to_string(state, action): weight for action, weight in found.items()}


def test_breakthrough_likes_to_take_and_to_arrive() -> None:
    _, found = named(envs.make_rules("breakthrough", rows=5, columns=3), "a5a4 b1b2 a4a3 b2b3 a3a2 b3b4")
    assert found.pop("a2b1") == 100.0
    assert found.pop("c5xb4") == 4.0
    assert len(found) > 1
    assert set(found.values()) == {1.0}


def test_connect_four_likes_the_middle() -> None:
    _, found = named(envs.make_rules("connect_four"), "4 1")
    assert list(found.values()) == [1, 2, 3, 4, 3, 2, 1]


def test_gomoku_likes_to_be_beside_a_stone() -> None:
    rules = envs.make_rules("gomoku", rows=5, columns=5)
    state, found = named(rules, "a1 e4")
    cells = {(action // 5, action % 5) for action in list_legal(rules, state).tolist()}
    stones = [divmod(int(rules.string_to_action(rules.initial_state(), name)), 5) for name in ("a1", "e4")]
    for row, column in cells:
        name = rules.action_to_string(state, row * 5 + column)
        near = any(max(abs(row - r), abs(column - c)) <= 1 for r, c in stones)
        assert found[name] == (8.0 if near else 1.0)


def test_othello_likes_corners_and_fears_the_cells_beside_empty_ones() -> None:
    rules = envs.make_rules("othello")
    cells = {"a1": 0, "b1": 1, "c1": 2, "b2": 9, "c3": 18, "h8": 63, "g7": 54}
    state = rules.initial_state()
    assert list(weights(rules, state, list(cells.values())).values()) == [10, 0.2, 2, 0.2, 1, 10, 0.2]
    state[0] |= np.uint64(1)  # a disc on a1: nothing to fear there any more
    assert list(weights(rules, state, list(cells.values())).values())[1:] == [2, 2, 1, 1, 10, 0.2]


def test_hex_and_havannah_like_the_middle_and_company() -> None:
    _, found = named(envs.make_rules("hex", size=5), "b2")
    assert (found["c3"], found["c2"], found["b3"], found["e5"], found["a1"]) == (5, 8, 8, 1, 1)
    _, found = named(envs.make_rules("havannah", size=4), "d4")
    assert (found["a1"], found["d5"], found["e5"], found["c5"], found["d2"]) == (1, 9, 9, 2, 2)
