"""The trace of minimax: a replay of it gives the values of the tree, and its size is bounded."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pytest
from agents_help import Solver, after, decide, returns_of
from toy_games import Thicket

from agents import Limit, make_agent
from envs import make_rules
from envs.rules import list_legal


def walk(agent: Any) -> list[dict[str, Any]]:
    """Return the events that are recorded of an agent's last move."""
    record = agent.search_record()
    assert record["kind"] == "walk"
    events: list[dict[str, Any]] = record["events"]
    return events


def replay(rules: Any, root: Any, events: list[dict[str, Any]]) -> int:
    """Walk the game along the events and check each; return how many leaves there were."""
    path, values, leaves = (
        [root],
        [],
        0,
    )  # states from the root down; for each open node its children's values
    me = int(rules.current_player(root))
    for event in events:
        if event["event"] == "enter":
            assert event["ply"] == len(values)
            if event["ply"] > 0:
                path.append(after(rules, path[-1], event["action"]))
            over = rules.is_terminal(path[-1])
            player = None if over else int(rules.current_player(path[-1]))
            turn = None if over else "max" if player == me else "min"
            assert (event["player"], event["turn"]) == (player, turn)
            values.append([])
            continue
        state, below = path.pop(), values.pop()
        assert event["ply"] == len(values)
        if event["event"] == "leaf":
            leaves += 1
            assert event["value"] == returns_of(rules, state)[me]
        else:
            assert event["event"] == "up"
            assert len(below) == len(list_legal(rules, state))
            assert event["value"] == (max if rules.current_player(state) == me else min)(below)
        if values:
            values[-1].append(event["value"])
    assert not path
    return leaves


@pytest.mark.parametrize("seed", range(20))
def test_a_replay_of_it_is_the_whole_tree(seed: int) -> None:
    rules = Thicket.make(seed=seed, plies=5)
    state = rules.initial_state()
    agent = make_agent("minimax", rules, trace=15_000)
    decision = decide(agent, rules, state, Limit())
    events = walk(agent)
    assert len(events) == 2 * (decision.info["nodes"] + 1)  # minimax does not count the root
    assert replay(rules, state, events) >= 1
    assert events[-1] == {"event": "up", "ply": 0, "value": decision.value}
    assert json.loads(json.dumps(events)) == events


def test_real_games_too() -> None:
    rules = make_rules("tic_tac_toe")
    state = after(rules, rules.initial_state(), 4, 0, 2, 6)
    agent = make_agent("minimax", rules, trace=1_000)
    decision = decide(agent, rules, state, Limit())
    replay(rules, state, walk(agent))
    assert decision.value == Solver(rules).value(state)


def test_more_events_than_allowed_are_told_in_words() -> None:
    rules = make_rules("tic_tac_toe")
    state = after(rules, rules.initial_state(), 4, 0, 2, 6)
    agent = make_agent("minimax", rules, trace=1_000)
    decide(agent, rules, state, Limit())
    count = len(walk(agent))
    agents = [make_agent("minimax", rules, trace=most) for most in (count, count - 1)]
    for agent in agents:
        decide(agent, rules, state, Limit())
    assert len(walk(agents[0])) == count
    record = agents[1].search_record()
    assert record is not None
    assert record["kind"] == "failed"
    assert f"more than {count - 1} events" in record["reason"]


def test_without_it_there_is_none() -> None:
    rules = Thicket.make(plies=np.int64(3))
    agent = make_agent("minimax", rules)
    decide(agent, rules, rules.initial_state(), Limit())
    assert agent.search_record() is None
