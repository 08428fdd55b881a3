"""How well UCT plays, where the right answer is known, and how its one constant shapes the tree."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from agents_help import Solver, after, decide, play, reachable, returns_of

from agents import Limit, make_agent
from envs import make_rules
from envs.rules import list_legal

SEVEN_HUNDRED = Limit(simulations=700)


@pytest.fixture(scope="module")
def rules() -> Any:
    return make_rules("tic_tac_toe")


def winning_actions(rules: Any, state: Any, player: int) -> set[int]:
    """Return the actions that end the game with a win for the player to move."""
    children = {int(action): after(rules, state, action) for action in list_legal(rules, state)}
    return {
        a
        for a, child in children.items()
        if rules.is_terminal(child) and returns_of(rules, child)[player] > 0
    }


def blocks(rules: Any, state: Any) -> set[int]:
    """Return the actions after which the opponent has no win in one, where some actions leave one."""
    mover = int(rules.current_player(state))
    threat = {
        int(a): bool(_next_wins(rules, after(rules, state, a), 1 - mover)) for a in list_legal(rules, state)
    }
    return {a for a, lost in threat.items() if not lost} if any(threat.values()) else set()


def _next_wins(rules: Any, state: Any, player: int) -> set[int]:
    return set() if rules.is_terminal(state) else winning_actions(rules, state, player)


def connect_four_positions(rules: Any, count: int) -> Iterator[Any]:
    """Yield positions of random games."""
    rng = np.random.default_rng(5)
    for _ in range(count):
        state = rules.initial_state()
        while not rules.is_terminal(state):
            yield state.copy()
            rules.step(state, int(rng.choice(list_legal(rules, state))))


def check_win_and_block(rules: Any, states: list[Any], fine: Any) -> tuple[int, int]:
    """Assert that a win in one and a forced block are found; return how many of each there were."""
    agent = make_agent("uct", rules)
    wins = forced = 0
    for seed, state in enumerate(states):
        mover = int(rules.current_player(state))
        win = winning_actions(rules, state, mover)
        wanted = win or (blocks(rules, state) if fine(state) else set())
        if not wanted:
            continue
        agent.reset(mover, seed)
        assert decide(agent, rules, state, SEVEN_HUNDRED).action in wanted, rules.to_text(state)
        wins, forced = wins + bool(win), forced + (not win)
    return wins, forced


def test_a_win_in_one_and_a_forced_block_are_found_in_every_position(rules: Any) -> None:
    solver = Solver(rules)
    states = [state for state in reachable(rules) if not rules.is_terminal(state)]
    # Where every move loses, which one delays the loss is not what UCT looks for.
    wins, forced = check_win_and_block(rules, states, lambda state: solver.value(state) >= 0)
    assert wins > 1_000
    assert forced > 500


def test_a_win_in_one_and_a_forced_block_are_found_in_connect_four() -> None:
    rules = make_rules("connect_four")

    def single_threat(state: Any) -> bool:
        return len(blocks(rules, state)) == 1

    wins, forced = check_win_and_block(rules, list(connect_four_positions(rules, 60)), single_threat)
    assert wins > 50
    assert forced > 20


@pytest.mark.parametrize("rollout", ["random", "decisive"])
@pytest.mark.parametrize("seat", [0, 1])
def test_does_not_lose_to_random(rules: Any, seat: int, rollout: str) -> None:
    agents = [make_agent("uct", rules, rollout=rollout), make_agent("random", rules)][:: 1 - 2 * seat]
    results = [play(rules, agents, [SEVEN_HUNDRED] * 2, seed)[seat] for seed in range(200)]
    assert min(results) >= 0.0
    assert np.mean(results) > 0.7


@pytest.mark.parametrize(
    ("seat", "simulations", "rollout"),
    [(0, 700, "random"), (0, 700, "decisive"), (1, 700, "decisive"), (1, 10_000, "random")],
)
def test_does_not_lose_to_minimax(rules: Any, seat: int, simulations: int, rollout: str) -> None:
    """With random rollouts 700 simulations are too few for the second player: see the next test."""
    limits = [Limit(simulations=simulations), Limit()][:: 1 - 2 * seat]
    agents = [make_agent("uct", rules, rollout=rollout), make_agent("minimax", rules)][:: 1 - 2 * seat]
    assert all(play(rules, agents, limits, seed)[seat] >= 0 for seed in range(200))


@pytest.mark.parametrize("solver", [False, True])
def test_loses_few_games_to_minimax_as_second_player_at_700(rules: Any, solver: bool) -> None:
    """Measured over 1,800 first replies: 6% are wrong, 4 to 5% with the solver.

    OpenSpiel's MCTSBot, asked the same, is wrong in 8%, and in 3 to 4% with its solver.
    """
    agents = [make_agent("minimax", rules), make_agent("uct", rules, solver=solver)]
    lost = sum(play(rules, agents, [Limit(), SEVEN_HUNDRED], seed)[1] < 0 for seed in range(200))
    assert lost <= 24  # 12 expected, and three standard deviations and a half


@pytest.mark.parametrize("game", [("connect_four", {}), ("hex", {"size": 4})])
def test_more_simulations_raise_the_share_of_the_best_move(game: tuple[str, dict[str, int]]) -> None:
    rules = make_rules(game[0], **game[1])
    agent, shares = make_agent("uct", rules, solver=False), []
    for simulations in (300, 3_000, 30_000):
        of_seeds = []
        for seed in range(20):
            agent.reset(0, seed)
            visits = decide(agent, rules, rules.initial_state(), Limit(simulations=simulations)).visits
            assert visits is not None
            of_seeds.append(visits.max() / visits.sum())
        shares.append(np.mean(of_seeds))
    assert shares[0] < shares[1] < shares[2]


@pytest.mark.parametrize("game", [("tic_tac_toe", {}), ("connect_four", {}), ("hex", {"size": 5})])
def test_uct_c_makes_the_tree_wide_or_deep(game: tuple[str, dict[str, int]]) -> None:
    rules = make_rules(game[0], **game[1])
    depths, entropies = [], []
    for uct_c in (0.2, 1.2, 3.0):
        agent = make_agent("uct", rules, uct_c=uct_c, solver=False)
        depth, entropy = [], []
        for seed in range(20):
            agent.reset(0, seed)
            decision = decide(agent, rules, rules.initial_state(), Limit(simulations=2_000))
            assert decision.visits is not None
            share = decision.visits[decision.visits > 0] / decision.visits.sum()
            depth.append(decision.info["mean_depth"])
            entropy.append(-(share * np.log(share)).sum())
        depths.append(np.mean(depth))
        entropies.append(np.mean(entropy))
    assert depths[0] > depths[1] > depths[2]
    assert entropies[0] < entropies[1] < entropies[2]


# 4x4 as in the regression tests of benzene (github.com/cgao3/benzene-vanilla-cmake), which for 5x5 count 13
# winners and have a3 lost to b4. 4x4 and rows 1 and 2 of 5x5 were solved again by exhaustive search; rows 4
# and 5 follow by half a turn; row 3 is then c3 with one pair of opposite cells, which a3 is not in.
HEX_WINNERS = {4: "d1 c2 b3 a4", 5: "e1 b2 c2 d2 e2 b3 c3 d3 a4 b4 c4 d4 a5"}


@pytest.mark.parametrize("size", [4, 5])
def test_opens_hex_with_a_winning_move(size: int) -> None:
    rules = make_rules("hex", size=size)
    agent, state, right = make_agent("uct", rules), rules.initial_state(), 0
    for seed in range(20):
        agent.reset(0, seed)
        action = decide(agent, rules, state, Limit(simulations=10_000)).action
        right += rules.action_to_string(state, action) in HEX_WINNERS[size].split()
    assert right >= 19
