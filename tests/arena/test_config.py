"""League files: what they become, and every mistake with its line."""

import pickle
import sys
from pathlib import Path

import pytest

import envs
from agents.base import Limit
from arena.league.config import ConfigError, json_schema, load_league, read_league
from arena.machine.cores import available_cores
from arena.records import AgentChoice, GameChoice

PLUGINS = '''
from typing import Annotated
from pydantic import Field
from envs.parameters import ParameterError


class Coin:
    """A game that is never played here."""

    num_players = 2

    @classmethod
    def make(cls, sides: Annotated[int, Field(ge=2, le=6)] = 2, wins: int = 1):
        if wins > sides:
            raise ParameterError.single("coin", "wins", wins, f"at most {sides}")
        if wins < 0:
            raise RuntimeError("it landed on its edge")
        return cls()

    def initial_state(self): ...
    def step(self, state, action): ...


class Trio(Coin):
    num_players = 3


class Bot:
    def __init__(self, rules, depth: Annotated[int, Field(ge=1, le=9)] = 1, trees: int = 1): ...
    def act(self, view, limit): ...


class Forest(Bot):
    def __init__(self, rules, trees: int = 999): ...
'''

GOOD = """\
name: evening
seed: 7
games:
  - league_toys:Coin
  - {name: "league_toys:Coin", sides: 3, label: three}
agents:
  one: {type: "league_toys:Bot", depth: 2}
  two: {type: "league_toys:Bot", limit: {nodes: 7, depth: 2}}
  3: {type: "league_toys:Bot", games: [three]}
limit: {time: 0.5, simulations: 100}
schedule: {type: round_robin, rounds: 5}
openings: {random_plies: 1}
workers: 2
"""

GAMES = "games: [league_toys:Coin]\n"
AGENTS = 'agents: {a: "league_toys:Bot", b: "league_toys:Bot"}\n'


@pytest.fixture
def league(tmp_path, monkeypatch):
    (tmp_path / "league_toys.py").write_text(PLUGINS)
    monkeypatch.setattr(sys, "path", sys.path.copy())
    monkeypatch.delitem(sys.modules, "league_toys", raising=False)

    def load(text):
        file = tmp_path / "league.yaml"
        file.write_bytes(text if isinstance(text, bytes) else text.encode())
        return load_league(file)

    return load


@pytest.fixture
def mistakes(league, tmp_path):
    def collect(text):
        with pytest.raises(ConfigError) as caught:
            league(text)
        assert all(line.startswith(f"{tmp_path / 'league.yaml'}:") for line in caught.value.lines)
        return [line.removeprefix(f"{tmp_path / 'league.yaml'}:") for line in caught.value.lines]

    return collect


def test_a_league_is_what_its_file_says(league, tmp_path):
    loaded = league(GOOD)
    assert (loaded.name, loaded.seed, loaded.workers) == ("evening", 7, 2)
    assert loaded.games == (
        GameChoice("Coin", "league_toys:Coin", {}),
        GameChoice("three", "league_toys:Coin", {"sides": 3}),
    )
    assert loaded.agents == (
        AgentChoice("one", "league_toys:Bot", {"depth": 2}),
        AgentChoice("two", "league_toys:Bot", {}, limit=Limit(nodes=7, depth=2)),
        AgentChoice("3", "league_toys:Bot", {}, ("three",)),
    )
    assert (loaded.limit.time, loaded.limit.simulations, loaded.limit.depth) == (0.5, 100, None)
    assert (loaded.schedule.type, loaded.schedule.rounds, loaded.openings.random_plies) == (
        "round_robin",
        5,
        1,
    )
    assert loaded.folders == (str(tmp_path),)


def test_what_is_left_out_has_a_default(league):
    loaded = league(GAMES + AGENTS)
    assert (loaded.name, loaded.seed, loaded.workers, loaded.limit.time) == ("league", 0, "auto", 0.1)
    assert (loaded.margin, loaded.max_plies, loaded.oversubscribe) == (0.05, 10_000, False)
    assert loaded.recorded == (0, 5)


