"""Every game of the registry against the contract of `envs.rules`, and their rollouts against exact values.

A game with parameters is checked at a few sizes; one that is missing in `SIZES` at its defaults. What
holds whatever is played is in `test_properties.py`.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

import envs
from envs.kernels import kernel
from envs.rules import list_legal
from envs.streams import below, make_stream, uniform

SIZES: dict[str, list[dict[str, Any]]] = {
    "connect_four": [{}, {"rows": 4, "columns": 5, "connect": 3}],
    "hex": [{"size": 1}, {"size": 3}, {"rows": 5, "columns": 7}, {"size": 4, "swap": True}, {"size": 26}],
    "havannah": [{"size": 2}, {"size": 3, "swap": True}, {"size": 5}, {"size": 15}],
    "y": [{"size": 1}, {"size": 4}, {}, {"size": 26}],
    "gomoku": [{}, {"rows": 4, "columns": 6, "connect": 3, "exact": True}],
    "breakthrough": [{}, {"rows": 5, "columns": 4}],
    "nim": [{}, {"piles": [1, 2, 30], "misere": True}],
    "othello": [{"size": 4}, {"size": 6}, {"size": 8}],
    "go": [{"size": 1}, {"size": 2}, {"size": 5, "komi": 0}, {}],
}
# Games whose rollouts say that they are not uniform, and why; their own tests tell what they are instead.
NOT_UNIFORM = {"go": "uniformly random play fills its own eyes and hardly ends"}
CASES = [(name, params) for name in envs.game_names() for params in SIZES.get(name, [{}])]
# A test that compares frequencies fails a right game with this probability, were the seed not fixed.
DOUBT = 1e-4
Z = 3.89  # two-sided 1e-4 of the normal distribution


@pytest.fixture(params=CASES, ids=lambda case: f"{case[0]}{list(case[1].values()) or ''}")
def rules(request: pytest.FixtureRequest) -> Any:
    name, params = request.param
    return envs.make_rules(name, **params)


def random_game(rules: Any, *seed: int, most: int = 10**6) -> list[Any]:
    """Return the states of a game of random moves, at most `most` of them."""
    rng, states = np.random.default_rng(seed), [rules.initial_state()]
    while not rules.is_terminal(states[-1]) and len(states) <= most:
        states.append(states[-1].copy())
        rules.step(states[-1], int(rng.choice(list_legal(rules, states[-1]))))
    return states


def returns_of(rules: Any, state: Any) -> list[float]:
    out = np.full(rules.num_players, np.nan)
    rules.returns(state, out)
    return out.tolist()


@pytest.fixture
def games(rules: Any) -> list[list[Any]]:
    return [random_game(rules, seed) for seed in range(3 if rules.num_actions > 100 else 20)]


def test_a_state_is_not_touched_by_looking_at_it(rules: Any, games: list[list[Any]]) -> None:
    for state in games[0][: -1 : len(games[0]) // 20 + 1]:
        before = state.copy()
        list_legal(rules, state), rules.current_player(state), rules.is_terminal(state), rules.hash_key(state)
        returns_of(rules, state), rules.observation(state, 0), rules.to_text(state), rules.to_svg(state)
        assert np.array_equal(state, before)


def test_initial_states_are_fresh(rules: Any) -> None:
    first = rules.initial_state()
    rules.step(first, int(list_legal(rules, first)[0]))
    assert not np.array_equal(first, rules.initial_state())


@pytest.mark.parametrize("kind", [np.int16, np.int32, np.int64, np.uint8, np.uint16, np.uint32, np.uint64])
def test_actions_of_any_integer_type_do_the_same(rules: Any, kind: Any) -> None:
    if rules.num_actions > np.iinfo(kind).max:
        pytest.skip(f"{kind.__name__} is too small for this game's actions")
    for state in random_game(rules, 5)[:-1][-12:]:
        for action in list_legal(rules, state):
            plain, typed, compiled = state.copy(), state.copy(), state.copy()
            rules.step(plain, int(action))
            rules.step(typed, kind(action))
            play(rules, compiled, kind(action))
            assert np.array_equal(plain, typed)
            assert np.array_equal(plain, compiled)


@kernel
def play(rules, state, action):
    rules.step(state, action)


def test_names_of_actions_lead_back_to_them(rules: Any, games: list[list[Any]]) -> None:
    for state in games[0][: -1 : len(games[0]) // 12 + 1]:
        legal = list_legal(rules, state).tolist()
        names = [rules.action_to_string(state, action) for action in legal]
        assert len(set(names)) == len(names)
        assert [rules.string_to_action(state, name) for name in names] == legal


@pytest.mark.parametrize("text", ["", "zz99", "-1", "0", "²", "a0", "1.5", "a1b2", "None"])
def test_other_words_are_refused(rules: Any, text: str) -> None:
    with pytest.raises(ValueError, match="allowed"):
        rules.string_to_action(rules.initial_state(), text)


@kernel
def default_rollout(rules, state, scratch, rng):
    while not rules.is_terminal(state):
        rules.step(state, scratch[below(rng, rules.legal_actions(state, scratch))])


@kernel
def tally(rules, start, count, own, rng):
    """Count the first player's losses, draws and wins over rollouts, the game's own or the default."""
    results = np.zeros(3, np.int64)
    scratch, out = np.empty(rules.max_legal, np.int64), np.empty(2)
    for _ in range(count):
        state = start.copy()
        if own:
            rules.rollout(state, scratch, rng)
        else:
            default_rollout(rules, state, scratch, rng)
        if not rules.is_terminal(state) or rules.current_player(state) != -2:
            results[:] = -1
            return results
        rules.returns(state, out)
        results[np.int64(out[0]) + 1] += 1
    return results


def test_own_rollout_has_the_distribution_of_random_play(rules: Any) -> None:
    """Chi-square over losses, draws and wins, each of a few positions at `DOUBT`; the seed is fixed."""
    name = type(rules).__module__.rpartition(".")[2]
    if name in NOT_UNIFORM:
        pytest.skip(NOT_UNIFORM[name])
    count = 4_000 if rules.num_actions > 100 else 40_000
    game = random_game(rules, 3)
    for ply in sorted({0, 1, len(game) // 3, len(game) // 2, max(0, len(game) - 4)}):
        own = tally(rules, game[ply], count, True, make_stream(4, ply))
        default = tally(rules, game[ply], count, False, make_stream(5, ply))
        assert own.sum() == default.sum() == count
        seen = (own + default) > 0
        chi2 = float((((own - default) ** 2)[seen] / (own + default)[seen]).sum())
        # With two degrees of freedom P(chi2 > x) is exp(-x / 2); with one it is less.
        assert math.exp(-chi2 / 2) > DOUBT, (ply, own, default)


# Tic-tac-toe: exact counts over the game tree. Hex 3x3: by counting full boards.
@pytest.mark.parametrize(
    ("name", "params", "won", "drawn"),
    [("tic_tac_toe", {}, 737 / 1260, 8 / 63), ("hex", {"size": 3}, 2 / 3, 0.0)],
)
@pytest.mark.parametrize("own", [True, False])
def test_exact_value_of_random_play(
    name: str, params: dict[str, int], won: float, drawn: float, own: bool
) -> None:
    rules, count = envs.make_rules(name, **params), 400_000
    counts = tally(rules, rules.initial_state(), count, own, make_stream(6, own))
    for share, expected in ((counts[2] / count, won), (counts[1] / count, drawn)):
        assert abs(share - expected) <= Z * math.sqrt(expected * (1 - expected) / count)


def test_a_rollout_leaves_a_finished_game_alone(rules: Any, games: list[list[Any]]) -> None:
    scratch, stream = np.zeros(rules.max_legal, np.int64), make_stream(7)
    for game in games[:5]:
        end = game[-1].copy()
        rules.rollout(end, scratch, stream)
        assert np.array_equal(end, game[-1])


@kernel
def draw(rng, count, n):
    counts = np.zeros(n, np.int64)
    total = 0.0
    for _ in range(count):
        counts[below(rng, n)] += 1
        total += uniform(rng)
    return counts, total / count


def test_streams_are_uniform() -> None:
    """Each cell and the mean of a million draws within `Z` standard errors; the seed is fixed."""
    counts, mean = draw(make_stream(9), 1_000_000, 10)
    assert np.all(np.abs(counts - 100_000) <= Z * math.sqrt(1_000_000 * 0.1 * 0.9))
    assert abs(mean - 0.5) <= Z / math.sqrt(12 * 1_000_000)


def test_streams_of_different_entropy_differ() -> None:
    streams = {tuple(make_stream(a, b).tolist()) for a in range(30) for b in range(30)}
    assert len(streams) == 900
