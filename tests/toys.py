"""Agents that misbehave, one way each, for the tests of the league; played as `toys:Name`."""

from __future__ import annotations

import ctypes
import faulthandler
import gc
import json
import os
import signal
import subprocess
import sys
import threading
import time
from multiprocessing.connection import Connection
from typing import Any

import numpy as np

from agents.base import Agent, Decision, Limit, View


class First(Agent):
    """Plays the first legal action: the well-behaved one."""

    def act(self, view: View, limit: Limit) -> int:
        return int(view.legal_actions[0])


class Raises(First):
    def act(self, view: View, limit: Limit) -> int:
        raise RuntimeError("I have had enough")


class Exits(First):
    def act(self, view: View, limit: Limit) -> int:
        sys.exit(3)


class HardExit(First):
    def act(self, view: View, limit: Limit) -> int:
        os._exit(1)


class Segfaults(First):
    def act(self, view: View, limit: Limit) -> int:
        faulthandler.disable()  # pytest's, which would print into the test's own output
        os.kill(os.getpid(), signal.SIGSEGV)
        return 0


class Hangs(First):
    def act(self, view: View, limit: Limit) -> int:
        while True:
            pass


class Sleeps(First):
    def act(self, view: View, limit: Limit) -> int:
        time.sleep(1000)
        return 0


class Stops(First):
    def act(self, view: View, limit: Limit) -> int:
        os.kill(os.getpid(), signal.SIGSTOP)
        return 0


class Cheats(First):
    def act(self, view: View, limit: Limit) -> int:
        legal = set(view.legal_actions.tolist())
        return next(action for action in range(self.rules.num_actions + 1) if action not in legal)


class OutOfRange(First):
    def act(self, view: View, limit: Limit) -> int:
        return 10**9


class Garbage(First):
    """Answers `self.answer`, which is no action."""

    answer: Any = None

    def act(self, view: View, limit: Limit) -> Any:
        return self.answer


class AnswersFloat(Garbage):
    answer = 1.0


class AnswersNaN(Garbage):
    answer = float("nan")


class AnswersArray(Garbage):
    answer = np.zeros((2, 2))  # which is written in two lines


class AnswersText(Garbage):
    answer = "e4"


class WrongVisits(First):
    def act(self, view: View, limit: Limit) -> Decision:
        return Decision(int(view.legal_actions[0]), np.ones(len(view.legal_actions) + 1, np.int64))


class ValueNaN(First):
    def act(self, view: View, limit: Limit) -> Decision:
        return Decision(int(view.legal_actions[0]), value=float("nan"))


class ValueHuge(First):
    def act(self, view: View, limit: Limit) -> Decision:
        return Decision(int(view.legal_actions[0]), value=1.7e308)


class ValueOfAScore(First):
    def act(self, view: View, limit: Limit) -> Decision:
        return Decision(int(view.legal_actions[0]), value=-3.5)


class ValueRounded(First):
    def act(self, view: View, limit: Limit) -> Decision:
        return Decision(
            int(view.legal_actions[0]), value=(1 - 2 * view.player) * float(np.float32(1.0000002))
        )


class TellsOddly(First):
    def act(self, view: View, limit: Limit) -> Decision:
        numbers = {"depth": np.float32(2.5), "simulations": np.int64(60), "long": np.longdouble(1)}
        none = {"nan": float("nan"), "array": np.array([1, -np.inf]), "inner": {"inf": float("inf")}}
        return Decision(int(view.legal_actions[0]), info={**numbers, **none, "object": 1j})


class ChangesView(First):
    def act(self, view: View, limit: Limit) -> int:
        view.state[:] = 0
        view.legal_actions[:] = 0
        return 0


class NoStart(First):
    def __init__(self, rules: Any) -> None:
        raise RuntimeError("the weights are missing")


class NoReset(First):
    def reset(self, player: int, seed: int) -> None:
        raise RuntimeError("no reset for me")


