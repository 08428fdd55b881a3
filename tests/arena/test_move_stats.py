"""What is gathered of single moves, where agents tell wild things of themselves."""

from __future__ import annotations

import numpy as np
import pytest

from agents.base import Limit
from arena.records import AgentChoice, GameChoice, GameRecord, MatchSpec, MoveRecord, Termination
from arena.results.move_stats import MoveStats, concentration


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


def test_how_visits_are_distributed_is_measured_move_by_move():
    rng = np.random.default_rng(5)
    moves = [MoveRecord(0, 0, 3, 0.1)]
    for ply in range(1, 30):
        legal = np.sort(rng.choice(99, rng.integers(1, 40), replace=False))
        visits = rng.integers(0, 4, len(legal)) * rng.integers(0, 2**40) * (ply % 5 > 0)
        moves.append(
            MoveRecord(ply, ply % 2, int(rng.choice(legal)), 0.1, legal_actions=legal, visits=visits)
        )
    measured = {move.ply: measures for move, *measures in concentration(moves)}
    assert set(measured) == {move.ply for move in moves if move.visits is not None and move.visits.any()}
    for ply, (chosen, entropy) in measured.items():
        shares = dict(zip(moves[ply].legal_actions, moves[ply].visits / moves[ply].visits.sum(), strict=True))
        assert chosen == pytest.approx(shares[moves[ply].action])
        assert entropy == pytest.approx(-sum(share * np.log2(share) for share in shares.values() if share))
    assert list(concentration(moves[:1])) == []
