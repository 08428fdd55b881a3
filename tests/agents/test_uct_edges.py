"""UCT where options meet each other and the edges: few simulations, proven moves, broken processes."""

from __future__ import annotations

import json
import threading
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from agents_help import after, decide, said_with_and_without_compiler, view_of
from agents_toys import SecretlyWasteful, Trio

from agents import Limit, ParameterError, make_agent
from agents.base import NEVER, AgentRefused
from agents.mcts.decisive import AllMoves
from agents.mcts.forest import Settings
from agents.mcts.rollouts import GameRollout, draw_weighted
from agents.mcts.roots import Root, choose, is_decided, merge, softmax_of_visits
from agents.mcts.selection import UCB1, BiasedUCB1, best_by_score
from agents.mcts.solver import set_proven
from agents.mcts.tree import OPTIONS, ROOT, SIMULATIONS, Tree, Workspace
from agents.uct import search_kernel
from envs import make_rules
from envs.kernels import JIT
from envs.rules import list_legal
from envs.streams import make_stream

EVERY_OPTION = [
    {"selection": "ucb1_tuned", "uct_c": 1.0},
    {"selection": "puct"},
    {"rave_k": 200.0},
    {"fpu": 0.5},
    {"rollout": "decisive"},
    {"decisive_tree": True},
    {"rollout": "heuristic"},
    {"solver": False},
    {"final_move": "max"},
    {"final_move": "robust_max"},
    {"early_stop": True},
    {"reuse_tree": True},
    {"temperature": 0.5},
    {"trees": 2, "merge": "majority"},
    {"trees": 2, "merge": "mean"},
    {"trees": 2, "parallel": "process"},
]
WITH_EVALUATE = [
    {"rollout": "evaluate"},
    {"rollout": "truncated", "rollout_depth": 4},
    {"progressive_bias": 2.0},
    {"progressive_bias": 2.0, "rave_k": 100.0},
]
DECISIONS = """
import json, sys
sys.path.append({folder!r})
from test_uct_edges import EVERY_OPTION, WITH_EVALUATE, decisions
answers = decisions("tic_tac_toe", {{}}, EVERY_OPTION)
answers += decisions("breakthrough", {{"rows": 6, "columns": 4}}, WITH_EVALUATE)
print(json.dumps(answers))
"""


def uct(rules: Any, **params: Any) -> Any:
    return make_agent("uct", rules, **{"memory_mb": 1, **params})


@pytest.fixture(scope="module")
def tic_tac_toe() -> Any:
    return make_rules("tic_tac_toe")


def decisions(game: str, params: dict[str, Any], options: list[dict[str, Any]]) -> list[Any]:
    """Return what each variant of UCT answers at two positions of one game, as JSON can hold it."""
    rules, answers = make_rules(game, **params), []
    for option in options:
        agent, state, history = uct(rules, **option), rules.initial_state(), ()
        agent.reset(0, 3)
        for _ in range(2):
            decision = agent.act(replace(view_of(rules, state), history=history), Limit(simulations=120))
            answers.append(
                [option, decision.action, decision.visits.tolist(), decision.value, dict(decision.info)]
            )
            history += (int(list_legal(rules, state)[0]),)
            rules.step(state, history[-1])
    return answers


def test_plain_python_decides_as_compiled_code_does_with_every_option() -> None:
    code = DECISIONS.format(folder=str(Path(__file__).parent))
    compiled, plain = said_with_and_without_compiler(code)
    assert json.loads(compiled) == json.loads(plain)


@pytest.mark.parametrize("merging", ["sum", "majority", "mean"])
def test_trees_without_a_simulation_have_no_say(tic_tac_toe: Any, merging: str) -> None:
    agent = uct(tic_tac_toe, trees=4, merge=merging)
    for seed in range(5):
        agent.reset(0, seed)
        decision = decide(agent, tic_tac_toe, tic_tac_toe.initial_state(), Limit(simulations=2))
        assert decision.visits is not None
        assert decision.visits[decision.action] > 0
        assert decision.info["simulations"] == 2


def test_a_move_never_tried_is_better_than_a_sure_loss_and_has_no_value() -> None:
    rules = make_rules("nim", piles=[2], misere=True)  # who takes both has lost
    agent, values = uct(rules), set()
    for seed in range(10):
        agent.reset(0, seed)
        decision = decide(agent, rules, rules.initial_state(), Limit(simulations=1))
        assert decision.action == list_legal(rules, rules.initial_state())[0]
        values.add(decision.value)
    assert values == {None, 1.0}


