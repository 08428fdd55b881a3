"""One refereed game: what is recorded, and that every fault costs its agent just that game."""

from __future__ import annotations

import json
import os
import re
import resource
import signal
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import envs
from agents.base import Clock, Limit
from arena.records import AgentChoice, GameChoice, MatchSpec, Termination, Terms
from arena.referee.beat import Witness
from arena.referee.match import play_match, refusals
from arena.referee.output import KEPT
from arena.referee.seats import SeatPool

TIC_TAC_TOE = GameChoice("tic_tac_toe", "tic_tac_toe")
FAULTS = {
    "Raises": (Termination.CRASH, "RuntimeError: I have had enough"),
    "Exits": (Termination.CRASH, "SystemExit: 3"),
    "HardExit": (Termination.CRASH, "exited with code 1"),
    "Segfaults": (Termination.CRASH, "killed by SIGSEGV"),
    "Hangs": (Termination.TIMEOUT, "no move within"),
    "HangsHoldingTheLock": (Termination.TIMEOUT, "no move within"),
    "Sleeps": (Termination.TIMEOUT, "no move within"),
    "Stops": (Termination.TIMEOUT, "no move within"),
    "Cheats": (Termination.ILLEGAL_ACTION, "is no legal action here: allowed: "),
    "OutOfRange": (Termination.ILLEGAL_ACTION, "tic_tac_toe: 1000000000 is no legal action"),
    "Garbage": (Termination.ILLEGAL_ACTION, "answered None"),
    "AnswersFloat": (Termination.ILLEGAL_ACTION, "answered 1.0"),
    "AnswersNaN": (Termination.ILLEGAL_ACTION, "answered nan"),
    "AnswersArray": (Termination.ILLEGAL_ACTION, "answered array"),
    "AnswersText": (Termination.ILLEGAL_ACTION, "answered 'e4'"),
    "WrongVisits": (Termination.ILLEGAL_ACTION, "visits must be"),
    "ValueNaN": (Termination.ILLEGAL_ACTION, "value nan is not in [-1, 1]"),
    "ValueHuge": (Termination.ILLEGAL_ACTION, "value 1.7e+308 is not in [-1, 1]"),
    "ValueOfAScore": (Termination.ILLEGAL_ACTION, "value -3.5 is not in [-1, 1]"),
    "ChangesView": (Termination.CRASH, "read-only"),
    "NoStart": (Termination.CRASH, "RuntimeError: the weights are missing"),
    "NoReset": (Termination.CRASH, "RuntimeError: no reset for me"),
    "PrintsThenUnprintable": (Termination.CRASH, "Unprintable: (its text cannot be had)"),
    "PrintsMuch": (Termination.CRASH, "RuntimeError: no more paper"),
    "PrintsWithoutEnd": (Termination.TIMEOUT, "no move within"),
    "RaisesEOF": (Termination.CRASH, "EOFError: no more input"),
    "RealTimeSignal": (Termination.CRASH, "killed by signal 40"),
    "ClosesAllFiles": (Termination.CRASH, "closed its pipe"),
    "VastVisits": (Termination.ILLEGAL_ACTION, "more than 64 bits"),
    "WritesDeep": (Termination.CRASH, "no answer: maximum recursion"),
    "WritesLittle": (Termination.CRASH, "no answer: KeyError"),
    "WritesWrongTypes": (Termination.CRASH, "no answer: ValueError"),
    "WritesWrongError": (Termination.CRASH, "3"),
    "WritesHalf": (Termination.TIMEOUT, "no whole move within"),
    "WritesDrop": (Termination.TIMEOUT, "no whole move within"),
    "WritesNegative": (Termination.CRASH, "no answer: a message of -2 bytes"),
    "AnswersTwice": (Termination.CRASH, "answered for ply"),
    "AnswersUnpicklable": (Termination.ILLEGAL_ACTION, "answered <"),
    "RaisesUnpicklable": (Termination.CRASH, "Local: ("),
    "HoldsThePipe": (Termination.CRASH, "exited with code 1"),
}


