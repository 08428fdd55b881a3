"""Tables as they are printed: nothing lost, nothing wider than the terminal, nothing read as markup."""

from __future__ import annotations

import io
import re
from dataclasses import replace
from itertools import combinations, permutations
from types import SimpleNamespace

import pytest
from rich.cells import cell_len
from rich.console import Console
from run_records import TIC_TAC_TOE, record, searched, small_run, spec, write

from agents.base import Limit
from arena.records import AgentChoice, GameChoice
from arena.results.summary import summarise
from arena.results.tables import print_summary


def printed(database, width: int = 100) -> str:
    stream = io.StringIO()
    print_summary(summarise(database), Console(file=stream, width=width, highlight=False))
    text = stream.getvalue()
    assert max(map(cell_len, text.splitlines())) <= width
    assert "\x1b" not in text
    return text


def lines(text: str) -> list[str]:
    return [line.rstrip() for line in text.splitlines()]


def test_an_interrupted_run_says_so_and_what_that_means(tmp_path):
    text = lines(printed(small_run(tmp_path)))
    assert "Not finished: 3 of 4 games played." in text
    assert "1 game without the other game of the pair: it counts in no result." in text
    assert "1 of 3 games repeats another move for move: no new evidence." in text
    assert "keeps repeating" not in "".join(text)
    assert any("cannot be told apart yet" in line for line in text)
    assert f"Kept in {tmp_path}"[:100] in "".join(text)


def test_every_block_has_its_title_and_notes_in_full_width(tmp_path):
    text = printed(small_run(tmp_path))
    for title in ("Standings", "By seat, W-D-L", "Time a move, milliseconds", "Root visits"):
        assert f"\n\n{title}\n" in text
    assert "Elo: 0 is these agents' average, ± the 95% interval. stronger: probability, than" in text
    assert "Results, W-D-L" not in text  # two agents: the standings say it all
    for row in ("│     a   b   c │", "│ 1  25   .   . │", "│ 2   .  50   . │", "│ 2 games       │"):
        assert row in text


def test_a_league_that_repeats_itself_says_so(tmp_path):
    specs = [spec(n, *"ab"[:: 1 - 2 * (n % 2)]) for n in range(6)]
    text = printed(write(tmp_path, specs, [record(of, 0.0) for of in specs]), width=200)
    assert (
        "4 of 6 games repeat another move for move: no new evidence. This league keeps repeating itself"
        in text
    )


def test_pairings_are_told_by_their_pairs(tmp_path):
    specs = [spec(n, *"ab"[:: 1 - 2 * (n % 2)]) for n in range(4)]
    firsts = (1.0, 0.0, -1.0, 1.0)  # a: a win, a draw; a loss, a loss
    records = [record(of, first) for of, first in zip(specs, firsts, strict=True)]
    text = lines(printed(write(tmp_path, specs, records)))
    row = next(line for line in text if line.startswith("b v a"))
    assert row.split()[3:9] == ["62.5%", "0", "1", "0", "0", "1"]


def test_games_of_three_are_told_by_returns(tmp_path):
    orders = list(permutations("abc"))
    specs = [replace(spec(6 * n + k, *orders[k]), pair=n) for n in range(9) for k in range(6)]
    places = {"a": 1.0, "b": 0.0, "c": -1.0}
    records = [replace(record(of, 0.0), returns=tuple(places[p.label] for p in of.players)) for of in specs]
    text = lines(printed(write(tmp_path, specs[:-1], records[:-1])))
    assert "a is best: returns +0.89; over 99.9% that it is stronger than b." in text
    assert "5 games without other seatings of the same players: they count in no result." in text
    assert any(line.startswith("The first seat's mean return is +0.000 ± 0.126, +0 ± ") for line in text)
    assert any(line.startswith("Return: mean of what games were worth") for line in text)
    assert not any(line.startswith("Score:") for line in text)
    assert "agent  seat 1  seat 2  seat 3" in text
    assert next(line for line in text if line.startswith("a  ")).split()[1:6] == [
        "+0.889",
        "0.241",
        "48",
        "0",
        "0",
    ]


def test_no_figure_is_a_negative_zero(tmp_path):
    orders = list(permutations("abc"))
    specs = [replace(spec(k, *order), pair=0) for k, order in enumerate(orders)]
    returns = {"a": 1e-9, "b": -1e-9, "c": -1e-9}
    records = [replace(record(of, 0.0), returns=tuple(returns[p.label] for p in of.players)) for of in specs]
    text = printed(write(tmp_path, specs, records))
    assert "+0.000" in text
    assert not re.search(r"(?<!\d)-0(\.0+)?(?![\d.-])", text)


def test_faults_are_counted_and_the_first_are_told(tmp_path):
    text = printed(small_run(tmp_path, faults=50))
    assert "Faults, each a lost game" in text
    assert "game 2, ply 2: a: timeout: moved after �[31m0.2 s" in text
    assert text.count(": timeout: ") == 3
    assert "and 47 more" in text


@pytest.mark.parametrize(("columns", "width"), [("60", 60), ("140", 140), ("", 100), ("wide", 100)])
def test_what_is_not_printed_to_a_terminal_is_as_wide_as_columns_says(
    tmp_path, monkeypatch, capsys, columns, width
):
    monkeypatch.setenv("COLUMNS", columns)
    print_summary(summarise(small_run(tmp_path)))
    assert max(map(cell_len, capsys.readouterr().out.splitlines())) == width


