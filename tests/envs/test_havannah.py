"""Havannah against published games, counts and solved openings, and against a slow reading of its rules."""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from counts import published_positions
from test_games import returns_of

import envs
from envs.havannah import LAST, OUTCOME, PLY
from envs.rules import list_legal

STEPS = ((-1, -1), (-1, 0), (0, -1), (0, 1), (1, 0), (1, 1))


def play(rules: Any, names: list[str]) -> Any:
    """Play moves by name; none may come after the end."""
    state = rules.initial_state()
    for name in names:
        assert not rules.is_terminal(state)
        action = rules.string_to_action(state, name)
        assert action in list_legal(rules, state)
        rules.step(state, action)
    return state


def positions_by_ply(rules: Any, key: Any) -> tuple[list[int], int]:
    """Count the positions that `key` (of a state and its last action) tells apart, and the finished ones."""
    level, counts, finished = {b"": rules.initial_state()}, [], 0
    while level:
        counts.append(len(level))
        following = {}
        for state in level.values():
            finished += rules.is_terminal(state)
            for action in () if rules.is_terminal(state) else list_legal(rules, state):
                child = state.copy()
                rules.step(child, action)
                following[key(child, int(action))] = child
        level = following
    return counts, finished


def test_reachable_positions(truth: Path) -> None:
    """The truth told positions apart by OpenSpiel's drawing, less the brackets about the last stone.

    They leave a blank behind at the end of a row, so positions whose last stone ends a row were counted
    apart. By OpenSpiel's observations there are 105, 150, 150, 8 and 2 positions at plies 3 to 7.
    """
    rules = envs.make_rules("havannah", size=2)
    ends = {rules.string_to_action(rules.initial_state(), name) for name in ("b1", "c2", "c3")}

    def drawing(state: Any, action: int) -> Any:
        return rules.observation(state, 0).tobytes(), action in ends and action

    counts, finished = positions_by_ply(rules, drawing)
    assert (finished, counts) == published_positions(truth)["havannah(board_size=2)"]
    for key in (lambda state, action: drawing(state, -1), lambda state, action: rules.hash_key(state)):
        assert positions_by_ply(rules, key) == ([1, 7, 42, 105, 150, 150, 8, 2], 218)


def test_recorded_game(truth: Path) -> None:
    rules = envs.make_rules("havannah", size=4)
    record = json.loads((truth / "openspiel" / "playthroughs" / "havannah(board_size=4).json").read_text())
    state = rules.initial_state()
    for shown in record["states"]:
        if "history" in shown:
            assert returns_of(rules, state) == shown["returns"]
            assert rules.is_terminal(state) == shown["terminal"]
            board = [mark for mark in shown["board"] if mark in ".O@"]
            assert board == [{-1: ".", 0: "O", 1: "@"}[owner] for owner in rules._owners(state)]
        if "legal" in shown:
            assert list_legal(rules, state).tolist() == shown["legal"]
            assert [rules.action_to_string(state, a) for a in shown["legal"]] == shown["legal_str"]
        if "apply" in shown:
            rules.step(state, shown["apply"])
    assert rules.is_terminal(state)


def test_published_cases_of_every_structure(truth: Path) -> None:
    for case in json.loads((truth / "havannah" / "rule_cases.json").read_text())["items"]:
        rules = envs.make_rules("havannah", size=case["size"])
        state = play(rules, case["moves"])
        assert rules.is_terminal(state)
        first = 0 if case["winner"] is None else 1 - 2 * case["winner"]
        assert returns_of(rules, state) == [first, -first], case["name"]


def test_games_that_people_played(truth: Path) -> None:
    """A game that ended on the board ends with its last move, for that winner; no other ends early."""
    games = json.loads(gzip.decompress((truth / "havannah" / "played_games.json.gz").read_bytes()))["games"]
    assert len(games) == 1407
    swaps = 0
    for game in games:
        rules = envs.make_rules("havannah", size=game["size"], swap=True)
        state = play(rules, game["moves"])
        swaps += "swap" in game["moves"]
        assert rules.is_terminal(state) == (game["ended"] == "board"), game["id"]
        if game["ended"] == "board":
            assert returns_of(rules, state)[game["winner"]] == 1, game["id"]
    assert swaps > 100


def groups(stones: set[tuple[int, int]]) -> list[set[tuple[int, int]]]:
    """Split cells into connected sets by flood fill."""
    left, found = set(stones), []
    while left:
        group = [left.pop()]
        for row, column in group:
            near = {(row + a, column + b) for a, b in STEPS} & left
            left -= near
            group += near
        found.append(set(group))
    return found


