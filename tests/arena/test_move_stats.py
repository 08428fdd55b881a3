"""What is gathered of single moves, where agents tell wild things of themselves."""

from __future__ import annotations

import numpy as np
import pytest

from agents.base import Limit
from arena.records import AgentChoice, GameChoice, GameRecord, MatchSpec, MoveRecord, Termination
from arena.results.move_stats import MoveStats


@pytest.mark.parametrize("simulations", [10**400, -1, float("nan"), "many", [3], None])
def test_a_count_of_simulations_that_is_none_is_left_out(simulations):
    players = (AgentChoice("a", "random"), AgentChoice("b", "random"))
    spec = MatchSpec(0, GameChoice("g", "g"), players, Limit(time=1), 0.05, 0, 0, 0, (0,), (0,))
    legal = np.arange(2)
    told = [simulations, 100]
    moves = tuple(
        MoveRecord(
            ply, 0, 0, 0.5, legal_actions=legal, visits=np.ones(2, np.int64), info={"simulations": count}
        )
        for ply, count in enumerate(told)
    )
    stats = MoveStats()
    stats.add(GameRecord(spec, (), moves, (1.0, -1.0), Termination.NORMAL))
    (use,) = stats.searches()
    assert use.moves == 2
    assert use.simulations_per_second == pytest.approx(200)
