"""UCT: equal to a plain oracle visit for visit, reproducible, within its memory and its limits."""

from __future__ import annotations

import time
from typing import Any

import numpy as np
import pytest
from agents_help import after, decide, play, view_of
from agents_oracle import search as plain_search
from agents_oracle import visits_by_action
from agents_toys import SecretlyWasteful, Trio, Wasteful

from agents import Decision, Limit, ParameterError, make_agent
from agents.base import NEVER, AgentRefused
from agents.mcts.tree import BYTES_PER_NODE, ROOT, Tree
from agents.uct import UCT, search, search_kernel
from envs import make_rules
from envs.kernels import JIT
from envs.rules import list_legal
from envs.streams import make_stream


def uct(rules: Any, **params: Any) -> UCT:
    agent = make_agent("uct", rules, **{"memory_mb": 8, **params})
    assert isinstance(agent, UCT)
    return agent


def searched(agent: UCT, simulations: int, seed: int = 0, state: Any = None) -> Decision:
    agent.reset(0, seed)
    state = agent.rules.initial_state() if state is None else state
    return decide(agent, agent.rules, state, Limit(simulations=simulations))


@pytest.fixture(scope="module")
def tic_tac_toe() -> Any:
    return make_rules("tic_tac_toe")


@pytest.mark.parametrize(
    "rules",
    [make_rules("tic_tac_toe"), make_rules("connect_four"), make_rules("hex", size=4), Trio.make()],
    ids=["tic_tac_toe", "connect_four", "hex", "three players, extra turns"],
)
@pytest.mark.parametrize("solver", [False, True])
@pytest.mark.parametrize("uct_c", [0.3, 1.2])
def test_visits_are_those_of_the_plain_oracle(rules: Any, uct_c: float, solver: bool) -> None:
    agent, count = uct(rules, uct_c=uct_c, solver=solver), 1_500
    for seed in range(3):
        state = after(rules, rules.initial_state(), *([0, 1] if seed == 2 else []))
        decision = searched(agent, count, seed, state)
        root = plain_search(rules, state, make_stream(seed, 0), uct_c, count, solver)
        expected = visits_by_action(root)
        assert decision.visits is not None
        assert decision.visits.tolist() == [expected[int(a)] for a in list_legal(rules, state)]
        best = next(child for child in root.tried if child.action == decision.action)
        mean = best.total / best.visits if best.exact is None else best.exact[best.mover]
        assert decision.value == pytest.approx(mean)
        assert decision.info["proven"] == (root.exact is not None)


def test_the_same_seed_gives_the_same_decision(tic_tac_toe: Any) -> None:
    one, two = (searched(uct(tic_tac_toe), 500, seed=9) for _ in range(2))
    assert one.action == two.action
    assert np.array_equal(one.visits, two.visits)  # type: ignore[arg-type]
    assert not np.array_equal(one.visits, searched(uct(tic_tac_toe), 500, seed=10).visits)  # type: ignore[arg-type]


@pytest.mark.parametrize("trees", [1, 2, 3])
def test_merged_visits_are_the_sum_of_the_trees(tic_tac_toe: Any, trees: int) -> None:
    agent = uct(tic_tac_toe, trees=trees, solver=False)
    decision = searched(agent, 1_000, seed=4)
    assert ("tree_visits" in decision.info) == (trees > 1)
    rows = np.array(decision.info.get("tree_visits", [decision.visits]))
    assert rows.shape == (trees, 9)
    assert np.array_equal(rows.sum(axis=0), decision.visits)  # type: ignore[arg-type]
    assert rows.sum() == decision.info["simulations"] == 1_000
    assert rows.sum(axis=1).max() - rows.sum(axis=1).min() <= 1
    for index, row in enumerate(rows):  # each tree is the search of its own stream, whoever ran beside it
        alone = visits_by_action(
            plain_search(tic_tac_toe, tic_tac_toe.initial_state(), make_stream(4, index), 1.2, int(row.sum()))
        )
        assert row.tolist() == [alone[a] for a in range(9)]


def test_trees_are_reproducible_and_draw_distinct_streams(tic_tac_toe: Any) -> None:
    agent = uct(tic_tac_toe, trees=4)
    first = searched(agent, 4_000, seed=1).info["tree_visits"]
    assert len({tuple(row) for row in first}) == 4
    for _ in range(10):
        assert searched(agent, 4_000, seed=1).info["tree_visits"] == first
    agent.reset(0, 1)
    assert len({work.rng.tobytes() for work in agent._forest._work}) == 4


def test_every_legal_action_has_its_visits_and_none_two_before_all_have_one() -> None:
    rules = make_rules("hex", size=3)
    state = after(rules, rules.initial_state(), 4, 0)
    decision = searched(uct(rules), 5, state=state)
    assert decision.visits is not None
    assert decision.visits.dtype == np.int64
    assert decision.visits.shape == (7,)
    assert sorted(decision.visits) == [0, 0, 1, 1, 1, 1, 1]
    assert sorted(searched(uct(rules), 7, state=state).visits) == [1] * 7  # type: ignore[arg-type]
    assert decision.visits[view_of(rules, state).legal_actions.tolist().index(decision.action)] == 1


