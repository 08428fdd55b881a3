"""Hex on boards of every shape, and with the swap, against counts and a slow flood fill."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from counts import sequences
from test_games import random_game, returns_of

import envs
from envs.rules import list_legal

SHAPES = [(1, 1), (1, 4), (4, 1), (2, 2), (2, 5), (5, 3), (5, 5), (7, 12), (11, 11), (26, 9), (26, 26)]


def joined(stones: Any) -> bool:
    """Flood from the top row to the bottom row, cell by cell."""
    rows, columns = stones.shape
    pending = [(0, c) for c in range(columns) if stones[0, c]]
    seen = set(pending)
    for row, column in pending:
        for a, b in ((-1, 0), (-1, 1), (0, -1), (0, 1), (1, -1), (1, 0)):
            r, c = row + a, column + b
            if 0 <= r < rows and 0 <= c < columns and stones[r, c] and (r, c) not in seen:
                seen.add((r, c))
                pending.append((r, c))
    return any(row == rows - 1 for row, _ in seen)


# Computed with OpenSpiel 2.0.2.
@pytest.mark.parametrize(
    ("params", "counts"),
    [
        ({"rows": 2, "columns": 4}, [8, 56, 336, 1260, 5040, 7200, 14400]),
        ({"rows": 4, "columns": 2}, [8, 56, 336, 1680, 5040, 15120, 14400]),
        ({"rows": 3, "columns": 4}, [12, 132, 1320, 11880, 95040]),
        ({"size": 2, "swap": True}, [4, 16, 36, 36, 12]),
        ({"size": 3, "swap": True}, [9, 81, 576, 3528, 18144, 69840]),
    ],
)
def test_number_of_move_sequences(params: dict[str, Any], counts: list[int]) -> None:
    assert sequences(envs.make_rules("hex", **params), len(counts)) == counts


def test_a_size_stands_for_rows_and_columns() -> None:
    assert envs.make_rules("hex", size=4) == envs.make_rules("hex", rows=4, columns=4)
    assert envs.make_rules("hex", size=4, rows=3) == envs.make_rules("hex", rows=3, columns=4)
    assert envs.make_rules("hex").num_actions == 121


@pytest.mark.parametrize(("rows", "columns"), SHAPES)
def test_play_ends_when_the_sides_are_joined(rows: int, columns: int) -> None:
    rules = envs.make_rules("hex", rows=rows, columns=columns)
    for seed in range(max(4, 1000 // (rows * columns))):
        rng, state = np.random.default_rng((rows, seed)), rules.initial_state()
        won = [False, False]
        while not rules.is_terminal(state):
            assert won == [False, False]
            rules.step(state, int(rng.choice(list_legal(rules, state))))
            planes = rules.observation(state, 0)
            won = [joined(planes[..., 0]), joined(planes[..., 1].T)]
        assert returns_of(rules, state) == ([1, -1] if won[0] else [-1, 1])
        assert sum(won) == 1


@pytest.mark.parametrize(("rows", "columns"), SHAPES)
def test_names_and_pictures_of_every_shape(rows: int, columns: int) -> None:
    rules = envs.make_rules("hex", rows=rows, columns=columns)
    state = rules.initial_state()
    names = [rules.action_to_string(state, action) for action in range(rules.num_actions)]
    assert [rules.string_to_action(state, name) for name in names] == list(range(rules.num_actions))
    assert rules.to_text(state).count(".") == rows * columns
    assert rules.to_svg(state).count("<polygon") == rows * columns


def swap_after(name: str) -> tuple[Any, Any]:
    """Return rules, and the state after a first move and the swap."""
    rules = envs.make_rules("hex", size=5, swap=True)
    state = rules.initial_state()
    assert rules.num_actions - 1 not in list_legal(rules, state)
    rules.step(state, rules.string_to_action(state, name))
    assert list_legal(rules, state)[-1] == rules.string_to_action(state, "swap") == 25
    assert rules.action_to_string(state, 25) == "swap"
    rules.step(state, 25)
    return rules, state


@pytest.mark.parametrize(("name", "mirrored"), [("b1", "a2"), ("a1", "a1"), ("c3", "c3"), ("e2", "b5")])
def test_a_swap_mirrors_the_first_stone(name: str, mirrored: str) -> None:
    rules, state = swap_after(name)
    cell = rules.string_to_action(rules.initial_state(), mirrored)
    planes = rules.observation(state, 1)
    assert planes[..., 0].sum() == planes.sum() == 1
    assert planes[..., 0].reshape(-1)[cell] == 1
    assert rules.current_player(state) == 0
    assert list_legal(rules, state).tolist() == [action for action in range(25) if action != cell]
    with pytest.raises(ValueError, match="allowed"):
        rules.string_to_action(state, "swap")
    plain = envs.make_rules("hex", size=5, swap=True)
    other = plain.initial_state()
    plain.step(other, cell)
    assert plain.hash_key(other) != rules.hash_key(state)


def test_a_swap_is_a_game_seen_in_the_mirror() -> None:
    """After a swap the same moves, mirrored, lead the second player where they led the first."""
    plain = envs.make_rules("hex", size=4)
    swapping = envs.make_rules("hex", size=4, swap=True)
    for seed in range(40):
        rng, state, mirror = np.random.default_rng(seed), plain.initial_state(), swapping.initial_state()
        first = int(rng.integers(16))
        plain.step(state, first)
        swapping.step(mirror, first)
        swapping.step(mirror, 16)
        while not plain.is_terminal(state):
            assert not swapping.is_terminal(mirror)
            assert swapping.current_player(mirror) == 1 - plain.current_player(state)
            action = int(rng.choice(list_legal(plain, state)))
            plain.step(state, action)
            swapping.step(mirror, action % 4 * 4 + action // 4)
        assert swapping.is_terminal(mirror)
        assert returns_of(swapping, mirror) == returns_of(plain, state)[::-1]


def test_a_swap_can_be_seen() -> None:
    rules = envs.make_rules("hex", size=3, swap=True)
    state = rules.initial_state()
    rules.step(state, 4)
    visits = np.array([1, 0, 0, 0, 0, 0, 0, 0, 0, 3])
    assert rules.to_text(state, visits).endswith("\nswap: 75%")
    assert ">swap: 75%<" in rules.to_svg(state, visits)
    assert "swap" not in rules.to_text(state) + rules.to_svg(state)


@pytest.mark.parametrize(
    ("params", "said"),
    [
        ({"rows": 3, "columns": 4, "swap": True}, "hex: swap: True is not allowed: only false on .* 3 x 4"),
        ({"rows": 27}, "hex: rows: 27 is not allowed: .* from 1 to 26"),
        ({"columns": 0}, "hex: columns: 0 is not allowed: .* from 1 to 26"),
        ({"swap": 1}, "hex: swap: 1 is not allowed: true or false"),
    ],
)
def test_impossible_boards_are_refused(params: dict[str, Any], said: str) -> None:
    with pytest.raises(envs.ParameterError, match=said):
        envs.make_rules("hex", **params)


def test_hex_gives_a_finished_position_one_key_whatever_stone_came_last() -> None:
    rules = envs.make_rules("hex", size=5)
    for seed in range(30):
        end = random_game(rules, 10, seed)[-1]
        stones = [np.flatnonzero(rules.observation(end, 0)[..., player]).tolist() for player in (0, 1)]
        winner = 0 if returns_of(rules, end)[0] > 0 else 1
        for last in stones[winner]:
            order = [[s for s in stones[p] if s != last] + [last] * (p == winner) for p in (0, 1)]
            moves = [order[ply % 2][ply // 2] for ply in range(len(stones[0]) + len(stones[1]))]
            state = replay(rules, rules.initial_state(), moves)
            if np.array_equal(rules.observation(state, 0), rules.observation(end, 0)):
                assert rules.hash_key(state) == rules.hash_key(end)


def replay(rules: Any, state: Any, actions: list[int]) -> Any:
    """Play what of `actions` is legal when its turn comes."""
    state = state.copy()
    for action in actions:
        if not rules.is_terminal(state) and action in list_legal(rules, state):
            rules.step(state, action)
    return state