def toy(name: str) -> AgentChoice:
    """Return a toy; one that never answers is waited for a moment, every other as long as it takes.

    Half an answer has to come within the limit, however busy the machine is, and the rest never does.
    """
    moment = Limit(time=3 if name in ("WritesHalf", "WritesDrop") else 0.5)
    never_answers = FAULTS.get(name, (None,))[0] is Termination.TIMEOUT
    return AgentChoice(name, f"toys:{name}", limit=moment if never_answers else None)


def spec(*players: AgentChoice, number: int = 0, limit: Limit | None = None, plies: int = 0) -> MatchSpec:
    limit = limit or Limit(time=60)
    return MatchSpec(number, TIC_TAC_TOE, players, limit, 0.05, 0, 0, plies, (7, 0, 0, 0), (7, 1, number))


@pytest.fixture(scope="module", autouse=True)
def _toys_on_the_path():
    sys.path.append(str(Path(__file__).parents[1]))
    yield
    sys.path.remove(str(Path(__file__).parents[1]))


@pytest.mark.parametrize("name", FAULTS)
@pytest.mark.parametrize("seat", [0, 1])
def test_a_fault_loses_that_game_and_no_other(name, seat):
    termination, reason = FAULTS[name]
    players = [toy("First"), toy("First")]
    players[seat] = toy(name)
    with SeatPool() as seats:
        record = play_match(spec(*players), seats)
        after = play_match(spec(toy("First"), AgentChoice("random", "random"), number=1), seats)
    assert record.termination is termination
    assert record.fault is not None
    assert record.fault.seat == seat
    assert reason in record.fault.reason
    assert "\n" not in record.fault.reason
    assert record.returns[seat] == -1
    assert record.returns[1 - seat] == 1
    assert after.termination is Termination.NORMAL


def test_what_rounding_put_beyond_a_value_is_cut():
    record = play_match(spec(toy("ValueRounded"), toy("ValueRounded")))
    assert {move.value for move in record.moves} == {1.0, -1.0}
    assert record.termination is Termination.NORMAL


def test_what_an_agent_tells_is_made_plain_and_has_no_numbers_that_json_has_not():
    move = play_match(spec(toy("TellsOddly"), toy("First"))).moves[0]
    assert move.info == {
        "depth": 2.5,
        "simulations": 60,
        "long": repr(np.longdouble(1)),
        "nan": None,
        "array": [1.0, None],
        "inner": {"inf": None},
        "object": "1j",
    }


def test_the_traceback_is_kept():
    record = play_match(spec(toy("Raises"), toy("First")))
    assert 'raise RuntimeError("I have had enough")' in record.fault.detail


def test_what_it_printed_is_kept():
    code = (  # in a process of its own, for pytest has put its own stdout in place
        "import test_match as t\n"
        "print(t.play_match(t.spec(t.toy('PrintsThenUnprintable'), t.toy('First'))).fault.detail)"
    )
    path = os.pathsep.join([str(Path(__file__).parent), str(Path(__file__).parents[1]), *sys.path])
    done = subprocess.run(
        [sys.executable, "-c", code],
        env={**os.environ, "PYTHONPATH": path},
        capture_output=True,
        text=True,
        timeout=60,
        check=True,
    )
    assert done.stdout.strip().endswith("my last words")


@pytest.mark.parametrize("name", ["PrintsMuch", "PrintsWithoutEnd"])
def test_of_much_that_it_printed_the_end_is_kept(name):
    detail = play_match(spec(toy(name), toy("First"))).fault.detail
    printed = detail[detail.index("[") :]
    dropped, kept = printed.split(" bytes printed before this are not kept]\n")
    assert len(kept) == KEPT
    if name == "PrintsMuch":
        assert kept.endswith(".\nmy last words\n")
        assert int(dropped[1:].replace(",", "")) + len(kept) == 300 * 10_000 + len("my last words\n")


def test_what_it_printed_in_another_game_is_not_told():
    with SeatPool() as seats:
        play_match(spec(toy("TellsItsGame"), toy("First")), seats)
        record = play_match(spec(toy("TellsItsGame"), toy("First"), number=1), seats)
    assert record.fault.detail.endswith("game 2\n")
    assert "game 1" not in record.fault.detail


