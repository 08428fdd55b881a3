"""Openings that are written down: read, checked with file and line, and played."""

from __future__ import annotations

import pytest

from agents.base import Limit
from arena.league.config import ConfigError, Openings, load_league
from arena.records import AgentChoice, GameChoice, MatchSpec
from arena.referee.match import play_match

LEAGUE = """\
games: [{GAME}]
agents: {AGENTS}
limit: {{time: 60}}
openings: {OPENINGS}
"""


@pytest.fixture
def load(tmp_path):
    def load(openings, game="tic_tac_toe", agents="{a: random, b: random}"):
        file = tmp_path / "league.yaml"
        file.write_text(LEAGUE.format(GAME=game, AGENTS=agents, OPENINGS=openings))
        return load_league(file)

    return load


@pytest.fixture
def mistakes(load, tmp_path):
    def collect(*text):
        with pytest.raises(ConfigError) as caught:
            load(*text)
        return [line.replace(f"{tmp_path}/", "") for line in caught.value.lines]

    return collect


def test_openings_are_none_random_listed_or_in_a_file(load, tmp_path):
    (tmp_path / "lines.txt").write_text("# the corner\na1 b2   # and the middle\n\nB3\n")
    assert load("none").openings == Openings(random_plies=0)
    assert load("{random_plies: 5}").openings == Openings(random_plies=5)
    assert (
        load("[a1 b2, B3]").openings == load("{file: lines.txt}").openings == Openings(lines=["a1 b2", "B3"])
    )
    assert load("{lines: ['']}").openings.line(7) == ""


def test_what_is_read_from_a_file_stays_with_the_league(load, tmp_path):
    (tmp_path / "lines.txt").write_text("a1 b2\n")
    league = load("{file: lines.txt}", "{name: tic_tac_toe, openings: [c3]}")
    (tmp_path / "again.yaml").write_text(league.to_yaml())
    (tmp_path / "lines.txt").unlink()
    assert load_league(tmp_path / "again.yaml") == league
    assert league.openings_of(league.games[0]) == Openings(lines=["c3"])


def test_mistakes_are_told_by_file_and_line(mistakes, tmp_path):
    (tmp_path / "lines.txt").write_text("a1 b2\n# nothing\na1 a1\na1 a2 b1 b2 c1 c2\nz9\n")
    one, two, three = mistakes("{file: lines.txt}")
    assert one.startswith("league.yaml:4: openings.file: lines.txt:3: tic_tac_toe: 'a1' is ")
    assert two == (
        "league.yaml:4: openings.file: lines.txt:4: 'a1 a2 b1 b2 c1 c2' decides the game: c1 ends it"
    )
    assert three.startswith("league.yaml:4: openings.file: lines.txt:5: tic_tac_toe: 'z9' is ")
    (line,) = mistakes("[a1, q1]")
    assert line.startswith("league.yaml:4: openings[1]: tic_tac_toe: 'q1' is ")
    (line,) = mistakes("none", "{name: tic_tac_toe, openings: {lines: [a1, q1]}}")
    assert line.startswith("league.yaml:1: games[0].openings.lines[1]: tic_tac_toe: 'q1' is ")


def test_a_game_of_chance_has_no_written_openings(mistakes):
    (line,) = mistakes("[x]", '"toy_games:Race"', "{a: random, b: random, c: random}")
    assert line.endswith("openings[0]: a game of chance has no openings that could be written down")


@pytest.mark.parametrize(
    ("openings", "said"),
    [
        ("{file: gone.txt}", "openings.file: gone.txt: cannot be read: No such file or directory"),
        ("{file: empty.txt}", "openings.file: empty.txt: has no openings"),
        ("{file: binary.txt}", "openings.file: binary.txt: is not text in UTF-8"),
        ("{file: a, random_plies: 2}", "openings: gives file and random_plies: give one of them"),
        ("some", "openings: 'some' is not allowed: none, a mapping such as {random_plies: 2}"),
        ("[]", "openings: [] is not allowed: none, a mapping such as {random_plies: 2}"),
        ("[3]", "openings[0]: 3 is not allowed: text"),
        ("{line: [a1]}", "openings.line: unknown key (did you mean lines?): allowed are random_plies, lines"),
    ],
)
def test_what_cannot_be_read_is_refused(mistakes, tmp_path, openings, said):
    (tmp_path / "empty.txt").write_text("# nothing\n")
    (tmp_path / "binary.txt").write_bytes(b"\xff")
    (line,) = mistakes(openings)
    assert line.startswith(f"league.yaml:4: {said}")


def test_a_game_begins_with_what_is_written():
    players = (AgentChoice("a", "random"), AgentChoice("b", "random"))
    game = GameChoice("tic_tac_toe", "tic_tac_toe")
    spec = MatchSpec(0, game, players, Limit(time=60), 5.0, 0, 0, 2, (1,), (2,), opening="a1 b2")
    record = play_match(spec)
    assert record.opening == record.actions[:2] == (0, 4)
    assert record.moves[0].ply == 2
