"""The `arena` command: help at once, lists, bad input without a traceback, exit codes."""

import json
import os
import subprocess
import sys
import types
from dataclasses import dataclass

import click
import pytest
from click.testing import CliRunner
from run_records import record, searched, small_run, spec, write

import arena.cli
import envs
from arena.cli import cli
from arena.records import GameChoice

LEAGUE = "games: [tic_tac_toe]\nagents: {a: random, b: random}\nlimit: {time: 60}\n"


def invoke(*words):
    return CliRunner().invoke(cli, list(map(str, words)))


@pytest.mark.parametrize("words", [["--help"], ["bench", "uct", "--help"]])
def test_help_loads_no_library(words):
    heavy = ["numba", "numpy", "pettingzoo", "pydantic", "ruamel.yaml", "agents", "envs"]
    code = (
        "import sys, arena.cli; sys.argv[1:] = " + repr(words) + "\n"
        "try: arena.cli.main()\n"
        f"except SystemExit: print([name for name in {heavy} if name in sys.modules])"
    )
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert run.stdout.splitlines()[-1] == "[]"


def test_every_command_and_option_has_help():
    assert set(cli.commands) >= {"run", "list", "schema", "bench"}
    for command in (*cli.commands.values(), *cli.commands["bench"].commands.values()):
        assert command.help
        assert all(option.help for option in command.params if isinstance(option, click.Option))


def test_the_example_of_the_help_text_is_a_good_league(tmp_path, monkeypatch):
    from arena.league.config import load_league

    lines = cli.commands["run"].help.splitlines()
    start = next(n for n, line in enumerate(lines) if "An example" in line) + 1
    example = lines[start : lines.index("", start)]
    (tmp_path / "my_bots.py").write_text("from agents.random import RandomAgent as Greedy\n")
    (tmp_path / "league.yaml").write_text("\n".join(line[4:] for line in example))
    monkeypatch.setattr(sys, "path", sys.path.copy())
    assert [agent.label for agent in load_league(tmp_path / "league.yaml").agents] == [
        "uct",
        "random",
        "mine",
    ]


def test_version_names_the_program():
    answer = invoke("--version")
    assert answer.exit_code == 0
    assert answer.stdout.startswith("arena")


def test_list_games_shows_parameters_defaults_and_what_is_allowed():
    text = invoke("list", "games").stdout
    assert "connect_four: Connect Four on any board of up to 64 bits." in text
    assert "    connect: 4  an integer from 2 to 32: discs in a line that win" in text
    games = json.loads(invoke("list", "games", "--json").stdout)
    assert [game["name"] for game in games] == envs.game_names()


def test_list_games_shows_the_features_that_agents_weigh():
    text = invoke("list", "games").stdout
    assert "    features: mobility 0.4, frontier 0.5, corners 0.2," in text
    games = {game["name"]: game for game in json.loads(invoke("list", "games", "--json").stdout)}
    assert games["othello"]["features"] == dict(envs.game_class("othello").FEATURES)
    assert games["nim"]["features"] == {}


def test_list_agents_as_json_has_every_parameter():
    entries = {entry["name"]: entry for entry in json.loads(invoke("list", "agents", "--json").stdout)}
    trees = next(p for p in entries["uct"]["parameters"] if p["name"] == "trees")
    assert (trees["default"], trees["type"], trees["required"]) == (1, "int", False)
    assert entries["random"]["parameters"] == []


def test_schema_is_json():
    assert json.loads(invoke("schema").stdout)["title"] == "LeagueModel"


def test_bad_input_prints_every_mistake_and_creates_nothing(tmp_path):
    file = tmp_path / "league.yaml"
    file.write_text("games: [hexx]\nagents: {a: random, b: utc}\n")
    answer = invoke("run", file, "--runs-dir", tmp_path / "runs")
    assert (answer.exit_code, answer.stdout) == (2, "")
    lines = answer.stderr.splitlines()
    assert [line.split(" (")[0] for line in lines] == [
        f"{file}:1: games[0]: unknown game 'hexx'",
        f"{file}:2: agents.b: unknown agent 'utc'",
    ]
    assert not (tmp_path / "runs").exists()


@pytest.mark.parametrize(
    "words",
    [
        ["run"],
        ["run", "x.yaml", "--workers", "0"],
        ["list", "toys"],
        ["rnu"],
        ["bench", "uct", "--game", "hx"],
    ],
)
def test_wrong_usage_exits_with_2(words):
    assert invoke(*words).exit_code == 2


