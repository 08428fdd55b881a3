"""What is recorded of UCT's trees: counted again node by node, and held against rules and exact values."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from agents_help import Solver, after, decide, returns_of, view_of
from agents_toys import Trio
from toy_games import Thicket

from agents import Limit, make_agent
from agents.mcts.tree import UNEXPANDED, Tree
from agents.mcts.tree_record import LEVELS
from envs import make_rules
from envs.rules import TERMINAL

GAMES = {
    "hex": make_rules("hex", size=4),
    "three players and extra turns": Trio.make(),
    "extra turns": Thicket.make(seed=5, plies=9),
}
LIMIT = Limit(simulations=3_000)
Node = dict[str, Any]
Path = tuple[int, ...]


@pytest.fixture(params=GAMES.values(), ids=GAMES)
def rules(request: pytest.FixtureRequest) -> Any:
    return request.param


def recorded(rules: Any, state: Any, limit: Limit = LIMIT, **options: Any) -> tuple[Any, Any, Node]:
    """Search; return the agent, its decision and the root of its record."""
    agent = make_agent("uct", rules, **options)
    agent.reset(int(rules.current_player(state)), 3)
    decision = decide(agent, rules, state, limit)
    record = agent.search_record()
    assert record is not None
    assert (record["kind"], record["trees"]) == ("tree", options.get("trees", 1))
    assert json.loads(json.dumps(record)) == record
    return agent, decision, record["root"]


def nodes(root: Node, path: Path = ()) -> Iterator[tuple[Path, Node]]:
    yield path, root
    for child in root["children"]:
        yield from nodes(child, (*path, child["action"]))


def counted(trees: list[Tree]) -> dict[Path, tuple[int, float, int]]:
    """Count by path: visits and returns of all trees together, and how many have the node."""
    found: dict[Path, tuple[int, float, int]] = {}
    for tree in trees:
        pending: list[tuple[Path, int]] = [((), 0)]
        while pending:
            path, node = pending.pop()
            visits, returns, having = found.get(path, (0, 0.0, 0))
            found[path] = visits + int(tree.visits[node]), returns + float(tree.value_sum[node]), having + 1
            if len(path) > len(LEVELS) or tree.first_child[node] == UNEXPANDED:
                continue
            first = int(tree.first_child[node])
            children = range(first, first + int(tree.num_children[node]))
            pending += [((*path, int(tree.action[c])), c) for c in children if tree.visits[c] > 0]
    return found


AMOUNTS = pytest.mark.parametrize(("trees", "simulations"), [(1, 3_000), (3, 3_000), (3, 60)])
"""With the last of them trees have nodes that others of them have not visited."""


@AMOUNTS
def test_nodes_have_the_visits_and_mean_returns_of_all_trees(
    rules: Any, trees: int, simulations: int
) -> None:
    limit = Limit(simulations=simulations)
    agent, decision, root = recorded(rules, rules.initial_state(), limit, trees=trees, solver=False)
    found = counted(agent._forest._trees)
    assert root["visits"] == decision.visits.sum() == decision.info["simulations"]
    assert root["value"] == pytest.approx(
        sum(returns for path, (_, returns, _) in found.items() if len(path) == 1) / root["visits"], abs=1e-4
    )
    for path, node in list(nodes(root))[1:]:
        visits, returns, _ = found[path]
        assert node["visits"] == visits
        assert node["value"] == pytest.approx(returns / visits, abs=1e-4)
        assert not node["proven"]


@AMOUNTS
def test_the_most_visited_children_are_kept_and_the_others_counted(
    rules: Any, trees: int, simulations: int
) -> None:
    limit = Limit(simulations=simulations)
    agent, _, root = recorded(rules, rules.initial_state(), limit, trees=trees, solver=False)
    found = counted(agent._forest._trees)
    for path, node in nodes(root):
        below = sorted((v for p, (v, _, _) in found.items() if p[:-1] == path and p), reverse=True)
        kept = [child["visits"] for child in node["children"]]
        if len(path) == len(LEVELS):
            assert (kept, node["others"]) == ([], 0)
            continue
        assert kept == below[: LEVELS[len(path)]]
        assert node["others"] == len(below) - len(kept)
        if below and path and node["others"] == 0:  # each tree's first visit ended here
            assert sum(kept) == node["visits"] - found[path][2]


def test_players_are_those_of_the_rules_and_ends_are_worth_their_returns(rules: Any) -> None:
    start, movers, ends = rules.initial_state(), set(), 0
    for state in (start, after(rules, start, 0), after(rules, start, 0, 1), after(rules, start, 1, 2, 0)):
        if rules.current_player(state) == TERMINAL:
            continue
        _, _, root = recorded(rules, state, solver=False)
        by_path = dict(nodes(root))
        for path, node in by_path.items():
            there = after(rules, state, *path)
            assert node["player"] == rules.current_player(there)
            movers.add(node["player"])
            if node["player"] == TERMINAL:
                ends += 1
                assert node["children"] == []
                mover = by_path[path[:-1]]["player"]
                assert node["value"] == pytest.approx(returns_of(rules, there)[mover], abs=1e-4)
    assert movers >= set(range(rules.num_players))
    assert ends > 0 or rules is GAMES["hex"]


@pytest.mark.parametrize("trees", [1, 2])
def test_what_is_proven_has_its_exact_value(trees: int) -> None:
    rules, proven = make_rules("tic_tac_toe"), 0
    state = after(rules, rules.initial_state(), 4, 0, 8)
    _, decision, root = recorded(rules, state, Limit(simulations=1_500), trees=trees)
    exact, by_path = Solver(rules), dict(nodes(root))
    assert root["proven"] == decision.info["proven"]
    for path, node in by_path.items():
        if path and node["proven"]:
            proven += 1
            parent = after(rules, state, *path[:-1])
            assert node["value"] == exact.action_values(parent)[path[-1]]
    assert proven >= 5


def test_a_proven_root_is_worth_what_the_game_is() -> None:
    rules = make_rules("tic_tac_toe")
    for moves, value in (((4, 1, 0, 8), 1.0), ((0, 1, 4, 8), 1.0), ((0, 4, 8, 1, 7), 0.0)):
        _, decision, root = recorded(
            rules, after(rules, rules.initial_state(), *moves), Limit(simulations=10**5)
        )
        assert (root["proven"], root["value"]) == (True, decision.value)
        assert root["value"] == Solver(rules).value(after(rules, rules.initial_state(), *moves)) == value


def test_trees_in_processes_record_what_trees_in_threads_do() -> None:
    rules = make_rules("tic_tac_toe")
    roots = [
        recorded(rules, rules.initial_state(), Limit(simulations=500), trees=2, parallel=where)[2]
        for where in ("thread", "process")
    ]
    assert roots[0] == roots[1]


def test_a_kept_subtree_is_recorded_as_far_as_it_goes() -> None:
    rules = make_rules("hex", size=4)
    agent, decision, _ = recorded(rules, rules.initial_state(), trees=2, reuse_tree=True)
    played = decision.action, next(a for a in range(16) if a != decision.action)
    state = after(rules, rules.initial_state(), *played)
    view = view_of(rules, state)
    decision = agent.act(type(view)(view.state, view.legal_actions, view.player, history=played), LIMIT)
    root = agent.search_record()["root"]
    assert decision.info["simulations"] < decision.visits.sum() == root["visits"]
    order = np.argsort(-decision.visits, kind="stable")[:5]
    assert [child["action"] for child in root["children"]] == view.legal_actions[order].tolist()


def test_a_search_of_a_single_simulation_has_a_root_and_a_child() -> None:
    _, decision, root = recorded(GAMES["hex"], GAMES["hex"].initial_state(), Limit(simulations=1))
    assert [node["visits"] for _, node in nodes(root)] == [1, 1]
    assert root["children"][0]["action"] == decision.action
