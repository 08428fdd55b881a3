"""Y against counts of OpenSpiel and a slow flood fill."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from counts import sequences

import envs
from envs.rules import list_legal


def test_number_of_move_sequences() -> None:
    # Computed with OpenSpiel 2.0.2; larger boards are in `test_truth.py`.
    assert sequences(envs.make_rules("y", size=3), 6) == [6, 30, 120, 360, 720, 360]


def has_y(stones: Any) -> bool:
    """Flood every chain, cell by cell, and look which sides it touches."""
    size, left = len(stones), {(int(r), int(c)) for r, c in np.argwhere(stones)}
    while left:
        group = [left.pop()]
        for row, column in group:
            steps = ((-1, 0), (-1, 1), (0, -1), (0, 1), (1, -1), (1, 0))
            near = {(row + a, column + b) for a, b in steps} & left
            left -= near
            group += near
        touched = {side for r, c in group for side, gap in enumerate((r, c, size - 1 - r - c)) if gap == 0}
        if len(touched) == 3:
            return True
    return False


@pytest.mark.parametrize(("size", "games"), [(1, 2), (2, 10), (4, 60), (9, 25), (26, 2)])
def test_play_ends_with_the_first_y(size: int, games: int) -> None:
    rules, out = envs.make_rules("y", size=size), np.zeros(2)
    for seed in range(games):
        rng, state = np.random.default_rng((size, seed)), rules.initial_state()
        while not rules.is_terminal(state):
            rules.step(state, int(rng.choice(list_legal(rules, state))))
            planes = rules.observation(state, 0)
            made = [has_y(planes[..., player]) for player in (0, 1)]
            assert rules.is_terminal(state) == any(made)
        rules.returns(state, out)
        assert out.tolist() == [made[0] - made[1], made[1] - made[0]]
        assert sum(made) == 1


def test_names_off_the_board_are_refused() -> None:
    rules = envs.make_rules("y", size=4)
    for name in ("d2", "c3", "b4", "a5", "e1"):
        with pytest.raises(ValueError, match=r"y: .* is no cell of this board: allowed: "):
            rules.string_to_action(rules.initial_state(), name)


@pytest.mark.parametrize("params", [{"size": 0}, {"size": 27}, {"rows": 3}])
def test_impossible_boards_are_refused(params: dict[str, Any]) -> None:
    with pytest.raises(envs.ParameterError, match=f"y: {next(iter(params))}"):
        envs.make_rules("y", **params)


def test_the_state_is_as_documented() -> None:
    assert envs.make_rules("y").initial_state().nbytes == 600
