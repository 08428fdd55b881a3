"""A run is followed by another process: what it shows is what is played, and it ends when the run does."""

from __future__ import annotations

import os
import pty
import signal
import subprocess
import sys
import time
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

import pytest
from rich.console import Console
from run_records import record, small_run, spec, write

import envs
from arena.records import GameChoice, LiveGame
from arena.results.follow import Board, Follower, Moment
from arena.results.screen import frame, progress_line
from arena.results.summary import summarise
from arena.runs import DATABASE, is_reserved, reserved
from arena.store import Store, StoreError

ROOT, TESTS = Path(__file__).parents[2], Path(__file__).parents[1]
LEAGUE = f"""\
name: long
games: [{{name: hex, size: 5}}]
agents: {{a: {{type: "toys:SlowFirst"}}, b: {{type: "toys:SlowFirst"}}}}
limit: {{time: 60}}
openings: {{random_plies: 1}}
schedule: {{rounds: ROUNDS}}
workers: 1
folders: [{str(TESTS)!r}]
"""

pytestmark = pytest.mark.skipif(
    sys.platform != "linux", reason="games are played by forks, and held by flock"
)


def arena(*words: object, **options) -> subprocess.Popen[str]:
    command = [sys.executable, "-m", "arena", *map(str, words)]
    env = {**os.environ, "PYTHONPATH": str(ROOT), "COLUMNS": "90"}
    return subprocess.Popen(command, env=env, text=True, **options)


def run_of(folder: Path, rounds: int) -> tuple[subprocess.Popen[str], Path]:
    """Begin a run of `2 * rounds` games; return its process, and its database once it is there."""
    (folder / "league.yaml").write_text(LEAGUE.replace("ROUNDS", str(rounds)))
    words = ("run", folder / "league.yaml", "--runs-dir", folder / "runs", "--quiet", "--no-report")
    process = arena(*words, stdout=subprocess.DEVNULL)
    database = folder / "runs" / "long-1" / DATABASE
    while True:
        assert process.poll() is None
        with suppress(StoreError), Store.open(database):
            return process, database
        time.sleep(0.02)


def followed(store: Store, until) -> list[Moment]:
    """Look at a run until something is so."""
    follower, moments = Follower(store), []
    while not moments or not until(moments[-1]):
        moments.append(follower.look())
        time.sleep(0.05)
    return moments


def test_what_is_seen_of_a_run_is_what_is_played(tmp_path):
    rules = envs.make_rules("hex", size=5)
    rules.step(rules.initial_state(), 0)  # compiled before, or games are over before they are seen
    process, database = run_of(tmp_path, rounds=2)
    watch = arena("watch", database, "--interval", 0.1, stdout=subprocess.PIPE)
    with Store.open(database) as store:
        moments = followed(store, lambda moment: moment.is_over)
        assert (process.wait(60), store.live()) == (0, [])
        records = {record.spec.number: record for record in store.games()}
    assert all(moment.is_played for moment in moments[:-1])
    seen = [position.game for moment in moments for position in moment.positions]
    assert len({(game.spec.number, game.plies) for game in seen}) > len({game.spec.number for game in seen})
    for game in seen:
        assert records[game.spec.number].spec == game.spec
        assert records[game.spec.number].actions[: game.plies] == game.actions
    last = moments[-1]
    assert (last.is_complete, last.positions, last.seconds_left) == (True, [], 0.0)
    assert last.summary.games[0].standings == summarise(database).games[0].standings
    assert {record.spec.number for record in last.latest} == set(records)
    told, _ = watch.communicate(timeout=60)
    assert watch.returncode == 0
    assert told.splitlines()[0].endswith(" of 4 games")
    assert "4 of 4 games" in told
    assert "Standings" in told


