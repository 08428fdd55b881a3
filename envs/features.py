"""Evaluations that are a weighted sum of features: what a game measures, and anybody may weigh anew.

A game that measures features in its method `features` is decorated with their names and default weights, and
has its `evaluate` made of the two. A search with other weights asks for the features and calls `weighed`
itself. What the features of a game are is said in its own file.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from types import MappingProxyType
from typing import Any, TypeVar

import numpy as np

from envs.kernels import kernel, room

MOST_FEATURES = 32
"""A game has no more features than this."""

C = TypeVar("C", bound=type)


def features(**weights: float) -> Callable[[C], C]:
    """Return a decorator, to stand below `@rules`, that sets `FEATURES` and `evaluate` of a game.

    Args:
        weights: of the features, in the order in which the game's `features` writes them.

    Raises:
        TypeError: for no feature or more than `MOST_FEATURES`, a weight that is no finite number, and, when
            it decorates, for a class without `features` or with an `evaluate` of its own.
    """
    if not 0 < len(weights) <= MOST_FEATURES:
        raise TypeError(f"features: {len(weights)} are named; a game has 1 to {MOST_FEATURES}")
    for name, weight in weights.items():
        if not math.isfinite(weight):
            raise TypeError(f"features: the weight of {name} is {weight}, no finite number")

    def decorate(cls: C) -> C:
        game: Any = cls
        if not hasattr(cls, "features") or "evaluate" in vars(cls):
            raise TypeError(f"{cls.__name__}: its evaluate is made of its features: write `features` alone")
        game.FEATURES = MappingProxyType(weights)
        game.evaluate = _evaluate_with(np.array(list(weights.values()), np.float64))
        return cls

    return decorate


@kernel
def squash(total):
    """Return total / (1 + |total|): any finite number up to 1e15 or so becomes one in (-1, 1), in order."""
    return total / (1.0 + abs(total))


@kernel
def weighed(weights, features):
    """Return the value in (-1, 1) of features with these weights, one each; there may be more features."""
    total = 0.0
    for i in range(weights.shape[0]):
        total += weights[i] * features[i]
    return squash(total)


def _evaluate_with(weights: Any) -> Callable[..., float]:
    def evaluate(self: Any, state: Any, player: int) -> float:
        features = room(MOST_FEATURES)
        self.features(state, player, features)
        return weighed(weights, features)

    return evaluate
