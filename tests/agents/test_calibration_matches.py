"""Matches between settings of UCT: what simulations, RAVE and priors are worth, at bounds far from noise.

Every pair of games begins with the same two random moves, and each setting plays either side. How often UCT
finds the right move is in `test_calibration.py`.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from agents_help import decide, returns_of

from agents import Limit, make_agent
from envs import make_rules
from envs.rules import list_legal

RAVE = {"rave_k": 2_000, "uct_c": 0.3}
PUCT = {"selection": "puct", "uct_c": 2.5}


def score(rules: Any, params: list[dict[str, Any]], simulations: list[int], games: int) -> float:
    """Return the share of points of the first setting, of 1 a win and 0.5 a draw."""
    agents = [make_agent("uct", rules, memory_mb=16, **each) for each in params]
    points = []
    for game in range(games):
        order = [0, 1] if game % 2 == 0 else [1, 0]
        for seat, index in enumerate(order):
            agents[index].reset(seat, 2 * game + seat)
        state = opening(rules, game // 2)
        while not rules.is_terminal(state):
            index = order[int(rules.current_player(state))]
            limit = Limit(simulations=simulations[index])
            rules.step(state, decide(agents[index], rules, state, limit).action)
        points.append((returns_of(rules, state)[order.index(0)] + 1) / 2)
    return float(np.mean(points))


def opening(rules: Any, seed: int) -> Any:
    """Return the state after two random moves."""
    rng, state = np.random.default_rng(seed), rules.initial_state()
    for _ in range(2):
        rules.step(state, int(rng.choice(list_legal(rules, state))))
    return state


@pytest.mark.parametrize("game", [("havannah", 5), ("hex", 7)], ids=str)
def test_twice_the_simulations_win_sixty_to_ninety_per_cent(game: tuple[str, int]) -> None:
    """Measured with other seeds, 200 games: Havannah 75.5%, Hex 76.0%, either way 6 points with 95%."""
    rules = make_rules(game[0], size=game[1])
    assert 0.6 <= score(rules, [{}, {}], [1_000, 500], 200) <= 0.9


@pytest.mark.parametrize(("game", "least"), [(("havannah", 5), 0.8), (("hex", 7), 0.7)], ids=str)
def test_rave_beats_plain_uct_at_equal_simulations(game: tuple[str, int], least: float) -> None:
    rules = make_rules(game[0], size=game[1])
    assert score(rules, [RAVE, {}], [1_000, 1_000], 100) >= least


@pytest.mark.parametrize(
    ("name", "params", "least"),
    [
        ("breakthrough", {"rows": 6, "columns": 6}, 0.7),
        ("gomoku", {"rows": 9, "columns": 9}, 0.7),
        ("connect_four", {}, 0.5),
    ],
)
def test_puct_gains_by_the_games_prior(name: str, params: dict[str, int], least: float) -> None:
    """Measured with other seeds: Breakthrough 88%, Gomoku 81% of 100 games, Connect Four 62% of 400.

    With equal weights for all moves it was 42% of 100 in Breakthrough and 45% in Connect Four.
    """
    assert score(make_rules(name, **params), [PUCT, {}], [500, 500], 200) >= least
