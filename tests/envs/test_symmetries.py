"""Games played in a mirror: the image of every move is legal where the move is, and leads to the image,
which is worth as much.

A symmetry turns or mirrors the board. Where it also changes the players' colours, the game in the mirror
starts with the second player; that start is no position of the game but one step from the first, so it
is made by hand, as the game's docstring lays out its state.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from test_games import CASES
from test_properties import BOUNDS, CHOICES, EVERY_GAME, FIXED, all_choices, rules_of

import envs
from envs.kernels import kernel


class Symmetry(NamedTuple):
    """A game in the mirror."""

    rules: Any
    image: Any
    """int64[num_actions]: what each action becomes; whatever for those that are never legal."""
    flips: bool = False
    """Whether the players change places."""


def turns(rows: int, columns: int) -> list[tuple[bool, Any]]:
    """Return the 8 ways to turn and mirror a board: whether it lies on its side, and each cell's image."""
    grid, found = np.arange(rows * columns).reshape(rows, columns), []
    for mirrored, quarter in itertools.product((False, True), range(4)):
        there = np.rot90(grid.T if mirrored else grid, quarter)  # which cell comes to lie at each place
        found.append((mirrored ^ (quarter % 2 == 1), np.argsort(there, axis=None)))
    return found


def square(rules: Any) -> Iterator[Symmetry]:
    return (Symmetry(rules, image) for _, image in turns(3, 3))


def gomoku(rules: Any) -> Iterator[Symmetry]:
    for aside, image in turns(rules.rows, rules.columns):
        rows, columns = (rules.columns, rules.rows) if aside else (rules.rows, rules.columns)
        other = envs.make_rules(
            "gomoku", rows=rows, columns=columns, connect=rules.connect, exact=rules.exact
        )
        yield Symmetry(other, image)


def connect_four(rules: Any) -> Iterator[Symmetry]:
    yield Symmetry(rules, np.arange(rules.columns)[::-1].copy())


def hexes(rules: Any) -> Iterator[Symmetry]:
    """Half a turn; and the players change places where rows and columns do. The swap is its own image."""
    rows, columns, swap = rules.rows, rules.columns, np.array([rules.rows * rules.columns])
    half = np.append(np.arange(rows * columns)[::-1], swap)
    yield Symmetry(rules, half)
    if not rules.swap:
        other = envs.make_rules("hex", rows=columns, columns=rows)
        aside = np.append(np.arange(rows * columns).reshape(columns, rows).T, swap)
        yield from (Symmetry(other, aside, True), Symmetry(other, half[aside], True))


def lattice(width: int, places: Callable[[int, int], list[tuple[int, int]]]) -> list[Any]:
    """Return an image of all cells for each of the places that a cell can come to."""
    images = []
    for way in range(len(places(0, 0))):
        moved = (places(row, column)[way] for row in range(width) for column in range(width))
        images.append(np.array([row * width + column for row, column in moved]))
    return images


def havannah(rules: Any) -> Iterator[Symmetry]:
    """Six turns, each mirrored too, and either colour."""

    def places(row: int, column: int) -> list[tuple[int, int]]:
        middle, found = rules.size - 1, []
        down, right = row - middle, column - middle
        for _ in range(6):
            down, right = right, right - down
            found += [(middle + down, middle + right), (middle + right, middle + down)]
        return found

    flips = (False,) if rules.swap else (False, True)
    return (Symmetry(rules, im, flip) for im in lattice(rules.side, places) for flip in flips)


def y(rules: Any) -> Iterator[Symmetry]:
    """Any order of a cell's distances from the three sides, and either colour."""

    def places(row: int, column: int) -> list[tuple[int, int]]:
        return [(a, b) for a, b, _ in itertools.permutations((row, column, rules.size - 1 - row - column))]

    return (Symmetry(rules, im, flip) for im in lattice(rules.size, places) for flip in (False, True))


