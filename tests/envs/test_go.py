"""Go against a recorded game, and against its rules read stone by stone and by hand.

Where OpenSpiel's Go differs it is left out: it lets a stone that repeats a position end the game as a draw
(here it is forbidden), stops after 2 * size * size moves (here 3), and numbers points from the bottom.
"""

from __future__ import annotations

import json
import math
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from test_games import returns_of

import envs
from envs.kernels import kernel
from envs.rules import list_legal
from envs.streams import make_stream

Board = tuple[int, ...]
"""Owner of each point, row by row from the top; -1 for an empty one."""


def near(point: int, size: int) -> list[int]:
    row, column = divmod(point, size)
    steps = ((row - 1, column), (row, column - 1), (row, column + 1), (row + 1, column))
    return [r * size + c for r, c in steps if 0 <= r < size and 0 <= c < size]


def region(board: Board, point: int, size: int) -> tuple[set[int], set[int]]:
    """Return the points of one owner joined to `point`, and the owners around them."""
    inside, pending, around = {point}, [point], set()
    for p in pending:
        for q in near(p, size):
            if board[q] != board[p]:
                around.add(board[q])
            elif q not in inside:
                inside.add(q)
                pending.append(q)
    return inside, around


def put(board: Board, point: int, player: int, size: int) -> Board | None:
    """Return the board after a stone and what it takes; None for suicide."""
    cells = list(board)
    cells[point] = player
    for q in near(point, size):
        if cells[q] == 1 - player:
            chain, around = region(tuple(cells), q, size)
            if -1 not in around:
                for p in chain:
                    cells[p] = -1
    return None if -1 not in region(tuple(cells), point, size)[1] else tuple(cells)


def lead(board: Board, size: int) -> int:
    """Return how many points of area the first player is ahead."""
    total = board.count(0) - board.count(1)
    for point in (p for p, owner in enumerate(board) if owner == -1):
        around = region(board, point, size)[1]
        total += (around == {0}) - (around == {1})
    return total


def plays(board: Board, player: int, size: int, past: set[Board]) -> list[int]:
    empty = [p for p, owner in enumerate(board) if owner == -1]
    return [p for p in empty if (after := put(board, p, player, size)) is not None and after not in past]


@pytest.mark.parametrize(("size", "games"), [(1, 3), (2, 200), (3, 200), (4, 60), (7, 6)])
@pytest.mark.parametrize("komi", [0.5, 2.0])
def test_every_move_of_random_games_is_that_of_the_rules_read_stone_by_stone(
    size: int, games: int, komi: float
) -> None:
    rules, rng = envs.make_rules("go", size=size, komi=komi), np.random.default_rng(size)
    repeats, longest = 0, 0
    for _ in range(games):
        state, board, player, passes, ply = rules.initial_state(), (-1,) * (size * size), 0, 0, 0
        past = {board}
        while passes < 2 and ply < 3 * size * size:
            assert rules.current_player(state) == player
            legal = [*plays(board, player, size, past), size * size]
            assert list_legal(rules, state).tolist() == legal
            ko = rules.observation(state, 0)[..., 2].any()  # longer repeats are those that this does not tell
            repeats += len(plays(board, player, size, set())) - ko > len(legal) - 1
            # Passes are rare, so that games get long.
            action = int(rng.choice(legal if len(legal) == 1 or rng.random() < 0.05 else legal[:-1]))
            passes = passes + 1 if action == size * size else 0
            board = board if passes else put(board, action, player, size) or board
            past.add(board)
            rules.step(state, action)
            assert rules._cells(state) == list(board)
            player, ply = 1 - player, ply + 1
        longest = max(longest, ply)
        ahead = np.sign(lead(board, size) - komi)
        assert rules.is_terminal(state)
        assert returns_of(rules, state) == [ahead, -ahead]
    assert repeats > 0 or size in (1, 7)
    assert longest == 3 * size * size or size in (1, 7)