@pytest.mark.parametrize("decisive", [{"rollout": "decisive"}, {"decisive_tree": True}], ids=str)
def test_what_decisive_leaves_out_is_no_obstacle_to_a_proof(
    tic_tac_toe: Any, decisive: dict[str, Any]
) -> None:
    state = after(tic_tac_toe, tic_tac_toe.initial_state(), 0, 4, 8, 2)  # X has to block at 6
    agent = uct(tic_tac_toe, early_stop=True, **decisive)
    decision = decide(agent, tic_tac_toe, state, Limit(simulations=3_000))
    assert (decision.action, decision.info["stopped"]) == (6, "proven")
    root = agent._forest.roots(list_legal(tic_tac_toe, state))[0]
    assert np.flatnonzero(root.kept).tolist() == [list_legal(tic_tac_toe, state).tolist().index(6)]


def test_decisive_leaves_nothing_out_where_there_are_three_players() -> None:
    rules = Trio.make()
    agent, state = uct(rules, rollout="decisive"), after(rules, rules.initial_state(), 1, 1)
    decide(agent, rules, state, Limit(simulations=1))
    assert agent._forest.roots(list_legal(rules, state))[0].kept.all()


@pytest.mark.parametrize("params", [{"early_stop": True}, {"final_move": "robust_max"}], ids=str)
def test_a_tree_that_is_done_does_not_hold_up_the_others(tic_tac_toe: Any, params: dict[str, Any]) -> None:
    state = after(tic_tac_toe, tic_tac_toe.initial_state(), 0, 4, 8, 2, 6, 3)
    agent = uct(tic_tac_toe, trees=2, **params)
    for seed in range(20):
        agent.reset(0, seed)
        assert decide(agent, tic_tac_toe, state, Limit(simulations=7)).info["simulations"] <= 7


def test_slices_share_simulations_as_evenly_as_one_search(tic_tac_toe: Any) -> None:
    agent = uct(tic_tac_toe, trees=3, final_move="robust_max", solver=False)
    rows = decide(agent, tic_tac_toe, tic_tac_toe.initial_state(), Limit(simulations=1_000)).info
    sums = [sum(row) for row in rows["tree_visits"]]
    assert max(sums) - min(sums) <= 1


def root(visits: list[int], values: list[float], proven: tuple[int, ...] = ()) -> Root:
    known, kept = np.isin(np.arange(len(visits)), proven), np.ones(len(visits), np.bool_)
    return Root(np.array(visits), np.array(visits) * np.array(values), known, np.array(values), kept)


@pytest.mark.parametrize("merging", ["sum", "majority", "mean"])
def test_what_one_tree_knows_to_be_lost_no_vote_brings_back(merging: str) -> None:
    trees = [root([60, 40], [0.4, -0.3])] * 2 + [root([2, 98], [-1.0, -0.3], (0,))]
    assert choose(trees, merging, "robust") == 1


def test_a_proven_loss_is_no_leader() -> None:
    assert not is_decided(root([90, 30, 28], [-1.0, 0.1, 0.1], (0,)), 10)
    assert is_decided(root([90, 30, 28], [-1.0, 0.1, 0.1], (0,)), 1)
    assert is_decided(root([90, 30], [-1.0, 0.1], (0,)), 1_000)


def test_the_coldest_temperature_takes_the_most_visited() -> None:
    assert softmax_of_visits(root([40, 10, 0], [0, 0, 0]), 1e-300).tolist() == [1, 0, 0]
    assert softmax_of_visits(root([40, 40], [0, 0]), 5e-324).tolist() == [0.5, 0.5]


def test_a_proven_loss_comes_after_what_a_bias_makes_worse(tic_tac_toe: Any) -> None:
    tree, work = Tree.allocate(4, list(OPTIONS)), Workspace.allocate(tic_tac_toe)
    tree.plant()
    tree.first_child[ROOT], tree.num_children[ROOT], tree.visits[:3] = 1, 2, (20, 10, 10)
    tree.value_sum[1], tree.prior[1:3] = -10.0, -0.9
    tree.inverse_root[1:3] = 10**-0.5
    set_proven(tree, 2, -1.0, True)
    assert best_by_score(BiasedUCB1(1.2, np.inf, 1_000.0), tree, work, ROOT) == 1


def test_weights_of_nothing_are_drawn_evenly(tic_tac_toe: Any) -> None:
    work = Workspace.allocate(tic_tac_toe)
    work.rng[:] = make_stream(1)
    drawn = np.bincount([draw_weighted(work, 4) for _ in range(400)], minlength=4)
    assert drawn.min() > 60
    work.scores[1] = 2.0
    assert {draw_weighted(work, 4) for _ in range(50)} == {1}


