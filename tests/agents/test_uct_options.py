"""Options of UCT: selections, rollouts, reuse, stopping, merging and levels do what they say."""

from __future__ import annotations

import math
import time
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from agents_help import after, decide, play, view_of
from agents_toys import Trio

from agents import Decision, Limit, ParameterError, View, make_agent
from agents.base import AgentRefused
from agents.levels import LEVELS
from agents.mcts.roots import Root, choose, is_decided, merge, softmax_of_visits
from agents.mcts.selection import PUCT, RAVE, BiasedUCB1, UCB1Tuned
from agents.mcts.tree import OPTIONS, ROOT, Tree, Workspace
from envs import make_rules
from envs.rules import list_legal

VARIANTS: list[dict[str, Any]] = [
    {"selection": "ucb1_tuned", "uct_c": 1.0},
    {"selection": "puct", "uct_c": 1.5},
    {"rave_k": 200},
    {"fpu": 1.0},
    {"rollout": "decisive"},
    {"rollout": "heuristic"},
    {"final_move": "max"},
    {"final_move": "robust_max"},
    {"early_stop": True},
    {"reuse_tree": True},
    {"trees": 2, "merge": "majority"},
    {"trees": 2, "merge": "mean"},
    {"selection": "puct", "rollout": "decisive", "trees": 2, "reuse_tree": True},
]


def uct(rules: Any, **params: Any) -> Any:
    return make_agent("uct", rules, **{"memory_mb": 8, **params})


def searched(agent: Any, state: Any, simulations: int, seed: int = 0) -> Decision:
    agent.reset(0, seed)
    return decide(agent, agent.rules, state, Limit(simulations=simulations))


@pytest.fixture(scope="module")
def tic_tac_toe() -> Any:
    return make_rules("tic_tac_toe")


@pytest.mark.parametrize("params", VARIANTS, ids=str)
def test_every_variant_wins_blocks_and_repeats_itself(tic_tac_toe: Any, params: dict[str, Any]) -> None:
    rules, agent = tic_tac_toe, uct(tic_tac_toe, **params)
    start = rules.initial_state()
    assert searched(agent, after(rules, start, 0, 3, 1, 4), 700).action == 2
    assert searched(agent, after(rules, start, 0, 4, 1), 2_000).action == 2
    one, two = (searched(agent, start, 900, seed=5) for _ in range(2))
    assert one.action == two.action
    assert np.array_equal(one.visits, two.visits)  # type: ignore[arg-type]
    assert one.visits is not None
    assert one.visits.sum() == one.info["simulations"] <= 900


@pytest.mark.parametrize("params", VARIANTS, ids=str)
def test_every_variant_plays_with_three_players_and_extra_turns(params: dict[str, Any]) -> None:
    rules = Trio.make()
    play(rules, [uct(rules, **params)] * 3, [Limit(simulations=200)] * 3, 1)


def scores_of(agent: Any, state: Any, simulations: int) -> dict[str, Any]:
    """Search, and return the arrays of the root's children."""
    searched(agent, state, simulations)
    tree = agent._forest._trees[0]
    children = slice(int(tree.first_child[ROOT]), int(tree.first_child[ROOT] + tree.num_children[ROOT]))
    found = {
        name: getattr(tree, name)[children].copy() for name in tree._fields if getattr(tree, name).size > 1
    }
    return found | {"parent": int(tree.visits[ROOT])}


