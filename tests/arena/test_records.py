"""What records make of what agents say, who may say anything."""

from __future__ import annotations

from dataclasses import replace

import pytest
from run_records import spec

from arena.records import GameRecord, MoveRecord, Termination

NOT_NUMBERS = [None, "deep", [1, 2], {"a": 1}, True, float("nan"), float("inf"), -float("inf"), 10**400]


@pytest.mark.parametrize(
    ("told", "simulations", "depth"),
    [
        *((told, None, None) for told in NOT_NUMBERS),
        (0, 0, 0),
        (12.0, 12, 12.0),
        (3.5, None, 3.5),
        (-1, None, -1),
        (2**63 - 1, 2**63 - 1, 2.0**63),
        (2**63, None, 2.0**63),
        (10**30, None, 1e30),
        (1e308, None, 1e308),
    ],
)
def test_simulations_are_counts_and_depths_are_finite(told, simulations, depth):
    move = MoveRecord(0, 0, 0, 0.1, info={"simulations": told, "depth": told})
    assert (move.simulations, move.depth) == (simulations, depth)
    assert type(move.simulations) is type(simulations)
    assert type(move.depth) is type(depth)


def test_a_game_of_which_chance_was_not_kept_is_known_up_to_there():
    moves = tuple(MoveRecord(ply, 0, 10 + ply, 0.1) for ply in (2, 3, 5, 8))
    part = GameRecord(spec(0, "a", "b"), (7, 8), moves, (1.0, -1.0), Termination.NORMAL)
    assert (part.actions, part.is_whole, part.plies) == ((7, 8, 12, 13), False, 9)
    whole = replace(part, chance=((4, 1), (6, 2), (7, 3)))
    assert (whole.actions, whole.is_whole) == ((7, 8, 12, 13, 1, 15, 2, 3, 18), True)
    assert replace(whole, chance=(*whole.chance, (9, 4))).actions == (*whole.actions, 4)
    assert replace(part, moves=()).actions == (7, 8)


def test_a_greatest_depth_stands_for_the_depth():
    assert MoveRecord(0, 0, 0, 0.1, info={"max_depth": 7}).depth == 7
    assert MoveRecord(0, 0, 0, 0.1, info={"max_depth": 7, "depth": 2.5}).depth == 2.5
    assert MoveRecord(0, 0, 0, 0.1).depth is None