@pytest.mark.parametrize(("given", "kept"), [("[]", ()), ("[7, 0, 7]", (0, 7)), ("[0, 5]", (0, 5))])
def test_the_moves_whose_search_is_recorded(league, given, kept):
    loaded = league(GAMES + AGENTS + f"record: {{search: {given}}}\n")
    assert loaded.recorded == kept
    assert read_league(loaded.to_yaml()).recorded == kept


def test_a_league_survives_writing_and_pickling(league):
    loaded = league(GOOD)
    assert league(loaded.to_yaml()) == loaded
    assert pickle.loads(pickle.dumps(loaded)) == loaded


SCHEDULES = [
    "{type: round_robin, rounds: 3, until: {elo_error: 15}}",
    "{type: gauntlet, challengers: [two], rounds: 7}",
    "{type: swiss, pairs: 3}",
    "{type: knockout}",
    "{type: sprt, elo0: -5, elo1: 5.5, alpha: 0.1, rounds: 20}",
]


@pytest.mark.parametrize("schedule", SCHEDULES)
def test_every_schedule_survives_writing_and_is_read_without_its_plug_ins(league, schedule, monkeypatch):
    text = GOOD.replace("{type: round_robin, rounds: 5}", schedule)
    if "sprt" in schedule:
        text = text.replace('  3: {type: "league_toys:Bot", games: [three]}\n', "")
    loaded = league(text)
    assert league(loaded.to_yaml()) == loaded
    monkeypatch.setattr("arena.league.config.Checker", None)
    assert read_league(loaded.to_yaml()) == loaded


def test_odd_texts_survive_writing(league):
    text = (
        GAMES + 'agents: {"yes": "league_toys:Bot", "1e3": "league_toys:Bot", "a: b #c": "league_toys:Bot"}\n'
    )
    loaded = league(text)
    assert [agent.label for agent in loaded.agents] == ["yes", "1e3", "a: b #c"]
    assert league(loaded.to_yaml()) == loaded


def test_games_that_share_a_name_are_told_apart_by_their_parameters(league):
    text = 'games: [{name: "league_toys:Coin", sides: 3}, {name: "league_toys:Coin", sides: 4}]\n' + AGENTS
    assert [game.label for game in league(text).games] == ["Coin sides=3", "Coin sides=4"]


def test_all_mistakes_are_reported_at_once_by_line(mistakes):
    text = """\
sed: 3
games:
  - {name: "league_toys:Coin", sides: 1}
  - {name: "league_toys:Coin", label: x, wins: 3}
agents:
  a: {type: "league_toys:Bot", dept: 3}
  b: {type: "league_toys:Bt"}
  b: "league_toys:Bot"
limit: {time: -1}
schedule: {rounds: 0}
"""
    assert mistakes(text) == [
        "1: sed: unknown key (did you mean seed?): allowed are name, seed, games, agents, limit, margin, "
        "schedule, openings, record, workers, max_plies, cap, startup, memory_mb, freeze, max_faults, "
        "withdrawn, strict, grace, oversubscribe, folders",
        "3: games[0].sides: league_toys:Coin: 1 is not allowed: an integer from 2 to 6",
        "4: games[1].wins: coin: 3 is not allowed: at most 2",
        "6: agents.a.dept: unknown parameter (did you mean depth?): league_toys:Bot takes depth, trees",
        "7: agents.b.type: agent 'league_toys:Bt': league_toys has no Bt (did you mean Bot?)",
        "8: agents.b: duplicate key: it is already in line 7",
        "9: limit.time: -1 is not allowed: a number above 0 and of at most 86400",
        "10: schedule.rounds: 0 is not allowed: an integer from 1 to 100000",
    ]