@pytest.mark.parametrize("n", [1, 7, 500])
def test_scores_are_those_of_the_papers(tic_tac_toe: Any, n: int) -> None:
    """Of a child with mean 0.4 and squares' mean 0.9 at a parent of 1,000 visits."""
    tree, work = Tree.allocate(4, list(OPTIONS)), Workspace.allocate(tic_tac_toe)
    tree.visits[:2] = 1_000, n
    tree.value_sum[1], tree.square_sum[1], tree.inverse_root[1] = 0.4 * n, 0.9 * n, n**-0.5
    tree.prior[1], tree.amaf_visits[1], tree.amaf_sum[1] = 0.25, 50, 10.0
    log = math.log(1_000)
    # Auer, Cesa-Bianchi and Fischer (2002) have rewards in [0, 1]: theirs is (score + 1) / 2.
    variance = (0.9 - 0.4**2) / 4 + math.sqrt(2 * log / n)
    theirs = 0.7 + math.sqrt(log / n * min(0.25, variance))
    assert UCB1Tuned(1.0, math.inf, 0.0).score(tree, work, 0, 1) == pytest.approx(2 * theirs - 1)
    bonus = 3.0 * 0.25 / (n + 1)
    assert UCB1Tuned(1.0, math.inf, 3.0).score(tree, work, 0, 1) == pytest.approx(2 * theirs - 1 + bonus)
    assert BiasedUCB1(1.2, math.inf, 3.0).score(tree, work, 0, 1) == pytest.approx(
        0.4 + 1.2 * math.sqrt(log / n) + bonus
    )
    assert PUCT(1.5, math.inf).score(tree, work, 0, 1) == pytest.approx(
        0.4 + 1.5 * 0.25 * math.sqrt(1_000) / (n + 1)
    )
    beta = math.sqrt(300 / (3 * 1_000 + 300))
    assert RAVE(0.5, math.inf, 0.0, 300.0).score(tree, work, 0, 1) == pytest.approx(
        (1 - beta) * 0.4 + beta * 0.2 + 0.5 * math.sqrt(log / (n + 1))
    )


def test_scores_of_children_never_visited(tic_tac_toe: Any) -> None:
    tree, work = Tree.allocate(4, list(OPTIONS)), Workspace.allocate(tic_tac_toe)
    tree.visits[:2] = 1_000, 0
    tree.prior[1], tree.amaf_visits[1], tree.amaf_sum[1] = 0.25, 0, 0.0
    for selection in (UCB1Tuned(1.0, 0.7, 9.0), BiasedUCB1(1.0, 0.7, 9.0), RAVE(1.0, 0.7, 9.0, 100.0)):
        assert selection.score(tree, work, 0, 1) == 0.7
    assert PUCT(1.0, -0.5).score(tree, work, 0, 1) == pytest.approx(-0.5 + 0.25 * math.sqrt(1_000))
    assert PUCT(1.0, math.inf).score(tree, work, 0, 1) == pytest.approx(0.25 * math.sqrt(1_000))
    tree.amaf_visits[1], tree.amaf_sum[1] = 10, 6.0
    assert RAVE(0.0, 0.7, 0.0, 100.0).score(tree, work, 0, 1) == pytest.approx(0.6)


def test_amaf_counts_what_was_played_later_too() -> None:
    rules = make_rules("hex", size=3)
    found = scores_of(uct(rules, rave_k=50, solver=False), rules.initial_state(), 2_000)
    assert np.all(found["amaf_visits"] >= found["visits"])
    assert np.all(np.abs(found["amaf_sum"]) <= found["amaf_visits"])
    # Whoever wins Hex 3x3 has placed 3 to 5 of the 9 stones, the first player as many or one more.
    assert 3 * 2_000 <= found["amaf_visits"].sum() <= 5 * 2_000


def test_a_low_first_play_urgency_leaves_children_untried(tic_tac_toe: Any) -> None:
    rules = make_rules("hex", size=7)
    all_tried = searched(uct(rules), rules.initial_state(), 400).visits
    some_tried = searched(uct(rules, fpu=0.2, uct_c=0.3), rules.initial_state(), 400).visits
    assert all_tried is not None
    assert some_tried is not None
    assert np.count_nonzero(all_tried) == 49
    assert np.count_nonzero(some_tried) < 49


def test_decisive_rollouts_are_as_random_play_with_wins_and_blocks() -> None:
    """Tic-tac-toe with four empty cells, X to move and two threats of O: O wins unless X does first."""
    rules = make_rules("tic_tac_toe")
    state = after(rules, rules.initial_state(), 0, 2, 1, 4, 5)  # O to move wins at 6
    decision = searched(uct(rules, rollout="decisive"), state, 50)
    assert (decision.action, decision.value, decision.info["simulations"]) == (6, 1.0, 1)


