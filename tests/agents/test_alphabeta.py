"""Alpha-beta against plain minimax: values, best moves, and what it says of how it came to them."""

from __future__ import annotations

import itertools
import time
from collections import Counter
from typing import Any

import numpy as np
import pytest
from agents_help import after, decide, play, returns_of, view_of
from agents_toys import SecretlyWasteful, Trio, Wasteful
from toy_games import Race, Thicket

from agents import Decision, Limit, ParameterError, View, make_agent
from agents.base import AgentRefused
from agents.depth_first.scores import exact_score, is_win_or_loss, judged_score, plies_of, value_of
from agents.levels import ALPHABETA_LEVELS
from envs import game_class, game_names, make_rules
from envs.rules import list_legal

OPTIONS: dict[str, Any] = {
    "pvs": False,
    "prior": False,
    "killers": False,
    "history": False,
    "aspiration": 0.1,
    "quiescence": 3,
}
"""The other setting of each option that a search of any game may have."""


class Plain:
    """Minimax over a dictionary, to a depth; it shares nothing with `agents`.

    A value is (return of the first player, plies to where it was found) under best play: the player to
    move takes the best return, a positive one as soon as can be, a negative one as late. At the horizon a
    position is judged by `evaluate`, up to `quiescence` plies later where it is not quiet.
    """

    def __init__(self, rules: Any, quiescence: int = 0) -> None:
        self.rules, self.quiescence = rules, quiescence
        self.known: dict[tuple[bytes, int], tuple[float, int]] = {}

    def value(self, state: Any, depth: int = 1000) -> tuple[float, int]:
        key = state.tobytes(), depth
        if key not in self.known:
            self.known[key] = self._search(state, depth)
        return self.known[key]

    def _search(self, state: Any, depth: int) -> tuple[float, int]:
        if self.rules.is_terminal(state):
            return returns_of(self.rules, state)[0], 0
        if depth <= 0 and (depth <= -self.quiescence or self.rules.is_quiet(state)):
            return self.rules.evaluate(state, 0), 0
        return self.actions(state, depth)[self.best(state, depth)[0]]

    def actions(self, state: Any, depth: int = 1000) -> dict[int, tuple[float, int]]:
        values = {}
        for action in list_legal(self.rules, state).tolist():
            value, plies = self.value(after(self.rules, state, action), depth - 1)
            values[action] = value, plies + 1
        return values

    def best(self, state: Any, depth: int = 1000) -> list[int]:
        """Return all actions that are as good as any, ascending."""
        sign = 1 if self.rules.current_player(state) == 0 else -1
        ranks = {
            action: (sign * value, -sign * np.sign(value) * plies)
            for action, (value, plies) in self.actions(state, depth).items()
        }
        return [action for action, rank in ranks.items() if rank == max(ranks.values())]

    def value_for_mover(self, state: Any, depth: int = 1000) -> float:
        value = self.value(state, depth)[0]
        return value if self.rules.current_player(state) == 0 else -value


def check_solved(agent: Any, plain: Plain, state: Any) -> None:
    """Compare what the agent says of a position that it searches to its end."""
    decision = decide(agent, plain.rules, state, Limit(depth=250))
    value, plies = plain.value(state)
    assert decision.info["proven"]
    assert decision.value == plain.value_for_mover(state), plain.rules.to_text(state)
    assert decision.info["best"] == plain.best(state), plain.rules.to_text(state)
    assert decision.info["plies_to_end"] == (plies if value else 0)
    assert decision.action in decision.info["best"]
    assert decision.visits is None


GAMES: list[tuple[str, dict[str, Any], int]] = [
    ("tic_tac_toe", {}, 9),
    ("connect_four", {"rows": 4, "columns": 4}, 8),
    ("hex", {"size": 3}, 7),
    ("hex", {"size": 4}, 6),
    ("othello", {"size": 4}, 7),
    ("nim", {}, 16),
    ("nim", {"piles": [2, 3, 4], "misere": True}, 16),
]
"""Games, and how many actions are left, of all there ever are, where positions are looked at."""


@pytest.mark.parametrize(("name", "params", "left"), GAMES)
def test_values_moves_and_lengths_are_those_of_plain_minimax(
    name: str, params: dict[str, Any], left: int
) -> None:
    rules = make_rules(name, **params)
    agent, plain, rng = make_agent("alphabeta", rules, table_mb=1), Plain(rules), np.random.default_rng(0)
    most = {"connect_four": 16, "othello": 12}.get(name, rules.num_actions)  # plies of a game, or more
    for _ in range(30):
        for state in random_game(rules, rng)[most - left :]:
            check_solved(agent, plain, state)


