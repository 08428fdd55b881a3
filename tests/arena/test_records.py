"""What records make of what agents say, who may say anything."""

from __future__ import annotations

import pytest

from arena.records import MoveRecord

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


def test_a_greatest_depth_stands_for_the_depth():
    assert MoveRecord(0, 0, 0, 0.1, info={"max_depth": 7}).depth == 7
    assert MoveRecord(0, 0, 0, 0.1, info={"max_depth": 7, "depth": 2.5}).depth == 2.5
    assert MoveRecord(0, 0, 0, 0.1).depth is None