class LeavesChildren(First):
    """Starts a child that outlives it, and leaves its pid in the file `$TOYS_PID`."""

    def act(self, view: View, limit: Limit) -> int:
        child = subprocess.Popen(["sleep", "999"])
        with open(os.environ["TOYS_PID"], "w") as file:
            file.write(str(child.pid))
        raise RuntimeError("gone")


class UsesObservation(First):
    uses_observation = True

    def act(self, view: View, limit: Limit) -> int:
        assert view.observation is not None
        assert np.flatnonzero(view.observation["action_mask"]).tolist() == view.legal_actions.tolist()
        return int(view.legal_actions[0])


class SlowFirst(First):
    def act(self, view: View, limit: Limit) -> int:
        time.sleep(0.05)
        return int(view.legal_actions[0])


class PrintsThenUnprintable(First):
    """Raises what has no text, after it printed."""

    def act(self, view: View, limit: Limit) -> int:
        class Unprintable(Exception):
            def __str__(self) -> str:
                raise ValueError("no text")

        print("my last words")
        raise Unprintable


class PrintsMuch(First):
    """Prints 3,000,000 bytes and a last line, then raises."""

    def act(self, view: View, limit: Limit) -> int:
        for _ in range(300):
            _write(b"." * 9_999 + b"\n")
        _write(b"my last words\n")
        raise RuntimeError("no more paper")


class PrintsWithoutEnd(First):
    def act(self, view: View, limit: Limit) -> int:
        while True:
            _write(b"and on and on\n")


class ClosesStdout(First):
    """Plays on without stdout and stderr."""

    def act(self, view: View, limit: Limit) -> int:
        os.closerange(1, 3)
        return super().act(view, limit)


class TellsItsGame(First):
    """Prints which game it plays, in its process, and raises in the second."""

    games = 0

    def reset(self, player: int, seed: int) -> None:
        self.games += 1
        _write(b"game %d\n" % self.games)

    def act(self, view: View, limit: Limit) -> int:
        if self.games == 2:
            raise RuntimeError("two are enough")
        return super().act(view, limit)


def _write(text: bytes) -> None:
    """Write to the process's own stdout: `print` may be somebody else's, pytest's say."""
    while text:
        text = text[os.write(1, text) :]


class NoStartAndMuchToSay(First):
    def __init__(self, rules: Any) -> None:
        _write(b"." * 50_000 + b"the last words\n")
        raise RuntimeError("the weights are missing")


class HangsAtStart(First):
    """Leaves its pid in the file `$TOYS_PID`."""

    def __init__(self, rules: Any) -> None:
        with open(os.environ["TOYS_PID"], "w") as file:
            file.write(str(os.getpid()))
        time.sleep(20)  # if it is not killed, it must not hold the tests up for long


class RaisesEOF(First):
    def act(self, view: View, limit: Limit) -> int:
        raise EOFError("no more input")


class RealTimeSignal(First):
    def act(self, view: View, limit: Limit) -> int:
        os.kill(os.getpid(), 40)
        time.sleep(1000)
        return 0


class ClosesAllFiles(First):
    """As programs do that become daemons, and goes on living."""

    def act(self, view: View, limit: Limit) -> int:
        os.closerange(3, 200)
        time.sleep(1000)
        return 0


class VastVisits(First):
    def act(self, view: View, limit: Limit) -> Decision:
        return Decision(int(view.legal_actions[0]), [2**62] * len(view.legal_actions))  # type: ignore[arg-type]


class LeavesChildrenAndDies(First):
    """Starts a child that outlives it, leaves its pid in the file `$TOYS_PID`, and is gone at once."""

    def act(self, view: View, limit: Limit) -> int:
        child = subprocess.Popen(["sleep", "999"])
        with open(os.environ["TOYS_PID"], "w") as file:
            file.write(str(child.pid))
        os._exit(1)


class Writes(First):
    """Writes `self.raw` to the referee's pipe by itself."""

    raw = b""

    def act(self, view: View, limit: Limit) -> int:
        ends = [thing for thing in gc.get_objects() if isinstance(thing, Connection) and not thing.closed]
        self.write(ends[0], len(view.history))
        time.sleep(1000)
        return 0

    def write(self, end: Connection, ply: int) -> None:
        end.send_bytes(self.raw.replace(b"PLY", str(ply).encode()))