def test_recorded_game(truth: Path) -> None:
    record = json.loads((truth / "openspiel" / "playthroughs" / "go.json").read_text())
    rules = envs.make_rules("go", size=7, komi=4.5)
    state = rules.initial_state()
    flipped = [(6 - action // 7) * 7 + action % 7 for action in range(49)] + [49]
    for shown in record["states"]:
        if "history" in shown:  # in the middle the recording only tells the moves
            cells = "".join(re.findall(r"^ \d ([XO+]+)$", shown["board"], re.MULTILINE))
            assert rules._cells(state) == ["XO+".index(cell) if cell != "+" else -1 for cell in cells]
            assert rules.is_terminal(state) == shown["terminal"]
            assert returns_of(rules, state) == shown["returns"]
            if not shown["terminal"]:
                names = [f"{'BW'[rules.current_player(state)]} {name}" for name in legal_names(rules, state)]
                assert rules.current_player(state) == shown["player"]
                assert list_legal(rules, state).tolist() == sorted(flipped[a] for a in shown["legal"])
                # OpenSpiel writes `a1` and `PASS`, and leaves out the letter i as well.
                assert sorted(map(str.lower, names)) == sorted(map(str.lower, shown["legal_str"]))
        if "apply" in shown:
            rules.step(state, flipped[shown["apply"]])
    assert rules.is_terminal(state)


def legal_names(rules: Any, state: Any) -> list[str]:
    return [rules.action_to_string(state, action) for action in list_legal(rules, state)]


def played(rules: Any, moves: str) -> Any:
    state = rules.initial_state()
    for name in moves.split():
        action = rules.string_to_action(state, name)
        assert not rules.is_terminal(state)
        assert action in list_legal(rules, state), name
        rules.step(state, action)
    return state


def test_a_chain_is_taken_whole() -> None:
    rules = envs.make_rules("go", size=5)
    state = played(rules, "B5 A5 B4 A4 A3")
    assert rules.to_text(state).split("\n")[1:4] == ["5 . X . . .", "4 . X . . .", "3 X . . . ."]


KO = "B4 C4 A3 D3 B2 C2 C3 B3"  # White's B3 has just taken C3


def test_a_ko_is_not_taken_back_at_once() -> None:
    rules = envs.make_rules("go", size=5)
    state = played(rules, KO)
    assert "C3" not in legal_names(rules, state)
    assert rules.observation(state, 0)[..., 2].sum() == 1
    assert rules.observation(state, 0)[2, 2, 2] == 1
    assert "C3" in legal_names(rules, played(rules, KO + " E5 A1"))


def test_suicide_is_forbidden_unless_it_takes_something() -> None:
    rules = envs.make_rules("go", size=5)
    state = played(rules, "C1 A2 C2 B1 E5")
    assert "A1" in legal_names(rules, state)  # White joins its own
    assert "A1" not in legal_names(rules, played(rules, "C1 A2 C2 B1"))  # Black has no liberty there
    surrounded = played(rules, "C1 A2 C2 B1 B3 E5 A3 E4 B2 E3")
    assert "A1" in legal_names(rules, surrounded)  # takes A2 and B1, which had only that liberty each


def test_area_is_stones_and_what_only_one_side_reaches() -> None:
    rules = envs.make_rules("go", size=3, komi=0)
    left = played(rules, "A1 C1 A2 C2 A3 C3 pass pass")  # the middle is nobody's
    assert returns_of(rules, left) == [0, 0]
    assert returns_of(rules, played(rules, "B2 pass pass")) == [1, -1]
    assert returns_of(rules, played(rules, "pass pass")) == [0, 0]
    assert returns_of(envs.make_rules("go", size=3, komi=8.5), played(rules, "B2 pass pass")) == [1, -1]
    for komi, ahead in ((8.5, 1), (9, 0), (9.5, -1)):
        other = envs.make_rules("go", size=3, komi=komi)
        assert returns_of(other, played(other, "B2 pass pass")) == [ahead, -ahead]


@kernel
def sample_draws(rules, state, count, rng):
    """Count which point the first move of a rollout takes."""
    counts = np.zeros(rules.size * rules.size, np.int64)
    stride = rules.size + 1
    for _ in range(count):
        copy = state.copy()
        cells = copy[rules.tables :].view(np.uint16)
        point = rules._draw(copy, cells, np.int64(state[3]) + 1, rng)
        counts[(point // stride - 1) * rules.size + point % stride - 1] += 1
    return counts


def is_eye(board: Board, point: int, player: int, size: int) -> bool:
    row, column = divmod(point, size)
    corners = [(row + a, column + b) for a in (-1, 1) for b in (-1, 1)]
    inside = [r * size + c for r, c in corners if 0 <= r < size and 0 <= c < size]
    foes = sum(board[q] == 1 - player for q in inside)
    return all(board[q] == player for q in near(point, size)) and foes + (len(inside) < 4) < 2


def test_each_sensible_move_is_equally_likely_in_a_rollout() -> None:
    rules, rng, eyes = envs.make_rules("go", size=5), np.random.default_rng(3), 0
    for seed in range(40):
        state = rules.initial_state()
        for _ in range(int(rng.integers(10, 40))):
            stones = list_legal(rules, state)[:-1]
            if len(stones):
                rules.step(state, int(rng.choice(stones)))
        player = rules.current_player(state)
        board = tuple(rules._cells(state))
        points = [p for p in plays(board, player, 5, set()) if not is_eye(board, p, player, 5)]
        ko = np.flatnonzero(rules.observation(state, 0)[..., 2])
        points = [p for p in points if p not in ko]
        eyes += sum(is_eye(board, p, player, 5) for p in plays(board, player, 5, set()))
        if not points:
            continue
        counts = sample_draws(rules, state, 2_000 * len(points), make_stream(seed))
        assert set(np.flatnonzero(counts)) == set(points)
        # Five standard errors; the seeds are fixed.
        assert np.all(np.abs(counts[points] - 2_000) < 5 * math.sqrt(2_000))
    assert eyes > 10


def test_rollouts_keep_a_living_group_alive_and_count_the_board_they_leave() -> None:
    rules, stream = envs.make_rules("go", size=5, komi=0.5), make_stream(8)
    scratch = np.zeros(rules.max_legal, np.int64)
    wall = " ".join(
        f"{column}{row} pass" for column in "AB" for row in range(1, 6) if column + str(row) != "A1"
    )
    alive = played(rules, wall.replace("A3 pass ", "") + " C3")  # eyes at A1 and A3
    for _ in range(200):
        state = alive.copy()
        rules.rollout(state, scratch, stream)
        board = tuple(rules._cells(state))
        assert {board[row * 5 + 1] for row in range(5)} == {0}
        ahead = np.sign(lead(board, 5) - 0.5)
        assert returns_of(rules, state) == [ahead, -ahead]
        assert state[4] <= rules.limit


def test_a_stone_is_worth_something() -> None:
    rules = envs.make_rules("go", size=5, komi=0)
    state = played(rules, "C3")
    assert rules.evaluate(rules.initial_state(), 0) == 0
    assert 0 < rules.evaluate(state, 0) == -rules.evaluate(state, 1) < 1


@pytest.mark.parametrize("params", [{"size": 0}, {"size": 20}, {"komi": "much"}, {"komi": 1000}])
def test_other_parameters_are_refused(params: dict[str, Any]) -> None:
    with pytest.raises(envs.ParameterError, match=f"go: {next(iter(params))}"):
        envs.make_rules("go", **params)