def random_game(rules: Any, rng: Any) -> list[Any]:
    """Return the positions of a random game that are not over."""
    states = [rules.initial_state()]
    while not rules.is_terminal(states[-1]):
        states.append(after(rules, states[-1], rng.choice(list_legal(rules, states[-1]))))
    return states[:-1]


COMBINATIONS = [
    {name: OPTIONS[name] for name in names}
    for count in range(len(OPTIONS) + 1)
    for names in itertools.combinations(OPTIONS, count)
]


@pytest.mark.parametrize("round_", range(4))
def test_random_trees_with_ties_and_extra_moves_under_all_combinations_of_options(round_: int) -> None:
    for index, options in enumerate(COMBINATIONS):
        rules = Thicket.make(seed=1000 * round_ + index, width=2 + index % 4, plies=6)
        state = rules.initial_state()
        check_solved(make_agent("alphabeta", rules, table_mb=1, **options), Plain(rules), state)


def test_every_depth_is_that_of_plain_minimax_to_that_depth() -> None:
    for index, options in enumerate(COMBINATIONS):
        rules = Thicket.make(seed=5000 + index, plies=8)
        state, plain = rules.initial_state(), Plain(rules, options.get("quiescence", 0))
        agent = make_agent("alphabeta", rules, table_mb=1, **options)
        rows = decide(agent, rules, state, Limit(depth=250)).info["depths"]
        for row in rows:
            assert row["value"] == pytest.approx(plain.value_for_mover(state, row["depth"]), abs=1e-6)
            assert row["action"] in plain.best(state, row["depth"])
        for depth in range(1, len(rows) + 1):
            agent.reset(0, 0)
            decision = decide(agent, rules, state, Limit(depth=depth))
            assert decision.info["best"] == plain.best(state, depth)
            assert decision.value == pytest.approx(rows[depth - 1]["value"], abs=1e-6)


def test_null_moves_save_work_and_prove_nothing_that_is_not_so() -> None:
    rules = make_rules("hex", size=4)
    agent, plain, rng = make_agent("alphabeta", rules, null_move=True), Plain(rules), np.random.default_rng(4)
    for _ in range(30):
        for state in random_game(rules, rng)[-6:]:
            if len(list_legal(rules, state)) <= 6:
                decision = decide(agent, rules, state, Limit(depth=250))
                assert (decision.info["proven"], decision.value) == (True, plain.value_for_mover(state))
    opening = Limit(depth=6)
    with_, without = (
        decide(make_agent("alphabeta", rules, null_move=on), rules, rules.initial_state(), opening)
        for on in (True, False)
    )
    assert with_.info["nodes"] < without.info["nodes"]


@pytest.mark.parametrize("name", [name for name in game_names() if "pass_turn" in game_class(name).given])
def test_after_a_null_move_the_other_player_has_the_moves(name: str) -> None:
    rules, rng = make_rules(name), np.random.default_rng(6)
    for state in random_game(rules, rng)[2:-2]:
        player, passed = int(rules.current_player(state)), state.copy()
        rules.pass_turn(passed)
        assert rules.current_player(passed) == 1 - player
        assert rules.hash_key(passed) != rules.hash_key(state)
        rules.pass_turn(passed)
        assert set(list_legal(rules, passed)) == set(list_legal(rules, state))


def test_null_moves_need_a_game_that_can_pass() -> None:
    with pytest.raises(AgentRefused, match="null_move needs pass_turn"):
        make_agent("alphabeta", make_rules("tic_tac_toe"), null_move=True)


def test_returns_that_no_binary_fraction_holds_are_exact() -> None:
    for value in (1 / 3, -2 / 7, 0.01, 0.7, 1.0, 0.0):
        for ply in (0, 1, 250):
            score = int(exact_score(value, ply))
            assert value_of(score) == value
            assert plies_of(score) == (ply if value else 0)
    assert value_of(int(exact_score(0.123456789, 3))) == pytest.approx(0.123456789, abs=1e-6)


def test_scores_rank_sooner_wins_and_later_losses_higher_and_no_judgement_is_a_win() -> None:
    ascending = [
        *(exact_score(-1.0, ply) for ply in (1, 2, 250)),
        judged_score(-1.0, 1),
        exact_score(-0.5, 3),
        exact_score(0.0, 9),
        exact_score(0.5, 7),
        exact_score(0.5, 6),
        judged_score(1.0, 1),
        *(exact_score(1.0, ply) for ply in (250, 2, 1)),
    ]
    assert ascending == sorted(set(ascending))
    assert [is_win_or_loss(int(score)) for score in ascending] == [True] * 3 + [False] * 6 + [True] * 3