class WritesDeep(Writes):
    raw = b"[" * 200_000


class WritesLittle(Writes):
    raw = b'{"ply": PLY}'


class WritesWrongTypes(Writes):
    raw = b'{"ply": PLY, "action": 0, "visits": [[1], 2], "value": "q", "info": 3}'


class WritesWrongError(Writes):
    raw = b'{"error": 3}'


class WritesHalf(Writes):
    def write(self, end: Connection, ply: int) -> None:
        os.write(end.fileno(), b"\x00\x00\x10\x00half")


class WritesDrop(Writes):
    """Answers a byte at a time, so slowly that it never ends."""

    def write(self, end: Connection, ply: int) -> None:
        os.write(end.fileno(), b"\x00\x00\x10\x00")
        while True:
            os.write(end.fileno(), b" ")
            time.sleep(0.01)


class WritesNegative(Writes):
    """Begins a message of less than nothing."""

    def write(self, end: Connection, ply: int) -> None:
        os.write(end.fileno(), b"\xff\xff\xff\xfe")


class AnswersTwice(Writes):
    """Answers once by itself and once as it should."""

    raw = b'{"ply": PLY, "action": 8, "visits": null, "value": null, "info": {}}'

    def act(self, view: View, limit: Limit) -> int:
        ends = [thing for thing in gc.get_objects() if isinstance(thing, Connection) and not thing.closed]
        self.write(ends[0], len(view.history))
        return int(view.legal_actions[0])


class AnswersUnpicklable(Garbage):
    answer = sys.stderr


class RaisesUnpicklable(First):
    def act(self, view: View, limit: Limit) -> int:
        class Local(Exception):
            """Of a class that no other process knows, holding what cannot be pickled."""

        raise Local(sys.stderr, lambda: 0)


class HoldsThePipe(First):
    """Is gone, but for a fork of it that holds its end of the pipe open."""

    def act(self, view: View, limit: Limit) -> int:
        if os.fork():
            os._exit(1)
        time.sleep(1000)
        return 0


class StopsReferee(First):
    def act(self, view: View, limit: Limit) -> int:
        os.kill(os.getppid(), signal.SIGSTOP)
        time.sleep(1000)
        return 0


class KillsReferee(First):
    def act(self, view: View, limit: Limit) -> int:
        os.kill(os.getppid(), signal.SIGKILL)
        time.sleep(1000)
        return 0


DAEMON = """
import os, signal, sys, time
if os.fork():
    os._exit(0)
signal.signal(signal.SIGTERM, signal.SIG_IGN)
os.setsid()
if os.fork():
    os._exit(0)
with open(sys.argv[1], "a") as file:
    print(os.getpid(), file=file)
time.sleep(999)
"""


class LeavesDaemons(First):
    """Starts, with every move, a process that gets away as daemons do; their pids are in `$TOYS_PID`."""

    def act(self, view: View, limit: Limit) -> int:
        subprocess.run([sys.executable, "-c", DAEMON, os.environ["TOYS_PID"]], check=True)
        time.sleep(0.1)
        return super().act(view, limit)


class LeavesDaemonsAndDies(LeavesDaemons):
    def act(self, view: View, limit: Limit) -> int:
        super().act(view, limit)
        os._exit(1)


class HangsHoldingTheLock(First):
    """Hangs in native code, and lets no other thread of Python's run."""

    def act(self, view: View, limit: Limit) -> int:
        ctypes.PyDLL(None).sleep(1000)
        return 0


class ExitsAtPlyThree(First):
    def act(self, view: View, limit: Limit) -> int:
        if len(view.history) == 3:
            os._exit(1)
        return super().act(view, limit)


class SleepsUnderItsName(Sleeps):
    """Leaves its pid in the file `$TOYS_PID`."""

    def act(self, view: View, limit: Limit) -> int:
        with open(os.environ["TOYS_PID"], "w") as file:
            file.write(str(os.getpid()))
        return super().act(view, limit)


