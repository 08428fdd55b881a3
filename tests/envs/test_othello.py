"""Othello against published counts, a solved board, recorded games and rules read cell by cell."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import envs
from envs.kernels import kernel
from envs.rules import list_legal

DIRECTIONS = [(a, b) for a in (-1, 0, 1) for b in (-1, 0, 1) if a or b]


@pytest.fixture(scope="module")
def rules() -> Any:
    return envs.make_rules("othello")


def test_recorded_game(rules: Any, truth: Path) -> None:
    record = json.loads((truth / "openspiel" / "playthroughs" / "othello.json").read_text())
    state = rules.initial_state()
    for shown in record["states"]:
        if "history" not in shown:  # in the middle the recording only tells the moves
            rules.step(state, shown["apply"])
            continue
        cells = re.sub("[^-xo]", "", "".join(re.findall(r"^\d(.*)\d$", shown["board"], re.MULTILINE)))
        assert rules._cells(state) == ["xo-".index(cell) if cell != "-" else -1 for cell in cells]
        out = np.zeros(2)
        rules.returns(state, out)
        assert out.tolist() == shown["returns"]
        assert rules.is_terminal(state) == shown["terminal"]
        if not shown["terminal"]:
            legal = list_legal(rules, state).tolist()
            assert rules.current_player(state) == shown["player"]
            assert legal == shown["legal"]
            assert [rules.action_to_string(state, action) for action in legal] == shown["legal_str"]
            rules.step(state, shown["apply"])


def turned(board: Any, player: int, row: int, column: int) -> list[tuple[int, int]]:
    """List the discs that a disc placed there turns, walking from cell to cell."""
    found = []
    for down, right in DIRECTIONS:
        line, r, c = [], row + down, column + right
        while 0 <= r < len(board) and 0 <= c < len(board) and board[r, c] == 1 - player:
            line.append((r, c))
            r, c = r + down, c + right
        if 0 <= r < len(board) and 0 <= c < len(board) and board[r, c] == player:
            found += line
    return found


def placements(board: Any, player: int) -> list[int]:
    cells = np.argwhere(board == -1).tolist()
    return [row * len(board) + column for row, column in cells if turned(board, player, row, column)]


@pytest.mark.parametrize(("size", "games"), [(4, 60), (6, 40), (8, 20)])
def test_every_move_of_random_games_is_that_of_the_rules_read_cell_by_cell(size: int, games: int) -> None:
    rules, passes = envs.make_rules("othello", size=size), 0
    rng = np.random.default_rng(size)
    for _ in range(games):
        state, player = rules.initial_state(), 0
        board = np.array(rules._cells(state)).reshape(size, size)
        while not rules.is_terminal(state):
            assert rules.current_player(state) == player
            legal = placements(board, player) or [size * size]
            assert list_legal(rules, state).tolist() == legal
            action = int(rng.choice(legal))
            rules.step(state, action)
            passes += action == size * size
            if action < size * size:
                for row, column in [*turned(board, player, *divmod(action, size)), divmod(action, size)]:
                    board[row, column] = player
            assert rules._cells(state) == board.ravel().tolist()
            player = 1 - player
        assert not placements(board, 0)
        assert not placements(board, 1)
        out = np.zeros(2)
        rules.returns(state, out)
        ahead = np.sign((board == 0).sum() - (board == 1).sum())
        assert out.tolist() == [ahead, -ahead]
    assert passes > 0


@kernel
def best_difference(rules, state, low, high):
    """Return the mover's final disc difference under best play, if it is between `low` and `high`.

    Outside, the result is a bound on its own side. After the end the difference is the first player's.
    """
    mover = rules.current_player(state)
    if mover < 0:
        return rules._lead(state)
    actions = np.empty(rules.max_legal, np.int64)
    for k in range(rules.legal_actions(state, actions)):
        child = state.copy()
        rules.step(child, actions[k])
        if rules.is_terminal(child):
            value = rules._lead(child) * (1 - 2 * mover)
        else:
            value = -best_difference(rules, child, -high, -low)
        low = max(low, value)
        if low >= high:
            break
    return low


def test_white_wins_4x4_by_8() -> None:
    # The known value of perfect play: 3 discs to 11.
    rules = envs.make_rules("othello", size=4)
    assert best_difference(rules, rules.initial_state(), -17, 17) == -8


def positions(truth: Path, most_empty: int) -> list[tuple[str, int, dict[str, int]]]:
    """Read the end games with few empty cells: board, mover and the exact value of each listed move."""
    found = []
    for file in sorted((truth / "othello").glob("*.obf")):
        for line in file.read_text().splitlines():
            match = re.match(r"([-XO]{64}) ([XO]);(.*)", line.strip())
            if match and match[1].count("-") <= most_empty:
                values = re.findall(r"([a-h][1-8]):([+-]?\d+)", match[3].lower())
                mover = "XO".index(match[2])
                found.append((match[1], mover, {move: int(value) for move, value in values}))
    return found


def test_exact_values_of_end_games(rules: Any, truth: Path) -> None:
    checked = 0
    for board, mover, values in positions(truth, most_empty=14):
        state = rules.initial_state()
        state[0], state[1] = (sum(1 << i for i in range(64) if board[i] == piece) for piece in "XO")
        state[2] = mover
        for move, value in values.items():
            child = state.copy()
            rules.step(child, rules.string_to_action(state, move))
            # Edax gives cells left empty to the winner: only the sign is sure to be the same.
            view = max(rules.current_player(child), 0)
            found = best_difference(rules, child, -1, 1) * (1 if view == mover else -1)
            assert np.sign(found) == np.sign(value), (board, move)
            checked += 1
    assert checked > 20


@pytest.mark.parametrize("size", [-2, 3, 5, 7, 9, 10])
def test_other_sizes_are_refused(size: int) -> None:
    with pytest.raises(envs.ParameterError, match="othello: size"):
        envs.make_rules("othello", size=size)


def test_a_pass_is_named_and_alone(rules: Any) -> None:
    passes = 0
    for seed in range(40):
        state, rng = rules.initial_state(), np.random.default_rng(seed)
        while not rules.is_terminal(state):
            legal = list_legal(rules, state).tolist()
            if 64 in legal:
                passes += 1
                assert legal == [64]
                assert rules.action_to_string(state, 64) == "pass"
                assert rules.string_to_action(state, " Pass ") == 64
            rules.step(state, int(rng.choice(legal)))
    assert passes > 10


def test_corners_and_mobility_are_worth_something(rules: Any) -> None:
    state = rules.initial_state()
    assert rules.evaluate(state, 0) == rules.evaluate(state, 1) == 0
    state[0] |= np.uint64(1)
    assert 0 < rules.evaluate(state, 0) < 1
    assert rules.evaluate(state, 1) == -rules.evaluate(state, 0)