def structures(size: int, stones: set[tuple[int, int]]) -> set[str]:
    """Name what a set of stones makes, read slowly from the rules: floods and nothing else."""
    last = 2 * size - 2
    board = {(r, c) for r in range(last + 1) for c in range(last + 1) if abs(r - c) < size}
    degree = {(r, c): len({(r + a, c + b) for a, b in STEPS} & board) for r, c in board}
    rim = {cell for cell in board if degree[cell] < 6}
    corners = {cell for cell in board if degree[cell] == 3}
    sides = groups(rim - corners)
    made = set()
    for group in groups(stones):
        if len(group & corners) >= 2:
            made.add("bridge")
        if sum(bool(group & side) for side in sides) >= 3:
            made.add("fork")
    if any(not hole & rim for hole in groups(board - stones)):
        made.add("ring")
    if any(len({(r + a, c + b) for a, b in STEPS} & stones) == 6 for r, c in stones):
        made.add("ring")  # around its owner's stone: the smallest such ring lies inside any other
    return made


@pytest.mark.parametrize(
    ("size", "swap", "count"), [(2, True, 40), (3, False, 60), (4, True, 60), (7, False, 25)]
)
def test_random_games_end_when_the_rules_say(size: int, swap: bool, count: int) -> None:
    rules = envs.make_rules("havannah", size=size, swap=swap)
    seen: set[str] = set()
    for seed in range(count):
        rng, state = np.random.default_rng((size, seed)), rules.initial_state()
        made = [set[str](), set[str]()]
        while not rules.is_terminal(state):
            assert made == [set(), set()]
            rules.step(state, int(rng.choice(list_legal(rules, state))))
            planes = rules.observation(state, 0)
            cells = [{(int(r), int(c)) for r, c in np.argwhere(planes[..., p])} for p in (0, 1)]
            made = [structures(size, stones) for stones in cells]
        assert returns_of(rules, state)[0] == bool(made[0]) - bool(made[1])
        assert bool(made[0]) + bool(made[1]) == (state[OUTCOME] != 3)
        seen |= made[0] | made[1]
    assert seen >= ({"ring", "fork", "bridge"} if size > 3 else {"bridge"})


@pytest.mark.parametrize("radius", [1, 2, 3])
@pytest.mark.parametrize("middle", ["empty", "own", "other"])
def test_rings_of_any_size_around_anything(radius: int, middle: str) -> None:
    rules = envs.make_rules("havannah", size=7)
    board = [(r, c) for r in range(13) for c in range(13) if abs(r - c) < 7]
    ring = [(r, c) for r, c in board if max(abs(r - 6), abs(c - 6), abs(r - c)) == radius]
    line = [(6, c) for c in range(7 - radius, 6 + radius)]  # across the inside
    far = [(row, c) for row, low in ((0, 1), (12, 7), (1, 2), (11, 7)) for c in range(low, low + 5)]
    rng = np.random.default_rng(radius)
    for _ in range(20):
        mine = ([(6, 6)] if middle == "own" else []) + [ring[i] for i in rng.permutation(len(ring))]
        others = (line if middle == "other" else []) + far
        state = rules.initial_state()
        for (row, column), (a, b) in zip(mine[:-1], others, strict=False):
            rules.step(state, row * 13 + column)
            rules.step(state, a * 13 + b)
            assert not rules.is_terminal(state)
        rules.step(state, mine[-1][0] * 13 + mine[-1][1])
        assert returns_of(rules, state) == [1, -1]


def test_a_swap_turns_the_first_stone_over() -> None:
    rules = envs.make_rules("havannah", size=3, swap=True)
    state = play(rules, ["b2"])
    assert list_legal(rules, state).size == 19
    swap = rules.string_to_action(state, "swap")
    assert swap == rules.string_to_action(state, "b2")
    assert rules.action_to_string(state, swap) == "swap"
    visits = np.zeros(rules.num_actions, np.int64)
    visits[swap], visits[0] = 3, 1
    assert rules.to_text(state, visits).endswith("swap: 75%")
    assert ">swap: 75%<" in rules.to_svg(state, visits)
    before = rules.hash_key(state)
    rules.step(state, swap)
    assert rules.current_player(state) == 0
    assert rules.observation(state, 1)[1, 1].tolist() == [1, 0]
    assert swap not in list_legal(rules, state)
    assert rules.hash_key(state) != before
    with pytest.raises(ValueError, match="allowed"):
        rules.string_to_action(state, "swap")


def test_names_off_the_board_are_refused() -> None:
    rules = envs.make_rules("havannah", size=4)
    for name in ("e1", "a5", "g3", "d8", "h1"):
        with pytest.raises(ValueError, match=r"havannah: .* is no cell of this board: allowed: "):
            rules.string_to_action(rules.initial_state(), name)


@pytest.mark.parametrize("params", [{"size": 1}, {"size": 16}, {"size": 4.0}, {"swap": 1}, {"rows": 3}])
def test_impossible_boards_are_refused(params: dict[str, Any]) -> None:
    with pytest.raises(envs.ParameterError, match=f"havannah: {next(iter(params))}"):
        envs.make_rules("havannah", **params)


def test_the_state_is_as_documented() -> None:
    assert envs.make_rules("havannah", size=8).initial_state().nbytes == 1048
    rules = envs.make_rules("havannah", size=4)
    state = play(rules, ["c2", "a1"])
    assert (state[PLY], state[OUTCOME], state[LAST]) == (2, 0, 0)