def test_a_runs_folder_that_is_a_file_is_refused(tmp_path):
    (tmp_path / "league.yaml").write_text(LEAGUE)
    (tmp_path / "file").write_text("")
    answer = invoke("run", tmp_path / "league.yaml", "--runs-dir", tmp_path / "file" / "runs")
    assert answer.exit_code == 2
    assert "is not a folder that can be written" in answer.stderr


@dataclass
class Outcome:
    run: object
    interrupted: bool
    failed: bool = False


@pytest.fixture
def stand_ins(tmp_path, monkeypatch):
    """Put a supervisor that only remembers what it was asked in the place of the real one."""
    calls = []
    seen = types.SimpleNamespace(calls=calls, interrupted=False, error=None, report_error=None)

    class RunError(RuntimeError):
        exit_code = 2

    def run_league(league, **options):
        calls.append((league.name, options))
        if seen.error:
            raise RunError(seen.error) if isinstance(seen.error, str) else seen.error
        return Outcome(tmp_path / "runs" / "league-1", seen.interrupted)

    def write_report(database, quiet):
        if seen.report_error:
            raise seen.report_error
        return database.with_name("report.html")

    summary = types.SimpleNamespace(to_json=lambda: '{"games": 2}', played=2)
    modules = {
        "arena.referee.supervisor": {"run_league": run_league, "RunError": RunError},
        "arena.results.summary": {"summarise": lambda database: calls.append(database) or summary},
        "arena.report.page": {"write_report": write_report},
        "arena.results.tables": {"print_summary": lambda given: print("tables" if given is summary else "?")},
    }
    for name, members in modules.items():
        module = types.ModuleType(name)
        vars(module).update(members)
        monkeypatch.setitem(sys.modules, name, module)
    (tmp_path / "league.yaml").write_text(LEAGUE)
    seen.run = lambda *words: invoke("run", tmp_path / "league.yaml", "--runs-dir", tmp_path / "runs", *words)
    return seen


def test_run_hands_its_options_on_and_prints_the_tables(stand_ins, tmp_path):
    answer = stand_ins.run("--workers", 3, "--quiet")
    report = tmp_path / "runs" / "league-1" / "report.html"
    assert (answer.exit_code, answer.stdout) == (0, f"tables\nReport: {report}\n")
    options = {"run_dir_parent": tmp_path / "runs", "workers": 3, "quiet": True}
    assert stand_ins.calls == [("league", options), tmp_path / "runs" / "league-1" / "league.sqlite"]


def test_run_prints_one_json_document(stand_ins):
    answer = stand_ins.run("--json")
    assert json.loads(answer.stdout) == {"games": 2}
    assert answer.stderr.startswith("Report: ")


def test_a_report_that_fails_is_told_and_costs_nothing(stand_ins):
    assert "Report" not in stand_ins.run("--no-report").output
    stand_ins.report_error = ZeroDivisionError("of a picture")
    answer = stand_ins.run()
    assert (answer.exit_code, answer.stdout) == (0, "tables\n")
    assert answer.stderr.startswith(
        "arena: no report: ZeroDivisionError: of a picture; try again with: arena report "
    )


def test_show_prints_the_tables_of_a_run(tmp_path):
    database = small_run(tmp_path)
    answer = invoke("show", tmp_path, "--json")
    assert json.loads(answer.stdout)["games"][0]["played"] == 3
    assert "By seat" in invoke("show", tmp_path).stdout
    assert "Without forfeits" in invoke("show", tmp_path, "--without-forfeits").stdout
    database.unlink()
    answer = invoke("show", tmp_path)
    assert answer.exit_code == 2
    assert answer.stderr.startswith(f"arena: {tmp_path}: there is no such run")


def test_an_interrupted_run_reports_and_exits_with_130(stand_ins):
    stand_ins.interrupted = True
    answer = stand_ins.run()
    assert answer.exit_code == 130
    assert answer.stdout.startswith("tables\nReport: ")
    stand_ins.error = KeyboardInterrupt()
    assert stand_ins.run().exit_code == 130


INTERRUPTED = """
import os, signal, sys
from arena.__main__ import main

class Interrupts:
    def find_spec(name, *_):
        if name == {module!r}:
            os.kill(os.getpid(), signal.SIGINT)

sys.meta_path.insert(0, Interrupts)
sys.argv[1:] = ["run", {file!r}]
main()
"""


