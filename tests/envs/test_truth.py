"""The built-in games against counts, boards and solved values that others have published.

Small numbers stand here with their source. The larger sets are read from the folder that
`ARENA_TRUTH_DIR` names, and those tests are skipped without it.
"""

from __future__ import annotations

import csv
import functools
import itertools
import json
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from counts import count_games, plies, published_positions, published_sequences, sequences

import envs
from envs.kernels import kernel
from envs.rules import list_legal

# By OpenSpiel's name of the game: our parameters, and the sequences of 1, 2, … legal moves. Computed with
# OpenSpiel 2.0.2; tic-tac-toe's are the well-known ones, and Othello's those that its programs agree on (A.
# Aamodt's table).
SEQUENCES: dict[str, tuple[dict[str, Any], list[int]]] = {
    "tic_tac_toe": ({}, [9, 72, 504, 3024, 15120, 54720, 148176, 200448, 127872]),
    "connect_four": ({}, [7, 49, 343, 2401, 16807, 117649, 823536, 5673234, 39394572]),
    "connect_four(rows=4,columns=5)": ({"rows": 4, "columns": 5}, [5, 25, 125, 625, 3120, 15500, 76300]),
    "connect_four(rows=5,columns=4)": (
        {"rows": 5, "columns": 4},
        [4, 16, 64, 256, 1024, 4092, 16296, 63420],
    ),
    "hex(board_size=3)": ({"size": 3}, [9, 72, 504, 3024, 15120, 54720, 146880, 207360, 120960]),
    "hex(board_size=4)": ({"size": 4}, [16, 240, 3360, 43680, 524160]),
    "hex(board_size=11)": ({"size": 11}, [121, 14520, 1727880]),
    "havannah(board_size=2)": ({"size": 2}, [7, 42, 210, 600, 1296, 288, 72]),
    "havannah(board_size=3)": ({"size": 3}, [19, 342, 5814, 93024]),
    "havannah(board_size=4)": ({"size": 4}, [37, 1332, 46620, 1585080]),
    "havannah(board_size=8)": ({"size": 8}, [169, 28392]),
    "havannah(board_size=4,swap=True)": ({"size": 4, "swap": True}, [37, 1369, 47952]),
    "gomoku": ({}, [225, 50400]),
    "gomoku(size=4,connect=3)": ({"rows": 4, "columns": 4, "connect": 3}, [16, 240, 3360, 43680, 524160]),
    # OpenSpiel's m,n,k game has m columns and n rows.
    "mnk(m=3,n=3,k=3)": (
        {"rows": 3, "columns": 3, "connect": 3},
        [9, 72, 504, 3024, 15120, 54720, 148176, 200448, 127872],
    ),
    "mnk(m=4,n=3,k=3)": (
        {"rows": 3, "columns": 4, "connect": 3},
        [12, 132, 1320, 11880, 95040, 622944],
    ),
    "othello": ({}, [4, 12, 56, 244, 1396, 8200, 55092, 390216, 3005288]),
    "breakthrough": ({}, [22, 484, 11132, 256036]),
    "breakthrough(rows=6,columns=6)": ({"rows": 6, "columns": 6}, [16, 256, 4308, 71478, 1248290]),
    "breakthrough(rows=5,columns=5)": (
        {"rows": 5, "columns": 5},
        [13, 169, 1911, 21514, 232478, 2467006],
    ),
    # Nothing can be repeated so early that our Go and OpenSpiel's would differ.
    "go(board_size=3)": ({"size": 3}, [10, 91, 738, 5281, 33384]),
    "go(board_size=5)": ({"size": 5}, [26, 651, 15650]),
    "go(board_size=9)": ({"size": 9}, [82, 6643, 531522]),
    "nim(pile_sizes=1;3;5;7)": ({"piles": [1, 3, 5, 7]}, [16, 206, 2116, 17338, 113912]),
    "y(board_size=4)": ({"size": 4}, [10, 90, 720, 5040, 30240]),
}


def ours(game: str) -> str:
    """Return our name of a game of OpenSpiel's."""
    name = game.partition("(")[0]
    return "gomoku" if name == "mnk" else name


@pytest.mark.parametrize("game", SEQUENCES)
def test_number_of_move_sequences(game: str) -> None:
    params, counts = SEQUENCES[game]
    assert sequences(envs.make_rules(ours(game), **params), len(counts)) == counts


def test_every_published_number_of_move_sequences_is_checked(truth: Path) -> None:
    table = published_sequences(truth)
    assert {game for game in table if ours(game) in envs.game_names()} == set(SEQUENCES)
    for game, (_, counts) in SEQUENCES.items():
        assert table[game] == counts[: len(table[game])], game