LONG = "x" * 30 + "[/]" + "y" * 27


@pytest.mark.parametrize("width", [40, 100])
def test_odd_names_are_shown_as_they_are(tmp_path, width):
    text = printed(small_run(tmp_path, "[bold]x", LONG), width)
    assert "[bold]x" in text
    if width == 100:
        assert text.count(LONG) >= 3
        assert "�" in text


@pytest.mark.parametrize("label", ["agent", "an agent with a long name [red]", "代理"])
@pytest.mark.parametrize("count", [3, 24])
def test_crosstables_take_as_many_parts_as_they_need(tmp_path, label, count):
    names = [f"{label} {n}" for n in range(count)]
    specs = [
        spec(2 * n + back, *((b, a) if back else (a, b)))
        for n, (a, b) in enumerate(combinations(names, 2))
        for back in range(2)
    ]
    text = printed(write(tmp_path, specs, [record(one, 1.0) for one in specs]))
    part = text[text.index("Results, W-D-L") : text.index("By seat")]
    assert all(name in part for name in names)
    assert part.count("1-0-1") == len(specs)


@pytest.mark.parametrize(("size", "framed"), [(11, True), (26, False)])
def test_boards_stand_side_by_side_or_below_each_other_or_become_lists(tmp_path, size, framed):
    game = GameChoice("hex", "hex", {"size": size})
    visits = [0] * size**2
    visits[0], visits[1] = 3, 1
    move = searched(0, 0, 0, list(range(size**2)), visits, time=0.1)
    specs = [spec(0, "a", "b", game=game), spec(1, "b", "a", game=game)]
    text = printed(write(tmp_path, specs, [record(one, 1.0, move) for one in specs]))
    assert text.count("╭") == 2
    assert ("a1 75%  b1 25%" in text) is not framed
    assert "╮ ╭" not in text or not framed


def test_the_first_line_of_a_run_of_several_games_says_who_leads_where(tmp_path):
    hex5 = GameChoice("small hex", "hex", {"size": 5})
    specs = [spec(n, *"ab"[:: 1 - 2 * (n % 2)], game=hex5 if n >= 40 else TIC_TAC_TOE) for n in range(44)]
    wins = [record(of, 1.0 if of.players[0].label == "a" else -1.0) for of in specs[:40]]
    text = lines(printed(write(tmp_path, specs, wins + [record(of, 0.0) for of in specs[40:]])))
    assert text[2] == f"{tmp_path.name}: 0.1 s a move for every agent; over 0.15 s loses the game."
    assert text[1] == "a leads at tic_tac_toe (over 99.9% sure); small hex is open between a and b."
    assert any(line.startswith("small hex (size 5): 4 games ─") for line in text)


@pytest.mark.parametrize(
    ("limit", "said"),
    [
        (Limit(simulations=1000), "1,000 simulations a move for every agent; over 60 s loses the game."),
        (
            Limit(time=2, nodes=1, depth=3),
            "2 s or 1 node or depth 3 a move for every agent; over 2.05 s loses",
        ),
    ],
)
def test_the_limit_of_a_move_is_told(tmp_path, limit, said):
    specs = [replace(spec(n, *"ab"), limit=limit) for n in range(2)]
    text = printed(write(tmp_path, specs, [record(of, 1.0) for of in specs]))
    assert text.startswith(f"\n{tmp_path.name}: {said}")


@pytest.mark.parametrize(
    ("own", "said"),
    [
        (
            Limit(nodes=7),
            "a move may cost 1,000 simulations for a and c, 7 nodes for b; over 60 s loses the game.",
        ),
        (
            Limit(time=2),
            "a move may cost 1,000 simulations for a and c (over 60 s loses), 2 s for b (over 2.05 s loses).",
        ),
    ],
)
def test_limits_of_agents_are_told_apart(tmp_path, own, said):
    players = [AgentChoice("a", "uct"), AgentChoice("b", "uct", limit=own), AgentChoice("c", "uct")]
    league = replace(spec(0, *"ab"), limit=Limit(simulations=1000))
    specs = [replace(league, number=n, pair=n, players=two) for n, two in enumerate(combinations(players, 2))]
    text = printed(write(tmp_path, specs, [record(of, 1.0) for of in specs]), width=200)
    assert text.startswith(f"\n{tmp_path.name}: {said}\n")


def test_endings_are_told_where_not_all_are_normal(tmp_path):
    assert "How games ended: 2 normal, 1 timeout." in printed(small_run(tmp_path))


def test_a_game_that_cannot_be_drawn_is_told_in_words(tmp_path, monkeypatch):
    rules = SimpleNamespace(num_actions=9, initial_state=list)
    monkeypatch.setattr("arena.results.boards.envs.make_rules", lambda name, **params: rules)
    assert "4 50%  0 25%  8 25%" in printed(small_run(tmp_path))
    again = tmp_path / "again"
    again.mkdir()
    rules.to_text = lambda state: "a board without visits"
    rules.action_to_string = lambda state, action: f"move-{action}"
    assert "move-4 50%" in printed(small_run(again))


def test_a_terminal_gets_colours_and_the_best_action_is_set_off(tmp_path):
    stream = io.StringIO()
    console = Console(file=stream, width=100, highlight=False, force_terminal=True, color_system="standard")
    print_summary(summarise(small_run(tmp_path)), console)
    assert "\x1b[1;32m50\x1b[0m" in stream.getvalue()