def test_ties_are_broken_evenly_by_the_seed() -> None:
    rules = make_rules("tic_tac_toe")
    agent, state = make_agent("alphabeta", rules), after(rules, rules.initial_state(), 4)
    chosen: Counter[int] = Counter()
    for seed in range(400):
        agent.reset(1, seed)
        chosen[decide(agent, rules, state, Limit(depth=9)).action] += 1
    assert set(chosen) == {0, 2, 6, 8}  # only a corner holds the draw
    # Four cells of 100 expected: chi-squared, 3 degrees of freedom, 99.9% quantile 16.3.
    assert sum((n - 100) ** 2 / 100 for n in chosen.values()) < 16.3


def test_equal_seeds_give_equal_games() -> None:
    rules = make_rules("connect_four")
    agent, games = make_agent("alphabeta", rules, table_mb=1), []
    for seed in (3, 4, 3):
        agent.reset(0, seed)
        state, moves = rules.initial_state(), []
        while not rules.is_terminal(state) and len(moves) < 12:
            moves.append(decide(agent, rules, state, Limit(nodes=2_000)))
            rules.step(state, moves[-1].action)
        games.append([(move.action, move.value, move.info["nodes"]) for move in moves])
    assert games[0] == games[2]
    assert games[0] != games[1]


def test_the_move_is_that_of_the_last_depth_that_was_finished() -> None:
    rules = make_rules("connect_four")
    agent = make_agent("alphabeta", rules, table_mb=1)
    for nodes in (1, 6, 7, 8, 20, 100, 1_000, 10_000):
        agent.reset(0, nodes)
        decision = decide(agent, rules, rules.initial_state(), Limit(nodes=nodes))
        check_structure(decision, view_of(rules, rules.initial_state()))
        assert decision.info["nodes"] <= nodes
        assert decision.info["depth"] == 0 or nodes >= 7
        assert not decision.info["depths"][-1]["finished"]
        assert agent.search_record() == {"kind": "deepening", "depths": decision.info["depths"]}


def check_structure(decision: Decision, view: View) -> None:
    """See that the rows are in order and that the move is that of the last finished one."""
    rows = decision.info["depths"]
    assert [row["depth"] for row in rows] == list(range(1, len(rows) + 1))
    assert all(row["finished"] for row in rows[:-1])
    assert sum(row["nodes"] for row in rows) == decision.info["nodes"]
    finished = [row for row in rows if row["finished"]]
    assert decision.info["depth"] == len(finished)
    if finished:
        assert (decision.action, decision.value) == (finished[-1]["action"], finished[-1]["value"])
    else:
        assert (decision.action, decision.value) == (view.legal_actions[0], None)
    for row in rows[len(finished) :]:
        assert (row["action"], row["value"]) == (None, None)


@pytest.mark.parametrize("name", ["connect_four", "othello", "gomoku", "hex", "nim"])
def test_under_the_clock_no_move_is_half_finished(name: str) -> None:
    rules = make_rules(name)
    agent, rng = make_agent("alphabeta", rules), np.random.default_rng(5)
    for budget in (0.001, 0.004, 0.016, 0.064):
        for state in random_game(rules, rng)[:12:4]:
            worked = time.thread_time()
            decision = decide(agent, rules, state, Limit(time=budget))
            worked = time.thread_time() - worked  # of the processor: others may keep it from us meanwhile
            check_structure(decision, view_of(rules, state))
            assert worked < budget + 0.02
            assert decision.info["proven"] or not decision.info["depths"][-1]["finished"]


def test_more_nodes_reach_deeper() -> None:
    rules = make_rules("connect_four")
    agent, rng = make_agent("alphabeta", rules), np.random.default_rng(8)
    states = [game[min(6, len(game) - 1)] for game in (random_game(rules, rng) for _ in range(9))]
    medians = []
    for nodes in (10, 100, 1_000, 10_000, 100_000):
        depths = []
        for state in states:
            agent.reset(0, 0)
            depths.append(decide(agent, rules, state, Limit(nodes=nodes)).info["depth"])
        medians.append(np.median(depths))
    assert medians == sorted(set(medians))


def test_a_proof_ends_the_search() -> None:
    rules = make_rules("connect_four")
    agent = make_agent("alphabeta", rules)
    # Three in a row for the first player, open on one side.
    state = after(rules, rules.initial_state(), 0, 6, 1, 6, 2, 6)
    decision = decide(agent, rules, state, Limit(depth=20))
    assert (decision.action, decision.value, decision.info["depth"]) == (3, 1.0, 1)
    assert decision.info["proven"]
    assert decision.info["plies_to_end"] == 1
    open_ = decide(agent, rules, rules.initial_state(), Limit(depth=4))
    assert not open_.info["proven"]
    assert "plies_to_end" not in open_.info
    assert abs(open_.value) < 1


