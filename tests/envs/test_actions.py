"""Actions that cannot be played are refused by one error, in every game and its environment."""

from __future__ import annotations

import pickle
from typing import Any

import numpy as np
import pytest
import toy_games

import envs
from envs.actions import ActionError, game_name, illegal, list_legal
from envs.aec import RulesEnv
from envs.rules import rules as completed

SMALL: dict[str, dict[str, Any]] = {
    "connect_four": {"rows": 3, "columns": 3, "connect": 3},
    "hex": {"size": 3, "swap": True},
    "havannah": {"size": 3, "swap": True},
    "y": {"size": 4},
    "gomoku": {"rows": 3, "columns": 4, "connect": 3},
    "breakthrough": {"rows": 4, "columns": 3},
    "othello": {"size": 4},
    "go": {"size": 3},
}


@pytest.fixture(params=envs.game_names())
def name(request: pytest.FixtureRequest) -> str:
    return request.param


@pytest.fixture
def rules(name: str) -> Any:
    return envs.make_rules(name, **SMALL.get(name, {}))


def game_of(rules: Any, seed: int) -> list[Any]:
    """Return the states of a game of random moves, the last one terminal."""
    rng, states = np.random.default_rng(seed), [rules.initial_state()]
    while not rules.is_terminal(states[-1]):
        states.append(states[-1].copy())
        rules.step(states[-1], int(rng.choice(list_legal(rules, states[-1]))))
    return states


def test_a_name_is_read_only_where_its_action_is_legal(name: str, rules: Any) -> None:
    refused = 0
    for seed in range(3):
        states = game_of(rules, seed)
        known = {rules.action_to_string(s, int(a)) for s in states[:-1] for a in list_legal(rules, s)}
        for state in states[:-1]:
            legal = list_legal(rules, state).tolist()
            allowed = {rules.action_to_string(state, action) for action in legal}
            for text in known:
                try:
                    action = rules.string_to_action(state, text)
                except ActionError as error:
                    action, words = -1, str(error)
                if text in allowed or action >= 0:  # a stone may be swapped by its cell, too
                    assert action in legal
                else:
                    refused += 1
                    assert words.startswith(f"{name}: {text!r} is no ")
                    assert ": allowed: " in words
    assert refused > 10


def test_when_the_game_is_over_nothing_is_read(name: str, rules: Any) -> None:
    *_, before, end = game_of(rules, 5)
    for action in list_legal(rules, before).tolist():
        text = rules.action_to_string(before, action)
        with pytest.raises(ActionError, match=rf"^{name}: .* is no .*: allowed: none, the game is over$"):
            rules.string_to_action(end, text)


@pytest.mark.parametrize("text", [None, 5, 1.5, b"a1", ["a1"], "x" * 10_000])
def test_what_is_no_name_is_refused_in_a_line(name: str, rules: Any, text: Any) -> None:
    with pytest.raises(ActionError, match=rf"^{name}: .* is no .*: allowed: ") as refused:
        rules.string_to_action(rules.initial_state(), text)
    assert len(str(refused.value)) < 250
    assert refused.value.value == text


@pytest.mark.parametrize("action", [-1, 10**6, 2**70, 1.0, float("nan"), None, "0", [0]])
def test_what_is_no_action_has_no_name(name: str, rules: Any, action: Any) -> None:
    with pytest.raises(ActionError) as refused:
        rules.action_to_string(rules.initial_state(), action)
    assert str(refused.value) == f"{name}: {action!r} is no action: allowed: 0 to {rules.num_actions - 1}"


def test_every_action_taken_away_is_refused_by_the_environment_in_words(name: str, rules: Any) -> None:
    state = game_of(rules, 7)[1]
    legal = set(list_legal(rules, state).tolist())
    for action in set(range(rules.num_actions)) - legal:
        env = RulesEnv(rules, name)
        env.reset()
        env.step(next(a for a in env.legal_actions().tolist() if same(rules, a, state)))
        offender = env.agent_selection
        env.step(action)
        assert env.rewards[offender] == -1
        reason = env.infos[offender]["reason"]
        assert reason.startswith(f"{name}: {action} is no legal action here: allowed: {min(legal)} (")
        assert reason == str(illegal(rules, state, action))


def same(rules: Any, action: int, wanted: Any) -> bool:
    state = rules.initial_state()
    rules.step(state, action)
    return np.array_equal(state, wanted)


def test_an_error_survives_the_way_to_another_process() -> None:
    error = ActionError("hex", "zz", "no cell of this board", "a1 to c3")
    assert str(pickle.loads(pickle.dumps(error))) == str(error)
    assert str(error) == "hex: 'zz' is no cell of this board: allowed: a1 to c3"


class TestPlugIns:
    """With the toy race, whose actions are STAY, RUN and HOP."""

    @pytest.mark.parametrize("mistake", [ValueError, KeyError, IndexError])
    def test_errors_of_its_own_become_this_one(self, mistake: type[Exception]) -> None:
        class Rough(toy_games.Race):
            def string_to_action(self, state: Any, text: str) -> int:
                raise mistake("oh")

        rules = completed(Rough).make()
        with pytest.raises(ActionError, match=r"^test_actions: 'run' is no legal action here: allowed: 0, 1"):
            rules.string_to_action(rules.initial_state(), "run")

    def test_an_action_without_a_name_is_still_refused(self) -> None:
        class Nameless(toy_games.Race):
            def action_to_string(self, state: Any, action: int) -> str:
                raise RuntimeError("no names")

        env = RulesEnv(completed(Nameless).make(), "nameless")
        env.reset(seed=0)
        env.step(99)
        assert "99 is no legal action here: allowed: 0 (0), " in env.infos["player_0"]["reason"]

    def test_chance_may_be_read_too(self) -> None:
        class Read(toy_games.Race):
            def string_to_action(self, state: Any, text: str) -> int:
                return int(text)

        rules = completed(Read).make()
        start = rules.initial_state()
        assert rules.current_player(start) == -1
        assert rules.string_to_action(start, "2") == 2

    def test_a_game_without_a_file_is_called_by_its_class(self) -> None:
        assert game_name(type("Own", (), {"__module__": "__main__"})) == "Own"
        assert game_name(toy_games.Race) == "toy_games"
