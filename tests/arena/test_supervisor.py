"""Whole leagues over processes: complete, reproducible, unhurt by faults, and gone when they end."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path

import pytest

from agents.base import Limit
from arena.league.config import League, Openings, RoundRobin
from arena.machine.cores import ONE_THREAD, available_cores
from arena.records import AgentChoice, GameChoice, Termination, Terms
from arena.referee.executor import Prepare
from arena.referee.local import LocalExecutor
from arena.referee.match import play_match, refusals
from arena.referee.seats import SeatPool
from arena.referee.supervisor import RunError, run_league
from arena.store import Store

TESTS = str(Path(__file__).parents[1])
GAMES = (
    GameChoice("tic_tac_toe", "tic_tac_toe"),
    GameChoice("connect_four", "connect_four", {"rows": 4, "columns": 5}),
)
UCT, UCT_X2, RANDOM = (
    AgentChoice("uct", "uct"),
    AgentChoice("uct_x2", "uct", {"trees": 2}),
    AgentChoice("random", "random"),
)


def league(*agents: AgentChoice, limit: Limit, rounds: int = 2, games=GAMES) -> League:
    return League(
        "test",
        games,
        agents,
        seed=11,
        limit=limit,
        schedule=RoundRobin(rounds=rounds),
        openings=Openings(random_plies=1),
        oversubscribe=True,
        folders=(TESTS,),
    )


def play(folder: Path, played: League, workers: int | None = None) -> list:
    outcome = run_league(played, folder, workers=workers, quiet=True)
    assert not outcome.interrupted
    with Store.open(outcome.run / "league.sqlite") as store:
        return sorted(store.games(), key=lambda record: record.spec.number)


def test_the_same_seed_gives_the_same_games_for_any_number_of_workers(tmp_path):
    limited = league(UCT, UCT_X2, RANDOM, limit=Limit(simulations=300))
    one, two = play(tmp_path, limited, workers=1), play(tmp_path, limited, workers=2)
    assert len(one) == 2 * 2 * 3 * 2
    for first, second in zip(one, two, strict=True):
        assert first.spec == second.spec
        assert first.actions == second.actions
        assert first.returns == second.returns
        for a, b in zip(first.moves, second.moves, strict=True):
            assert (a.visits is None) == (b.visits is None)
            assert a.visits is None or a.visits.tolist() == b.visits.tolist()
            assert (a.tree_visits is None) == (b.tree_visits is None)
            assert a.tree_visits is None or a.tree_visits.tolist() == b.tree_visits.tolist()


def test_faults_cost_their_own_games_and_the_league_goes_on(tmp_path):
    faulty = [AgentChoice(name, f"toys:{name}") for name in ("Raises", "HardExit", "Cheats")]
    faulty.append(AgentChoice("Hangs", "toys:Hangs", limit=Limit(time=0.1)))  # the others have time
    records = play(tmp_path, league(*faulty, RANDOM, limit=Limit(time=60), rounds=1, games=GAMES[:1]))
    assert len(records) == 10 * 2
    expected = {
        "Raises": Termination.CRASH,
        "HardExit": Termination.CRASH,
        "Hangs": Termination.TIMEOUT,
        "Cheats": Termination.ILLEGAL_ACTION,
    }
    for record in records:
        culprit = record.spec.players[record.fault.seat].label
        assert record.termination is expected[culprit]


def test_an_agent_that_stops_or_kills_its_referee_loses_and_the_league_goes_on(tmp_path, monkeypatch):
    monkeypatch.setattr("arena.referee.local.PATIENCE", 1.0)
    faulty = [AgentChoice(name, f"toys:{name}") for name in ("StopsReferee", "KillsReferee")]
    records = play(tmp_path, league(*faulty, RANDOM, limit=Limit(time=0.3), rounds=1, games=GAMES[:1]))
    assert len(records) == 3 * 2
    reasons = {
        "StopsReferee": "its referee did not come back, twice, while this agent was waited for",
        "KillsReferee": "its referee died, twice, while this agent was waited for",
    }
    for record in records:
        culprit = record.spec.players[record.fault.seat].label
        assert (record.termination, record.fault.reason) == (Termination.CRASH, reasons[culprit])
        assert record.returns[record.fault.seat] == -1


def test_an_agent_that_stops_its_referee_when_it_starts_does_not_start(tmp_path, monkeypatch):
    monkeypatch.setattr("arena.referee.local.PATIENCE", 0.5)
    bad = AgentChoice("bad", "toys:StopsRefereeAtOnce")
    stopped = replace(league(RANDOM, bad, limit=Limit(time=1), games=GAMES[:1]), startup=1.0)
    with pytest.raises(RunError, match="agent bad does not start: its referee did not come back"):
        run_league(stopped, tmp_path, quiet=True)


@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
def test_no_process_of_a_run_hears_the_terminals_ctrl_c_or_starts_threads_by_itself():
    with LocalExecutor((), 1, ()) as executor:
        executor.give(Prepare(GAMES[0], (RANDOM,), Terms()), 1)
        while executor.busy:
            list(executor.take(0.5))
        below = _alive(_descendants(os.getpid()))
        away = [pid for pid in below if os.getsid(pid) != os.getsid(0)]
        assert len(away) >= 3  # guard, referee, seat
        for pid in away:
            environment = Path(f"/proc/{pid}/environ").read_text().split("\0")
            assert {f"{name}={os.environ.get(name, 1)}" for name in ONE_THREAD} <= set(environment)


@pytest.mark.parametrize(
    ("hangs", "why"), [(0, "RuntimeError: the board broke"), (1, "its referee did not come back")]
)
def test_a_game_that_fails_by_itself_is_played_again_once_and_stops_the_run(
    tmp_path, monkeypatch, capfd, hangs, why
):
    monkeypatch.setattr("arena.referee.local.PATIENCE", 0.5)
    trap = GameChoice("trap", "broken_games:Trap", {"hangs": hangs})
    firsts = [AgentChoice(name, "toys:First") for name in "ab"]
    broken = replace(league(*firsts, limit=Limit(time=60), games=(trap,)), startup=3.0, workers=1)
    with pytest.raises(RunError, match=f"game 0 .trap. failed twice, by no agent's doing: {why}"):
        run_league(broken, tmp_path)
    assert f"game 0 (trap) is void and played again: {why}" in capfd.readouterr().err


@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
@pytest.mark.parametrize("name", ["LeavesDaemons", "LeavesDaemonsAndDies"])
def test_a_daemon_that_an_agent_starts_ends_before_the_league_does(name, tmp_path, monkeypatch):
    monkeypatch.setenv("TOYS_PID", str(tmp_path / "pids"))
    play(tmp_path, league(AgentChoice("a", f"toys:{name}"), RANDOM, limit=Limit(time=60), rounds=1))
    pids = {int(pid) for pid in (tmp_path / "pids").read_text().split()}
    assert pids
    assert not _alive(pids)


def test_the_openings_of_a_pair_are_equal_and_legal(tmp_path):
    records = play(tmp_path, league(RANDOM, AgentChoice("other", "random"), limit=Limit(time=60), rounds=5))
    pairs: dict[int, set] = {}
    for record in records:
        pairs.setdefault(record.spec.pair, set()).add(record.opening)
        assert len(record.opening) == 1
    assert all(len(openings) == 1 for openings in pairs.values())


class InThisProcess:
    """Another executor: no slots, no guard, one game after the other."""

    def __init__(self, cores, at_a_time, folders):
        self.seats, self.done = SeatPool(), []

    def __enter__(self):
        return self

    def __exit__(self, *error):
        self.seats.close()

    @property
    def busy(self):
        return bool(self.done)

    def has_room(self, cores):
        return not self.done

    def give(self, job, cores):
        if isinstance(job, Prepare):
            self.done = [(job, refusals(job.game, job.agents, job.terms, self.seats))]
        else:
            self.done = [(job, play_match(job, self.seats))]

    def take(self, timeout):
        while self.done:
            yield self.done.pop()


def test_another_executor_plays_the_same_games(tmp_path):
    short = league(RANDOM, AgentChoice("other", "random"), limit=Limit(time=60))
    ours = play(tmp_path, short)
    outcome = run_league(short, tmp_path, quiet=True, make_executor=InThisProcess)
    with Store.open(outcome.run / "league.sqlite") as store:
        assert [game.actions for game in store.games()] == [game.actions for game in ours]


def test_more_games_at_a_time_than_cores_have_to_be_asked_for(tmp_path):
    many = len(available_cores()) + 1
    short = league(RANDOM, AgentChoice("other", "random"), limit=Limit(time=60), rounds=1, games=GAMES[:1])
    with pytest.raises(RunError, match=f"workers: {many} is not allowed: from 1 to {many - 1}, a core each"):
        run_league(replace(short, oversubscribe=False), tmp_path, workers=many, quiet=True)
    assert len(play(tmp_path, short, workers=many)) == 2


def test_an_agent_that_cannot_start_stops_the_run_before_anything_is_created(tmp_path):
    broken = league(RANDOM, AgentChoice("broken", "toys:NoStart"), limit=Limit(time=0.1))
    with pytest.raises(RunError, match="agent broken does not start: RuntimeError: the weights are missing"):
        run_league(broken, tmp_path / "runs", quiet=True)
    assert not (tmp_path / "runs").exists()


def test_trees_in_processes_play_as_threads_do_and_are_gone_with_their_league(tmp_path):
    threads, processes = (
        AgentChoice("uct", "uct", {"trees": 2, "memory_mb": 1, "parallel": where})
        for where in ("thread", "process")
    )
    before = _descendants(os.getpid())
    limit = Limit(simulations=200)
    one, two = (
        play(tmp_path, league(uct, RANDOM, limit=limit, rounds=1, games=GAMES[:1]), workers=1)
        for uct in (threads, processes)
    )
    for first, second in zip(one, two, strict=True):
        assert (first.termination, first.actions) == (Termination.NORMAL, second.actions)
        for move in (move for move in second.moves if move.visits is not None):
            assert move.tree_visits.sum(axis=0).tolist() == move.visits.tolist()
            assert move.visits.sum() == move.info["simulations"]
    assert not [pid for pid in _alive(_descendants(os.getpid()) - before) if _holds_a_tree(pid)]


def _holds_a_tree(pid: int) -> bool:
    try:
        return b"agents.mcts.process_forest" in Path(f"/proc/{pid}/cmdline").read_bytes()
    except (FileNotFoundError, ProcessLookupError):  # it has ended meanwhile
        return False


LEAGUE_FILE = """\
name: long
games: [tic_tac_toe]
agents: {a: {type: random}, b: {type: "toys:SlowFirst"}}
limit: {time: 60}
schedule: {rounds: 200}
"""


TREES = """\
name: long
games: [tic_tac_toe]
agents:
  a: random
  b: {type: uct, trees: 2, memory_mb: 1, parallel: process, solver: false, limit: {time: 0.05}}
