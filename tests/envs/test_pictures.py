"""Boards as text and as SVG: names of cells, shares, and pictures that are what they should show."""

from __future__ import annotations

import builtins
import colorsys
import math
import xml.etree.ElementTree as ElementTree

import numpy as np
import pytest
import toy_games

import envs
from envs import boards, pictures, shapes
from envs.aec import RulesEnv
from envs.rules import list_legal, rules

SVG = "{http://www.w3.org/2000/svg}"


def parse(svg):
    return ElementTree.fromstring(svg)


def texts(svg):
    return [element.text for element in parse(svg).iter(f"{SVG}text") if element.text]


def luminance(colour):
    channels = [int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)]
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in channels]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def contrast(one, other):
    """The contrast ratio of WCAG 2.1."""
    low, high = sorted((luminance(one), luminance(other)))
    return (high + 0.05) / (low + 0.05)


@pytest.mark.parametrize(("rows", "columns"), [(1, 1), (3, 3), (6, 7), (30, 40)])
@pytest.mark.parametrize("bottom_up", [False, True])
def test_cell_names_round_trip(rows, columns, bottom_up):
    names = [boards.square_name(cell, rows, columns, bottom_up) for cell in range(rows * columns)]
    assert len(set(names)) == rows * columns
    for cell, name in enumerate(names):
        assert boards.parse_cell("g", f" {name.upper()} ", rows, columns, bottom_up) == cell


def test_cell_names():
    assert boards.square_name(5, 3, 3) == "c2"
    assert boards.square_name(0, 8, 8, bottom_up=True) == "a8"
    assert [boards.column_name(i) for i in (0, 25, 26, 27, 52)] == ["a", "z", "aa", "ab", "ba"]


@pytest.mark.parametrize("text", ["", "d1", "a4", "a0", "a01", "1a", "aa", "11", "a1b", "a-1", "ä1", "a¹"])
def test_other_names_are_refused(text):
    with pytest.raises(ValueError, match=r"tic_tac_toe: .* is no cell of this board: allowed: a1 to c3"):
        boards.parse_cell("tic_tac_toe", text, 3, 3)


def test_square_text():
    cells = [0, -1, -1, -1, 1, -1, -1, 0, 1]
    assert boards.square_text(cells, 3, 3) == "  a b c\n1 X . .\n2 . O .\n3 . X O"
    visits = [0, 500, 30, 5, 0, 200, 0, 0, 0]
    assert boards.square_text(cells, 3, 3, visits=visits) == (
        "    a   b   c\n1   X  68   4\n2  <1   O  27\n3   .   X   O"
    )


def test_column_text():
    text = boards.square_text([-1, -1, 0, 1], 2, 2, column_visits=[1, 3], numbered=True)
    assert text == "  25  75\n   1   2\n   .   .\n   X   O"


def test_hex_text_stands_askew():
    assert boards.hex_text([0, 1, -1, -1], 2, 2) == " a b\n1 X O\n 2 . ."
    lines = boards.hex_text([-1] * 121, 11, 11).split("\n")
    assert [len(line) - len(line.lstrip()) for line in lines[1:]] == [1, 2, 3, 4, 5, 6, 7, 8, 9, 9, 10]
    assert all(line.count(".") == 11 for line in lines[1:])


def test_shares_of_no_visits_are_zero():
    assert boards.shares([0, 0]).tolist() == [0.0, 0.0]
    assert boards.shares([1, 3]).tolist() == [0.25, 0.75]
    assert [boards.per_cent(share) for share in (0, 1e-9, 0.0099, 0.01, 0.996, 1)] == [
        "",
        "<1",
        "<1",
        "1",
        "100",
        "100",
    ]


