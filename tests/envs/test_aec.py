"""Every game as a PettingZoo environment: PettingZoo's own tests, illegal actions, copies, turns, chance."""

from __future__ import annotations

import copy
import importlib
import pickle
import sys
import time
import warnings

import numpy as np
import pytest
import toy_games
from pettingzoo.test import api_test, render_test, seed_test, state_test
from pettingzoo.test.save_obs_test import test_save_obs as save_obs_test

import envs
from envs.aec import RENDER_MODES, RulesEnv
from envs.parameters import ParameterError

SMALL = {
    "connect_four": {"rows": 4, "columns": 4},
    "hex": {"size": 4},
    "havannah": {"size": 3},
    "gomoku": {"rows": 5, "columns": 4, "connect": 3},
    "breakthrough": {"rows": 5, "columns": 4},
    "go": {"size": 4},
}
GAMES = [*envs.game_names(), "toy_games"]
COPIES = {
    "copy": copy.copy,
    "deepcopy": copy.deepcopy,
    "pickle": lambda env: pickle.loads(pickle.dumps(env)),
}
NOT_ACTIONS = [
    -1,
    10**6,
    2**70,
    1.0,
    float("nan"),
    None,
    "0",
    np.array([0]),
    np.array(0),
    np.float64(0),
    True,
    [0],
]


def module(name):
    return importlib.import_module(name if name == "toy_games" else f"envs.{name}")


def make(name, wrapped=False, **params):
    maker = module(name).env if wrapped else module(name).raw_env
    return maker(**{**SMALL.get(name, {}), **params})


def play_on(env, rng):
    """Play random legal actions to the very end; return all that could be seen on the way."""
    seen = []
    while env.agents:
        observation, *rest = env.last()
        seen.append((env.agent_selection, {k: v.tolist() for k, v in observation.items()}, *rest))
        seen.append((env.state().tolist(), env.history, dict(env.rewards)))
        legal = env.legal_actions()
        env.step(int(rng.choice(legal)) if legal.size else None)
    return seen


def play_some(env, plies, seed=0):
    rng = np.random.default_rng(seed)
    for _ in range(plies):
        if env.legal_actions().size:
            env.step(int(rng.choice(env.legal_actions())))


@pytest.fixture(params=GAMES)
def game(request):
    return request.param


@pytest.fixture
def strict(game, monkeypatch):
    """Turn every warning into an error.

    PettingZoo's api_test holds lists of its own games whose observations are dicts with a mask and
    whose boards begin empty; ours are put on them.
    """
    lists = sys.modules["pettingzoo.test.api_test"]
    for name in ("env_obs_dicts", "env_obs_space", "env_all_zeros_obs"):
        monkeypatch.setattr(lists, name, [*getattr(lists, name), game])
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        yield


@pytest.mark.usefixtures("strict")
@pytest.mark.parametrize("wrapped", [False, True])
class TestPettingZoo:
    def test_api(self, game, wrapped):
        api_test(make(game, wrapped), num_cycles=200)

    def test_seed(self, game, wrapped):
        seed_test(lambda: make(game, wrapped), num_cycles=200)

    def test_state(self, game, wrapped):
        state_test(make(game, wrapped), make(game, wrapped), num_cycles=20)

    def test_save_obs(self, game, wrapped, tmp_path, monkeypatch):
        monkeypatch.chdir(tmp_path)
        save_obs_test(make(game, wrapped))

    def test_render(self, game, wrapped, capsys):
        pytest.importorskip("resvg_py")
        pytest.importorskip("PIL")
        svg = {"svg": lambda picture: picture.startswith("<svg ") and picture.endswith("</svg>")}
        render_test(lambda render_mode: make(game, wrapped, render_mode=render_mode), custom_tests=svg)
        assert capsys.readouterr().out


# max_cycles_test is for parallel environments with a length limit; these games have neither.