def othello(rules: Any) -> Iterator[Symmetry]:
    """Turns by a quarter, and the mirrors along rows and columns, change the colours of the first discs."""
    start = np.array(rules._cells(rules.initial_state()))
    for _, image in turns(rules.size, rules.size):
        there = np.empty_like(start)
        there[image] = start
        yield Symmetry(rules, np.append(image, rules.size**2), not np.array_equal(there, start))


def breakthrough(rules: Any) -> Iterator[Symmetry]:
    """Left and right; and the players change places where up and down do."""
    actions = np.arange(3 * rules.rows * rules.columns).reshape(rules.rows, rules.columns, 3)
    yield Symmetry(rules, actions[:, ::-1, ::-1].ravel())
    yield Symmetry(rules, actions[::-1].ravel(), True)
    yield Symmetry(rules, actions[::-1, ::-1, ::-1].ravel(), True)


def go(rules: Any) -> Iterator[Symmetry]:
    """Without komi the colours are alike as well."""
    for (_, image), flip in itertools.product(turns(rules.size, rules.size), {False, rules.komi == 0}):
        yield Symmetry(rules, np.append(image, rules.size**2), flip)


def nim(rules: Any) -> Iterator[Symmetry]:
    """The piles may stand in any order, and players are alike."""
    other = envs.make_rules("nim", piles=rules.piles[::-1].tolist(), misere=rules.misere)
    take = np.arange(rules.num_actions) - rules.offsets[rules.pile_of]
    image = other.offsets[len(rules.piles) - 1 - rules.pile_of] + take
    return (Symmetry(other, image, flip) for flip in (False, True))


SYMMETRIES: dict[str, Callable[[Any], Iterator[Symmetry]]] = {
    "tic_tac_toe": square,
    "connect_four": connect_four,
    "hex": hexes,
    "havannah": havannah,
    "y": y,
    "gomoku": gomoku,
    "othello": othello,
    "breakthrough": breakthrough,
    "nim": nim,
    "go": go,
}
# The word of the state that says who moves: that player, or the moves played.
MOVER = {"hex": 0, "havannah": 0, "y": 0, "othello": 2, "breakthrough": 2, "nim": -1, "go": 3}


@kernel
def parts_at(rules, other, state, twin, image, flips, choices):
    """Play a game and its image together; return the ply where they differ, or -1."""
    legal, images = np.empty(rules.max_legal, np.int64), np.empty(other.max_legal, np.int64)
    values, twins = np.empty(2), np.empty(2)
    for ply in range(choices.shape[0] + 1):
        rules.returns(state, values)
        other.returns(twin, twins)
        if values[0] != twins[flips] or values[1] != twins[1 - flips]:
            return ply
        if rules.is_terminal(state) or other.is_terminal(twin):
            return -1 if rules.is_terminal(state) and other.is_terminal(twin) else ply
        player, count = rules.current_player(state), rules.legal_actions(state, legal)
        if other.current_player(twin) != (1 - player if flips else player):
            return ply
        if other.legal_actions(twin, images) != count:
            return ply
        if np.any(np.sort(image[legal[:count]]) != images[:count]):
            return ply
        if abs(rules.evaluate(state, 0) - other.evaluate(twin, flips)) > 1e-9:
            return ply
        if rules.is_quiet(state) != other.is_quiet(twin):
            return ply
        action = legal[choices[ply] % count]
        rules.step(state, action)
        other.step(twin, image[action])
    return choices.shape[0]


@EVERY_GAME
@FIXED
@given(drawn=CHOICES, which=st.integers(0, 1000))
def test_a_game_in_the_mirror_is_the_same_game(number: int, drawn: Any, which: int) -> None:
    name, rules = CASES[number][0], rules_of(number)
    ways = list(SYMMETRIES[name](rules))
    way = ways[which % len(ways)]
    twin = way.rules.initial_state()
    if way.flips:
        twin[MOVER[name]] = 1
    choices = all_choices(drawn, BOUNDS[name](rules) + 1)
    ply = parts_at(rules, way.rules, rules.initial_state(), twin, way.image, int(way.flips), choices)
    assert ply == -1
