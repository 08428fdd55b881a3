"""What `@rules` makes of a class: refusals by name, defaults filled in, helpers and inheritance."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import pytest

from envs.kernels import kernel
from envs.rules import CHANCE, TERMINAL, rules
from envs.streams import make_stream


def game(*without: str, fields: tuple[str, ...] = ("num_players", "num_actions", "max_legal")) -> type:
    """Make a class of rules that lacks some members."""
    base = NamedTuple("Base", [(name, int) for name in fields])  # type: ignore[misc] # made on the fly
    names = {"initial_state", "current_player", "legal_actions", "step", "returns"} - set(without)
    return type("Broken", (base,), {name: lambda self: None for name in names})


@pytest.mark.parametrize("name", ["initial_state", "current_player", "legal_actions", "step", "returns"])
def test_a_missing_method_is_named(name: str) -> None:
    with pytest.raises(TypeError, match=rf"Broken: rules lack {name}$"):
        rules(game(name))


def test_everything_missing_is_named_at_once() -> None:
    with pytest.raises(TypeError, match=r"Broken: rules lack step, returns, max_legal$"):
        rules(game("step", "returns", fields=("num_players", "num_actions")))


def test_a_class_that_is_no_named_tuple_is_refused() -> None:
    with pytest.raises(TypeError, match="Plain: rules are a NamedTuple: write class Plain"):
        rules(type("Plain", (), {}))


@rules
class Steps(NamedTuple):
    """A walk of three steps; chance takes the second."""

    num_players: int = 2
    num_actions: int = 3
    max_legal: int = 2

    def initial_state(self) -> Any:
        return np.zeros(3, np.int8)

    def count(self, state: Any) -> int:
        """Count the steps; `tuple` has a method of this name."""
        return np.int64(state[0])  # type: ignore[return-value] # an int64 to kernels

    def current_player(self, state: Any) -> int:
        return TERMINAL if self.count(state) == 3 else -1 if self.count(state) == 1 else 0

    def legal_actions(self, state: Any, out: Any) -> int:
        out[0], out[1] = 0, 2
        return 2

    def chance_outcomes(self, state: Any, out_actions: Any, out_probs: Any) -> int:
        out_actions[0], out_actions[1], out_actions[2] = 0, 1, 2
        out_probs[0], out_probs[1], out_probs[2] = 0.5, 0.0, 0.5
        return 3

    def step(self, state: Any, action: int) -> None:
        state[0] += 1
        state[1 + np.int64(self.count(state) == 2)] -= action

    def returns(self, state: Any, out: Any) -> None:
        out[0], out[1] = 0.0, 0.0

    def action_to_string(self, state: Any, action: int) -> str:
        return f"go {action}"


class _Other(Steps):
    def returns(self, state: Any, out: Any) -> None:
        out[0], out[1] = 1.0, -1.0


Other = rules(_Other)


@kernel
def chance_moves(rules, start, count, rng):
    seen = np.zeros(9, np.int64)
    scratch = np.empty(rules.max_legal, np.int64)
    for _ in range(count):
        state = start.copy()
        rules.rollout(state, scratch, rng)
        seen[-state[2]] += 1
    return seen


def test_the_default_rollout_lets_chance_move() -> None:
    seen = chance_moves(Steps(), Steps().initial_state(), 10_000, make_stream(1))
    assert seen[1] == 0
    assert abs(seen[0] - 5_000) < 3.89 * 50  # two-sided, probability 1e-4; the seed is fixed
    assert seen.sum() == seen[0] + seen[2]


@kernel
def outcome(rules, out):
    rules.returns(out, out)
    return out[0]


def test_a_game_may_inherit_from_another() -> None:
    assert outcome(Steps(), np.ones(2)) == 0
    assert outcome(Other(), np.ones(2)) == 1
    assert Other().action_to_string(Other().initial_state(), 2) == "go 2"


@rules
class Plain(NamedTuple):
    """Action 0, twice."""

    num_players: int = 1
    num_actions: int = 3
    max_legal: int = 1

    def initial_state(self) -> Any:
        return np.zeros(2, np.int8)

    def current_player(self, state: Any) -> int:
        return TERMINAL if state[0] == 2 else 0

    def legal_actions(self, state: Any, out: Any) -> int:
        out[0] = 0
        return 1

    def step(self, state: Any, action: int) -> None:
        state[0] += 1
        state[1] += action

    def returns(self, state: Any, out: Any) -> None:
        out[0] = 0.0


class _Chancy(Plain):
    def current_player(self, state: Any) -> int:
        return TERMINAL if state[0] == 2 else CHANCE

    def sample_chance(self, state: Any, rng: Any) -> int:
        return 2


@kernel(_nrt=False)
def finish(rules, state, scratch, rng):
    rules.rollout(state, scratch, rng)
    return state[1]


@pytest.mark.parametrize(("game", "expected"), [(Plain, 0), (rules(_Chancy), 4)])
def test_a_default_rollout_fits_the_game_and_makes_no_array(game: Any, expected: int) -> None:
    """Chance may come with the heir of a game without any."""
    assert finish(game(), game().initial_state(), np.zeros(1, np.int64), make_stream(1)) == expected


def test_given_names_the_optional_parts_a_game_has() -> None:
    assert Steps.given == {"chance_outcomes", "action_to_string"}
    assert Other.given == Steps.given
    assert Plain.given == frozenset()
    assert _Chancy.given == {"sample_chance"}


@pytest.mark.parametrize("kind", [np.int8, np.uint8, np.int64, np.uint64])
def test_the_default_key_is_quiet_and_the_same_compiled(kind: Any) -> None:
    state = np.array([1, 100, 7], kind)
    if np.iinfo(kind).min < 0:
        state[2] = -5
    with np.errstate(all="raise"):
        assert Steps().hash_key(state) == key_of(Steps(), state)


@kernel
def key_of(rules, state):
    return rules.hash_key(state)


def test_the_default_names_of_actions_are_read_back_or_refused() -> None:
    start = Steps().initial_state()
    assert Steps().string_to_action(start, " go 2 ") == 2
    with pytest.raises(ValueError, match="'go 1' is no legal action here: allowed: go 0, go 2"):
        Steps().string_to_action(start, "go 1")