@pytest.mark.parametrize(
    ("text", "lines"),
    [
        ("", ["1: is empty: a league needs games and agents"]),
        ("# nothing\n", ["1: is empty: a league needs games and agents"]),
        ("a: [1\nb: 2\n", ["2: wrong YAML: expected ',' or ']', but got ':' while parsing a flow sequence"]),
        ("a: \x01\n", ["1: wrong YAML: unacceptable character #x0001: special characters are not allowed"]),
        ("a: \0\n", ["1: wrong YAML: unacceptable character #x0000: special characters are not allowed"]),
        (b"a: 1\nb: \xff\n", ["2: is not text in UTF-8"]),
        (GAMES.encode("utf-16"), ["1: is not text in UTF-8"]),
        (b"\x7fELF\x02\x01\x01\x00\xd8\xff\n\n", ["1: is not text in UTF-8"]),
        (b"\xef\xbb\xbf", ["1: is empty: a league needs games and agents"]),
        ("---\n", ["1: is empty: a league needs games and agents"]),
        (
            "a: 1\n---\nb: 1\n",
            ["2: wrong YAML: expected a single document in the stream but found another document"],
        ),
        ("a: &x [*x]\n" + GAMES + AGENTS, ["1: a[0]: refers to itself"]),
        ("- a\n", ["1: ['a'] is not allowed: a league file is a mapping of keys such as games and agents"]),
        ("hello", ["1: 'hello' is not allowed: a league file is a mapping of keys such as games and agents"]),
        ("seed: 1\n" + AGENTS, ["1: games is missing"]),
        ("game: [x]\n" + AGENTS, ["1: games is missing (is it meant by game?)"]),
        (GAMES, ["1: agents is missing"]),
        ("games: []\n" + AGENTS, ["1: games: [] is not allowed: a list of games such as "]),
        ("games: 3\n" + AGENTS, ["1: games: 3 is not allowed: a list of games such as "]),
        (
            GAMES + "agents: [a]\n",
            ["2: agents: ['a'] is not allowed: a mapping of labels to agents such as "],
        ),
        (GAMES + "agents: {}\n", ["2: agents: a league needs at least two agents, not 0"]),
        (GAMES + "agents:\n  a: league_toys:Bot\n", ["2: agents: a league needs at least two agents, not 1"]),
        (
            GAMES + "agents:\n  a: 1\n  b: league_toys:Bot\n",
            ["3: agents.a: 1 is not allowed: an agent's type, or "],
        ),
        (
            GAMES + "agents:\n  a: {tpye: x}\n  b: x:Y\n",
            ["3: agents.a: type is missing (is it meant by tpye?)"],
        ),
        (GAMES + "agents: {? [1] : a, b: x}", ["2: agents: a key must be a word"]),
        (
            GAMES + AGENTS + "limit: {}\n",
            ["3: limit: gives no limit: give time, simulations, nodes, depth or clock"],
        ),
        (GAMES + AGENTS + "limit: 3\n", ["3: limit: 3 is not allowed: a mapping such as {time: 0.1}"]),
        (GAMES + AGENTS + "limit: {tme: 3}\n", ["3: limit.tme: unknown key (did you mean time?)"]),
        (
            GAMES + AGENTS + "limit:\n  nodes: 0.5\n",
            ["4: limit.nodes: 0.5 is not allowed: an integer above 0"],
        ),
        (
            GAMES + 'agents:\n  a: {type: "league_toys:Bot", limit: {}}\n  b: league_toys:Bot\n',
            ["3: agents.a.limit: gives no limit: give time, simulations, nodes, depth or clock"],
        ),
        (
            GAMES + 'agents:\n  a: {type: "league_toys:Bot", limit: 3}\n  b: league_toys:Bot\n',
            ["3: agents.a.limit: 3 is not allowed: a mapping such as {time: 0.1}"],
        ),
        (
            GAMES + "agents:\n  a:\n    type: league_toys:Bot\n    limit:\n      tme: 1\n      time: 0\n"
            "  b: league_toys:Bot\n",
            [
                "6: agents.a.limit.tme: unknown key (did you mean time?): allowed are time, simulations, ",
                "7: agents.a.limit.time: 0 is not allowed: a number above 0 and of at most 86400",
            ],
        ),
        (GAMES + AGENTS + "record: 5\n", ["3: record: 5 is not allowed: a mapping such as {search: [0, 5]}"]),
        (
            GAMES + AGENTS + "record: {searches: [0]}\n",
            ["3: record.searches: unknown key (did you mean search?): allowed are search"],
        ),
        (
            GAMES + AGENTS + "record:\n  search: 5\n",
            ["4: record.search: 5 is not allowed: a list of up to 1000 moves such as [0, 5], or [] for none"],
        ),
        (
            GAMES + AGENTS + "record:\n  search:\n    - 0\n    - -1\n    - first\n",
            [
                "6: record.search[1]: -1 is not allowed: an integer from 0 to 1000000",
                "7: record.search[2]: 'first' is not allowed: an integer from 0 to 1000000",
            ],
        ),
        (GAMES + AGENTS + "seed: yes\n", ["3: seed: 'yes' is not allowed: an integer from 0 to "]),
        (GAMES + AGENTS + "seed: true\n", ["3: seed: True is not allowed: an integer from 0 to "]),
        (
            GAMES + AGENTS + "workers: many\n",
            ["3: workers: 'many' is not allowed: 'auto' or an integer from 1 to "],
        ),
        (GAMES + AGENTS + "workers: 0\n", ["3: workers: 0 is not allowed: 'auto' or an integer from 1 to "]),
        (GAMES + AGENTS + "margin: .nan\n", ["3: margin: nan is not allowed: it is not finite"]),
        (
            GAMES + AGENTS + "schedule: {rounds: 1000000}\n",
            ["3: schedule.rounds: 1000000 is not allowed: an integer "],
        ),
        (
            GAMES + AGENTS + "schedule: {type: swis}\n",
            ["3: schedule.type: 'swis' is not allowed: one of round_robin, gauntlet, swiss, knockout, sprt"],
        ),
        (GAMES + AGENTS + "schedule: 3\n", ["3: schedule: 3 is not allowed: a mapping such as {type: "]),
        (
            GAMES + AGENTS + "schedule:\n  type: swiss\n  elo0: 3\n  pairs: 0\n",
            [
                "5: schedule.elo0: unknown key: allowed are type, rounds, pairs",
                "6: schedule.pairs: 0 is not allowed: an integer from 1 to 1000",
            ],
        ),
        (
            GAMES + AGENTS + "schedule:\n  until:\n    elo_eror: 3\n",
            [
                "4: schedule.until: elo_error is missing (is it meant by elo_eror?)",
                "5: schedule.until.elo_eror: ",
            ],
        ),
        (
            GAMES + AGENTS + "schedule: {until: {elo_error: 0}}\n",
            ["3: schedule.until.elo_error: 0 is not allowed: a number above 0 and of at most 1000"],
        ),
        (
            GAMES + AGENTS + "schedule: {until: 15}\n",
            ["3: schedule.until: 15 is not allowed: a mapping such as "],
        ),
        (GAMES + AGENTS + "schedule: {type: gauntlet}\n", ["3: schedule: challengers is missing"]),
        (
            GAMES + AGENTS + "schedule:\n  type: gauntlet\n  challengers: [a, c]\n",
            ["5: schedule.challengers[1]: no agent is called 'c'"],
        ),
        (
            GAMES + AGENTS + "schedule: {type: gauntlet, challengers: [a, b]}\n",
            ["1: games[0]: Coin: another agent is needed to meet the challengers"],
        ),
        (
            GAMES
            + AGENTS.replace("}", ', c: "league_toys:Bot"}').replace(
                'a: "league_toys:Bot"', 'a: {type: "league_toys:Bot", games: [x]}'
            )
            + "schedule: {type: gauntlet, challengers: [a]}\n",
            ["1: games[0]: Coin: no challenger plays this", "2: agents.a.games[0]: no game is called 'x'"],
        ),
        (
            GAMES + AGENTS.replace("}", ', c: "league_toys:Bot"}') + "schedule: {type: sprt}\n",
            ["1: games[0]: Coin: sprt is between two agents, and a, b, c play this"],
        ),
        (
            GAMES + AGENTS + "schedule: {type: swiss}\nwithdrawn: unplayed\n",
            ["4: withdrawn: unplayed does not go with swiss, which needs a result of every game"],
        ),
        (
            GAMES + AGENTS + "schedule: {until: {elo_error: 5}}\nwithdrawn: unplayed\n",
            ["4: withdrawn: unplayed does not go with until, which needs a result of every game"],
        ),
        (
            GAMES + AGENTS + "schedule: {type: sprt, elo0: 5, elo1: 5}\n",
            ["3: schedule: elo0 is 5 and elo1 5: elo1 must be the larger one"],
        ),
        (
            "games: [league_toys:Trio]\n"
            + AGENTS.replace("}", ', c: "league_toys:Bot"}')
            + "schedule: {type: swiss}",
            ["1: games[0]: Trio: swiss is for games of two players, and this is one of 3"],
        ),
        (
            GAMES + AGENTS + "name: ../up\n",
            ["3: name: '../up' is not allowed: text at most 60 long and matching "],
        ),
        (
            'games: [{name: "league_toys:Coin", label: "a\\e[2J"}]\n' + AGENTS,
            ["1: games[0].label: 'a\\x1b[2J' is not allowed: a label without '\\x1b', which steers what is"],
        ),
        (
            GAMES + AGENTS.replace("a:", '"o\\u202Ene":'),
            ["2: agents.o\u202ene: 'o\\u202ene' is not allowed: a label without '\\u202e', which steers"],
        ),
        (GAMES + AGENTS + "seed: !!int x\n", ["3: seed: 'x' is not of the kind tag:yaml.org,2002:int"]),
        (GAMES + AGENTS + "seed: !mine 3\n", ["3: seed: the tag !mine is not supported"]),
        (
            'games: ["league_toys:Nope"]\n' + AGENTS,
            ["1: games[0]: game 'league_toys:Nope': league_toys has no Nope"],
        ),
        ("games: [hexx]\n" + AGENTS, ["1: games[0]: unknown game 'hexx' (did you mean hex?)"]),
        (
            'games: [{name: "league_toys:Coin", wins: -1}]\n' + AGENTS,
            ["1: games[0]: league_toys:Coin cannot be made: RuntimeError: it landed on its edge"],
        ),
        (
            "games:\n  - league_toys:Coin\n  - league_toys:Coin\n" + AGENTS,
            ["3: games[1]: two games are called 'Coin' (the other in line 2): give one a label"],
        ),
        (
            "games: [league_toys:Trio]\n" + AGENTS,
            ["1: games[0]: Trio needs 3 agents that play it, and has a, b"],
        ),
        (
            GAMES + 'agents:\n  a: {type: "league_toys:Bot", games: [Coim]}\n  b: league_toys:Bot\n',
            [
                "1: games[0]: Coin needs 2 agents that play it, and has b",
                "3: agents.a.games[0]: no game is called 'Coim'",
            ],
        ),
        (
            GAMES + 'agents:\n  a: {type: "league_toys:Bot", trees: 5000}\n  b: league_toys:Bot\n',
            [
                f"3: agents.a.trees: 5000 is not allowed: from 1 to {len(available_cores())}, "
                "a core each; oversubscribe: true allows more"
            ],
        ),
    ],
)
def test_every_mistake_names_its_line(mistakes, text, lines):
    found = mistakes(text)
    starts = [line for line in lines if any(got.startswith(line) for got in found)]
    assert starts == lines, found


