"""Greedy: the best move one ply ahead, and no other."""

from __future__ import annotations

from collections import Counter
from typing import Any

import numpy as np
import pytest
from agents_help import after, decide, returns_of
from toy_games import Race

from agents import Limit, make_agent
from agents.base import AgentRefused
from envs import make_rules
from envs.rules import list_legal


@pytest.mark.parametrize("name", ["connect_four", "othello"])
def test_it_plays_what_evaluate_or_the_outcome_puts_first(name: str) -> None:
    rules, rng = make_rules(name), np.random.default_rng(1)
    agent = make_agent("greedy", rules)
    for _ in range(10):
        state = rules.initial_state()
        while not rules.is_terminal(state):
            decision = decide(agent, rules, state, Limit())
            values = {action: worth(rules, state, action) for action in list_legal(rules, state).tolist()}
            assert decision.value == pytest.approx(max(values.values()), abs=1e-12)
            assert values[decision.action] == pytest.approx(decision.value, abs=1e-12)
            rules.step(state, int(rng.choice(list_legal(rules, state))))


def worth(rules: Any, state: Any, action: int) -> float:
    child, player = after(rules, state, action), int(rules.current_player(state))
    return returns_of(rules, child)[player] if rules.is_terminal(child) else rules.evaluate(child, player)


def test_equals_are_drawn_evenly() -> None:
    rules, chosen = make_rules("tic_tac_toe"), Counter[int]()
    agent = make_agent("greedy", rules)
    for seed in range(900):
        agent.reset(0, seed)
        chosen[decide(agent, rules, rules.initial_state(), Limit()).action] += 1
    # Nine cells of 100 expected: chi-squared, 8 degrees of freedom, 99.9% quantile 26.1.
    assert sum((chosen[cell] - 100) ** 2 / 100 for cell in range(9)) < 26.1


def test_it_refuses_chance() -> None:
    with pytest.raises(AgentRefused, match="chance"):
        make_agent("greedy", Race.make())