class TestGame:
    def test_rewards_add_up_to_the_returns_and_only_at_the_end(self, game):
        for seed in range(10):
            env = make(game)
            env.reset(seed=seed)
            totals = dict.fromkeys(env.possible_agents, 0.0)
            rng = np.random.default_rng(seed)
            while env.agents:
                observation, reward, terminated, truncated, info = env.last()
                totals[env.agent_selection] += reward
                assert not truncated
                assert info == {}
                if not terminated:
                    assert reward == 0.0
                env.step(None if terminated else int(rng.choice(np.flatnonzero(observation["action_mask"]))))
            returns = np.zeros(env.rules.num_players)
            env.rules.returns(env.state(), returns)
            assert list(totals.values()) == returns.tolist()

    def test_spaces_have_the_dtypes_of_what_they_hold(self, game):
        env = make(game)
        env.reset(seed=1)
        for agent in env.possible_agents:
            observation, space = env.observe(agent), env.observation_space(agent)
            assert space.contains(observation)
            assert {key: part.dtype for key, part in observation.items()} == {
                key: part.dtype for key, part in space.items()
            }
            assert observation["action_mask"].dtype == np.int8
            assert env.action_space(agent).n == env.rules.num_actions
        assert env.state().dtype == env.state_space.dtype == env.rules.initial_state().dtype

    def test_only_the_mover_has_a_mask(self, game):
        env = make(game)
        env.reset(seed=1)
        for ply in range(3):
            play_some(env, 1, ply)
            legal = env.legal_actions()
            for agent in env.possible_agents:
                mask = env.observe(agent)["action_mask"]
                assert np.flatnonzero(mask).tolist() == (
                    legal.tolist() if agent == env.agent_selection else []
                )

    def test_what_was_handed_out_is_never_overwritten(self, game):
        env = make(game)
        env.reset(seed=1)
        handed = [
            *env.observe(env.agent_selection).values(),
            env.state(),
            env.game_state,
            env.legal_actions(),
        ]
        before = copy.deepcopy(handed)
        for array in (
            env.state(),
            env.game_state,
            env.legal_actions(),
            *env.observe(env.agent_selection).values(),
        ):
            array[...] = 1  # and what is done to a copy does not reach the game
        play_on(env, np.random.default_rng(0))
        assert all(np.array_equal(a, b) for a, b in zip(handed, before, strict=True))

    def test_history_replays_the_game(self, game):
        env = make(game)
        env.reset(seed=3)
        play_on(env, np.random.default_rng(1))
        state = env.rules.initial_state()
        for action in env.history:
            with np.errstate(over="ignore"):
                env.rules.step(state, action)
        assert np.array_equal(state, env.game_state)

    def test_a_dead_agent_may_only_step_none(self, game):
        env = make(game)
        env.reset(seed=0)
        while env.legal_actions().size:
            play_some(env, 1)
        assert all(env.terminations.values())
        with pytest.raises(ValueError, match="None"):
            env.step(0)
        for _ in env.possible_agents:
            env.step(None)
        assert env.agents == []

    def test_make_env_is_this_environment(self, game):
        if game != "toy_games":
            env = envs.make_env(game, render_mode="ansi", **SMALL.get(game, {}))
            assert isinstance(env, RulesEnv)
            assert env.metadata["name"] == str(env) == str(make(game, wrapped=True)) == game


@pytest.mark.parametrize("wrapped", [False, True])
class TestIllegal:
    @pytest.mark.parametrize("action", NOT_ACTIONS, ids=repr)
    def test_it_ends_the_game_for_all(self, game, wrapped, action):
        env = make(game, wrapped)
        env.reset(seed=0)
        play_some(env, 1)
        offender, state, expected = env.agent_selection, env.state(), env.legal_actions()[0]
        env.step(action)
        assert env.rewards == {agent: -1.0 if agent == offender else 1.0 for agent in env.possible_agents}
        assert all(env.terminations.values())
        assert all(env.truncations.values())
        for info in env.infos.values():
            assert set(info) == {"illegal_action", "reason"}
            assert info["illegal_action"] is action
            words = f"{game}: {action!r} is no legal action here: allowed: "
            assert info["reason"].startswith(f"{words}{expected} (")
        assert np.array_equal(env.state(), state)
        assert env.legal_actions().size == 0
        assert not any(env.observe(agent)["action_mask"].any() for agent in env.possible_agents)
        got = {}
        for agent in env.agent_iter():
            got[agent] = env.last()[1]
            env.step(None)
        assert got == {agent: -1.0 if agent == offender else 1.0 for agent in env.possible_agents}

    def test_the_next_reset_starts_clean(self, game, wrapped):
        env, other = make(game, wrapped), make(game, wrapped)
        env.reset(seed=5)
        env.step(-1)
        env.reset(seed=6)
        other.reset(seed=6)
        assert play_on(env, np.random.default_rng(2)) == play_on(other, np.random.default_rng(2))

    def test_a_taken_cell_is_illegal(self, game, wrapped):
        env = make(game, wrapped)
        env.reset(seed=0)
        while env.legal_actions().size == env.rules.num_actions:
            play_some(env, 1)
        illegal = np.setdiff1d(np.arange(env.rules.num_actions), env.legal_actions())
        if env.legal_actions().size:
            offender = env.agent_selection
            env.step(illegal[0])
            assert env.rewards[offender] == -1.0


