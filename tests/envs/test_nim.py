"""Nim against OpenSpiel's counts and a recorded game, and against Bouton's theorem."""

from __future__ import annotations

import functools
import json
import re
from pathlib import Path

import numpy as np
import pytest
from counts import published_positions
from test_games import random_game, returns_of

import envs
from envs.kernels import kernel
from envs.rules import list_legal

# Computed with OpenSpiel 2.0.2, piles of 1, 3, 5 and 7.
POSITIONS_BY_PLY = [1, 16, 98, 256, 277, 104]
FINISHED = 2


def test_reachable_positions() -> None:
    """A position may be reached at many plies; it is counted at the first."""
    rules = envs.make_rules("nim", piles=[1, 3, 5, 7])
    by_ply, seen, level = [], set(), [rules.initial_state()]
    while level:
        by_ply.append(len(level))
        seen |= {state.tobytes() for state in level}
        fresh = {}
        for state in level:
            for action in list_legal(rules, state):
                child = state.copy()
                rules.step(child, action)
                fresh[child.tobytes()] = child
        level = [child for key, child in fresh.items() if key not in seen]
    assert by_ply == POSITIONS_BY_PLY
    assert len(seen) == sum(POSITIONS_BY_PLY) == 752
    assert sum(not any(np.frombuffer(key, np.int16)[:-1]) for key in seen) == FINISHED


def test_reachable_positions_are_the_published_ones(truth: Path) -> None:
    assert published_positions(truth)["nim(pile_sizes=1;3;5;7)"] == (FINISHED, POSITIONS_BY_PLY)


def test_recorded_game(truth: Path) -> None:
    rules = envs.make_rules("nim", piles=[1, 3, 5, 7], misere=True)
    record = json.loads((truth / "openspiel" / "playthroughs" / "nim.json").read_text())
    state = rules.initial_state()
    for shown in record["states"]:
        if "history" in shown:  # in the middle the recordings only tell the moves
            assert state[:-1].tolist() == [int(pile) for pile in shown["board"].split(": ")[1].split()]
            assert rules.is_terminal(state) == shown["terminal"]
            assert returns_of(rules, state) == shown["returns"]
        if not shown.get("terminal", True):
            assert rules.current_player(state) == shown["player"]
            names = {rules.action_to_string(state, action) for action in list_legal(rules, state)}
            assert names == {ours(name) for name in shown["legal_str"]}
        if "apply_str" in shown:
            rules.step(state, rules.string_to_action(state, ours(shown["apply_str"])))
    assert rules.is_terminal(state)


def ours(recorded: str) -> str:
    return "-".join(re.findall(r"[0-9]+", recorded))


@kernel
def mover_wins(rules, state, code, weights, table):
    """Solve by search over the rules; `code` numbers the piles in mixed base, `table` remembers."""
    if table[code] != 0:
        return table[code]
    value, out = -1, np.empty(2)
    if rules.is_terminal(state):
        rules.returns(state, out)
        return np.int64(out[state[-1]])
    actions = np.empty(rules.max_legal, np.int64)
    for k in range(rules.legal_actions(state, actions)):
        child = state.copy()
        rules.step(child, actions[k])
        pile = rules.pile_of[actions[k]]
        if mover_wins(rules, child, code - weights[pile] * (state[pile] - child[pile]), weights, table) < 0:
            value = 1
            break
    table[code] = value
    return value


@pytest.mark.parametrize("misere", [False, True])
def test_bouton_theorem_on_2000_random_positions(misere: bool) -> None:
    """The mover wins unless the XOR of the piles is 0; in misère play the reverse if no pile exceeds 1."""
    rng = np.random.default_rng(11)
    for _ in range(2000):
        piles = rng.integers(1, 8, size=rng.integers(1, 5))
        rules = envs.make_rules("nim", piles=piles.tolist(), misere=misere)
        weights = np.cumprod(np.append(1, piles + 1))
        table = np.zeros(weights[-1], np.int64)
        value = mover_wins(rules, rules.initial_state(), piles @ weights[:-1], weights, table)
        balanced = functools.reduce(int.__xor__, piles.tolist()) == 0
        assert value == (-1 if balanced != (misere and max(piles) == 1) else 1), piles


def test_games_end_within_their_bound_and_somebody_wins() -> None:
    rules = envs.make_rules("nim", piles=[255, 2, 1])
    for seed in range(10):
        states = random_game(rules, seed)
        assert len(states) <= 259
        assert not states[-1][:-1].any()
        assert returns_of(rules, states[-1]) == ([1, -1] if len(states) % 2 == 0 else [-1, 1])


def test_names_of_moves() -> None:
    rules = envs.make_rules("nim", piles=[2, 12])
    state = rules.initial_state()
    rules.step(state, rules.string_to_action(state, "2-10"))
    assert state.tolist() == [2, 2, 1]
    with pytest.raises(ValueError, match=r"'2-3'.*allowed: 1-1, 1-2, 2-1, 2-2"):
        rules.string_to_action(state, "2-3")


def test_pictures_show_stones_and_visits() -> None:
    rules = envs.make_rules("nim", piles=[1, 3, 45])
    state = rules.initial_state()
    rules.step(state, rules.string_to_action(state, "1-1"))
    visits = np.zeros(rules.num_actions, np.int64)
    visits[rules.string_to_action(state, "2-2")] = 3
    visits[rules.string_to_action(state, "3-45")] = 1
    assert rules.to_text(state) == f"1:\n2: ooo\n3: {'o' * 45}"
    assert rules.to_text(state, visits) == f"1:\n2: ooo  2-2 75%\n3: {'o' * 45}  3-45 25%"
    svg = rules.to_svg(state, visits)
    assert "2-2: 3 visits, 75.00%" in svg
    assert svg.count("<circle") == 48
