"""Exact solving against plain minimax, against solved games, and against its own interruption."""

from __future__ import annotations

import csv
import functools
import json
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
import pytest
from agents_help import after, reachable, returns_of
from agents_toys import Trio, Wasteful
from toy_games import Race

import agents.depth_first.prover
import envs
from agents.base import AgentRefused
from agents.depth_first.prover import Prover
from envs.hex import PLY as PLY_OF_HEX
from envs.rules import TERMINAL, hash_word, list_legal, rules


@rules
class Graph(NamedTuple):
    """Walk on a graph drawn from `seed`: who moves, where to, where it ends and what that is worth.

    State: int64[2]: the moves made, the place. Both may meet in one place, move twice, and share the returns.
    """

    seed: int
    num_players: int = 2
    num_actions: int = 3
    max_legal: int = 3

    @classmethod
    def make(cls, seed: int) -> Graph:
        return cls(seed)

    def _drawn(self, state: Any, salt: int, below: int) -> int:
        word = hash_word(np.uint64(((self.seed * 16 + state[0]) * 16 + state[1]) * 16 + salt))
        return np.int64(np.uint64(word) >> np.uint64(8)) % below

    def initial_state(self) -> Any:
        return np.zeros(2, np.int64)

    def current_player(self, state: Any) -> int:
        over = state[0] == 8 or (state[0] > 2 and self._drawn(state, 0, 8) == 0)
        return TERMINAL if over else self._drawn(state, 1, 2)

    def legal_actions(self, state: Any, out: Any) -> int:
        count = 0 if self.current_player(state) == TERMINAL else self._drawn(state, 2, 3) + 1
        for i in range(count):
            out[i] = i
        return count

    def step(self, state: Any, action: int) -> None:
        state[1] = self._drawn(state, 3 + action, 6)
        state[0] += 1

    def returns(self, state: Any, out: Any) -> None:
        out[0] = (self._drawn(state, 7, 5) - 2) / 2 if self.current_player(state) == TERMINAL else 0.0
        out[1] = -out[0]


class Plain:
    """The first player's points by minimax over a dictionary; knows nothing of `agents.depth_first.proof`."""

    def __init__(self, rules: Any, points: Callable[[Any, Any], float]) -> None:
        self.rules, self.points, self.known = rules, points, {}  # type: ignore[var-annotated]

    def value(self, state: Any) -> float:
        key = state.tobytes()
        if key not in self.known:
            over = self.rules.is_terminal(state)
            self.known[key] = self.points(self.rules, state) if over else self.best(state)[0]
        return self.known[key]  # type: ignore[no-any-return]

    def best(self, state: Any) -> tuple[float, tuple[int, ...]]:
        """Return the value, and all actions that keep it."""
        legal = list_legal(self.rules, state).tolist()
        values = [self.value(after(self.rules, state, action)) for action in legal]
        value = max(values) if self.rules.current_player(state) == 0 else min(values)
        return value, tuple(action for action, each in zip(legal, values, strict=True) if each == value)


def returned(rules: Any, state: Any) -> float:
    return returns_of(rules, state)[0]


def discs_left(rules: Any, state: Any) -> float:
    """Return the discs that the winner of Connect Four has left, and one more."""
    first_wins = returned(rules, state)
    if first_wins == 0:
        return 0.0
    has = rules.rows * rules.columns // 2 if first_wins < 0 else (rules.rows * rules.columns + 1) // 2
    used = int(state[0 if first_wins > 0 else 1]).bit_count()
    return first_wins * (has - used + 1)


def discs_ahead(rules: Any, state: Any) -> float:
    """Return the lead in Othello, where the winner takes what is left empty."""
    first, second = (int(word).bit_count() for word in state[:2])
    left = rules.size**2 - first - second
    return first - second + left * ((first > second) - (first < second))


SMALL: list[tuple[str, dict[str, Any], Callable[[Any, Any], float]]] = [
    ("tic_tac_toe", {}, returned),
    ("connect_four", {"rows": 3, "columns": 3, "connect": 3}, discs_left),
    ("connect_four", {"rows": 4, "columns": 3, "connect": 4}, discs_left),
    ("connect_four", {"rows": 2, "columns": 5, "connect": 2}, discs_left),
    ("hex", {"size": 3}, returned),
    ("hex", {"size": 3, "swap": True}, returned),
    ("hex", {"rows": 2, "columns": 4}, returned),
    ("y", {"size": 4}, returned),
    ("nim", {}, returned),
    ("nim", {"piles": [2, 3, 3], "misere": True}, returned),
    ("othello", {"size": 4}, discs_ahead),
    ("havannah", {"size": 2}, returned),
]