def test_a_limit_that_an_agent_does_not_heed_is_refused(league, mistakes):
    text = GAMES + "agents:\n  a: {type: alphabeta}\n  b: uct\nlimit: {simulations: 100}\n"
    expected = (
        "3: agents.a: alphabeta needs a limit of time, nodes or depth: give the league or this agent one"
    )
    assert mistakes(text) == [expected]
    for mended in ("{type: alphabeta, limit: {depth: 3}}", "{type: alphabeta, level: easy}", "minimax"):
        league(text.replace("{type: alphabeta}", mended))
    league(text.replace("{simulations: 100}", "{clock: {base: 60}}"))
    league(text.replace("limit: {simulations: 100}\n", ""))


def test_oversubscribing_must_be_asked_for(league):
    text = GAMES + 'agents:\n  a: {type: "league_toys:Bot", trees: 5000}\n  b: league_toys:Bot\n'
    assert league(text + "oversubscribe: true\n").agents[0].params == {"trees": 5000}


def test_trees_that_an_agent_has_by_default_count_too(league, mistakes):
    text = GAMES + 'agents:\n  a: {type: "league_toys:Forest"}\n  b: league_toys:Bot\n'
    assert mistakes(text)[0].startswith("3: agents.a.trees: 999 is not allowed: from 1 to ")
    assert league(text + "oversubscribe: true\n").agents[0].params == {}


