"""`arena play`: moves, hints, taking back, visits, and what a mistake gets."""

import pytest
from click.testing import CliRunner

from agents import Limit
from arena.cli import cli
from arena.play import Duel, play


def talk(duel, *words):
    """Return what is written when a person types `words` and then has no more to say."""
    lines, said = iter(words), []

    def read():
        try:
            return next(lines)
        except StopIteration:
            raise EOFError from None

    play(duel, read, said.append)
    return "\n".join(said)


def duel(agent="minimax", seat=0, game="tic_tac_toe", limit=None, **params):
    return Duel(game, params, {"type": agent}, limit or Limit(), seat)


def test_a_game_is_played_to_its_end_and_told_from_the_persons_side():
    game = duel()
    told = talk(
        game,
        *(word for _ in range(5) for word in ("hint", "a1", "b2", "c3", "a2", "b1", "c1", "a3", "b3", "c2")),
    )
    assert told.startswith("You are X and move first.")
    assert game.mover == -2
    assert told.splitlines()[-1] in ("A draw.", "You lose.")  # nobody wins against minimax


def test_following_every_hint_draws_with_a_perfect_player():
    game = duel(seat=1)
    while game.mover != -2:
        if game.mover == game.seat:
            name = game.hint().split()[1]
            game.push(game.rules.string_to_action(game.states[-1], name))
        else:
            game.answer()
    assert game.result() == "A draw."


def test_undo_goes_back_to_the_persons_last_turn():
    game = duel(seat=1)
    assert "nothing to take back" in talk(game, "undo")
    opening = list(game.actions)
    talk(game, game.moves()[0])
    assert len(game.actions) == 3
    talk(game, "undo")
    assert game.actions == opening
    assert len(game.states) == 2


def test_a_wrong_move_is_explained_and_changes_nothing():
    game = duel()
    told = talk(game, "z9", "moves")
    assert "z9" in told
    assert "a1 b1 c1" in told
    assert game.actions == []


def test_visits_are_shown_on_the_board_when_asked_for():
    game = duel("uct", limit=Limit(simulations=200))
    quiet = talk(game, "hint")
    assert "per cent" not in quiet
    told = talk(game, "visits", "hint", "b2")
    assert told.count("its visits, in per cent") == 2  # of the hint and of the answer
    assert "200 simulations" in told


@pytest.mark.parametrize(
    ("words", "text"),
    [
        (["ches"], "unknown game"),
        (["hex", "size=99"], "size"),
        (["hex", "size"], "size=5"),
        (["hex", "--against", "utc"], "did you mean"),
        (["hex", "--against", "{type: uct, uct_x: 1}"], "uct_x"),
        (["hex", "--against", "[uct]"], "{type: uct"),
        (["hex", "--limit", "tim=1"], "did you mean time?): --limit takes time, simulations, nodes, depth"),
        (["hex", "--limit", "time=0"], "--limit: time: 0 is not allowed: a number above 0"),
        (["hex", "--limit", "time=nan"], "--limit: time: 'nan' is not allowed: a number above 0"),
        (["hex", "--limit", "time=.nan"], "--limit: time: nan is not allowed: a number above 0"),
        (["hex", "--limit", "time=.inf"], "--limit: time: inf is not allowed: a number above 0"),
        (["hex", "--limit", "depth=3", "--limit", "nodes=0.5"], "nodes: 0.5 is not allowed: an integer"),
        (["hex", "--limit", "time=null"], "a move needs some limit"),
        (["hex", "--limit", "clock={base: 3}"], "--limit: clock: unknown"),
    ],
)
def test_bad_input_is_refused_at_once(words, text):
    done = CliRunner().invoke(cli, ["play", *words])
    assert done.exit_code == 2
    assert text in done.output


def test_the_command_plays():
    words = ["play", "connect_four", "rows=4", "columns=4", "--against", "random", "--second", "--seed", "3"]
    done = CliRunner().invoke(cli, words, input="moves\nquit\n")
    assert done.exit_code == 0
    assert "You are O and move second" in done.output
    assert "X plays" in done.output


def test_chance_moves_by_itself_and_is_told():
    told = talk(duel("random", game="toy_games:Race", goal=4), *["hint", "0"] * 40)
    assert "Chance: " in told
    assert told.splitlines()[-1] in ("You win.", "You lose.", "A draw.")
