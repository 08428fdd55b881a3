"""Bare rollouts, which the bench scripts share; the rest of what they measure with is in `arena.bench.uct`.

Nothing here is run by the tests. What is measured, and beside which targets, each script says itself.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from envs.kernels import kernel
from envs.streams import make_stream


def bare_rollouts(rules: Any, count: int) -> Callable[[], None]:
    """Return a function that plays `count` rollouts from the first position; their kernel is compiled."""
    arrays = (
        rules.initial_state(),
        rules.initial_state(),
        np.zeros(rules.max_legal, np.int32),
        np.zeros(rules.num_players),
        make_stream(1),
    )
    play(rules, *arrays, 1)

    def rollouts() -> None:
        play(rules, *arrays, count)

    return rollouts


@kernel(_nrt=False)
def play(rules, root, state, scratch, returns, rng, count):  # type: ignore[no-untyped-def]
    """Play `count` rollouts from `root`. Compiled as the search is: nothing in it is reference-counted."""
    for _ in range(count):
        for i in range(root.shape[0]):
            state[i] = root[i]
        rules.rollout(state, scratch, rng)
        rules.returns(state, returns)