@pytest.mark.parametrize("start", ["", "\ufeff"])
@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_files_of_other_systems_are_read_alike(league, mistakes, start, end):
    assert league((start + GOOD.replace("\n", end)).encode()) == league(GOOD)
    found = mistakes((start + (GOOD + "sed: 3\n").replace("\n", end)).encode())
    assert [line.split(" (")[0] for line in found] == [f"{GOOD.count(chr(10)) + 1}: sed: unknown key"]


def test_a_file_that_cannot_be_read(tmp_path, monkeypatch):
    def said(path):
        with pytest.raises(ConfigError) as caught:
            load_league(path)
        return caught.value.lines

    file = tmp_path / "none.yaml"
    assert said(file) == [f"{file}: cannot be read: No such file or directory"]
    assert said(tmp_path) == [f"{tmp_path}: cannot be read: Is a directory"]
    file.write_text(GOOD)

    def refuse(self, encoding):  # not by its mode: those who test as root may read everything
        raise PermissionError(13, "Permission denied", str(self))

    monkeypatch.setattr(Path, "read_text", refuse)
    assert said(file) == [f"{file}: cannot be read: Permission denied"]


def test_aliases_that_grow_without_bound_are_refused(mistakes):
    lists = "".join(f"l{n + 1}: &l{n + 1} [{', '.join([f'*l{n}'] * 10)}]\n" for n in range(9))
    assert "1: is too large" in mistakes("l0: &l0 [x]\n" + lists)


