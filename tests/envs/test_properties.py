"""What holds of any game of the registry whatever is played, with moves that hypothesis chooses.

A game's symmetries are in `test_symmetries.py`. Hypothesis works from fixed seeds, so a run is the
same everywhere; what it tries is the first moves, which it can shorten, and a seed for the others.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from records import record
from test_games import CASES

import envs
from envs.kernels import kernel
from envs.rules import TERMINAL, list_legal
from envs.streams import below, make_stream

FIXED = settings(
    derandomize=True,
    deadline=None,
    database=None,
    max_examples=60,
    suppress_health_check=[HealthCheck.too_slow],
)
IDS = [f"{name}{list(params.values()) or ''}" for name, params in CASES]
EVERY_GAME = pytest.mark.parametrize("number", range(len(CASES)), ids=IDS)
CHOICES = st.tuples(st.lists(st.integers(0, 1000), max_size=30), st.integers(0, 2**32 - 1))

# The most moves that a game can take.
BOUNDS: dict[str, Callable[[Any], int]] = {
    "tic_tac_toe": lambda rules: 9,
    "connect_four": lambda rules: rules.rows * rules.columns,
    "hex": lambda rules: rules.rows * rules.columns + rules.swap,
    "havannah": lambda rules: rules.max_legal + rules.swap,
    "y": lambda rules: rules.size * (rules.size + 1) // 2,
    "gomoku": lambda rules: rules.rows * rules.columns,
    # No two passes follow each other: then the game is over.
    "othello": lambda rules: 2 * (rules.size**2 - 4),
    # Every move brings a piece one row on; the move that brings one to the far row is the last.
    "breakthrough": lambda rules: 2 * (rules.max_legal // 3) * (rules.rows - 1),
    "nim": lambda rules: int(rules.piles.sum()),
    "go": lambda rules: 3 * rules.size**2,
}


@functools.cache
def rules_of(number: int) -> Any:
    name, params = CASES[number]
    return envs.make_rules(name, **params)


def all_choices(drawn: tuple[list[int], int], most: int) -> Any:
    """Return the drawn first choices, followed by random ones up to `most`."""
    first, seed = drawn
    return np.append(first, np.random.default_rng(seed).integers(1 << 31, size=most)).astype(np.int64)[:most]


def game_of(number: int, drawn: tuple[list[int], int]) -> Any:
    return record(rules_of(number), all_choices(drawn, BOUNDS[CASES[number][0]](rules_of(number))))


@EVERY_GAME
@FIXED
@given(drawn=CHOICES)
def test_every_state_keeps_the_contract_and_every_game_ends(number: int, drawn: Any) -> None:
    rules, game = rules_of(number), game_of(number, drawn)
    assert game.states.dtype == rules.initial_state().dtype
    assert game.players[-1] == TERMINAL  # within the bound
    assert set(game.players[:-1].tolist()) <= set(range(rules.num_players))
    assert not game.returns[:-1].any()
    assert not game.returns.sum(axis=1).any()
    assert np.all(np.abs(game.returns) <= 1)
    assert np.all((game.counts[:-1] >= 1) & (game.counts[:-1] <= rules.max_legal))
    for ply in range(len(game.players) - 1):
        legal = game.legal[ply, : game.counts[ply]]
        assert legal[0] >= 0
        assert np.all(legal[:-1] < legal[1:])
        assert legal[-1] < rules.num_actions


@EVERY_GAME
@FIXED
@given(drawn=CHOICES, place=st.integers(0, 1000))
def test_play_in_a_copy_touches_neither_the_state_nor_the_rules(number: int, drawn: Any, place: int) -> None:
    rules, game = rules_of(number), game_of(number, drawn)
    state = game.states[place % (len(game.players) - 1)]
    held, tables = state.copy(), [field.copy() for field in arrays(rules)]
    for action in list_legal(rules, state)[:40]:
        rules.step(state.copy(), int(action))
    record(rules, all_choices(drawn, 40), state.copy())
    rules.rollout(state.copy(), np.zeros(rules.max_legal, np.int64), make_stream(13, place))
    assert np.array_equal(state, held)
    assert all(map(np.array_equal, arrays(rules), tables))


def arrays(rules: Any) -> list[Any]:
    return [field for field in rules if isinstance(field, np.ndarray)]


class Rows(NamedTuple):
    """States, with what is to be told of each."""

    states: Any
    owners: Any
    """int8[rows, num_actions]: which player has played the action on the way here, plus one."""
    players: Any
    plies: Any
    keys: Any


def make_rows(rules: Any, count: int) -> Rows:
    states = np.repeat(rules.initial_state()[None], count, axis=0)
    numbers = [np.zeros(count, kind) for kind in (np.int64, np.int64, np.uint64)]
    return Rows(states, np.zeros((count, rules.num_actions), np.int8), *numbers)


@kernel
def gather(rules, start, rows, moves, rng):
    """Fill the rows with random games, each followed by a part of it with the moves in another order."""
    at = 0
    while at < rows.keys.shape[0]:
        length = wander(rules, start.copy(), moves, rng)
        at = retrace(rules, start.copy(), moves[:length], rows, at)
        part = moves[: 1 + below(rng, length)]
        for i in range(part.shape[0] - 1, 1, -1):  # shuffles every second move, each player's
            j = i - 2 * below(rng, i // 2 + 1)
            part[i], part[j] = part[j], part[i]
        at = retrace(rules, start.copy(), part, rows, at)


@kernel
def wander(rules, state, moves, rng):
    """Write the moves of a random game; return how many."""
    legal, length = np.empty(rules.max_legal, np.int64), 0
    while length < moves.shape[0] and not rules.is_terminal(state):
        moves[length] = legal[below(rng, rules.legal_actions(state, legal))]
        rules.step(state, moves[length])
        length += 1
    return length


@kernel
def retrace(rules, state, moves, rows, at):
    """Play `moves` until one is illegal, a row for each state; return the row after the last."""
    legal, owners = np.empty(rules.max_legal, np.int64), np.zeros(rules.num_actions, np.int8)
    for ply in range(moves.shape[0]):
        action = moves[ply]
        if at == rows.keys.shape[0] or rules.is_terminal(state):
            break
        if action not in legal[: rules.legal_actions(state, legal)]:
            break
        owners[action] = 1 + rules.current_player(state)
        rules.step(state, action)
        rows.states[at], rows.owners[at] = state, owners
        rows.players[at], rows.plies[at] = rules.current_player(state), ply + 1
        rows.keys[at] = rules.hash_key(state)
        at += 1
    return at


def seen(rules: Any, row: int, rows: Rows) -> bytes:
    """Return what players see of the position."""
    return rules.observation(rows.states[row], 0).tobytes()


def laid(rules: Any, row: int, rows: Rows) -> bytes:
    """Return who played which cell: where stones once laid stay, that is the position."""
    return rows.owners[row].tobytes()


def pieces(rules: Any, row: int, rows: Rows) -> bytes:
    """Return the two words where some games document that the pieces are."""
    return rows.states[row, :2].tobytes()


QUICKER = dict.fromkeys(("hex", "havannah", "y", "gomoku"), laid)
QUICKER |= dict.fromkeys(("connect_four", "othello", "breakthrough"), pieces)


def check_keys(number_of_rows: int, wanted: int, name: str, rules: Any, position: Any) -> int:
    """Compare keys over at least `wanted` different positions; return how many came up in two orders."""
    found: dict[tuple[int, bytes], int] = {}
    rows, stream, again = make_rows(rules, number_of_rows), make_stream(14), 0
    while len(found) < wanted:
        gather(rules, rules.initial_state(), rows, np.empty(BOUNDS[name](rules), np.int64), stream)
        columns = (column.tolist() for column in (rows.players, rows.plies, rows.keys))
        for row, (player, ply, key) in enumerate(zip(*columns, strict=True)):
            size = len(found)
            assert found.setdefault((player, position(rules, row, rows)), key) == key
            again += len(found) == size and ply > 5
    assert len(set(found.values())) == len(found)
    return again


# The games' usual sizes, but for those with fewer positions; tic-tac-toe's 5,478 are counted by their
# keys in `test_truth.py`.
MANY = [
    (name, {"piles": [9, 9, 9, 9, 9]} if name == "nim" else {})
    for name in envs.game_names()
    if name != "tic_tac_toe"
]


@pytest.mark.parametrize(("name", "params"), MANY, ids=[name for name, _ in MANY])
def test_100_000_positions_have_a_key_each(name: str, params: dict[str, Any]) -> None:
    rules = envs.make_rules(name, **params)
    assert check_keys(10_000, 100_000, name, rules, QUICKER.get(name, seen)) > 50


@EVERY_GAME
def test_positions_of_every_size_have_a_key_each(number: int) -> None:
    check_keys(1_500, 1, CASES[number][0], rules_of(number), seen)