@pytest.mark.parametrize("module", ["click", "arena.league.config", "arena.referee.supervisor"])
def test_ctrl_c_while_libraries_load_is_one_line(tmp_path, module):
    (tmp_path / "league.yaml").write_text(LEAGUE)
    code = INTERRUPTED.format(module=module, file=str(tmp_path / "league.yaml"))
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert (run.returncode, run.stdout, run.stderr) == (130, "", "arena: interrupted\n")


def run_into(stdout, *words):
    command = [sys.executable, "-m", "arena", *map(str, words)]
    return subprocess.run(command, stdout=stdout, stderr=subprocess.PIPE, text=True)


@pytest.fixture
def full():
    if not os.path.exists("/dev/full"):
        pytest.skip("there is no /dev/full here")
    with open("/dev/full", "w") as device:
        yield device


@pytest.mark.parametrize("words", [["list", "agents"], ["--help"], ["schema"]])
def test_output_that_cannot_be_written_is_one_line(full, words):
    run = run_into(full, *words)
    assert (run.returncode, run.stderr) == (1, "arena: standard output: No space left on device\n")


def test_a_run_whose_tables_cannot_be_written_keeps_its_games(full, tmp_path):
    (tmp_path / "league.yaml").write_text(LEAGUE + "schedule: {rounds: 1}\n")
    run = run_into(full, "run", tmp_path / "league.yaml", "--runs-dir", tmp_path, "--quiet")
    kept = f"the games are kept in {tmp_path / 'league-1'}"
    assert (run.returncode, run.stderr) == (
        1,
        f"arena: standard output: No space left on device; {kept}\n",
    )
    assert (tmp_path / "league-1" / "league.sqlite").exists()


def test_a_reader_that_is_gone_is_no_error():
    reader, writer = os.pipe()
    os.close(reader)
    run = run_into(writer, "list", "games")
    os.close(writer)
    assert (run.returncode, run.stderr) == (1, "")


def test_a_run_that_cannot_start_says_why(stand_ins):
    stand_ins.error = "hex: agent a does not start: it hangs"
    answer = stand_ins.run()
    assert (answer.exit_code, answer.stderr) == (2, "arena: hex: agent a does not start: it hangs\n")


def test_main_asks_for_foreign_packages_first(monkeypatch, capsys):
    monkeypatch.setattr(arena.cli, "foreign_packages", lambda: ["somebody else's"])
    with pytest.raises(SystemExit) as left:
        arena.cli.main()
    assert (left.value.code, capsys.readouterr().err) == (2, "arena: somebody else's\n")


@pytest.mark.parametrize("words", [["show"], ["show", "--game", "0"], ["report"], ["export"]])
def test_a_run_of_a_game_that_is_gone_is_refused_in_one_line(tmp_path, words):
    gone = GameChoice("mine", "gone_game:Gone")
    specs, move = [spec(0, "a", "b", game=gone)], searched(0, 0, 4, [0, 4], [1, 2], time=0.1)
    write(tmp_path, specs, [record(specs[0], 1.0, move)])
    answer = invoke(words[0], tmp_path, *words[1:])
    assert answer.exit_code == 2
    assert answer.stderr.startswith("arena: game 'gone_game:Gone' cannot be imported")
    assert answer.stderr.count("\n") == 1


@pytest.mark.parametrize(
    ("words", "text"),
    [
        (["report", "--game", "99999"], "no game 99999 is finished"),
        (["report", "--out", "nodir/x/y.html"], "--out nodir/x/y.html: nodir/x is not a folder"),
        (["report", "--out", "league.sqlite/y.html"], "--out league.sqlite/y.html: league.sqlite is not"),
        (["export", "--out", "league.sqlite/tables"], "league.sqlite is not a folder that can be written"),
    ],
)
def test_what_cannot_be_told_or_written_is_refused_before_work_starts(tmp_path, monkeypatch, words, text):
    monkeypatch.chdir(small_run(tmp_path).parent)
    before = set(tmp_path.iterdir())
    answer = invoke(words[0], ".", *words[1:])
    assert answer.exit_code == 2
    assert answer.stderr.startswith("arena: ")
    assert text in answer.stderr
    assert answer.stderr.count("\n") == 1
    assert set(tmp_path.iterdir()) == before