limit: {time: 60}
margin: 60
schedule: {rounds: 500}
oversubscribe: true
"""


DAEMONS = """\
name: long
games: [tic_tac_toe]
agents: {a: {type: random}, b: {type: "toys:LeavesDaemons"}}
limit: {time: 60}
schedule: {rounds: 200}
"""


def _start(folder: Path, file: str = LEAGUE_FILE) -> subprocess.Popen:
    (folder / "long.yaml").write_text(file)
    return subprocess.Popen(
        [sys.executable, "-m", "arena", "run", str(folder / "long.yaml"), "--runs-dir", str(folder / "runs")],
        env={
            **os.environ,
            "TOYS_PID": str(folder / "pids"),
            "PYTHONPATH": os.pathsep.join((str(Path(TESTS).parent), TESTS)),
        },
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        start_new_session=True,
        text=True,
    )


def _wait_for_games(folder: Path, count: int) -> Path:
    for _ in range(1200):
        for path in folder.glob("runs/long-*/league.sqlite"):
            try:
                with Store.open(path) as store:
                    if len(store.finished()) >= count:
                        return path
            except Exception:  # it is being created
                continue
        time.sleep(0.1)
    raise AssertionError("no games were played")


def _descendants(root: int) -> set[int]:
    """All processes below `root`, from /proc."""
    parents = {}
    for stat in Path("/proc").glob("[0-9]*/stat"):
        try:
            parents[int(stat.parent.name)] = int(stat.read_text().rpartition(")")[2].split()[1])
        except (FileNotFoundError, ProcessLookupError):
            continue
    below = {root}
    while new := {pid for pid, parent in parents.items() if parent in below} - below:
        below |= new
    return below - {root}


def _alive(pids: set[int]) -> set[int]:
    running = set()
    for pid in pids:
        try:
            state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
        except (FileNotFoundError, ProcessLookupError):
            continue
        if state != "Z":
            running.add(pid)
    return running


@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
@pytest.mark.parametrize(
    ("how", "file"),
    [
        (signal.SIGINT, LEAGUE_FILE),
        (signal.SIGTERM, LEAGUE_FILE),
        (signal.SIGKILL, LEAGUE_FILE),
        (signal.SIGINT, TREES),
        (signal.SIGKILL, TREES),
        (signal.SIGTERM, DAEMONS),
        (signal.SIGKILL, DAEMONS),
    ],
    ids=["interrupt", "terminate", "kill", "interrupt trees", "kill trees", "end daemons", "kill daemons"],
)
def test_however_it_ends_no_process_is_left_and_no_finished_game_is_lost(tmp_path, how, file):
    process = _start(tmp_path, file)
    try:
        path = _wait_for_games(tmp_path, 3)
        below = _descendants(process.pid)
        assert len(below) >= 4
        if file == DAEMONS:
            daemons = {int(pid) for pid in (tmp_path / "pids").read_text().split()}
            assert _alive(daemons & below)
        assert (file == TREES) == any(map(_holds_a_tree, _alive(below)))
        os.kill(process.pid, how)
        out, err = process.communicate(timeout=120)
    finally:
        process.kill()
    for _ in range(600):
        if not _alive(below):
            break
        time.sleep(0.1)
    assert not _alive(below)
    if how is not signal.SIGKILL:
        assert process.returncode == 130, err
        assert "random" in out or "a" in out
    with Store.open(path) as store:
        assert len(list(store.games())) == len(store.finished()) >= 3