def test_why_an_agent_does_not_start_is_told_in_short():
    with SeatPool() as seats:
        ((_, told),) = refusals(TIC_TAC_TOE, [toy("NoStartAndMuchToSay")], Terms(10.0), seats)
    reason, traceback, *_, last = told.splitlines()
    assert (reason, traceback[:9], last) == (
        "RuntimeError: the weights are missing",
        "Traceback",
        "." * (2048 - len("the last words")) + "the last words",
    )
    assert len(told) < 5000


def test_an_agent_may_close_its_stdout():
    record = play_match(spec(toy("ClosesStdout"), toy("First")))
    assert record.termination is Termination.NORMAL


def test_an_agent_that_does_not_start_is_ended(tmp_path, monkeypatch):
    monkeypatch.setenv("TOYS_PID", str(tmp_path / "pid"))
    with SeatPool() as seats:
        record = play_match(replace(spec(toy("HangsAtStart"), toy("First")), terms=Terms(startup=2.0)), seats)
        assert record.fault.reason == "no start within 2 s"
        assert not _alive(int((tmp_path / "pid").read_text()))


@pytest.mark.parametrize("name", ["LeavesChildren", "LeavesChildrenAndDies", "LeavesDaemons"])
def test_children_of_a_seat_die_with_it(name, tmp_path, monkeypatch):
    monkeypatch.setenv("TOYS_PID", str(tmp_path / "pid"))
    play_match(spec(toy(name), toy("First")))
    pids = [int(pid) for pid in (tmp_path / "pid").read_text().split()]
    for _ in range(600):
        if not any(map(_alive, pids)):
            break
        time.sleep(0.1)
    assert pids
    assert not any(map(_alive, pids))


def _alive(pid: int) -> bool:
    try:
        return "Z" not in Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except FileNotFoundError:
        return False


def test_the_record_replays_to_its_result():
    players = (AgentChoice("uct", "uct"), AgentChoice("random", "random"))
    record = play_match(spec(*players, plies=2, limit=Limit(time=60, simulations=200)))
    rules = envs.make_rules("tic_tac_toe")
    state, returns = rules.initial_state(), np.zeros(2)
    assert len(record.opening) == 2
    for ply, action in enumerate(record.actions):
        assert rules.current_player(state) == ply % 2
        rules.step(state, action)
    rules.returns(state, returns)
    assert rules.is_terminal(state)
    assert tuple(returns) == record.returns
    for move in record.moves:
        if move.seat == 0:
            assert len(move.visits) == len(move.legal_actions) == 9 - move.ply
            assert move.visits.sum() == move.info["simulations"]
            assert 0 < move.time < 60


def test_observations_come_when_asked_for():
    record = play_match(spec(toy("UsesObservation"), toy("First")))
    assert record.termination is Termination.NORMAL


def test_a_game_past_its_plies_is_a_draw():
    record = play_match(replace(spec(toy("First"), toy("First")), max_plies=3))
    assert record.termination is Termination.MAX_PLIES
    assert record.returns == (0.0, 0.0)
    assert len(record.moves) == 3


def test_a_game_of_our_own_failing_is_void_and_nobodys_loss():
    record = play_match(replace(spec(toy("First"), toy("First")), game=GameChoice("x", "no_such_game")))
    assert record.termination is Termination.VOID
    assert record.returns == (0.0, 0.0)
    assert "no_such_game" in record.fault.reason


def test_equal_seeds_play_equal_games():
    players = (AgentChoice("uct", "uct", {"trees": 2}), AgentChoice("random", "random"))
    first, second = (play_match(spec(*players, limit=Limit(simulations=200))) for _ in range(2))
    assert first.actions == second.actions
    assert [m.visits.tolist() for m in first.moves if m.seat == 0] == [
        m.visits.tolist() for m in second.moves if m.seat == 0
    ]


