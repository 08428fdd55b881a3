"""What the decorator `features` makes of a game, and what it refuses."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import pytest

from envs.features import MOST_FEATURES, features, squash
from envs.kernels import kernel
from envs.rules import TERMINAL, rules


def game(**members: Any) -> Any:
    """Make rules of one pile, from which players take 1 or 2, with more members."""

    class Pile(NamedTuple):
        num_players: int = 2
        num_actions: int = 2
        max_legal: int = 2

        def initial_state(self) -> Any:
            return np.array([5, 0], np.int64)

        def current_player(self, state: Any) -> int:
            return TERMINAL if state[0] <= 0 else state[1]

        def legal_actions(self, state: Any, out: Any) -> int:
            out[0], out[1] = 0, 1
            return 2

        def step(self, state: Any, action: int) -> None:
            state[0] -= action + 1
            state[1] = 1 - state[1]

        def returns(self, state: Any, out: Any) -> None:
            out[0] = out[1] = 0.0

    for name, member in members.items():
        setattr(Pile, name, member)
    return Pile


def measure(self: Any, state: Any, player: int, out: Any) -> None:
    out[0] = state[0] * (1.0 - 2.0 * player)
    out[1] = 1.0 if state[1] == player else -1.0


@kernel
def evaluate(rules, state, player):
    return rules.evaluate(state, player)


def test_evaluate_is_made_of_features_and_their_weights() -> None:
    pile = rules(features(stones=0.5, turn=-1.5)(game(features=measure)))
    assert pile.given == {"evaluate"}
    assert dict(pile.FEATURES) == {"stones": 0.5, "turn": -1.5}
    state = pile().initial_state()
    assert evaluate(pile(), state, 0) == pile().evaluate(state, 0) == pytest.approx(1 / 2)
    assert evaluate(pile(), state, 1) == pile().evaluate(state, 1) == pytest.approx(-1 / 2)


def test_an_heir_may_weigh_anew() -> None:
    pile = rules(features(stones=0.5, turn=-1.5)(game(features=measure)))
    heir = rules(features(stones=0.0, turn=3.0)(type("Heir", (pile,), {})))
    state = pile().initial_state()
    assert evaluate(heir(), state, 0) == pytest.approx(3 / 4)
    assert evaluate(pile(), state, 0) == pytest.approx(1 / 2)


def test_a_game_without_features_names_none() -> None:
    plain = rules(game())
    assert plain.FEATURES == {}
    assert plain().evaluate(plain().initial_state(), 0) == 0.0
    assert plain().is_quiet(plain().initial_state())


def test_what_does_not_fit_together_is_refused() -> None:
    with pytest.raises(TypeError, match="0 are named; a game has 1 to 32"):
        features()
    with pytest.raises(TypeError, match="33 are named"):
        features(**{f"f{i}": 1.0 for i in range(MOST_FEATURES + 1)})
    with pytest.raises(TypeError, match="weight of b is nan"):
        features(a=1.0, b=float("nan"))
    for members in ({}, {"features": measure, "evaluate": measure}):
        with pytest.raises(TypeError, match="Pile: its evaluate is made of its features"):
            features(a=1.0)(game(**members))


def test_squash_keeps_the_order_and_the_bounds() -> None:
    totals = [-1e15, -1e6, -3.0, -1e-9, 0.0, 1e-9, 1.0, 3.0, 1e6, 1e15]
    values = [squash(total) for total in totals]
    assert values == sorted(set(values))
    assert values[0] > -1
    assert values[-1] < 1
    assert squash(3.0) == -squash(-3.0) == pytest.approx(0.75)