def test_the_built_in_games_report_their_own_limits(mistakes):
    text = "games:\n  - {name: connect_four, connect: 9}\n  - {name: hex, size: 500}\n" + AGENTS
    assert mistakes(text) == [
        "2: games[0].connect: connect_four: 9 is not allowed: at most 7 on a board of 6 x 7",
        "3: games[1].size: hex: 500 is not allowed: an integer from 1 to 26",
    ]


def test_the_schema_offers_names_and_parameters():
    schema = json_schema()
    assert schema["required"] == ["games", "agents"]
    name, game = schema["$defs"]["GameEntry"]["anyOf"]
    assert name["anyOf"][0]["enum"] == envs.game_names()
    of_hex = game["allOf"][2]["then"]["properties"]["size"]
    assert (of_hex["minimum"], of_hex["maximum"], of_hex["default"]) == (1, 26, 11)
    _, agent = schema["$defs"]["AgentEntry"]["anyOf"]
    uct = agent["allOf"][1]["then"]["properties"]
    assert "trees" in uct
    assert uct["limit"] is True
    assert agent["properties"]["limit"]["anyOf"][0] == {"$ref": "#/$defs/LimitSection"}
    schedules = [
        schema["$defs"][one["$ref"].removeprefix("#/$defs/")]
        for one in schema["properties"]["schedule"]["oneOf"]
    ]
    names = [one["properties"]["type"]["const"] for one in schedules]
    assert names == ["round_robin", "gauntlet", "swiss", "knockout", "sprt"]
    assert all("type" in one["required"] for one in schedules[1:])  # so that only one fits
    none, lines, openings = schema["$defs"]["Openings"]["anyOf"]
    assert (none, lines["type"], openings["type"]) == ({"const": "none"}, "array", "object")