def test_visits_of_several_trees_are_kept_beside_their_sum():
    players = (AgentChoice("two", "uct", {"trees": 2}), AgentChoice("one", "uct"))
    for move in play_match(spec(*players, limit=Limit(simulations=200))).moves:
        assert "tree_visits" not in move.info
        assert (move.tree_visits is None) == (move.seat == 1)
        if move.seat == 0:
            assert move.tree_visits.shape == (2, len(move.legal_actions))
            assert move.tree_visits.sum(axis=0).tolist() == move.visits.tolist()


@pytest.mark.parametrize(
    "told",
    [
        *("x", 3, {"a": 1}, [1] * 9, [[], []], [[1] * 9], [[1] * 9, [1] * 8], [[1] * 8] * 2),
        *([[count] * 9] * 2 for count in (-1, 0.5, 2**63, "1", None, [1])),
    ],
    ids=lambda told: repr(told)[:20],
)
def test_what_is_no_visits_of_trees_stays_what_the_agent_said(told):
    tells = AgentChoice("tells", "toys:TellsTrees", {"told": json.dumps(told)})
    move = play_match(replace(spec(tells, toy("First")), max_plies=1)).moves[0]
    assert move.visits.tolist() == list(range(9))
    assert move.tree_visits is None
    assert move.info == {"tree_visits": told, "x": 1}


def test_a_witness_is_told_the_whole_game_chance_and_all():
    class Heard(Witness):
        def begin(self, number):
            self.number, self.actions = number, []

        def play(self, action):
            self.actions.append(action)

    heard, race = Heard(), GameChoice("race", "toy_games:Race", {"goal": 3})
    three = replace(spec(*[AgentChoice("r", "random")] * 3, number=7, plies=2), game=race)
    record = play_match(three, witness=heard)
    rules = envs.make_rules(race.name, **race.params)
    state, returns = rules.initial_state(), np.zeros(3)
    for action in heard.actions:
        rules.step(state, action)
    rules.returns(state, returns)
    assert rules.is_terminal(state)
    assert (heard.number, tuple(returns)) == (7, record.returns)


def test_an_agents_own_limit_holds_for_it_alone():
    players = (AgentChoice("own", "uct", limit=Limit(simulations=30)), AgentChoice("league", "uct"))
    record = play_match(spec(*players, limit=Limit(simulations=70)))
    first = {move.seat: move.info["simulations"] for move in record.moves[:2]}
    assert first == {0: 30, 1: 70}


@pytest.mark.parametrize(("own", "league"), [(0.05, None), (0.05, 50.0), (None, 0.05)])
def test_lateness_is_of_an_agents_own_limit(own, league):
    hangs = AgentChoice("hangs", "toys:Hangs", limit=None if own is None else Limit(time=own))
    limit = Limit(simulations=1) if league is None else Limit(time=league)
    record = play_match(spec(hangs, toy("First"), limit=limit))
    assert (record.termination, record.fault.reason) == (Termination.TIMEOUT, "no move within 0.1 s")


def test_by_how_much_a_timeout_was_late_is_kept():
    game = spec(AgentChoice("late", "toys:Sleeps", limit=Limit(time=0.05)), toy("First"))
    record = play_match(replace(game, margin=0.1))
    assert record.termination is Termination.TIMEOUT
    assert 0.1 <= record.fault.overshoot < 60


def test_overshoot_is_past_an_agents_own_limit():
    slow = AgentChoice("slow", "toys:SlowFirst", limit=Limit(time=0.04))
    players = (slow, AgentChoice("patient", "toys:SlowFirst", limit=Limit(nodes=1)))
    record = play_match(replace(spec(*players, limit=Limit(time=0.001)), margin=60.0))
    assert record.termination is Termination.NORMAL
    for move in record.moves:
        assert move.overshoot == (pytest.approx(move.time - 0.04) if move.seat == 0 else 0.0)


def test_the_ply_of_a_fault_is_told_under_a_simulation_limit_too():
    record = play_match(spec(toy("First"), toy("ExitsAtPlyThree"), limit=Limit(simulations=10)))
    assert (record.fault.seat, record.fault.ply, record.fault.reason) == (1, 3, "exited with code 1")
    assert [move.ply for move in record.moves] == [0, 1, 2]