def test_the_game_before_is_forgotten(tic_tac_toe: Any) -> None:
    agent = uct(tic_tac_toe, reuse_tree=True)
    fresh = searched(agent, tic_tac_toe.initial_state(), 500, seed=3)
    searched(agent, after(tic_tac_toe, tic_tac_toe.initial_state(), 4), 500, seed=8)
    assert np.array_equal(fresh.visits, searched(agent, tic_tac_toe.initial_state(), 500, seed=3).visits)  # type: ignore[arg-type]


def view_after(rules: Any, *actions: int) -> View:
    return replace(view_of(rules, after(rules, rules.initial_state(), *actions)), history=actions)


@pytest.mark.parametrize("params", [{}, {"rave_k": 100}, {"selection": "ucb1_tuned"}], ids=str)
def test_the_subtree_of_the_moves_played_is_kept_whole(params: dict[str, Any]) -> None:
    rules = make_rules("connect_four")
    agent = uct(rules, reuse_tree=True, **params)
    agent.reset(0, 1)
    agent.act(view_after(rules), Limit(simulations=5_000))
    forest = agent._forest
    before = subtree(forest._trees[0], [3, 2])
    decision = agent.act(view_after(rules, 3, 2), Limit(simulations=1))
    after_one = subtree(forest._trees[0], [])
    assert before["visits"] > 100
    assert after_one["visits"] == before["visits"] + 1
    assert decision.visits is not None
    assert decision.visits.sum() == sum(child["visits"] for child in after_one["children"])
    grown = count_nodes(after_one) - count_nodes(before)
    assert 0 <= grown <= 7
    assert forest.counts()[0, -1] == count_nodes(after_one)  # nothing else takes room


def subtree(tree: Any, actions: list[int], node: int = ROOT) -> dict[str, Any]:
    """Return a subtree as nested dictionaries."""
    first, count = int(tree.first_child[node]), int(tree.num_children[node])
    children = range(first, first + count) if tree.visits[node] > 0 and first >= 0 else range(0)
    if actions:
        return subtree(tree, actions[1:], next(c for c in children if tree.action[c] == actions[0]))
    below = [subtree(tree, [], child) for child in children]
    return {"visits": int(tree.visits[node]), "action": int(tree.action[node]), "children": below}


def count_nodes(node: dict[str, Any]) -> int:
    return 1 + sum(count_nodes(child) for child in node["children"])


def test_another_game_or_a_view_without_history_starts_afresh(tic_tac_toe: Any) -> None:
    agent = uct(tic_tac_toe, reuse_tree=True)
    agent.reset(0, 1)
    agent.act(view_after(tic_tac_toe), Limit(simulations=300))
    decision = agent.act(
        view_of(tic_tac_toe, after(tic_tac_toe, tic_tac_toe.initial_state(), 4)), Limit(simulations=40)
    )
    assert decision.visits.sum() == decision.info["simulations"] == 40


def test_an_early_stop_never_changes_the_move() -> None:
    rules, saved = make_rules("connect_four"), 0
    early, whole = uct(rules, early_stop=True, solver=False), uct(rules, solver=False)
    state = after(rules, rules.initial_state(), 3, 3, 2)
    for seed in range(20):
        one, two = searched(early, state, 2_000, seed), searched(whole, state, 2_000, seed)
        assert one.action == two.action
        saved += two.info["simulations"] - one.info["simulations"]
        assert one.info["stopped"] == ("decided" if one.info["simulations"] < 2_000 else "limit")
    assert saved > 0


def test_early_stop_saves_time(tic_tac_toe: Any) -> None:
    agent = uct(tic_tac_toe, early_stop=True, solver=False)
    state = after(tic_tac_toe, tic_tac_toe.initial_state(), 0, 4, 1)
    worked = time.thread_time()
    decision = decide(agent, tic_tac_toe, state, Limit(time=0.5))
    assert time.thread_time() - worked < 0.5
    assert decision.info["stopped"] == "decided"


