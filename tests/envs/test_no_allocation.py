"""No game allocates in what a search calls, and a state is as long as its game says.

That nothing is allocated is seen from this: all of it compiles without numba's runtime, which could.
"""

from __future__ import annotations

import re
import sys
from typing import Any

import numpy as np
import pytest

import envs
from envs.kernels import JIT, kernel
from envs.rules import list_legal
from envs.streams import make_stream


@kernel(_nrt=False)
def visit(rules, state, action, scratch, weights, out, rng):
    """Call all that a search calls; return something of each, or it would not be compiled in."""
    found = rules.legal_actions(state, scratch) + rules.current_player(state) + rules.is_terminal(state)
    value = rules.evaluate(state, 0) + np.float64(rules.hash_key(state) & np.uint64(1))
    found += rules.is_quiet(state)
    rules.score_bounds(state, out)
    found += rules.candidates(state, scratch, weights) + np.int64(rules.zone(state) & np.uint64(1))
    rules.step(state, action)
    rules.rollout(state, scratch, rng)
    rules.returns(state, out)
    return value + found


@pytest.mark.skipif(not JIT, reason="plain Python always allocates")
@pytest.mark.parametrize("name", envs.game_names())
def test_a_game_compiles_where_nothing_can_be_allocated(name: str) -> None:
    rules = envs.make_rules(name)
    state = rules.initial_state()
    action = int(list_legal(rules, state)[0])
    scratch, weights = np.zeros(rules.max_legal, np.int64), np.zeros(rules.max_legal)
    assert np.isfinite(
        visit(rules, state, action, scratch, weights, np.zeros(rules.num_players), make_stream(1))
    )
    assert rules.is_terminal(state)


@pytest.mark.parametrize("name", envs.game_names())
def test_the_docstring_says_how_many_bytes_a_state_takes(name: str) -> None:
    state = envs.make_rules(name).initial_state()
    said = re.search(r"State: (u?int\d+)\[.*? ([\d,]+) bytes", _docstring(name))
    assert said is not None
    assert (said[1], int(said[2].replace(",", ""))) == (state.dtype, state.nbytes)


def test_go_says_it_for_large_boards_too() -> None:
    assert f"{envs.make_rules('go', size=19).initial_state().nbytes:,} for 19x19" in _docstring("go")


def _docstring(name: str) -> Any:
    return " ".join(str(sys.modules[envs.game_class(name).__module__].__doc__).split())