def test_tic_tac_toe_has_255168_games() -> None:
    # The well-known number of games, symmetric ones counted apart.
    rules = envs.make_rules("tic_tac_toe")
    assert count_games(rules, rules.initial_state(), 9) == 255_168


# By the same names: how many are finished, and how many there are at each ply. OpenSpiel 2.0.2; OEIS
# A212693 and J. Tromp for Connect Four.
POSITIONS: dict[str, tuple[dict[str, Any], int, list[int]]] = {
    "tic_tac_toe": ({}, 958, [1, 9, 72, 252, 756, 1260, 1520, 1140, 390, 78]),
    "connect_four(rows=4,columns=4)": (
        {"rows": 4, "columns": 4},
        26740,
        [1, 4, 16, 52, 160, 436, 1128, 2512, 5084, 9276, 14788, 21720, 26698, 28922, 24912, 18076, 7244],
    ),
    "connect_four(rows=3,columns=4)": (
        {"rows": 3, "columns": 4},
        996,
        [1, 4, 16, 52, 156, 376, 792, 1352, 2018, 2424, 2328, 1704, 808],
    ),
    "connect_four(rows=4,columns=3)": (
        {"rows": 4, "columns": 3},
        895,
        [1, 3, 9, 24, 60, 138, 289, 522, 819, 1095, 1212, 1152, 676],
    ),
    "connect_four(rows=3,columns=5)": (
        {"rows": 3, "columns": 5},
        11348,
        [1, 5, 25, 95, 340, 970, 2510, 5305, 10327, 16595, 24002, 28445, 29018, 22509, 13944, 4820],
    ),
    "mnk(m=3,n=3,k=3)": (
        {"rows": 3, "columns": 3, "connect": 3},
        958,
        [1, 9, 72, 252, 756, 1260, 1520, 1140, 390, 78],
    ),
    "mnk(m=4,n=3,k=3)": (
        {"rows": 3, "columns": 4, "connect": 3},
        32410,
        [1, 12, 132, 660, 2970, 7920, 17304, 25956, 26040, 20832, 7644, 2354, 148],
    ),
    "hex(board_size=2)": ({"size": 2}, 9, [1, 4, 12, 12, 3]),
    "hex(board_size=3)": ({"size": 3}, 994, [1, 9, 72, 252, 756, 1260, 1520, 1140, 420, 84]),
}
# Those that tell positions apart in another way have a test of their own, where that is said.
COUNTED_APART = {"havannah(board_size=2)", "nim(pile_sizes=1;3;5;7)"}


@pytest.mark.parametrize("game", POSITIONS)
def test_reachable_positions(game: str) -> None:
    params, terminal, by_ply = POSITIONS[game]
    found = list(plies(envs.make_rules(ours(game), **params)))
    assert [positions for positions, _ in found] == by_ply
    assert sum(finished for _, finished in found) == terminal


def test_every_published_number_of_positions_is_checked(truth: Path) -> None:
    table = published_positions(truth)
    assert table.keys() == POSITIONS.keys() | COUNTED_APART
    assert {game: table[game] for game in POSITIONS} == {game: row[1:] for game, row in POSITIONS.items()}


# By markus7800/Connect4-Strong-Solver: positions at plies 0 to 8, and how many of them are finished.
CONNECT_FOUR = [1, 7, 49, 238, 1120, 4263, 16422, 54859, 184275]
CONNECT_FOUR_FINISHED = [0, 0, 0, 0, 0, 0, 0, 728, 1892]


def test_connect_four_positions_by_ply() -> None:
    found = itertools.islice(plies(envs.make_rules("connect_four")), 9)
    assert list(found) == list(zip(CONNECT_FOUR, CONNECT_FOUR_FINISHED, strict=True))


def test_connect_four_positions_by_ply_are_the_published_ones(truth: Path) -> None:
    with (truth / "connect_four" / "positions_by_ply_7x6.csv").open() as file:
        rows = list(csv.DictReader(file))[:9]
    assert [int(row["total"]) for row in rows] == CONNECT_FOUR
    assert [int(row["terminal"]) for row in rows] == CONNECT_FOUR_FINISHED


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


# The other games' recordings are replayed by the tests of those games.
RECORDED = ["breakthrough", "connect_four", "go", "gomoku", "havannah(board_size=4)", "hex(board_size=5)"]
RECORDED += ["mnk", "nim", "othello", "tic_tac_toe"]


def test_no_recording_is_left_out(truth: Path) -> None:
    names = sorted(file.stem for file in (truth / "openspiel" / "playthroughs").glob("*.json"))
    assert [name for name in names if ours(name) in envs.game_names()] == RECORDED


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
