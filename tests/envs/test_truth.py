"""The built-in games against counts, boards and solved values that others have published.

Small numbers stand here with their source. The larger sets are read from the folder that
`ARENA_TRUTH_DIR` names, and those tests are skipped without it.
"""

from __future__ import annotations

import functools
import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import envs
from envs.kernels import kernel
from envs.rules import list_legal


@kernel
def perft(rules, state, depth):
    """Count the sequences of `depth` legal moves, with a stack of states and of untried moves."""
    states = np.empty((depth + 1, state.shape[0]), state.dtype)
    actions = np.empty((depth + 1, rules.max_legal), np.int64)
    left = np.zeros(depth + 1, np.int64)
    states[0] = state
    left[0] = 0 if rules.is_terminal(state) else rules.legal_actions(state, actions[0])
    level, total = 0, 0
    while level >= 0:
        if left[level] == 0:
            level -= 1
            continue
        left[level] -= 1
        if level == depth - 1:
            total += 1
            continue
        states[level + 1] = states[level]
        rules.step(states[level + 1], actions[level, left[level]])
        level += 1
        over = rules.is_terminal(states[level])
        left[level] = 0 if over else rules.legal_actions(states[level], actions[level])
    return total


# Computed with OpenSpiel 2.0.2; tic-tac-toe's are the well-known ones.
PERFT = [
    ("tic_tac_toe", {}, [9, 72, 504, 3024, 15120, 54720, 148176, 200448, 127872]),
    ("connect_four", {}, [7, 49, 343, 2401, 16807, 117649, 823536]),
    ("connect_four", {"rows": 4, "columns": 5}, [5, 25, 125, 625, 3120, 15500, 76300]),
    ("connect_four", {"rows": 5, "columns": 4}, [4, 16, 64, 256, 1024, 4092, 16296, 63420]),
    ("hex", {"size": 3}, [9, 72, 504, 3024, 15120, 54720, 146880, 207360, 120960]),
    ("hex", {"size": 4}, [16, 240, 3360, 43680, 524160]),
    ("hex", {"size": 11}, [121, 14520, 1727880]),
]


@pytest.mark.parametrize(("name", "params", "counts"), PERFT)
def test_number_of_move_sequences(name: str, params: dict[str, int], counts: list[int]) -> None:
    rules = envs.make_rules(name, **params)
    assert [perft(rules, rules.initial_state(), depth) for depth in range(1, len(counts) + 1)] == counts


def test_every_perft_of_the_truth_is_checked(truth: Path) -> None:
    table = json.loads((truth / "openspiel" / "open_spiel_perft.json").read_text())["perft"]
    ours = {key: row for key, row in table.items() if re.match("tic_tac_toe|connect_four|hex", key)}
    assert ours == {_open_spiel_name(name, params): counts for name, params, counts in PERFT}


def _open_spiel_name(name: str, params: dict[str, int]) -> str:
    inside = ",".join(f"{'board_size' if key == 'size' else key}={value}" for key, value in params.items())
    return f"{name}({inside})" if inside else name


@kernel
def count_games(rules, state, most):
    """Count the games: of every length, those whose last state is terminal."""
    states = np.empty((most + 1, state.shape[0]), state.dtype)
    actions = np.empty((most + 1, rules.max_legal), np.int64)
    left = np.zeros(most + 1, np.int64)
    states[0] = state
    left[0] = rules.legal_actions(state, actions[0])
    level, total = 0, 0
    while level >= 0:
        if left[level] == 0:
            level -= 1
            continue
        left[level] -= 1
        states[level + 1] = states[level]
        rules.step(states[level + 1], actions[level, left[level]])
        if rules.is_terminal(states[level + 1]):
            total += 1
            continue
        level += 1
        left[level] = rules.legal_actions(states[level], actions[level])
    return total


def test_tic_tac_toe_has_255168_games() -> None:
    # The well-known number of games, symmetric ones counted apart.
    rules = envs.make_rules("tic_tac_toe")
    assert count_games(rules, rules.initial_state(), 9) == 255_168