@pytest.mark.parametrize("wrapped", [False, True])
@pytest.mark.parametrize("how", COPIES)
class TestCopies:
    def test_after_every_ply_a_copy_is_the_same_game(self, game, wrapped, how):
        env = make(game, wrapped)
        env.reset(seed=4)
        expected, ply = play_on(copy.deepcopy(env), np.random.default_rng(9)), 0
        rng = np.random.default_rng(9)
        while env.agents:
            twin = COPIES[how](env)
            assert play_on(twin, copy.deepcopy(rng)) == expected[2 * ply :]
            legal = env.legal_actions()  # the twin's game has left no trace here
            env.step(int(rng.choice(legal)) if legal.size else None)
            ply += 1

    def test_a_copy_after_an_illegal_action_has_ended_too(self, game, wrapped, how):
        env = make(game, wrapped)
        env.reset(seed=4)
        env.step(-1)
        twin = COPIES[how](env)
        assert twin.infos == env.infos
        assert play_on(twin, None) == play_on(env, None)

    def test_inside_agent_iter(self, game, wrapped, how):
        env = make(game, wrapped)
        env.reset(seed=4)
        for _ in env.agent_iter():
            twin = COPIES[how](env)
            assert next(iter(twin.agent_iter())) == env.agent_selection
            break


class TestTurns:
    """With the toy race: three players, passes, extra turns, chance."""

    def test_the_rules_say_who_moves(self):
        env = toy_games.raw_env(goal=50)
        env.reset(seed=0)
        order, hops = [], 0
        for _ in range(50):
            order.append(env.agent_selection)
            hop = toy_games.HOP in env.legal_actions()
            env.step(toy_games.HOP if hop else toy_games.STAY)
            hops += hop
            following = int(order[-1][-1]) + (0 if hop else 1)
            assert env.agent_selection == f"player_{following % 3}"
        assert hops > 5

    def test_chance_comes_from_the_seed(self):
        def dice(env):
            play_some(env, 12)
            return env.history

        env = toy_games.raw_env(goal=50)
        env.reset(seed=1)
        first = dice(env)
        env.reset(seed=1)
        assert dice(env) == first
        env.reset()  # the stream goes on
        assert dice(env) != first
        env.reset(seed=2)
        assert dice(env) != first

    def test_no_seed_is_a_new_seed(self):
        histories = set()
        for _ in range(3):
            env = toy_games.raw_env(goal=50)
            env.reset()
            play_some(env, 20)
            histories.add(env.history[::2])
        assert len(histories) == 3

    def test_a_game_may_be_over_before_it_begins(self):
        env = toy_games.raw_env(goal=0)
        env.reset(seed=0)
        assert env.terminations == dict.fromkeys(env.possible_agents, True)
        assert env.rewards == {"player_0": 1.0, "player_1": -0.5, "player_2": -0.5}
        assert env.legal_actions().size == 0


class TestParameters:
    def test_render_modes_are_checked(self, game):
        with pytest.raises(ParameterError, match=r"render_mode: 'pdf' is not allowed: one of human, ansi"):
            make(game, render_mode="pdf")
        assert make(game).metadata["render_modes"] == list(RENDER_MODES)

    def test_parameters_are_checked(self, game):
        with pytest.raises(ParameterError, match="colour"):
            module(game).env(colour="red")

    def test_render_without_a_mode_warns(self, game):
        env = make(game)
        env.reset()
        with pytest.warns(UserWarning, match="render_mode"):
            assert env.render() is None

    def test_calls_in_a_wrong_order_are_refused(self, game):
        with pytest.raises(AttributeError, match="reset"):
            _ = make(game, wrapped=True).agent_selection


def test_step_and_last_are_cheap():
    """Some 20 µs for tic-tac-toe; the bound is lenient, and of the thread's own processor time."""
    env, moves, spent = make("tic_tac_toe"), 0, 0.0
    for seed in range(200):
        env.reset(seed=seed)
        actions = np.random.default_rng(seed).permutation(9).tolist()
        begun = time.thread_time()
        for action in actions:
            if env.last()[2]:
                break
            env.step(action)
            moves += 1
        spent += time.thread_time() - begun
    assert spent / moves < 300e-6
