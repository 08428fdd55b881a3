"""What the report replays: games packed and unpacked again, which are drawn, and the list of all."""

from __future__ import annotations

import base64
import json
import zlib

import numpy as np
import pytest
from run_records import record, searched, small_run, spec, write

import envs
from arena.records import Fault, GameChoice, MoveRecord
from arena.report import replays as module
from arena.report.games import Games
from arena.report.packing import Pool, pack
from arena.report.replays import by_interest, film, replays
from arena.results.show import game_row
from arena.store import Store

EVIL = "<script>alert('x')</script>"


def unpacked(text):
    return json.loads(zlib.decompress(base64.b64decode(text)))


def pictures(data, kind):
    return [None if parts is None else "".join(data["pool"][part] for part in parts) for parts in data[kind]]


@pytest.mark.parametrize(
    "text", ["", "plain", "<a>b</a>", "<<a>", "a > b <c d='<'>", f"{EVIL} & é", "<", "a<b"]
)
def test_parts_of_a_picture_make_it_whole_again(text):
    pool = Pool()
    pool.add("<a>other</a>")
    assert "".join(pool.parts[part] for part in pool.add(text)) == text


def played(name, params, plies):
    """A game whose every move was searched, and the boards that are to be seen."""
    rules, rng = envs.make_rules(name, **params), np.random.default_rng(1)
    state, moves, plain, shaded, last = rules.initial_state(), [], [], [], None
    for ply in range(plies):
        legal = np.zeros(rules.max_legal, np.int64)
        legal = legal[: rules.legal_actions(state, legal)]
        visits, action = rng.integers(0, 1000, legal.size), int(rng.choice(legal))
        everywhere = np.zeros(rules.num_actions, np.int64)
        plain.append(rules.to_svg(state, everywhere, last))
        everywhere[legal] = visits
        shaded.append(rules.to_svg(state, everywhere, last))
        moves.append(searched(ply, int(rules.current_player(state)), action, legal, visits, time=0.01))
        rules.step(state, action)
        last = action
    plain.append(rules.to_svg(state, np.zeros(rules.num_actions, np.int64), last))
    return record(spec(0, "a", "b", game=GameChoice(name, name, params)), 1.0, *moves), plain, [*shaded, None]


@pytest.mark.parametrize(
    ("name", "params", "plies"),
    [("hex", {"size": 4, "swap": True}, 6), ("connect_four", {}, 9), ("go", {"size": 5}, 8), ("nim", {}, 2)],
)
def test_every_picture_comes_back_as_it_was_drawn(name, params, plies):
    game, plain, shaded = played(name, params, plies)
    data = unpacked(pack(film(game)))
    assert pictures(data, "plain") == plain
    assert pictures(data, "visits") == shaded
    assert [ply["seat"] for ply in data["plies"]] == [move.seat for move in game.moves]


def test_a_picture_without_visits_keeps_their_room_only_where_there_are_any():
    rules = envs.make_rules("connect_four")
    bare = record(spec(0, "a", "b", game=GameChoice("c4", "connect_four")), 0.0, MoveRecord(0, 0, 3, 0.01))
    assert pictures(film(bare), "plain")[0] == rules.to_svg(rules.initial_state())


def test_a_game_that_cannot_draw_or_name_is_replayed_as_text(monkeypatch):
    class Mute:
        """Tic-tac-toe that draws no visits, or nothing, and has no names."""

        draws = True

        def __getattr__(self, name):
            return getattr(envs.make_rules("tic_tac_toe"), name)

        def to_svg(self, state, visits=None, last=None):
            if visits is not None or not self.draws:
                raise ZeroDivisionError
            return "<svg>drawn</svg>"

        def action_to_string(self, state, action):
            raise KeyError(action)

        def to_text(self, state):
            return EVIL

    monkeypatch.setattr(module, "rules_of", lambda record: Mute())
    game = record(spec(0, "a", "b"), 0.0, searched(0, 0, 4, [0, 4, 8], [1, 2, 1], time=0.1))
    assert pictures(film(game), "visits") == ["<svg>drawn</svg>", None]
    assert film(game)["plies"][0]["move"] == "4"
    monkeypatch.setattr(Mute, "draws", False)
    as_text = pictures(film(game), "plain")[1]
    assert "&lt;script&gt;" in as_text
    assert "<script" not in as_text