class TestPictures:
    cells = (0, -1, -1, -1, 1, -1, -1, 0, 1)
    visits = np.array([0, 500, 30, 5, 0, 200, 0, 0, 0])

    @pytest.mark.parametrize("draw", [pictures.square_picture, pictures.hex_picture])
    def test_a_board_has_its_cells_names_and_visits(self, draw):
        svg = draw(self.cells, 3, 3, visits=self.visits, last=4)
        assert {"a", "b", "c", "1", "2", "3", "68", "<1", "4", "27"} == set(texts(svg))
        titles = [element.text for element in parse(svg).iter(f"{SVG}title")]
        assert titles[0] == "b1: 500 visits, 68.03%"
        assert len(titles) == 4

    def test_the_most_visited_cell_is_hottest(self):
        heat = shapes.Heat(self.visits)
        assert heat.fill(1) == shapes.HOT
        assert heat.fill(0) == heat.fill(99) == shapes.CELL
        lightness = [
            colorsys.rgb_to_hls(*(int(heat.fill(a)[i : i + 2], 16) for i in (1, 3, 5)))[1]
            for a in (3, 2, 5, 1)
        ]
        assert lightness == sorted(lightness, reverse=True)
        assert shapes.Heat(None).fill(0) == shapes.Heat([0, 0]).fill(0) == shapes.CELL

    def test_a_picture_without_visits_is_plain(self):
        svg = pictures.square_picture(self.cells, 3, 3)
        assert shapes.HOT not in svg
        assert "<title>" not in svg
        assert svg == pictures.square_picture(self.cells, 3, 3, visits=np.zeros(9, np.int64))

    def test_discs_fall_into_numbered_columns(self):
        svg = pictures.square_picture(
            [-1, -1, 0, 1], 2, 2, column_visits=[1, 3], discs=True, numbered=True, last=2
        )
        assert texts(svg) == ["1", "2", "25", "75"]
        assert len(list(parse(svg).iter(f"{SVG}circle"))) == 3

    @pytest.mark.parametrize("size", [2, 11, 15])
    @pytest.mark.parametrize("game", ["hex", "havannah", "y", "gomoku", "go"])
    def test_everything_lies_inside(self, game, size):
        params = {"rows": size, "columns": size, "connect": 2} if game == "gomoku" else {"size": size}
        board = envs.make_rules(game, **params)
        svg = parse(board.to_svg(board.initial_state()))
        _, _, width, height = map(float, svg.get("viewBox").split())
        group = svg.find(f"{SVG}g")
        dx, dy = (0.0, 0.0) if group is None else map(float, group.get("transform")[10:-1].split())
        for text in svg.iter(f"{SVG}text"):
            assert 6 <= float(text.get("x")) + dx <= width - 6
            assert 6 <= float(text.get("y")) + dy <= height - 6
        for shape in [*svg.iter(f"{SVG}polygon"), *svg.iter(f"{SVG}polyline")]:
            for point in shape.get("points").split():
                x, y = map(float, point.split(","))
                assert 6 <= x + dx <= width - 6
                assert 6 <= y + dy <= height - 6

    def test_numbers_on_steps_stand_apart_and_beside_the_pieces(self):
        board = envs.make_rules("breakthrough")
        state, visits = board.initial_state(), np.zeros(board.num_actions, np.int64)
        visits[list_legal(board, state)] = 1
        shown = parse(board.to_svg(state, visits))
        numbers = [text for text in shown.iter(f"{SVG}text") if text.text == "5"]  # 1 of 22, in %
        places = {(float(text.get("x")), float(text.get("y"))) for text in numbers}
        steps = [(x, y) for x, y in places if x > pictures.LABELS]  # not the name of a row
        assert len(steps) == 22
        for i, (x, y) in enumerate(steps):
            assert all(abs(x - a) > 12.5 or abs(y - b) > 10 for a, b in steps[:i])
            pieces = map(centre, shown.iter(f"{SVG}circle"))
            assert all(math.hypot(x - a, y - b) > 0.4 * shapes.SQUARE + 7 for a, b in pieces)

    def test_a_pass_is_told_below_the_board(self):
        for name, size in (("go", 5), ("othello", 4)):
            board = envs.make_rules(name, size=size)
            state, passing = board.initial_state(), size * size
            visits = np.zeros(board.num_actions, np.int64)
            visits[passing], visits[0] = 3, 1
            assert "pass: 75%" in texts(board.to_svg(state, visits))
            assert board.to_text(state, visits).endswith("pass: 75%")
            board.step(state, passing)
            assert "last move: pass" in texts(board.to_svg(state))

    def test_text_is_escaped(self):
        evil = "<script>alert('&')</script>"
        assert texts(pictures.text_picture(evil)) == [evil]
        assert texts(shapes.document(9, 9, [shapes.label(1, 1, evil)])) == [evil]
        titled = shapes.document(9, 9, [shapes.square(1, 1, 1, title=evil)])
        assert [element.text for element in parse(titled).iter(f"{SVG}title")] == [evil]

    def test_numbers_can_be_read_and_pieces_told_apart(self):
        for ground in (shapes.PAPER, shapes.CELL, shapes.HOT, shapes.LAST):
            assert contrast(shapes.INK, ground) > 4.5
        assert contrast(shapes.PLAYERS[0], shapes.PLAYERS[1]) > 4.5  # also without colour

    def test_pixels(self):
        pytest.importorskip("resvg_py")
        pytest.importorskip("PIL")
        pixels = pictures.to_pixels(pictures.hex_picture([0, 1, -1, -1], 2, 2))
        assert pixels.dtype == np.uint8
        assert pixels.ndim == 3
        assert pixels.shape[2] == 3
        for colour in shapes.PLAYERS[:2]:
            rgb = [int(colour[i : i + 2], 16) for i in (1, 3, 5)]
            assert (pixels == rgb).all(axis=2).sum() > 300
        assert pictures.to_pixels(pictures.text_picture("x"), zoom=2).shape[0] == 104

    @pytest.mark.parametrize("missing", ["PIL", "resvg_py"])
    def test_a_missing_package_is_named(self, missing, monkeypatch):
        really_import = builtins.__import__

        def fake_import(name, *args, **kwargs):
            if name.startswith(missing):
                raise ModuleNotFoundError(f"No module named {missing!r}", name=missing)
            return really_import(name, *args, **kwargs)

        monkeypatch.setattr(builtins, "__import__", fake_import)
        with pytest.raises(RuntimeError, match=rf"{missing}: pip install 'game-ai-arena\[pictures\]'"):
            pictures.to_pixels(pictures.text_picture("x"))