def test_without_a_limit_it_says_so() -> None:
    rules = make_rules("tic_tac_toe")
    with pytest.raises(ValueError, match="give time, nodes or depth"):
        decide(make_agent("alphabeta", rules), rules, rules.initial_state(), Limit(simulations=10))


@pytest.mark.parametrize(("rules", "word"), [(Trio.make(), "two players"), (Race.make(), "chance")])
def test_refuses_what_it_cannot_search(rules: Any, word: str) -> None:
    with pytest.raises(AgentRefused, match=word):
        make_agent("alphabeta", rules)


def test_a_game_whose_methods_make_arrays_is_searched_too() -> None:
    rules = Wasteful.make()
    decision = decide(make_agent("alphabeta", rules), rules, rules.initial_state(), Limit(depth=5))
    assert (decision.action, decision.value) == (1, 1.0)
    with pytest.raises(AgentRefused, match="allocates = True"):
        make_agent("alphabeta", SecretlyWasteful.make())


def test_temperature_draws_by_the_softmax_of_the_values() -> None:
    rules = Thicket.make(seed=9, plies=3)
    state, plain = rules.initial_state(), Plain(rules)
    values = {action: value for action, (value, _) in plain.actions(state).items()}
    assert len(set(values.values())) > 2
    sign = 1 if rules.current_player(state) == 0 else -1
    agent, drawn = make_agent("alphabeta", rules, temperature=0.5), Counter[int]()
    for seed in range(2_000):
        agent.reset(0, seed)
        decision = decide(agent, rules, state, Limit(depth=9))
        assert decision.value == sign * values[decision.action]
        drawn[decision.action] += 1
    weights = {action: np.exp(sign * value / 0.5) for action, value in values.items()}
    for action, weight in weights.items():
        expected = 2_000 * weight / sum(weights.values())
        assert abs(drawn[action] - expected) < 4 * np.sqrt(expected)


def test_levels_rank_as_they_say() -> None:
    rules = make_rules("connect_four")
    players = {name: make_agent("alphabeta", rules, table_mb=1, level=name) for name in ALPHABETA_LEVELS}
    for weak, strong in (("easy", "medium"), ("medium", "hard")):
        scores = []
        for seed in range(20):
            order = [weak, strong] if seed % 2 == 0 else [strong, weak]
            returns = play(rules, [players[name] for name in order], [Limit(nodes=20_000)] * 2, seed // 2)
            scores.append(returns[order.index(strong)])
        assert np.mean(scores) > 0.3, (weak, strong)


def test_a_level_has_a_temperature_of_its_own() -> None:
    with pytest.raises(ParameterError, match=r"alphabeta: temperature: 0\.5 .*: 0 with level: easy"):
        make_agent("alphabeta", make_rules("tic_tac_toe"), level="easy", temperature=0.5)


def test_weights_left_out_are_the_games_own() -> None:
    rules, limit = make_rules("connect_four"), Limit(nodes=3_000)
    plain, same, other = (
        decide(
            make_agent("alphabeta", rules, table_mb=1, weights=weights), rules, rules.initial_state(), limit
        )
        for weights in (None, dict([*rules.FEATURES.items()][:1]), dict.fromkeys(rules.FEATURES, 0.0))
    )
    assert (same.action, same.value, same.info["nodes"]) == (plain.action, plain.value, plain.info["nodes"])
    assert other.value == 0.0 != plain.value


def test_weights_of_what_the_game_does_not_measure_are_refused() -> None:
    with pytest.raises(ParameterError) as refused:
        make_agent("alphabeta", make_rules("othello"), weights={"corner": 10, "mobility": 1, "luck": 3})
    assert str(refused.value).splitlines() == [
        "alphabeta: weights.corner: unknown feature (did you mean corners?): Othello has "
        + ", ".join(make_rules("othello").FEATURES),
        "alphabeta: weights.luck: unknown feature: Othello has " + ", ".join(make_rules("othello").FEATURES),
    ]
    with pytest.raises(ParameterError, match=r"weights\.luck: unknown feature: Nim has none"):
        make_agent("greedy", make_rules("nim"), weights={"luck": 3})


def test_a_large_game_that_nothing_judges_is_refused() -> None:
    with pytest.raises(AgentRefused, match=r"needs evaluate\(state, player\), which Nim does not define"):
        make_agent("alphabeta", make_rules("nim", piles=[20, 20]))