@functools.cache
def prover_of(name: str, **params: int) -> Prover:
    """Return one prover a game, so that tests share what it has compiled and learned."""
    return Prover(envs.make_rules(name, **params))


@pytest.mark.parametrize(("name", "params", "points"), SMALL)
def test_value_and_best_moves_are_those_of_plain_minimax(
    name: str, params: dict[str, Any], points: Callable[[Any, Any], float]
) -> None:
    rules = envs.make_rules(name, **params)
    prover, plain = Prover(rules, memory_mb=1), Plain(rules, points)
    states = [state for state in some_states(rules, 1000) if not rules.is_terminal(state)]
    assert len(states) > 10
    for state in states:
        proof = prover.prove(state)
        assert (proof.low, proof.best) == plain.best(state), rules.to_text(state)
        assert proof.is_complete


def some_states(rules: Any, most: int) -> list[Any]:
    """Return all reachable states, or some of them at random where they are many."""
    states = []
    for state in reachable(rules):
        states.append(state)
        if len(states) == 100_000:
            break
    rng = np.random.default_rng(0)
    return (
        states if len(states) <= most else [states[i] for i in rng.choice(len(states), most, replace=False)]
    )


def test_ties_extra_turns_and_shared_returns() -> None:
    for seed in range(1000):
        rules = Graph(seed)
        prover, plain = Prover(rules, memory_mb=1), Plain(rules, returned)
        for state in (rules.initial_state(), after(rules, rules.initial_state(), 0)):
            proof = prover.prove(state)
            expected = plain.best(state) if not rules.is_terminal(state) else (returned(rules, state), ())
            assert (proof.low, proof.best) == expected, (seed, state)


def test_connect_four_scores(truth: Any) -> None:
    prover = prover_of("connect_four")
    for name in ("L3_R1", "L2_R1", "L1_R1"):
        lines = (truth / "connect_four" / f"Test_{name}.txt").read_text().splitlines()
        for line in lines:
            moves, score = line.split()
            points = int(score) * (-1) ** len(moves)
            assert prover.bounds(four(moves)) == (points, points), line


def four(moves: str) -> Any:
    """Return the position of Connect Four after moves such as 4435."""
    rules = prover_of("connect_four").rules
    return after(rules, rules.initial_state(), *(int(column) - 1 for column in moves))


def test_the_score_of_every_column(truth: Any) -> None:
    prover = prover_of("connect_four")
    with (truth / "connect_four" / "L3_R1_move_scores.csv").open() as file:
        for row in csv.DictReader(file):
            state, scores = four(row["position"]), [row[f"col{column}"] for column in range(1, 8)]
            known = {action: int(score) for action, score in enumerate(scores) if score}
            proof = prover.prove(state)
            assert proof.best == tuple(a for a in known if known[a] == int(row["score"])), row


def test_exact_disc_differences_of_othello_end_games(truth: Any) -> None:
    prover = prover_of("othello")
    rules = prover.rules
    boards = end_games(truth, most_empty=14)
    assert len(boards) == 8
    for state, values in boards:
        sign = 1 - 2 * rules.current_player(state)
        for move, value in values.items():
            child = after(rules, state, rules.string_to_action(state, move))
            assert prover.bounds(child) == (sign * value, sign * value), (rules.to_text(state), move)


def end_games(truth: Any, most_empty: int) -> list[tuple[Any, dict[str, int]]]:
    """Read the positions with few empty cells, and what the mover gets by each listed move."""
    rules, found = envs.make_rules("othello"), []
    for file in sorted((truth / "othello").glob("*.obf")):
        for line in file.read_text().splitlines():
            board, mover, listed = line[:64], line[65], line[67:].lower()
            if board.count("-") > most_empty:
                continue
            state = rules.initial_state()
            state[0], state[1] = (sum(1 << i for i in range(64) if board[i] == piece) for piece in "XO")
            state[2] = "XO".index(mover)
            pairs = (move.split(":") for move in listed.split(";") if ":" in move)
            found.append((state, {move.strip(): int(value) for move, value in pairs}))
    return found