@kernel
def children(rules, states, keys, out, over):
    """Write every child of `states`, its key and whether play ended there; return how many."""
    actions = np.empty(rules.max_legal, np.int64)
    count = 0
    for i in range(states.shape[0]):
        for k in range(rules.legal_actions(states[i], actions)):
            out[count] = states[i]
            rules.step(out[count], actions[k])
            keys[count] = rules.hash_key(out[count])
            over[count] = rules.is_terminal(out[count])
            count += 1
    return count


def plies(rules: Any) -> Iterator[tuple[int, int]]:
    """Yield (positions, finished ones among them) at every ply, told apart by their key."""
    states, finished = rules.initial_state()[None], 0
    while len(states) + finished:
        yield len(states) + finished, finished
        room = max(1, len(states) * rules.max_legal)
        out, keys = np.empty((room, states.shape[1]), states.dtype), np.empty(room, np.uint64)
        over = np.empty(room, np.bool_)
        count = children(rules, states, keys, out, over)
        _, first = np.unique(keys[:count], return_index=True)
        states, finished = out[first][~over[first]], int(over[first].sum())


# OpenSpiel 2.0.2; OEIS A212693 and J. Tromp for Connect Four.
POSITIONS = [
    ("tic_tac_toe", {}, 958, [1, 9, 72, 252, 756, 1260, 1520, 1140, 390, 78]),
    (
        "connect_four",
        {"rows": 4, "columns": 4},
        26740,
        [1, 4, 16, 52, 160, 436, 1128, 2512, 5084, 9276, 14788, 21720, 26698, 28922, 24912, 18076, 7244],
    ),
    (
        "connect_four",
        {"rows": 4, "columns": 3},
        895,
        [1, 3, 9, 24, 60, 138, 289, 522, 819, 1095, 1212, 1152, 676],
    ),
    ("hex", {"size": 2}, 9, [1, 4, 12, 12, 3]),
    ("hex", {"size": 3}, 994, [1, 9, 72, 252, 756, 1260, 1520, 1140, 420, 84]),
]


@pytest.mark.parametrize(("name", "params", "terminal", "by_ply"), POSITIONS)
def test_reachable_positions(name: str, params: dict[str, int], terminal: int, by_ply: list[int]) -> None:
    found = list(plies(envs.make_rules(name, **params)))
    assert [positions for positions, _ in found] == by_ply
    assert sum(finished for _, finished in found) == terminal


def test_reachable_positions_of_every_size(truth: Path) -> None:
    rows = json.loads((truth / "openspiel" / "reachable_positions.json").read_text())
    ours = [row for row in rows if re.match("tic_tac_toe|connect_four|hex", row["game"])]
    assert len(ours) >= 7
    for row in ours:
        name, _, inside = row["game"].rstrip(")").partition("(")
        pairs = re.findall(r"(\w+)=(\d+)", inside)
        params = {key.replace("board_size", "size"): int(value) for key, value in pairs}
        counts = [positions for positions, _ in plies(envs.make_rules(name, **params))]
        assert [*counts, 0] == row["by_ply"], row["game"]


def test_connect_four_positions_of_every_moderate_board(truth: Path) -> None:
    file = truth / "connect_four" / "position_counts_by_board.json"
    table = json.loads(file.read_text())["positions"]
    checked = 0
    for board, count in table.items():
        columns, rows = map(int, board.split("x"))
        # Boards without room for four in a row can only be given as shorter lines, another game.
        if count <= 250_000 and max(rows, columns) >= 4 and (rows + 1) * columns <= 64:
            rules = envs.make_rules("connect_four", rows=rows, columns=columns)
            assert sum(positions for positions, _ in plies(rules)) == count, board
            checked += 1
    assert checked > 30


@pytest.mark.parametrize(
    ("name", "params", "file"),
    [
        ("tic_tac_toe", {}, "tic_tac_toe.json"),
        ("connect_four", {}, "connect_four.json"),
        ("hex", {"size": 5}, "hex(board_size=5).json"),
    ],
)
def test_recorded_games(truth: Path, name: str, params: dict[str, int], file: str) -> None:
    rules = envs.make_rules(name, **params)
    record = json.loads((truth / "openspiel" / "playthroughs" / file).read_text())
    state = rules.initial_state()
    for shown in record["states"]:
        if "history" in shown:  # in the middle the recordings only tell the moves
            _compare(rules, state, shown)
        if "apply" in shown:
            rules.step(state, shown["apply"])
    assert rules.is_terminal(state)