def test_a_run_that_was_killed_shows_no_boards_and_watching_it_ends(tmp_path):
    process, database = run_of(tmp_path, rounds=3)
    with Store.open(database) as store:
        followed(store, lambda moment: moment.positions)
        process.kill()
        process.wait()
        assert store.live()  # it could not take it back
        moment = Follower(store).look()
    assert (moment.is_played, moment.is_complete, moment.positions) == (False, False, [])
    watch = arena("watch", "--runs-dir", tmp_path / "runs", stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    told, error = watch.communicate(timeout=60)
    assert watch.returncode == 0
    assert "of 6 games" in told
    assert error == f"No process plays it. Go on with: arena resume {database.parent}\n"


@pytest.mark.parametrize("key", [b"q", b"\x03"])
def test_a_key_ends_watching_and_the_terminal_is_as_before(key, tmp_path):
    database = small_run(tmp_path)
    ours, theirs = pty.openpty()
    with reserved(tmp_path), os.fdopen(ours, "r+b", buffering=0) as terminal:
        watch = arena("watch", database, stdin=theirs, stdout=theirs, preexec_fn=_take_terminal)
        os.close(theirs)
        shown = b""
        while b"Finished last" not in shown:
            shown += terminal.read(4096)
        terminal.write(key)
        try:
            while part := terminal.read(4096):
                shown += part
        except OSError:  # the other end is closed
            pass
        assert watch.wait(60) == 0
    assert b"3 of 4 games" in shown
    assert (shown.count(b"\x1b[?1049h"), shown.count(b"\x1b[?1049l")) == (1, 1)  # the other screen
    assert b"Standings" not in shown  # which the tables of a run that is over have


def _take_terminal() -> None:
    import fcntl
    import termios

    os.setsid()
    fcntl.ioctl(0, termios.TIOCSCTTY, 0)
    signal.signal(signal.SIGINT, signal.default_int_handler)


def test_once_prints_how_it_stands(tmp_path):
    database = small_run(tmp_path)
    watch = arena("watch", database, "--once", stdout=subprocess.PIPE)
    told, _ = watch.communicate(timeout=60)
    assert watch.returncode == 0
    assert f"{tmp_path.name}  3 of 4 games" in told
    assert "No process plays it" in told
    assert "game 2 tic_tac_toe" in told


def test_a_folder_that_is_kept_is_known_and_asking_keeps_nobody_from_it(tmp_path):
    assert not is_reserved(tmp_path)
    with reserved(tmp_path):
        assert is_reserved(tmp_path)
    assert not is_reserved(tmp_path)
    with reserved(tmp_path), pytest.raises(BlockingIOError), reserved(tmp_path):
        pass


def moment_of(database: Path, *games: LiveGame) -> Moment:
    with Store.open(database) as store, reserved(database.parent):
        store.show(games)
        return Follower(store).look()


def drawn(moment: Moment, width: int = 80, height: int = 24) -> list[str]:
    screen = Console(width=width, highlight=False)
    return [
        "".join(part.text for part in line) for line in screen.render_lines(frame(moment, screen, height))
    ]


def test_boards_stand_side_by_side_with_players_and_last_move(tmp_path):
    games = [LiveGame(spec(number, "[bold]a", "b\x1b[31m"), 2, (4, 0)) for number in (3, 5)]
    lines = drawn(moment_of(small_run(tmp_path), *games))
    heads = next(line for line in lines if "3 tic_tac_toe" in line)
    assert "5 tic_tac_toe" in heads
    text = "\n".join(lines)
    assert text.count("[bold]a v b\N{REPLACEMENT CHARACTER}[31m") == 2
    assert text.count("ply 2: a1") == 2
    assert text.count("2 . X .") == 2
    assert "\x1b" not in text


def test_what_has_no_room_is_left_out(tmp_path):
    games = [LiveGame(spec(number, "a", "b"), 1, (4,)) for number in range(3, 60)]
    moment = moment_of(small_run(tmp_path), *games)
    for width, height in ((120, 50), (80, 24), (40, 12), (20, 5), (10, 1)):
        lines = drawn(moment, width, height)
        assert len(lines) <= max(height, 1)
        assert all(len(line) <= width for line in lines)
        assert lines == [] or lines[0].startswith(tmp_path.name[: width // 2])
    assert "Finished last" in "\n".join(drawn(moment, 120, 100))


def test_the_cells_that_the_last_move_changed_are_set_off(tmp_path):
    moment = moment_of(small_run(tmp_path), LiveGame(spec(3, "a", "b"), 3, (4, 0, 8)))
    screen = Console(width=80, highlight=False)
    parts = [part for line in screen.render_lines(frame(moment, screen)) for part in line]
    assert [part.text for part in parts if part.style and part.style.color and part.style.bold] == ["X"]


def test_a_game_that_draws_nothing_and_names_nothing_is_shown_without(tmp_path, monkeypatch):
    monkeypatch.setattr("envs.tic_tac_toe.TicTacToe.to_text", None)
    monkeypatch.setattr("envs.tic_tac_toe.TicTacToe.action_to_string", None)
    moment = moment_of(small_run(tmp_path), LiveGame(spec(3, "a", "b"), 2, (4, 0)))
    assert [(p.text, p.before, p.last) for p in moment.positions] == [("", "", "0")]
    assert any("ply 2: 0" in line for line in drawn(moment))


def test_of_a_very_long_game_it_is_said_how_much_is_not_shown(tmp_path):
    moment = moment_of(small_run(tmp_path), LiveGame(spec(3, "a", "b"), 20_000, (4,)))
    assert any("ply 1: b2, 19,999 more" in line for line in drawn(moment))


def test_a_position_follows_its_game_even_where_that_begins_again(tmp_path):
    with Store.open(small_run(tmp_path)) as store, reserved(tmp_path):
        follower = Follower(store)
        for actions in ((), (4,), (4, 0), (4, 0, 8), (2,), (2, 6)):
            store.show([LiveGame(spec(3, "a", "b"), len(actions), actions)])
            (seen,) = follower.look().positions
            whole = Board(seen.game).follow(seen.game)
            assert (seen.text, seen.before, seen.seat) == (whole.text, whole.before, len(actions) % 2)
            assert seen.text.count("X") + seen.text.count("O") == len(actions)


def test_pace_and_time_left_come_from_what_was_finished_lately(tmp_path, monkeypatch):
    now = [0.0]
    monkeypatch.setattr("arena.results.follow.time.monotonic", lambda: now[0])
    database = small_run(tmp_path)
    with Store.open(database) as store:
        follower = Follower(store)
        first = follower.look()
        assert (first.pace, first.seconds_left, progress_line(first)) == (None, None, "3 of 4 games")
        (game, *_) = store.games()
        store.add_game(replace(game, spec=replace(game.spec, number=3)))
        now[0] = 5.0
        second = follower.look()
    assert (second.pace, second.seconds_left, second.is_over) == (0.2, 0.0, True)
    assert progress_line(second) == "4 of 4 games, 12.0 a minute, 00:00 left"


def test_standings_of_games_in_play_come_before_others_and_all_in_the_order_of_the_file(tmp_path):
    games = [GameChoice(label, "tic_tac_toe") for label in ("one", "two", "three")]
    specs = [spec(number, "a", "b", game=game) for number, game in enumerate(games)]
    database = write(tmp_path, specs, [record(of, 1.0) for of in specs])
    moment = moment_of(database, LiveGame(spec(9, "a", "b", game=games[2]), 1, (4,)))

    def shown(height: int) -> list[str]:
        return [line.split(":")[0] for line in drawn(moment, 80, height) if ": 1 game" in line]

    assert shown(40) == ["one", "two", "three"]
    assert shown(22) == ["one", "three"]
    assert shown(16) == ["three"]