def test_robust_max_searches_on_until_visits_and_value_agree() -> None:
    rules, ends = make_rules("connect_four"), set()
    agent = uct(rules, final_move="robust_max", solver=False)
    for seed in range(100):
        decision = searched(agent, rules.initial_state(), 60, seed)
        root = agent._forest.roots(list_legal(rules, rules.initial_state()))[0]
        agree = root.visits[root.values == root.values.max()].max() == root.visits.max()
        ends.add(decision.info["stopped"])
        assert decision.info["simulations"] >= 45
        if decision.info["stopped"] == "agreed":
            assert agree
        else:
            assert decision.info["simulations"] == 60
    assert "agreed" in ends


def root(visits: list[int], values: list[float], proven: tuple[int, ...] = ()) -> Root:
    known = np.isin(np.arange(len(visits)), proven)
    kept = np.ones(len(visits), np.bool_)
    return Root(np.array(visits), np.array(visits) * np.array(values), known, np.array(values), kept)


def test_final_moves() -> None:
    searched_root = root([50, 30, 30], [0.1, 0.4, 0.2])
    assert choose([searched_root], "sum", "robust") == 0
    assert choose([searched_root], "sum", "max") == 1
    assert choose([root([30, 30], [0.1, 0.2])], "sum", "robust") == 1
    assert choose([root([50, 3], [0.1, 0.5], (1,))], "sum", "robust") == 1  # sure of more
    assert choose([root([50, 3], [0.1, 0.0], (1,))], "sum", "robust") == 0
    assert choose([root([3, 3], [1.0, 1.0], (0,))], "sum", "robust") == 0  # sure, not only lucky so far
    assert choose([root([50, 3], [-1.0, -1.0], (0,))], "sum", "robust") == 1
    assert choose([root([50, 0], [-1.0, -2.0], (0,))], "sum", "robust") == 1
    assert choose([root([50, 3], [-1.0, -0.9], (0,))], "sum", "robust") == 1  # no proven loss
    assert choose([root([5, 30], [-1.0, -1.0], (0, 1))], "sum", "robust") == 1  # the longest to refute


def test_merges() -> None:
    trees = [root([60, 40], [0.0, 0.3]), root([60, 40], [0.0, 0.3]), root([0, 100], [0.0, -0.3])]
    assert choose(trees, "sum", "robust") == 1
    assert choose(trees, "majority", "robust") == 0
    assert choose(trees, "mean", "robust") == 1  # means 0.0 and 0.1
    assert merge(trees).visits.tolist() == [120, 180]
    proven = [root([60, 40], [0.0, 0.3]), root([10, 5], [0.0, 1.0], (1,))]
    assert all(choose(proven, merging, "robust") == 1 for merging in ("sum", "majority", "mean"))
    assert merge(proven).values.tolist() == [0.0, 1.0]


def test_decided() -> None:
    assert is_decided(root([50, 30], [0, 0]), 19)
    assert not is_decided(root([50, 30], [0, 0]), 20)


def test_temperature_draws_in_proportion_to_powers_of_visits() -> None:
    visits = [40, 10, 0]
    assert softmax_of_visits(root(visits, [0, 0, 0]), 1.0) == pytest.approx([0.8, 0.2, 0.0])
    assert softmax_of_visits(root(visits, [0, 0, 0]), 0.5) == pytest.approx([16 / 17, 1 / 17, 0.0])
    rules = make_rules("connect_four")
    agent = uct(rules, temperature=1.0)
    agent.reset(0, 1)
    drawn = np.zeros(7)
    for _ in range(300):
        decision = decide(agent, rules, rules.initial_state(), Limit(simulations=50))
        assert decision.visits is not None
        drawn[decision.action] += 1 - decision.visits[decision.action] / 50
    expected = 300 * (1 - 1 / 7)
    assert abs(drawn.sum() - expected) < 60  # far from always the most visited
    agent.reset(0, 1)
    again = [decide(agent, rules, rules.initial_state(), Limit(simulations=50)).action for _ in range(20)]
    agent.reset(0, 1)
    assert again == [
        decide(agent, rules, rules.initial_state(), Limit(simulations=50)).action for _ in range(20)
    ]