def test_winning_openings_of_hex(truth: Any) -> None:
    published = json.loads((truth / "hex" / "openings.json").read_text())
    for size in (3, 4):
        assert (
            winning_openings(prover_of("hex", size=size))
            == published["winning_first_moves"][f"{size}x{size}"]
        )


def test_winning_openings_of_hex_of_five(truth: Any) -> None:
    published = json.loads((truth / "hex" / "openings.json").read_text())
    won = winning_openings(prover_of("hex", size=5))
    assert len(won) == published["winning_first_move_counts"]["5x5"]


def winning_openings(prover: Prover) -> list[str]:
    rules = prover.rules
    state = rules.initial_state()
    proof = prover.prove(state)
    assert proof.low == proof.high == 1
    return [rules.action_to_string(state, action) for action in proof.best]


PUZZLES = (
    "3x3-hein-02",
    "4x4-hein-05",
    "6x6-hein-07",
    "4x4-hein-04",
    "5x5-berge-1",
    "5x5-hein-06",
    "5x5-henderson-11",
    "5x5-henderson-12",
)


@pytest.mark.parametrize("puzzle", PUZZLES)
def test_puzzles_of_hex(truth: Any, puzzle: str) -> None:
    items = json.loads((truth / "hex" / "positions.json").read_text())["items"]
    item = next(item for item in items if item["sgf"].endswith(f"/{puzzle}.sgf"))
    prover, mover = prover_of("hex", size=item["size"]), ("black", "white").index(item["args"][0])
    state = hex_position(prover.rules, item["black"], item["white"], mover)
    proof = prover.prove(state)
    if item["expected"] in ("black", "white"):
        assert proof.low == proof.high == (1 if item["expected"] == "black" else -1)
    else:
        assert proof.low == proof.high == 1 - 2 * mover
        listed = {prover.rules.string_to_action(state, move) for move in item["expected"].split()}
        assert listed <= set(proof.best)


def hex_position(rules: Any, black: list[str], white: list[str], mover: int) -> Any:
    """Put stones on the board, as many as there are of either colour, and let `mover` move."""
    state = rules.initial_state()
    for player, stones in enumerate((black, white)):
        for stone in stones:
            state[PLY_OF_HEX] = player
            rules.step(state, rules.string_to_action(state, stone))
    state[PLY_OF_HEX] = mover
    return state


def test_a_proof_that_is_interrupted_goes_on_where_it_stopped(monkeypatch: pytest.MonkeyPatch) -> None:
    rules = envs.make_rules("connect_four", rows=5, columns=5)
    state, reports = rules.initial_state(), []
    prover = Prover(rules, memory_mb=1, tell=reports.append)
    monkeypatch.setattr(agents.depth_first.prover, "SLICE", 1)
    value = prover.bounds(state)
    assert len(reports) > 100
    assert reports == sorted(set(reports))
    monkeypatch.undo()
    at_once = Prover(rules, memory_mb=1)
    assert (at_once.bounds(state), at_once.nodes) == (value, prover.nodes)


def test_what_is_not_proven_in_time_is_said() -> None:
    rules = envs.make_rules("connect_four")
    proof = prover_of("connect_four").prove(rules.initial_state(), deadline=0)
    assert not proof.is_complete
    assert proof.low < 1 < proof.high
    assert (proof.best, proof.undecided) == ((), tuple(range(7)))


def test_a_line_of_best_play_ends_as_was_proven() -> None:
    prover = prover_of("connect_four", rows=4, columns=4)
    rules = prover.rules
    state = after(rules, rules.initial_state(), 0, 1)
    end = after(rules, state, *prover.line(state))
    assert rules.is_terminal(end)
    assert prover.bounds(state) == prover.bounds(end)


def test_games_that_cannot_be_proven_are_refused() -> None:
    with pytest.raises(AgentRefused, match="two players; this one has 3"):
        Prover(Trio.make())
    with pytest.raises(AgentRefused, match="perfect information"):
        Prover(Race.make())


def test_a_game_that_makes_arrays_is_proven_all_the_same() -> None:
    rules = Wasteful.make()
    assert Prover(rules).prove(rules.initial_state()).best == (1,)