def _compare(rules: Any, state: Any, shown: dict[str, Any]) -> None:
    assert _board(rules, state) == re.sub("[^.xo]", "", _plain_hex(shown["board"]))
    returns = np.zeros(2)
    rules.returns(state, returns)
    assert returns.tolist() == shown["returns"]
    assert rules.is_terminal(state) == shown["terminal"]
    if not shown["terminal"]:
        assert rules.current_player(state) == shown["player"]
        assert list_legal(rules, state).tolist() == shown["legal"]


def _board(rules: Any, state: Any) -> str:
    first = np.asarray(rules.observation(state, 0)).reshape(-1, 2)
    return "".join("x" if mine else "o" if other else "." for mine, other in first)


def _plain_hex(board: str) -> str:
    """Read OpenSpiel's letters for stones joined to an edge (y, z, X and p, q, O) as stones."""
    return re.sub("[pqO]", "o", re.sub("[yzX]", "x", board))


def hex_winning_openings(size: int) -> set[int]:
    """Solve Hex by full search over plain sets of cells; shares nothing with `envs.hex`."""
    cells = [(row, column) for row in range(size) for column in range(size)]
    steps = [(-1, 0), (-1, 1), (0, -1), (0, 1), (1, -1), (1, 0)]
    bit = {cell: 1 << i for i, cell in enumerate(cells)}
    near = [sum(bit.get((r + a, c + b), 0) for a, b in steps) for r, c in cells]
    tops = [sum(bit[0, i] for i in range(size)), sum(bit[i, 0] for i in range(size))]
    ends = [sum(bit[size - 1, i] for i in range(size)), sum(bit[i, size - 1] for i in range(size))]

    def connects(stones: int, player: int) -> bool:
        reached, fresh = 0, stones & tops[player]
        while fresh:
            reached |= fresh
            spread = functools.reduce(int.__or__, (near[i] for i in range(len(cells)) if fresh >> i & 1))
            fresh = spread & stones & ~reached
        return bool(reached & ends[player])

    @functools.cache
    def wins(mine: int, other: int, player: int) -> bool:
        """Whether `player`, to move with stones `mine`, wins."""
        return any(wins_with(mine | 1 << i, other, player) for i in order if not (mine | other) >> i & 1)

    def wins_with(mine: int, other: int, player: int) -> bool:
        return connects(mine, player) or not wins(other, mine, 1 - player)

    middle = (size - 1) / 2
    order = sorted(range(len(cells)), key=lambda i: sum(abs(place - middle) for place in cells[i]))
    # Turned by half a circle the board is the same.
    half = {i for i in order if 2 * i < len(cells) and wins_with(1 << i, 0, 0)}
    return half | {len(cells) - 1 - i for i in half}


@kernel
def mover_wins(rules, state, code, table):
    """Solve by search over the rules; `code` numbers the position in base 3, `table` remembers."""
    if table[code] != 0:
        return table[code]
    value = -1
    stone = rules.current_player(state) + 1
    actions = np.empty(rules.max_legal, np.int64)
    for k in range(rules.legal_actions(state, actions)):
        child = state.copy()
        rules.step(child, actions[k])
        if rules.is_terminal(child) or mover_wins(rules, child, code + stone * 3 ** actions[k], table) < 0:
            value = 1
            break
    table[code] = value
    return value


# As the regression tests of benzene (cgao3/benzene) record them.
@pytest.mark.parametrize(("size", "names"), [(3, "c1 a2 b2 c2 a3"), (4, "d1 c2 b3 a4")])
def test_hex_winning_openings(size: int, names: str) -> None:
    rules = envs.make_rules("hex", size=size)
    start, table = rules.initial_state(), np.zeros(3 ** (size * size), np.int8)
    winning = set()
    for action in range(size * size):
        child = start.copy()
        rules.step(child, action)
        if mover_wins(rules, child, 3**action, table) < 0:
            winning.add(action)
    assert winning == hex_winning_openings(size)
    assert winning == {rules.string_to_action(start, name) for name in names.split()}
