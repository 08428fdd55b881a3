"""What games make of unfinished positions: bounds, fairness to both sides, signs, and how it plays."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

import envs
from envs.kernels import kernel
from envs.reduction import has_y
from envs.rules import list_legal
from envs.streams import below, make_stream

SMALL: dict[str, list[dict[str, Any]]] = {
    "hex": [{"size": 1}, {"size": 5}, {"rows": 3, "columns": 6}, {"size": 4, "swap": True}, {"size": 26}],
    "y": [{"size": 1}, {"size": 5}, {"size": 26}],
    "havannah": [{"size": 2}, {"size": 4, "swap": True}, {"size": 8}],
    "othello": [{"size": 4}, {}],
    "connect_four": [{"rows": 4, "columns": 5, "connect": 3}, {"rows": 1, "columns": 5}, {}],
    "gomoku": [{"rows": 4, "columns": 5, "connect": 3}, {}],
    "go": [{"size": 1}, {"size": 5, "komi": 0}, {}],
}
CASES = [(name, params) for name in envs.game_names() for params in SMALL.get(name, [{}])]
JUDGES = [name for name in envs.game_names() if "evaluate" in envs.game_class(name).given]
# Small enough for wins, threats and quiet positions to come up in random play.
NARROW: dict[str, dict[str, Any]] = {
    "connect_four": {},
    "gomoku": {"rows": 5, "columns": 6, "connect": 4},
    "breakthrough": {"rows": 6, "columns": 5},
}
MEETINGS: dict[str, dict[str, Any]] = {"hex": {"size": 7}, "y": {"size": 7}, "havannah": {"size": 5}}


def random_states(rules: Any, seed: int, most: int = 200) -> list[Any]:
    """Return the states of a random game, the last of them terminal unless there are too many."""
    rng, states = np.random.default_rng(seed), [rules.initial_state()]
    while not rules.is_terminal(states[-1]) and len(states) < most:
        states.append(states[-1].copy())
        rules.step(states[-1], int(rng.choice(list_legal(rules, states[-1]))))
    return states


@kernel
def evaluate(rules, state, player):
    return rules.evaluate(state, player)


@pytest.mark.parametrize(("name", "params"), CASES)
def test_it_lies_within_bounds_and_what_one_gains_the_other_loses(name: str, params: dict[str, Any]) -> None:
    rules = envs.make_rules(name, **params)
    seen = set()
    for seed in range(6):
        for state in random_states(rules, seed)[:-1]:
            before = state.copy()
            value = evaluate(rules, state, 0)
            assert -1 < value < 1
            assert evaluate(rules, state, 1) == -value
            assert rules.evaluate(state, 0) == pytest.approx(value, abs=1e-12)
            assert np.array_equal(state, before)
            seen.add(value)
    assert len(seen) > 3 or name not in JUDGES or rules.num_actions < 8


@kernel
def features(rules, state, player, out):
    rules.features(state, player, out)


@pytest.mark.parametrize(("name", "params"), [case for case in CASES if envs.game_class(case[0]).FEATURES])
def test_it_is_the_squashed_sum_of_weighed_features(name: str, params: dict[str, Any]) -> None:
    rules = envs.make_rules(name, **params)
    weights = list(rules.FEATURES.values())
    first, second, plain = (np.full(len(weights) + 1, 77.0) for _ in range(3))
    for seed in range(4):
        for state in random_states(rules, seed)[:-1]:
            features(rules, state, 0, first)
            features(rules, state, 1, second)
            rules.features(state, 0, plain)
            total = math.fsum(weight * value for weight, value in zip(weights, first[:-1], strict=True))
            assert evaluate(rules, state, 0) == pytest.approx(total / (1 + abs(total)), abs=1e-12)
            assert first[:-1].tolist() == (-second[:-1]).tolist() == pytest.approx(plain[:-1])
            assert first[-1] == second[-1] == 77.0  # no more than it names


@pytest.mark.parametrize("name", [name for name in JUDGES if envs.game_class(name).FEATURES])
def test_every_feature_tells_positions_apart(name: str) -> None:
    rules = envs.make_rules(name, **MEETINGS.get(name, {}))
    found = np.zeros((0, len(rules.FEATURES)))
    for seed in range(12):
        for state in random_states(rules, seed)[:-1]:
            found = np.vstack([found, np.zeros(len(rules.FEATURES))])
            features(rules, state, 0, found[-1])
    assert [len(np.unique(column)) > 1 for column in found.T] == [True] * len(rules.FEATURES)


def can_win(rules: Any, state: Any, player: int) -> bool:
    """Return whether `player`, whose turn it is, has a move that wins."""
    out = np.zeros(2)
    for action in list_legal(rules, state).tolist():
        child = state.copy()
        rules.step(child, action)
        rules.returns(child, out)
        if out[player] > 0:
            return True
    return False


@pytest.mark.parametrize("name", [name for name in JUDGES if "win" in envs.game_class(name).FEATURES])
def test_who_can_win_at_once_is_far_ahead(name: str) -> None:
    rules, seen = envs.make_rules(name, **NARROW[name]), set()
    for seed in range(40):
        for state in random_states(rules, seed)[:-1]:
            player = rules.current_player(state)
            wins = can_win(rules, state, player)
            seen.add(wins)
            if wins:
                assert evaluate(rules, state, player) > 0.7
                assert not rules.is_quiet(state)
    assert seen == {False, True}


@kernel
def is_quiet(rules, state):
    return rules.is_quiet(state)


def with_mover_changed(name: str, state: Any) -> Any:
    """Return the position with the other player to move, by the word that says so or counts moves."""
    changed, word = state.copy(), {"connect_four": 2, "gomoku": -5, "breakthrough": 2}[name]
    changed[word] = 1 - changed[word] if name == "breakthrough" else changed[word] + 1
    return changed


@pytest.mark.parametrize("name", [name for name in JUDGES if "is_quiet" in envs.game_class(name).given])
def test_where_it_is_quiet_nobody_wins_at_once(name: str) -> None:
    """And where it is not, somebody does, or has a threat that the rules themselves show."""
    rules, seen = envs.make_rules(name, **NARROW[name]), []
    for seed in range(25):
        for state in random_states(rules, seed)[:-2]:
            changed, player = with_mover_changed(name, state), rules.current_player(state)
            urgent = can_win(rules, state, player) or can_win(rules, changed, 1 - player)
            threats = THREATS.get(name, lambda *_: False)
            quiet = is_quiet(rules, state)
            assert rules.is_quiet(state) == quiet
            assert not (quiet and urgent)
            assert quiet or urgent or threats(rules, state) or threats(rules, changed)
            seen.append(quiet)
    assert set(seen) == {True, False}


def takes_freely(rules: Any, state: Any) -> bool:
    """Return whether a piece of Breakthrough can be taken by one that is not taken in turn."""
    for action in list_legal(rules, state).tolist():
        if "x" in rules.action_to_string(state, action):
            child = state.copy()
            rules.step(child, action)
            replies = [] if rules.is_terminal(child) else list_legal(rules, child).tolist()
            end = rules.action_to_string(state, action)[-2:]
            if not any(rules.action_to_string(child, reply).endswith(f"x{end}") for reply in replies):
                return True
    return False


def makes_two_fours(rules: Any, state: Any) -> bool:
    """Return whether a stone of Gomoku leaves its player with two cells that win."""
    player = rules.current_player(state)
    for action in list_legal(rules, state).tolist():
        child = state.copy()
        rules.step(child, action)
        child = with_mover_changed("gomoku", child)
        wins = 0
        for cell in list_legal(rules, child).tolist():
            grandchild = child.copy()
            rules.step(grandchild, cell)
            out = np.zeros(2)
            rules.returns(grandchild, out)
            wins += out[player] > 0
        if wins >= 2:
            return True
    return False


THREATS: dict[str, Any] = {"breakthrough": takes_freely, "gomoku": makes_two_fours}


@kernel
def greedy_game(rules, state, child, scratch, out, greedy, rng):
    """Play a game to its end: `greedy` takes the child that is best for it, the opponent any."""
    while not rules.is_terminal(state):
        count, player = rules.legal_actions(state, scratch), rules.current_player(state)
        action, best = scratch[below(rng, count)], -2.0
        for i in range(count if player == greedy else 0):
            child[:] = state
            rules.step(child, scratch[i])
            rules.returns(child, out)
            value = out[player] if rules.is_terminal(child) else rules.evaluate(child, player)
            if value > best:
                action, best = scratch[i], value
        rules.step(state, action)


@pytest.mark.parametrize("name", JUDGES)
def test_one_ply_of_it_beats_random_play(name: str) -> None:
    """A side that only takes what looks best wins 90 of 100 games and more; seeds are fixed."""
    rules = envs.make_rules(name, **MEETINGS.get(name, {}))
    scratch, out, won = np.zeros(rules.max_legal, np.int64), np.zeros(2), 0
    for game in range(100):
        state = rules.initial_state()
        greedy_game(rules, state, state.copy(), scratch, out, game % 2, make_stream(20, game))
        rules.returns(state, out)
        won += out[game % 2] > 0
    assert won >= 90


def after(rules: Any, *names: str) -> Any:
    state = rules.initial_state()
    for name in names:
        rules.step(state, rules.string_to_action(state, name))
    return state


@pytest.mark.parametrize(
    ("name", "moves"),
    [
        # The first player's chain lacks one cell, or reaches more sides; the second's stones are anywhere.
        ("hex", "d1 a1 d2 g7 d3 b6 d5 f2 d6 g1 d7 a7"),
        ("y", "d1 g1 c2 f1 b3 e1 b4 a6"),
        ("havannah", "b1 d4 b2 f7 b3 g5 a3 e4"),
    ],
)
def test_who_is_nearly_connected_is_ahead(name: str, moves: str) -> None:
    rules = envs.make_rules(name, **MEETINGS[name])
    state = after(rules, *moves.split())
    assert not rules.is_terminal(state)
    assert rules.evaluate(state, 0) > 0.15
    first, second = moves.split()[::2], moves.split()[1::2]
    swapped = [name for pair in zip(second, first, strict=True) for name in pair]
    if name != "hex":  # where the sides belong to players
        assert rules.evaluate(after(rules, *swapped), 0) < -0.15


def test_hex_looks_the_same_from_either_side() -> None:
    """With rows and columns exchanged, and colours too, a board is worth the opposite."""
    tall, wide = envs.make_rules("hex", rows=6, columns=4), envs.make_rules("hex", rows=4, columns=6)
    rng = np.random.default_rng(3)
    for _ in range(50):
        cells = rng.permutation(24)[: 2 * rng.integers(1, 6)]
        state, other = tall.initial_state(), wide.initial_state()
        for first, second in zip(cells[::2].tolist(), cells[1::2].tolist(), strict=True):
            for cell in (first, second):
                tall.step(state, cell)
            for cell in (second, first):
                wide.step(other, cell % 4 * 6 + cell // 4)
        assert tall.evaluate(state, 0) == pytest.approx(wide.evaluate(other, 1), abs=1e-12)


def test_y_looks_the_same_turned_around() -> None:
    rules, rng = envs.make_rules("y", size=6), np.random.default_rng(4)
    cells = [(row, column) for row in range(6) for column in range(6 - row)]
    for _ in range(50):
        chosen = [cells[i] for i in rng.permutation(len(cells))[:8]]
        values = []
        for _ in range(3):
            state = rules.initial_state()
            for row, column in chosen:
                rules.step(state, row * 6 + column)
            values.append(rules.evaluate(state, 0))
            chosen = [(column, 5 - row - column) for row, column in chosen]
        assert values == pytest.approx([values[0]] * 3, abs=1e-12)
        assert abs(values[0]) > 1e-9


@pytest.mark.parametrize(
    ("name", "params"),
    [("y", {"size": 5}), ("y", {"size": 11})],
)
def test_a_game_that_is_won_is_worth_all(name: str, params: dict[str, Any]) -> None:
    """Whatever is still empty, the reduction finds the winner's chain; nothing else tells it who has won."""
    rules, out = envs.make_rules(name, **params), np.zeros(2)
    for seed in range(30):
        *_, end = random_states(rules, seed)
        rules.returns(end, out)
        assert out[0] * rules.evaluate(end, 0) > 0.98


def joined(cells: Any) -> bool:
    """Look for a chain that touches all three sides of a triangle, cell by cell."""
    size = len(cells)
    for start in np.argwhere(cells[:, :1])[:, 0].tolist():
        pending, sides = [(start, 0)], set()
        for row, column in pending:
            sides |= {0} if row == 0 else set()
            sides |= {1} if row + column == size - 1 else set()
            for down, right in ((-1, 0), (-1, 1), (0, -1), (0, 1), (1, -1), (1, 0)):
                r, c = row + down, column + right
                if r >= 0 and c >= 0 and r + c < size and cells[r, c] and (r, c) not in pending:
                    pending.append((r, c))
        if len(sides) == 2:
            return True
    return False


def test_a_full_board_has_a_y_of_one_colour() -> None:
    rng = np.random.default_rng(5)
    for size in (1, 2, 3, 6, 9) * 20:
        cells = rng.integers(0, 2, (size, size))
        rows = [sum(int(cells[r, c]) << c for c in range(size - r)) for r in range(size)]
        assert has_y(np.array(rows, np.uint32)) == joined(cells)