class PrintsAGigabyte(First):
    """Prints it to stderr in its first move, and plays on."""

    def act(self, view: View, limit: Limit) -> int:
        for _ in range(1024 if len(view.history) == 0 else 0):
            left = memoryview(bytes(1 << 20))
            while left:
                left = left[os.write(2, left) :]
        return super().act(view, limit)


class Eats(First):
    """Takes 400 MB at once."""

    def act(self, view: View, limit: Limit) -> int:
        self.eaten = np.ones(400 << 17)
        time.sleep(1000)
        return 0


class EatsSlowly(First):
    """Takes 40 MB more with every move, and moves at once."""

    def __init__(self, rules: Any) -> None:
        super().__init__(rules)
        self.eaten: list[Any] = []

    def act(self, view: View, limit: Limit) -> int:
        self.eaten.append(np.ones(40 << 17))
        time.sleep(0.06)
        return super().act(view, limit)


class EatsInAChild(First):
    """Lets a child take 400 MB."""

    def act(self, view: View, limit: Limit) -> int:
        subprocess.run([sys.executable, "-c", "import time; x = b'.' * (400 << 20); time.sleep(1000)"])
        return 0


class Ponders(First):
    """Goes on thinking when it is not its turn."""

    def __init__(self, rules: Any) -> None:
        super().__init__(rules)
        threading.Thread(target=self.ponder, daemon=True).start()

    def ponder(self) -> None:
        while True:
            sum(range(1000))


class TakesItsTime(First):
    """Thinks for as long as it is told, and tells what it was told."""

    def act(self, view: View, limit: Limit) -> Decision:
        assert limit.time is not None
        time.sleep(limit.time)
        told = {"time": limit.time, "left": view.clock.remaining, "increment": view.clock.increment}
        return Decision(int(view.legal_actions[0]), info=told)


class TellsItsPriority(First):
    """Tells how readily Linux ends it where memory runs out."""

    def act(self, view: View, limit: Limit) -> Decision:
        with open("/proc/self/oom_score_adj") as file:
            return Decision(int(view.legal_actions[0]), info={"oom": int(file.read())})


class TellsTrees(First):
    """Tells something, JSON, as the visits of its trees."""

    def __init__(self, rules: Any, told: str) -> None:
        super().__init__(rules)
        self.told = json.loads(told)

    def act(self, view: View, limit: Limit) -> Decision:
        visits = np.arange(len(view.legal_actions))
        return Decision(int(view.legal_actions[0]), visits, info={"tree_visits": self.told, "x": 1})


class StopsRefereeAtOnce(First):
    def __init__(self, rules: Any) -> None:
        os.kill(os.getppid(), signal.SIGSTOP)
        super().__init__(rules)


class Tells(First):
    """Tells of its searches what its parameter names."""

    def __init__(self, rules: Any, what: str = "nothing") -> None:
        super().__init__(rules)
        self.what = what

    def search_record(self) -> Any:
        return getattr(self, self.what)()

    def nothing(self) -> None:
        return None

    def number(self) -> Any:
        return 3

    def no_kind(self) -> Any:
        return {"depths": []}

    def not_finite(self) -> Any:
        return {"kind": "mine", "value": float("nan")}

    def array(self) -> Any:
        return {"kind": "mine", "visits": np.zeros(3)}

    def vast(self) -> Any:
        return {"kind": "mine", "text": "." * 2_000_000}

    def deep(self) -> Any:
        told: Any = []
        for _ in range(200):
            told = [told]
        return {"kind": "mine", "told": told}

    def endless(self) -> Any:
        told: dict[str, Any] = {"kind": "mine"}
        told["told"] = told
        return told

    def error(self) -> Any:
        raise RuntimeError("none of your business")

    def exit(self) -> Any:
        sys.exit(3)

    def death(self) -> Any:
        os._exit(1)

    def sleep(self) -> Any:
        time.sleep(1000)

    def patience(self) -> Any:
        time.sleep(2.5)
        return {"kind": "mine"}

    def work(self) -> Any:
        begin = time.thread_time()
        while time.thread_time() < begin + 0.2:
            pass
        return {"kind": "mine"}