def test_a_single_legal_action_and_positions_beside_the_end(tic_tac_toe: Any) -> None:
    last = after(tic_tac_toe, tic_tac_toe.initial_state(), 0, 1, 2, 4, 3, 5, 7, 6)
    decision = searched(uct(tic_tac_toe), 100, state=last)
    assert (decision.action, decision.value) == (8, 0.0)
    assert decision.visits is not None
    assert decision.visits.tolist() == [1]  # and it is proven
    assert decision.info["proven"]
    winning = after(tic_tac_toe, tic_tac_toe.initial_state(), 0, 3, 1, 4)
    assert searched(uct(tic_tac_toe), 100, state=winning).action == 2


@pytest.mark.skipif(not JIT, reason="counts what compiled code allocates")
@pytest.mark.parametrize("game", [("tic_tac_toe", {}), ("connect_four", {}), ("hex", {"size": 5})])
def test_the_loop_allocates_nothing(game: tuple[str, dict[str, int]]) -> None:
    from numba.core.runtime import _nrt_python, rtsys

    agent = uct(make_rules(game[0], **game[1]))
    _nrt_python.memsys_enable_stats()
    made = []
    for simulations in (10, 10_000):
        before = rtsys.get_allocation_stats()
        agent._forest.plant(None)
        agent._forest.search(agent.rules.initial_state(), [simulations], NEVER)
        made.append(rtsys.get_allocation_stats().alloc - before.alloc)
    assert made[0] == made[1]


def test_a_game_that_makes_arrays_is_searched_too() -> None:
    assert searched(uct(Wasteful.make()), 200).action == 1


@pytest.mark.skipif(not JIT, reason="plain Python allocates as it likes")
def test_a_game_that_makes_arrays_in_secret_is_told_what_to_say() -> None:
    with pytest.raises(AgentRefused, match=r"SecretlyWasteful; .* `allocates = True`"):
        uct(SecretlyWasteful.make())


def test_a_game_without_a_rollout_is_searched_without_allocation() -> None:
    """That its visits are the right ones is tested above."""
    assert "rollout" not in Trio.given
    assert search_kernel(Trio.make()) is search


def test_a_node_takes_24_bytes() -> None:
    tree = Tree.allocate(1_000)
    assert sum(array.nbytes for array in tree[:-1]) == 1_000 * BYTES_PER_NODE == 24_000


@pytest.mark.parametrize("game", [("tic_tac_toe", {}), ("connect_four", {}), ("hex", {"size": 11})])
def test_a_full_tree_goes_on_without_growing(game: tuple[str, dict[str, int]]) -> None:
    rules = make_rules(game[0], **game[1])
    agent = uct(rules, memory_mb=1, solver=False)
    agent._forest._trees[0] = Tree.allocate(rules.max_legal + 50)
    decision = searched(agent, 20_000)
    assert decision.visits is not None
    assert decision.visits.sum() == 20_000
    assert decision.info["nodes"] <= rules.max_legal + 50
    assert int(agent._forest._trees[0].visits[ROOT]) == 20_000


def test_a_full_tree_still_sees_a_win_and_a_block(tic_tac_toe: Any) -> None:
    agent = uct(tic_tac_toe)
    agent._forest._trees[0] = Tree.allocate(60)
    assert (
        searched(agent, 2_000, state=after(tic_tac_toe, tic_tac_toe.initial_state(), 0, 3, 1, 4)).action == 2
    )
    assert searched(agent, 2_000, state=after(tic_tac_toe, tic_tac_toe.initial_state(), 0, 4, 1)).action == 2


def test_limits(tic_tac_toe: Any) -> None:
    rules = make_rules("hex", size=7)
    agent, view = uct(rules, memory_mb=64), view_of(rules, rules.initial_state())
    with pytest.raises(ValueError, match="give time or simulations"):
        agent.act(view, Limit())
    start, worked = time.monotonic(), time.thread_time()
    decision = agent.act(view, Limit(time=0.05))
    assert time.monotonic() - start > 0.04
    assert time.thread_time() - worked < 0.1  # of the processor: others may keep it from us meanwhile
    assert decision.info["simulations"] > 100
    assert agent.act(view, Limit(time=5, simulations=70)).info["simulations"] == 70
    worked = time.thread_time()
    assert agent.act(view, Limit(time=0.05, simulations=10**12)).info["simulations"] < 10**12
    assert time.thread_time() - worked < 0.1


@pytest.mark.parametrize(
    "params", [{"uct_c": -1}, {"uct_c": "x"}, {"trees": 0}, {"memory_mb": 0}, {"explore": 1.0}]
)
def test_bad_parameters_are_named(tic_tac_toe: Any, params: dict[str, Any]) -> None:
    with pytest.raises(ParameterError, match=next(iter(params))):
        make_agent("uct", tic_tac_toe, **params)


def test_games_end_within_reason_under_a_stated_seed(tic_tac_toe: Any) -> None:
    agents = [uct(tic_tac_toe), uct(tic_tac_toe)]
    assert play(tic_tac_toe, agents, [Limit(simulations=3_000)] * 2, 1) == [0.0, 0.0]