def test_an_agent_that_is_killed_from_outside_loses_that_game(tmp_path, monkeypatch):
    monkeypatch.setenv("TOYS_PID", str(tmp_path / "pid"))

    def kill():
        while not (text := (tmp_path / "pid").read_text() if (tmp_path / "pid").exists() else ""):
            time.sleep(0.05)
        os.kill(int(text), signal.SIGKILL)

    with ThreadPoolExecutor() as threads:
        killing = threads.submit(kill)
        record = play_match(spec(toy("SleepsUnderItsName"), toy("First")))
        killing.result()
    assert (record.termination, record.fault.reason) == (Termination.CRASH, "killed by SIGKILL")


def test_a_gigabyte_of_print_hurts_nobody():
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    record = play_match(spec(toy("PrintsAGigabyte"), toy("First")))
    assert record.termination is Termination.NORMAL
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss < before + 100 * 1024  # kilobytes


@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
@pytest.mark.parametrize("name", ["Eats", "EatsSlowly", "EatsInAChild"])
def test_an_agent_that_takes_too_much_memory_loses_by_it(name):
    modest, greedy = toy("First"), toy(name)
    terms = Terms(memory_mb=100)
    with SeatPool() as seats:
        record = play_match(replace(spec(modest, greedy), terms=terms), seats)
        other = AgentChoice("other", "toys:First")
        after = play_match(replace(spec(modest, other, number=1), terms=terms), seats)
    assert (record.termination, record.fault.seat) == (Termination.MEMORY, 1)
    assert re.fullmatch(r"uses \d+ MB of 100 MB", record.fault.reason)
    assert after.termination is Termination.NORMAL


@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
def test_where_memory_runs_out_agents_go_first():
    record = play_match(spec(toy("TellsItsPriority"), toy("First")))
    assert record.moves[0].info == {"oom": 1000}


@pytest.mark.skipif(sys.platform != "linux", reason="asks Linux for the time of another process")
def test_what_an_agent_thinks_out_of_turn_is_measured_and_can_be_stopped():
    idle = {}
    for freeze in (False, True):
        game = spec(toy("Ponders"), toy("SlowFirst"))
        record = play_match(replace(game, terms=Terms(freeze=freeze)))
        assert record.termination is Termination.NORMAL
        idle[freeze], slow = (sum(move.idle for move in record.moves if move.seat == seat) for seat in (0, 1))
        assert 0 <= slow < 0.02
    assert idle[False] > 0.02
    assert idle[True] < idle[False] / 4


def test_a_clock_runs_through_the_game():
    clock = Clock(3.0, 0.05)
    players = (toy("TakesItsTime"), AgentChoice("patient", "toys:SlowFirst", limit=Limit(time=60)))
    record = play_match(spec(*players, limit=Limit(clock=clock)))
    assert record.termination is Termination.NORMAL
    left = clock.remaining
    for move in (move for move in record.moves if move.seat == 0):
        assert move.info["left"] == pytest.approx(left)
        assert move.info["time"] == pytest.approx(left / 30 + 0.05)
        assert (move.info["increment"], move.overshoot) == (0.05, 0.0)
        left += 0.05 - move.time
    assert left < clock.remaining


def test_who_runs_out_of_clock_loses_by_timeout():
    slow = AgentChoice("slow", "toys:SlowFirst", limit=Limit(clock=Clock(0.12, 0.0)))  # moves take 0.05 s
    record = play_match(replace(spec(slow, toy("First")), margin=0.0))
    assert (record.termination, record.fault.seat) == (Termination.TIMEOUT, 0)
    assert sum(move.time for move in record.moves if move.seat == 0) < 0.12


def test_no_process_is_left():
    before = children()
    play_match(spec(toy("First"), toy("Hangs")))
    assert children() <= before


def children():
    """Processes of this one's; what multiprocessing starts for itself is none."""
    pids = Path(f"/proc/{os.getpid()}/task/{os.getpid()}/children").read_text().split()
    return {pid for pid in pids if b"multiprocessing" not in Path(f"/proc/{pid}/cmdline").read_bytes()}
