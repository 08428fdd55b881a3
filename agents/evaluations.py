"""Evaluations: how a depth-limited search judges a position that it does not search any further.

Each is a NamedTuple whose method is compiled into the search. The measuring is the game's own, by
`evaluate` or by `features` (`envs.rules`); here it is only asked, or weighed anew.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from agents.base import AgentRefused
from envs.features import MOST_FEATURES, weighed
from envs.kernels import register_rules, room
from envs.parameters import ParameterError, did_you_mean

MOST_UNJUDGED = 32
"""A game without `evaluate` is only searched, to its end, where no position has more legal actions."""


class GameEvaluation(NamedTuple):
    """The game's own `evaluate`, 0 where it has none."""

    unused: int = 0  # numba takes no empty tuple

    def value(self, rules, state, player):
        return rules.evaluate(state, player)


class Weighed(NamedTuple):
    """The game's features with weights of one's own."""

    weights: npt.NDArray[np.float64]
    """float64[features], in the order of the game's `FEATURES`."""

    def value(self, rules, state, player):
        features = room(MOST_FEATURES)
        rules.features(state, player, features)
        return weighed(self.weights, features)


for _evaluation in (GameEvaluation, Weighed):
    register_rules(_evaluation, ["value"])


def make_evaluation(agent: str, rules: Any, weights: Mapping[str, float] | None) -> Any:
    """Return the evaluation that `agent` uses; weights left out are the game's.

    Raises:
        AgentRefused: for a large game that has no `evaluate`.
        ParameterError: for weights of features that the game does not have.
    """
    if "evaluate" not in rules.given and not rules.FEATURES and rules.max_legal > MOST_UNJUDGED:
        raise AgentRefused(
            f"{agent} needs evaluate(state, player), which {type(rules).__name__} does not define"
        )
    if not weights:
        return GameEvaluation()
    unknown = sorted(weights.keys() - rules.FEATURES.keys())
    if unknown:
        raise ParameterError(agent, [(f"weights.{name}", _unknown(rules, name)) for name in unknown])
    return Weighed(np.array(list((dict(rules.FEATURES) | dict(weights)).values()), np.float64))


def _unknown(rules: Any, name: str) -> str:
    features = f"has {', '.join(rules.FEATURES)}" if rules.FEATURES else "has none"
    return f"unknown feature{did_you_mean(name, rules.FEATURES)}: {type(rules).__name__} {features}"
