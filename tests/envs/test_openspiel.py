"""The same random games here and in OpenSpiel: at every state the same moves, mover, end and returns.

Our side draws the moves, compiled; OpenSpiel's side replays them. Actions meet by their names, ours read
from OpenSpiel's. One rule differs. A stone that brings back an earlier board is forbidden in our Go; in
OpenSpiel's it is allowed, unless it retakes a simple ko, and ends the game as a draw. So there OpenSpiel's
further moves must be exactly such stones. OpenSpiel also stops Go sooner unless it is told our limit.
"""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pytest
from records import record

import envs
from envs.rules import TERMINAL

pyspiel = pytest.importorskip("pyspiel", reason="OpenSpiel is not installed")

GAMES = 200
# OpenSpiel's game, our game and our parameters.
CASES: list[tuple[str, str, dict[str, Any]]] = [
    ("tic_tac_toe", "tic_tac_toe", {}),
    ("connect_four", "connect_four", {}),
    ("connect_four(rows=4,columns=5,x_in_row=3)", "connect_four", {"rows": 4, "columns": 5, "connect": 3}),
    ("hex(board_size=3)", "hex", {"size": 3}),
    ("hex", "hex", {}),
    ("hex(num_rows=3,num_cols=6)", "hex", {"rows": 3, "columns": 6}),
    ("hex(board_size=5,swap=True)", "hex", {"size": 5, "swap": True}),
    ("havannah(board_size=2)", "havannah", {"size": 2}),
    ("havannah(board_size=4)", "havannah", {"size": 4}),
    ("havannah(board_size=4,swap=True)", "havannah", {"size": 4, "swap": True}),
    ("havannah", "havannah", {}),
    ("y(board_size=4)", "y", {"size": 4}),
    ("y(board_size=11)", "y", {}),
    ("othello", "othello", {}),
    ("breakthrough", "breakthrough", {}),
    ("breakthrough(rows=6,columns=5)", "breakthrough", {"rows": 6, "columns": 5}),
    ("breakthrough(rows=5,columns=4)", "breakthrough", {"rows": 5, "columns": 4}),
    ("nim(is_misere=False)", "nim", {}),
    ("nim(is_misere=True)", "nim", {"misere": True}),
    ("nim(pile_sizes=12;2;30,is_misere=False)", "nim", {"piles": [12, 2, 30]}),
    ("mnk(m=3,n=3,k=3)", "gomoku", {"rows": 3, "columns": 3, "connect": 3}),
    ("mnk(m=7,n=5,k=4)", "gomoku", {"rows": 5, "columns": 7, "connect": 4}),
    ("gomoku(size=6,connect=4)", "gomoku", {"rows": 6, "columns": 6, "connect": 4}),
    ("gomoku", "gomoku", {}),
    ("go(board_size=3,komi=2.0,max_game_length=27)", "go", {"size": 3, "komi": 2.0}),
    ("go(board_size=5,komi=0.5,max_game_length=75)", "go", {"size": 5, "komi": 0.5}),
    ("go(board_size=9,komi=7.5,max_game_length=243)", "go", {}),
]


class Reader:
    """Reads OpenSpiel's actions as ours, by the names that OpenSpiel gives them."""

    def __init__(self, rules: Any) -> None:
        self.rules = rules
        self.known: dict[tuple[int, int], int] = {}

    def read(self, theirs: Any, state: Any, action: int) -> int:
        """Return our action; what an action means depends on the mover alone."""
        key = theirs.current_player(), action
        if key not in self.known:
            name = self._our_name(theirs.action_to_string(*key))
            self.known[key] = self.rules.string_to_action(state, name)
        return self.known[key]

    def _our_name(self, name: str) -> str:
        game = type(self.rules).__module__.removeprefix("envs.")
        if game == "connect_four":  # x0
            return str(int(name[1:]) + 1)
        if game == "nim":  # pile:1, take:1;
            return "-".join(re.findall(r"\d+", name))
        if game in ("tic_tac_toe", "gomoku"):  # x(0,0) and 0,0, from the top
            row, column = map(int, re.findall(r"\d+", name))
            return f"{chr(ord('a') + column)}{row + 1 if game == 'tic_tac_toe' else self.rules.rows - row}"
        return name.removeprefix("B ").removeprefix("W ").removesuffix("*")


@pytest.mark.parametrize(("theirs", "name", "params"), CASES, ids=[case[0] for case in CASES])
def test_the_same_random_games_agree_at_every_state(theirs: str, name: str, params: dict[str, Any]) -> None:
    rules, other = envs.make_rules(name, **params), pyspiel.load_game(theirs)
    reader, repeats = Reader(rules), 0
    # OpenSpiel does not count the swap of Hex.
    most = other.max_game_length() + bool(params.get("swap"))
    rng = np.random.default_rng(12)
    for _ in range(GAMES):
        state, game = other.new_initial_state(), record(rules, rng.integers(1 << 31, size=most))
        for ply, player in enumerate(game.players.tolist()):
            assert state.returns() == game.returns[ply].tolist()
            assert state.is_terminal() == (player == TERMINAL)
            if player == TERMINAL:
                break
            assert state.current_player() == player
            actions = {
                reader.read(state, game.states[ply], action): action for action in state.legal_actions()
            }
            legal = game.legal[ply, : game.counts[ply]].tolist()
            further = actions.keys() - set(legal)
            repeats += len(further)
            assert sorted(actions.keys() - further) == legal
            assert name == "go" or not further
            assert all(ends_as_a_draw(state.child(actions[action])) for action in further)
            state.apply_action(actions[int(game.moves[ply])])
        assert state.is_terminal()
    assert repeats > 0 or name != "go"


def ends_as_a_draw(state: Any) -> bool:
    return state.is_terminal() and state.returns() == [0, 0]


def test_every_game_that_both_have_is_replayed() -> None:
    both = set(envs.game_names()) & {game.short_name for game in pyspiel.registered_games()}
    assert both == {name for _, name, _ in CASES}