def test_a_history_that_cannot_have_been_starts_afresh(tic_tac_toe: Any) -> None:
    agent = uct(tic_tac_toe, reuse_tree=True)
    agent.reset(0, 1)
    state = tic_tac_toe.initial_state()
    agent.act(view_of(tic_tac_toe, state), Limit(simulations=50))
    for history in ((0, 0), (99,), (3, 5)):
        view = replace(view_of(tic_tac_toe, after(tic_tac_toe, state, 4)), history=history)
        assert agent.act(view, Limit(simulations=40)).visits.sum() == 40
        agent.reset(0, 1)
        agent.act(view_of(tic_tac_toe, state), Limit(simulations=50))


def test_no_memory_has_more_nodes_than_an_index_counts(tic_tac_toe: Any) -> None:
    vast = Settings(search_kernel, UCB1(1.0, np.inf), AllMoves(), GameRollout(), True, 65_536, False)
    assert vast.max_nodes(tic_tac_toe) == 2**31 - 1


@pytest.mark.parametrize(
    ("params", "named"),
    [
        ({"level": "easy", "temperature": 1.0}, "temperature.*level: easy"),
        ({"early_stop": True, "temperature": 1.0}, "early_stop.*temperature"),
        ({"early_stop": True, "level": "easy"}, "early_stop.*temperature"),
        ({"fpu": -1.1}, "fpu.*from -1"),
    ],
)
def test_options_that_undo_each_other_are_refused(
    tic_tac_toe: Any, params: dict[str, Any], named: str
) -> None:
    with pytest.raises(ParameterError, match=named):
        uct(tic_tac_toe, **params)


def test_trees_in_processes_outlive_the_thread_that_made_them(tic_tac_toe: Any) -> None:
    made: list[Any] = []
    maker = threading.Thread(target=lambda: made.append(uct(tic_tac_toe, trees=2, parallel="process")))
    maker.start()
    maker.join()
    assert decide(made[0], tic_tac_toe, tic_tac_toe.initial_state(), Limit(simulations=50)).info[
        "simulations"
    ] in range(1, 51)


def test_a_folder_with_other_modules_of_our_names_does_no_harm(
    tic_tac_toe: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "agents.py").write_text("raise SystemExit('not these agents')")
    monkeypatch.chdir(tmp_path)
    assert len(uct(tic_tac_toe, parallel="process")._forest.counts()) == 1


def test_an_answer_that_was_given_up_is_not_taken_for_another(tic_tac_toe: Any) -> None:
    agent = uct(tic_tac_toe, trees=2, parallel="process")
    forest = agent._forest
    forest._asked += 1
    for pipe in forest._pipes:  # as if Ctrl-C had come before the answer
        pipe.send((forest._asked, "roots", [list_legal(tic_tac_toe, tic_tac_toe.initial_state())]))
    assert forest.counts().shape == (2, 5)


def test_a_search_under_way_ends_with_its_agent(tic_tac_toe: Any) -> None:
    agent = uct(tic_tac_toe, parallel="process", solver=False)
    forest = agent._forest
    (process,) = forest._processes
    forest._pipes[0].send((1, "search", [tic_tac_toe.initial_state(), [NEVER], NEVER]))
    del agent, forest  # waits until it has ended
    assert process.poll() == 0


def test_processes_stop_each_other(tic_tac_toe: Any) -> None:
    forest = uct(tic_tac_toe, trees=2, parallel="process")._forest
    assert forest._stop[0] == 0
    won = after(tic_tac_toe, tic_tac_toe.initial_state(), 0, 4, 1, 7)
    forest.search(won, [NEVER, 0], NEVER)  # the first tree proves it
    assert forest._stop[0] == 1
    done = int(forest.counts()[1, SIMULATIONS])
    forest.search(tic_tac_toe.initial_state(), [0, NEVER], NEVER)  # and the second does not begin
    assert forest.counts()[1, SIMULATIONS] <= done + 1


@pytest.mark.skipif(not JIT, reason="plain Python compiles nothing")
def test_a_process_says_why_it_has_no_tree() -> None:
    with pytest.raises(AgentRefused, match=r"SecretlyWasteful.* `allocates = True`"):
        uct(SecretlyWasteful.make(), parallel="process")


def test_merging_sums_what_was_kept() -> None:
    one = replace(root([1, 0], [0.0, 0.0]), kept=np.array([True, False]))
    other = replace(root([0, 0], [0.0, 0.0]), kept=np.array([False, False]))
    assert merge([one, other]).kept.tolist() == [True, False]
