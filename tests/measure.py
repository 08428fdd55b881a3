"""What the bench scripts share: medians of interleaved repeats, bare rollouts, and OpenSpiel's search.

Nothing here is run by the tests. What is measured, and beside which targets, each script says itself.
"""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from envs.kernels import kernel
from envs.streams import make_stream


def interleaved(works: Sequence[Callable[[], None]], repeats: int, seconds: float = 0.1) -> list[float]:
    """Return the median seconds of a call of each work; a repeat calls each for `seconds` or longer."""
    taken: list[list[float]] = [[] for _ in works]
    for _ in range(repeats):
        for work, times in zip(works, taken, strict=True):
            calls, begin = 0, time.perf_counter()
            while time.perf_counter() < begin + seconds:
                work()
                calls += 1
            times.append((time.perf_counter() - begin) / calls)
    return [statistics.median(times) for times in taken]


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
    return lambda: void(play(rules, *arrays, count))


@kernel(_nrt=False)
def play(rules, root, state, scratch, returns, rng, count):  # type: ignore[no-untyped-def]
    """Play `count` rollouts from `root`. Compiled as the search is: nothing in it is reference-counted."""
    for _ in range(count):
        for i in range(root.shape[0]):
            state[i] = root[i]
        rules.rollout(state, scratch, rng)
        rules.returns(state, returns)


def openspiel_search(game: str, simulations: int, uct_c: float) -> Callable[[], None] | None:
    """Return a function that searches the first position with OpenSpiel's C++ `MCTSBot`, a rollout a leaf.

    None where `open_spiel` is not installed, or `game` (its name with parameters) is empty.
    """
    try:
        import pyspiel
    except ImportError:
        return None
    if not game:
        return None
    rules = pyspiel.load_game(game)
    evaluator = pyspiel.RandomRolloutEvaluator(1, 1)
    bot = pyspiel.MCTSBot(rules, evaluator, uct_c, simulations, 10_000, False, 1, False)
    state = rules.new_initial_state()
    return lambda: void(bot.step(state))


def void(result: Any) -> None:
    """Drop a result."""