def test_what_is_told_of_a_move_and_of_a_fault():
    moves = [searched(0, 0, 4, [0, 4, 8], [1, 2, 1], time=0.125, overshoot=0.025, value=0.5)]
    moves.append(MoveRecord(1, 1, 0, 0.02, value=0.0))
    late = Fault(1, 2, "no move within 0.15 s", "its last words")
    game = film(record(spec(7, "a", "b"), 1.0, *moves, fault=late))
    assert game["plies"] == [
        {
            "seat": 0,
            "agent": "a",
            "move": "b2",
            "value": 0.5,
            "facts": {
                "value": "+0.50",
                "time": "125.00 of 100 ms",
                "chosen": "50%",
                "simulations": "4",
                "overshoot": "25.00 ms",
            },
        },
        {
            "seat": 1,
            "agent": "b",
            "move": "a1",
            "value": 0.0,
            "facts": {"value": "+0.00", "time": "20.00 of 100 ms"},
        },
    ]
    assert game["outcome"] == "a won by timeout of b at ply 2: no move within 0.15 s"
    assert game["fault"] == {"reason": "no move within 0.15 s", "detail": "its last words"}
    assert (game["number"], game["players"]) == (7, ["a", "b"])


class TestSample:
    def rows(self, count=400):
        """Games of two pairings, in which the first mostly wins; every fiftieth is lost by a fault."""
        games = []
        for number in range(count):
            fault = Fault(0, 0, "late") if number % 50 == 49 else None
            first = 0.0 if number == 210 else -1.0 if fault else 1.0
            labels = ("a", "b") if number % 2 else ("b", "a")
            games.append(game_row(record(spec(number, *labels), first, fault=fault)))
        return games

    def test_faults_and_one_of_each_kind_come_first(self):
        numbers = [row["number"] for row in by_interest(self.rows(), ())]
        assert set(numbers[:3]) == {49, 99, 149}
        assert set(numbers[3:6]) == {0, 1, 210}
        assert sorted(numbers) == list(range(400))

    def test_games_that_are_asked_for_come_before_all(self):
        assert {row["number"] for row in by_interest(self.rows(), {301, 302})[:2]} == {301, 302}

    @pytest.mark.parametrize("taken", [20, 50, 100])
    def test_the_others_are_spread_over_the_run(self, taken):
        numbers = sorted(row["number"] for row in by_interest(self.rows(), ())[6 : 6 + taken])
        gaps = np.diff([0, *numbers, 400])
        assert gaps.max() <= 4 * 400 / taken

    def run(self, tmp_path, count=20):
        specs = [spec(number, "a", "b") for number in range(count)]
        moves = [MoveRecord(ply, ply % 2, ply, 0.01) for ply in range(5)]
        return write(tmp_path, specs, [record(of, 1.0, *moves) for of in specs])

    def drawn(self, database, wanted=()):
        with Store.open(database) as store:
            rows = [game_row(game) for game in store.games()]
            return replays(store, rows, wanted)["drawn"]

    def test_as_many_are_drawn_as_the_report_has_room_for(self, tmp_path, monkeypatch):
        database = self.run(tmp_path)
        assert list(self.drawn(database)) == list(range(20))
        monkeypatch.setattr(module, "PLIES", 24)
        few = self.drawn(database)
        assert len(few) == 4
        assert few == self.drawn(database)
        assert set(self.drawn(database, {3, 4, 999})) > {3, 4}
        assert set(self.drawn(database, {3, 4, 5, 6, 7})) == {3, 4, 5, 6, 7}
        monkeypatch.setattr(module, "PLIES", 1000)
        monkeypatch.setattr(module, "SIZE", sum(map(len, few.values())))
        assert len(self.drawn(database)) == 4

    def test_a_run_without_games_has_none(self, tmp_path):
        with Store.open(write(tmp_path, [spec(0, "a", "b")], [])) as store:
            assert replays(store, []) is None


class TestList:
    def test_rows_name_things_by_their_places(self, tmp_path):
        games = Games()
        with Store.open(small_run(tmp_path, a=EVIL)) as store:
            for game in store.games():
                games.add(game)
        view = games.view({"other": "o", "tic_tac_toe": "t"})
        assert view["count"] == 3
        assert view["tables"] == {
            "games": [["other", "o"], ["tic_tac_toe", "t"]],
            "agents": [EVIL, "b"],
            "endings": ["normal", "timeout"],
            "rows": [
                [0, 1, [0, 1], [1.0, -1.0], 0, 2],
                [1, 1, [1, 0], [0.0, -0.0], 0, 1],
                [2, 1, [0, 1], [-1.0, 1.0], 1, 2],
            ],
        }

    def test_without_scripts_the_first_are_read_and_the_others_counted(self, monkeypatch):
        monkeypatch.setattr("arena.report.games.LISTED", 2)
        games = Games()
        for number in range(5):
            games.add(record(spec(number, "a", "b"), 1 / 3))
        view = games.view({"tic_tac_toe": "t"})
        assert [row["number"] for row in view["first"]] == [0, 1]
        assert view["count"] == len(view["tables"]["rows"]) == 5
        assert view["tables"]["rows"][4] == [4, 0, [0, 1], [0.333, -0.333], 0, 0]
