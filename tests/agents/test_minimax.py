"""Minimax against exhaustive values that another program found, and against its own limits."""

from __future__ import annotations

import time
from collections import Counter
from typing import Any

import numpy as np
import pytest
from agents_help import Solver, after, decide, play, reachable
from agents_toys import Trio
from toy_games import Race

from agents import Limit, make_agent
from agents.base import AgentRefused
from envs import make_rules


@pytest.fixture(scope="module")
def rules() -> Any:
    return make_rules("tic_tac_toe")


@pytest.mark.parametrize(
    ("name", "params", "count"),
    [
        ("tic_tac_toe", {}, None),
        ("connect_four", {"rows": 3, "columns": 3, "connect": 3}, None),
        ("hex", {"size": 3}, 400),
    ],
)
def test_value_and_action_are_the_exhaustive_ones(
    name: str, params: dict[str, int], count: int | None
) -> None:
    rules = make_rules(name, **params)
    agent, solver = make_agent("minimax", rules), Solver(rules)
    states = [state for state in reachable(rules) if not rules.is_terminal(state)]
    if count is not None:
        states = [states[i] for i in np.random.default_rng(0).choice(len(states), count, replace=False)]
    for state in states:
        decision = decide(agent, rules, state, Limit())
        values = solver.action_values(state)
        assert decision.info["complete"]
        assert decision.value == max(values.values()) == values[decision.action], rules.to_text(state)


def test_never_loses_from_positions_it_should_not_lose(rules: Any) -> None:
    solver, agent, rng = Solver(rules), make_agent("minimax", rules), np.random.default_rng(1)
    other = make_agent("random", rules)
    safe = [s for s in reachable(rules) if not rules.is_terminal(s) and solver.value(s) >= 0]
    for index in rng.choice(len(safe), 100, replace=False):
        start = safe[index]
        mover = int(rules.current_player(start))
        seats = [agent, other] if mover == 0 else [other, agent]
        shifted = _From(rules, start)
        assert play(shifted, seats, [Limit(), Limit()], int(index))[mover] >= solver.value(start) - 1e-9


class _From:
    """The same rules, begun elsewhere."""

    def __init__(self, rules: Any, start: Any) -> None:
        self._rules, self._start = rules, start

    def __getattr__(self, name: str) -> Any:
        return getattr(self._rules, name)

    def initial_state(self) -> Any:
        return self._start.copy()


def test_ties_are_broken_evenly_by_the_seed(rules: Any) -> None:
    agent, state = make_agent("minimax", rules), after(rules, rules.initial_state(), 4)
    chosen: Counter[int] = Counter()
    for seed in range(400):
        agent.reset(1, seed)
        chosen[decide(agent, rules, state, Limit()).action] += 1
    assert set(chosen) == {0, 2, 6, 8}  # only a corner holds the draw
    # Four cells of 100 expected: chi-squared, 3 degrees of freedom, 99.9% quantile 16.3.
    assert sum((n - 100) ** 2 / 100 for n in chosen.values()) < 16.3


def test_equal_seeds_give_equal_moves(rules: Any) -> None:
    agent, moves = make_agent("minimax", rules), []
    for seed in (3, 4, 5, 3, 4, 5):
        agent.reset(0, seed)
        moves.append(decide(agent, rules, after(rules, rules.initial_state(), 4, 0), Limit()).action)
    assert moves[:3] == moves[3:]


def test_sooner_wins_and_later_losses(rules: Any) -> None:
    agent = make_agent("minimax", rules)
    for seed in range(20):
        agent.reset(0, seed)
        # X on a1 b1 may win at once at c1, O stands on a2 b2.
        win = decide(agent, rules, after(rules, rules.initial_state(), 0, 3, 1, 4), Limit())
        assert (win.action, win.value, win.info["plies_to_end"]) == (2, 1.0, 1)
        # X on a1, a3, c3 threatens a2 and b2 at once; O, who has c1 and b3, can only delay by a block.
        lost = decide(agent, rules, after(rules, rules.initial_state(), 0, 2, 6, 7, 8), Limit())
        assert lost.value == -1.0
        assert lost.info["plies_to_end"] == 2


@pytest.mark.parametrize("limit", [Limit(time=0.05), Limit(nodes=5_000), Limit(time=0.05, nodes=10**9)])
def test_a_game_too_large_keeps_its_limit(limit: Limit) -> None:
    rules = make_rules("connect_four")
    agent = make_agent("minimax", rules, max_nodes=10**9)
    worked = time.thread_time()
    decision = decide(agent, rules, rules.initial_state(), limit)
    worked = time.thread_time() - worked  # of the processor: others may keep it from us meanwhile
    assert decision.info["complete"] is False
    assert 0 <= decision.action < 7
    assert decision.value is None
    if limit.time is not None:
        assert worked < limit.time + 0.1
    else:
        assert decision.info["nodes"] <= 5_000


def test_max_nodes_bounds_a_move() -> None:
    rules = make_rules("connect_four")
    decision = decide(make_agent("minimax", rules, max_nodes=1_000), rules, rules.initial_state(), Limit())
    assert decision.info["complete"] is False
    assert decision.info["nodes"] <= 1_000


def test_refuses_three_players() -> None:
    with pytest.raises(AgentRefused, match="3"):
        make_agent("minimax", Trio.make())


@pytest.mark.parametrize("agent", ["minimax", "uct"])
def test_refuses_chance(agent: str) -> None:
    with pytest.raises(AgentRefused, match="chance"):
        make_agent(agent, Race.make())
