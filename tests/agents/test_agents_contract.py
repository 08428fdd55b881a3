"""What every agent must keep, whichever it is: the registry names them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from agents_help import decide, play, said_with_and_without_compiler, view_of
from numba.core import event

from agents import Decision, Limit, agent_names, make_agent
from envs import make_rules
from envs.kernels import JIT
from envs.rules import list_legal

LIMIT = Limit(simulations=30, nodes=3_000)
GAMES: list[tuple[str, dict[str, int]]] = [
    ("tic_tac_toe", {}),
    ("connect_four", {"rows": 4, "columns": 4, "connect": 3}),
    ("hex", {"size": 3}),
]
PLAIN = """
import json, sys
sys.path.insert(0, {folder!r})
from agents_help import decide
from agents import Limit, make_agent
from envs import make_rules
from envs.kernels import JIT
rules = make_rules({game!r}, **{params!r})
agent = make_agent({agent!r}, rules)
agent.reset(0, 11)
answer = decide(agent, rules, rules.initial_state(), Limit(simulations=40, nodes=200))
print(json.dumps([answer.action, None if answer.visits is None else answer.visits.tolist(), answer.value]))
"""


@pytest.fixture(params=GAMES, ids=[name for name, _ in GAMES])
def rules(request: pytest.FixtureRequest) -> Any:
    name, params = request.param
    return make_rules(name, **params)


@pytest.mark.skipif(not JIT, reason="plain Python compiles nothing")
@pytest.mark.parametrize("name", agent_names())
def test_nothing_is_compiled_on_the_clock(name: str, rules: Any) -> None:
    """With the view of a league, whose legal actions cannot be written: to numba another type of array."""
    agent = make_agent(name, rules)
    agent.reset(0, 1)
    view = view_of(rules, rules.initial_state())
    view.legal_actions.flags.writeable = False
    with event.install_recorder("numba:compile") as compiled:
        agent.act(view, LIMIT)
    assert compiled.buffer == []


@pytest.mark.parametrize("name", agent_names())
def test_moves_are_legal_and_the_view_is_left_alone(name: str, rules: Any) -> None:
    agent, rng = make_agent(name, rules), np.random.default_rng(2)
    for seed in range(5):
        agent.reset(0, seed)
        state = rules.initial_state()
        while not rules.is_terminal(state):
            view = view_of(rules, state)
            agent.act(view, LIMIT)
            assert np.array_equal(view.state, state)
            assert np.array_equal(view.legal_actions, list_legal(rules, state))
            decision = decide(agent, rules, state, LIMIT)
            assert decision.action in view.legal_actions
            assert decision.value is None or -1 <= decision.value <= 1
            json.dumps(decision.info)
            rules.step(state, int(rng.choice(view.legal_actions)))


@pytest.mark.parametrize("name", ["greedy", "alphabeta"])
@pytest.mark.parametrize("weight", [1e9, -1e9])
def test_no_weights_take_a_value_beyond_what_a_game_can_be_worth(name: str, weight: float) -> None:
    rules = make_rules("breakthrough", rows=5, columns=4)
    agent = make_agent(name, rules, weights=dict.fromkeys(type(rules).FEATURES, weight))
    state, values = rules.initial_state(), []
    while not rules.is_terminal(state):
        decision = decide(agent, rules, state, Limit(depth=1))
        values.append(decision.value)
        rules.step(state, decision.action)
    assert all(-1 <= value <= 1 for value in values)
    assert any(abs(value) > 0.99 for value in values)


@pytest.mark.parametrize("name", agent_names())
def test_a_record_of_the_search_is_plain_data_and_changes_no_move(name: str, rules: Any) -> None:
    options = {"minimax": {"trace": 500}, "uct": {"reuse_tree": True, "trees": 2}}.get(name, {})
    asked, left_alone = (make_agent(name, rules, **options) for _ in range(2))
    for agent in (asked, left_alone):
        agent.reset(0, 5)
    assert asked.search_record() is None
    state = rules.initial_state()
    while not rules.is_terminal(state):
        first, second = (decide(agent, rules, state, LIMIT) for agent in (left_alone, asked))
        assert same(first, second)
        record = asked.search_record()
        assert record is None or record["kind"] in ("tree", "deepening", "walk", "failed")
        assert record == asked.search_record()
        json.dumps(record, allow_nan=False)
        rules.step(state, first.action)
    asked.reset(0, 6)
    assert asked.search_record() is None


@pytest.mark.parametrize("name", agent_names())
def test_nothing_survives_a_reset(name: str, rules: Any) -> None:
    agent, fresh = make_agent(name, rules), make_agent(name, rules)
    other = make_agent("random", rules)
    for seed in range(5):
        play(rules, [agent, other], [LIMIT, LIMIT], 100 + seed)
        for one in (agent, fresh):
            one.reset(0, seed)
        first, second = (decide(one, rules, rules.initial_state(), LIMIT) for one in (agent, fresh))
        assert same(first, second)


@pytest.mark.parametrize("name", agent_names())
@pytest.mark.parametrize(("game", "params"), GAMES)
def test_plain_python_decides_as_compiled_code_does(name: str, game: str, params: dict[str, int]) -> None:
    code = PLAIN.format(folder=str(Path(__file__).parent), game=game, params=params, agent=name)
    compiled, plain = said_with_and_without_compiler(code)
    assert compiled == plain


def same(a: Decision, b: Decision) -> bool:
    return a.action == b.action and a.value == b.value and np.array_equal(a.visits, b.visits)  # type: ignore[arg-type]
