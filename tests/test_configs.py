"""The league files of `configs/` load, and the adapter that stands beside them plays by our rules."""

from __future__ import annotations

import importlib
import sys
from pathlib import Path

import numpy as np
import pytest

from agents.base import AgentRefused, Limit, View
from arena.league.config import ConfigError, load_league
from envs import make_rules
from envs.rules import list_legal

CONFIGS = Path(__file__).parents[1] / "configs"
SHARED = [
    ("tic_tac_toe", {}),
    ("connect_four", {}),
    ("connect_four", {"rows": 4, "columns": 6, "connect": 3}),
    ("hex", {"size": 7}),
    ("hex", {"rows": 3, "columns": 5}),
    ("havannah", {"size": 4}),
]


@pytest.fixture(autouse=True)
def _own_path(monkeypatch):
    monkeypatch.setattr(sys, "path", sys.path.copy())
    monkeypatch.delitem(sys.modules, "openspiel_mcts", raising=False)


@pytest.fixture
def adapter():
    pytest.importorskip("pyspiel", reason="open-spiel is not installed")
    sys.path.append(str(CONFIGS))
    return importlib.import_module("openspiel_mcts")


@pytest.mark.parametrize("file", sorted(CONFIGS.glob("*.yaml")), ids=lambda file: file.name)
def test_every_league_loads(file):
    if "openspiel" in file.read_text():
        pytest.importorskip("pyspiel", reason="open-spiel is not installed")
    assert load_league(file).games


def test_a_league_says_that_openspiel_is_missing(monkeypatch):
    monkeypatch.setitem(sys.modules, "pyspiel", None)
    with pytest.raises(ConfigError) as caught:
        load_league(CONFIGS / "versus_openspiel.yaml")
    (line,) = caught.value.lines
    assert ": agents.openspiel.type: agent 'openspiel_mcts:MCTS' cannot be imported: " in line
    assert "pyspiel" in line


@pytest.mark.parametrize(("game", "params"), SHARED)
def test_its_games_are_ours_to_the_end(adapter, game, params):
    rules, rng = make_rules(game, **params), np.random.default_rng(5)
    for _ in range(20):
        state, theirs = rules.initial_state(), adapter.MCTS(rules).game.new_initial_state()
        while not rules.is_terminal(state):
            legal = list_legal(rules, state)
            assert theirs.legal_actions() == legal.tolist()
            assert theirs.current_player() == rules.current_player(state)
            action = int(rng.choice(legal))
            rules.step(state, action)
            theirs.apply_action(action)
        returns = np.zeros(2)
        rules.returns(state, returns)
        assert theirs.returns() == returns.tolist()


def test_it_searches_from_where_the_game_stands_and_as_far_as_it_may(adapter):
    rules = make_rules("tic_tac_toe")
    agent, state, history = adapter.MCTS(rules), rules.initial_state(), (0, 3, 1, 4)
    for action in history:
        rules.step(state, action)
    agent.reset(0, 2**40)
    view = View(state, list_legal(rules, state), 0, history=history)
    decision = agent.act(view, Limit(simulations=200))
    assert (decision.action, decision.value) == (2, 1.0)
    assert sum(decision.visits) == decision.info["simulations"] <= 200
    timed = agent.act(View(rules.initial_state(), np.arange(9), 0), Limit(time=0.01))
    assert timed.info["simulations"] > 1
    with pytest.raises(RuntimeError, match="allow other actions"):
        agent.act(View(state, view.legal_actions, 0), Limit(simulations=5))


@pytest.mark.parametrize(("game", "params"), [("othello", {}), ("hex", {"size": 3, "swap": True})])
def test_it_refuses_what_it_cannot_play(adapter, game, params):
    with pytest.raises(AgentRefused, match="openspiel_mcts plays TicTacToe, ConnectFour, Hex, Havannah"):
        adapter.MCTS(make_rules(game, **params))