def centre(element):
    """Return the middle of a rectangle, polygon or circle."""
    if element.get("points"):
        xs, ys = zip(*(map(float, point.split(",")) for point in element.get("points").split()), strict=True)
        return sum(xs) / len(xs), sum(ys) / len(ys)
    if element.get("cx"):
        return float(element.get("cx")), float(element.get("cy"))
    x, y, width, height = (float(element.get(key)) for key in ("x", "y", "width", "height"))
    return x + width / 2, y + height / 2


def marks(svg):
    """Return where a picture marks the last move."""
    shown = parse(svg)
    return [centre(e) for e in shown.iter() if e.get("class") == "last" or e.get("fill") == shapes.LAST]


def shown_at(board, state, action):
    """Return where a picture shows the visits of an action."""
    visits = np.zeros(board.num_actions, np.int64)
    visits[action] = 1
    titled = [e for e in parse(board.to_svg(state, visits)).iter() if e.find(f"{SVG}title") is not None]
    return centre(titled[0])


class TestLastMove:
    @pytest.mark.parametrize("name", envs.game_names())
    def test_every_game_marks_it_where_it_was_played(self, name):
        env = envs.make_env(name, render_mode="svg")
        env.reset()
        assert marks(env.render()) == []
        rng = np.random.default_rng(1)
        for _ in range(4):
            state, action = env.game_state, int(rng.choice(env.legal_actions()))
            env.step(action)
            found = marks(env.render())
            # A pile shows all the stones that were taken, from the left.
            assert len(found) == 1 if name != "nim" else found == sorted(found)
            x, y = shown_at(env.rules, state, action)
            if name == "connect_four":  # columns show their visits above the board
                y = found[0][1]
            if name != "breakthrough":  # an arrow stands between two cells
                assert found[0] == pytest.approx((x, y), abs=0.02)

    def test_a_game_that_does_not_ask_for_it_is_drawn_all_the_same(self):
        class Plain(toy_games.Race):
            def to_svg(self, state, visits=None):
                return f"<svg>{state[5]} {visits}</svg>"

        env = RulesEnv(rules(Plain).make(), "plain", "svg")
        env.reset(seed=1)
        env.step(0)
        assert env.render() == "<svg>1 None</svg>"
        assert env.rules.to_svg(env.game_state, "seen", 0) == "<svg>1 seen</svg>"

    def test_any_keyword_is_enough(self):
        class Open(toy_games.Race):
            def to_svg(self, state, **more):
                return f"<svg>{more}</svg>"

        env = RulesEnv(rules(Open).make(), "open", "svg")
        env.reset(seed=1)
        env.step(0)
        assert env.render() == f"<svg>{{'last': {env.history[-1]}}}</svg>"