def test_levels_cap_the_limit_and_rank_as_they_say(tic_tac_toe: Any) -> None:
    rules = make_rules("connect_four")
    players = {name: uct(rules, level=name) for name in LEVELS}
    for name, level in LEVELS.items():
        done = searched(players[name], rules.initial_state(), 2_000).info["simulations"]
        assert done == min(2_000, level.simulations or 2_000)
    for weak, strong in (("easy", "medium"), ("medium", "hard")):
        scores = []
        for seed in range(40):
            order = [weak, strong] if seed % 2 == 0 else [strong, weak]
            returns = play(
                rules, [players[name] for name in order], [Limit(simulations=4_000)] * 2, seed // 2
            )
            scores.append(returns[order.index(strong)])
        assert np.mean(scores) > 0.3, (weak, strong)


@pytest.mark.parametrize("merging", ["sum", "majority", "mean"])
def test_processes_answer_as_threads_do(merging: str) -> None:
    rules = make_rules("connect_four")
    views = [view_after(rules), view_after(rules, 3, 3)]
    answers = []
    for parallel in ("thread", "process"):
        agent = uct(rules, trees=2, parallel=parallel, merge=merging, reuse_tree=True)
        agent.reset(0, 7)
        answers.append([agent.act(view, Limit(simulations=3_000)) for view in views])
    for one, two in zip(*answers, strict=True):
        assert one.action == two.action
        assert one.info == two.info
        assert np.array_equal(one.visits, two.visits)


def test_the_processes_of_an_agent_end_with_it() -> None:
    rules = make_rules("tic_tac_toe")
    agent = uct(rules, trees=2, parallel="process")
    processes = agent._forest._processes
    assert all(process.poll() is None for process in processes)
    del agent
    assert all(process.poll() == 0 for process in processes)


@pytest.mark.parametrize(
    ("params", "named"),
    [
        ({"selection": "ucb"}, "selection.*'ucb'.*ucb1_tuned"),
        ({"rollout": "smart"}, "rollout.*'smart'.*decisive"),
        ({"final_move": "best"}, "final_move"),
        ({"rave_k": -1}, "rave_k"),
        ({"rave_k": 10, "selection": "puct"}, "rave_k.*ucb1"),
        ({"early_stop": True, "merge": "mean"}, "early_stop"),
        ({"early_stop": True, "final_move": "max"}, "early_stop"),
        ({"temperature": -0.1}, "temperature"),
        ({"level": "expert"}, "level.*easy"),
        ({"rollout_depth": 0}, "rollout_depth"),
        ({"parallel": "gpu"}, "parallel"),
        ({"uct_c": math.nan}, "uct_c"),
    ],
)
def test_bad_options_are_named(tic_tac_toe: Any, params: dict[str, Any], named: str) -> None:
    with pytest.raises(ParameterError, match=named):
        make_agent("uct", tic_tac_toe, **params)


@pytest.mark.parametrize(
    "params", [{"rollout": "evaluate"}, {"rollout": "truncated"}, {"progressive_bias": 1.0}]
)
def test_a_game_without_evaluate_is_refused_where_it_is_needed(params: dict[str, Any]) -> None:
    with pytest.raises(AgentRefused, match="evaluate"):
        make_agent("uct", Trio.make(), **params)


@pytest.mark.parametrize(
    "params",
    [
        {"rollout": "evaluate"},
        {"rollout": "truncated", "rollout_depth": 4},
        {"progressive_bias": 2.0},
        {"progressive_bias": 2.0, "selection": "ucb1_tuned"},
        {"progressive_bias": 2.0, "rave_k": 100},
    ],
    ids=str,
)
def test_evaluate_leads_the_search_where_it_is_asked(params: dict[str, Any]) -> None:
    """Breakthrough's own `evaluate` is enough to beat random play."""
    rules = make_rules("breakthrough", rows=6, columns=4)
    agents = [uct(rules, **params), make_agent("random", rules)]
    for seed in range(6):
        order = [0, 1] if seed % 2 == 0 else [1, 0]
        returns = play(rules, [agents[i] for i in order], [Limit(simulations=150)] * 2, seed)
        assert returns[order.index(0)] == 1.0
