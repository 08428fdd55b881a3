"""A seat: one agent in a process of its own, and the handle by which a referee talks to it.

The process is a fork of the referee, which has the kernels loaded. It is asked over a pipe and
answers in JSON, so that nothing an agent sends can run code in the referee. Whatever goes wrong in
it reaches the referee as `SeatFault`. What the answers mean for a game is decided in `match`.
"""

from __future__ import annotations

import json
import math
import multiprocessing
import operator
import os
import pickle
import select
import signal
import socket
import struct
import sys
import time
import traceback
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from multiprocessing.connection import Connection
from typing import Any

import numpy as np
import numpy.typing as npt

import agents
import envs
from agents.base import NEVER, Agent, Decision, Limit, View
from arena.cores import pin
from arena.output import Output
from arena.records import AgentChoice, GameChoice, Termination

Sent = tuple[npt.NDArray[Any], npt.NDArray[np.int64], int, tuple[int, ...]]
"""What of a `View` travels to a seat: state, legal actions, player, history."""
_MAX_ANSWER = 1 << 26
"""No answer is longer, in bytes."""
_ANSWER = ("action", "visits", "value", "info")


class SeatFault(Exception):
    """An agent did something that ends its game: how it counts, one line, and the evidence."""

    def __init__(self, termination: Termination, reason: str, detail: str = "") -> None:
        super().__init__(reason)
        self.termination, self.reason, self.detail = termination, reason, detail


class Stopped(Exception):
    """The supervisor wants this referee to stop, or is gone."""


@dataclass(frozen=True)
class Answer:
    """What a seat answered, checked for form but not for legality; `time` in seconds."""

    action: int
    visits: npt.NDArray[np.int64] | None
    value: float | None
    info: Mapping[str, Any]
    time: float


class Seat:
    """The referee's end: starts the process, asks it, and kills it.

    Args:
        game: the game to be played.
        agent: who plays it.
        startup: seconds the agent may take to start.
        boss: the referee's own pipe to the supervisor, watched while waiting; may be None.
        inherited: connections of the referee that the new process must not hold open.

    Raises:
        SeatFault: when the agent does not start.
    """

    def __init__(
        self,
        game: GameChoice,
        agent: AgentChoice,
        startup: float,
        boss: Connection | None = None,
        inherited: Sequence[Connection] = (),
    ) -> None:
        self._boss, self._startup = boss, startup
        self._output = Output()
        self.connection, theirs = multiprocessing.Pipe()
        others = [*inherited, *self.ends, *([boss] if boss else [])]
        self._process = multiprocessing.get_context("fork").Process(
            target=_serve,
            args=(theirs, others, self._output.writer, game, agent),
            name=f"arena seat {agent.label}",
        )
        self._process.start()
        theirs.close()
        self._output.writer.close()
        self._poll = select.poll()
        for connection in (*self.ends, *([boss] if boss else [])):
            self._poll.register(connection.fileno(), select.POLLIN)
        self._cores: tuple[int, ...] = ()
        try:
            self._receive(startup, "start")
        except BaseException:
            self.kill()
            raise

    @property
    def ends(self) -> tuple[Connection, Connection]:
        """The referee's ends of the seat's pipes, which no other process should hold open."""
        return self.connection, self._output.reader

    def reset(self, player: int, seed: int, cores: tuple[int, ...]) -> None:
        """Begin a game, on these cores."""
        self._output.forget()
        self._send(("reset", player, seed, cores if cores != self._cores else ()))
        self._cores = cores
        self._receive(self._startup, "reset")

    def ask(self, ply: int, view: Sent, limit: Limit, wait: float) -> Answer:
        """Ask for a move, and wait for it at most `wait` seconds.

        Raises:
            SeatFault: no answer within `wait`, death, an exception, or an answer of the wrong form.
        """
        asked = time.monotonic()
        self._send(("act", ply, view, limit))
        reply = self._receive(wait, "move")
        used = time.monotonic() - asked
        if reply.get("ply") != ply:
            raise SeatFault(
                Termination.CRASH, f"answered for ply {reply.get('ply')!s:.20} when asked for ply {ply}"
            )
        try:  # once more: what comes over the pipe need not be of our making
            plain = _plain(Decision(**{name: reply[name] for name in _ANSWER}), len(view[1]))
        except (KeyError, TypeError, ValueError) as error:
            raise SeatFault(Termination.CRASH, f"sent something that is no answer: {error!r:.80}") from None
        visits = None if plain["visits"] is None else np.array(plain["visits"], np.int64)
        return Answer(plain["action"], visits, plain["value"], plain["info"], used)

    def kill(self) -> None:
        """End the process and all it started in its group, now."""
        pid = self._process.pid
        if pid is not None:
            with suppress(ProcessLookupError, PermissionError):
                os.killpg(pid, signal.SIGKILL)  # even when it is dead: what it started may live
            if self._process.exitcode is None:
                with suppress(ProcessLookupError):
                    os.kill(pid, signal.SIGKILL)
        self._process.join()
        self.connection.close()
        self._output.close()

    def _send(self, message: tuple[Any, ...]) -> None:
        try:
            self.connection.send_bytes(pickle.dumps(message, pickle.HIGHEST_PROTOCOL))
        except OSError:
            raise self._death() from None

    def _receive(self, timeout: float, what: str) -> dict[str, Any]:
        if not self._wait(timeout):
            raise SeatFault(Termination.TIMEOUT, f"no {what} within {timeout:.3g} s", self._output.text())
        try:
            _give_up_reading_after(timeout, self.connection)
            reply = json.loads(self.connection.recv_bytes(_MAX_ANSWER))
        except BlockingIOError:
            raise SeatFault(
                Termination.TIMEOUT, f"no whole {what} within {timeout:.3g} s", self._output.text()
            ) from None
        except (EOFError, OSError):
            raise self._death() from None
        except (ValueError, RecursionError) as error:
            raise SeatFault(Termination.CRASH, f"sent something that is no answer: {error}") from None
        return self._checked(reply)

    def _wait(self, timeout: float) -> bool:
        """Wait for an answer, taking in meanwhile what the agent prints; return whether there is one."""
        until = time.monotonic() + timeout
        while (left := until - time.monotonic()) > 0:
            ready = {fd for fd, _ in self._poll.poll(math.ceil(left * 1000))}
            if self._boss and self._boss.fileno() in ready:
                raise Stopped
            if self.connection.fileno() in ready:
                return True
            if self._output.reader.fileno() in ready and not self._output.drain():
                self._poll.unregister(self._output.reader.fileno())
        return False

    def _checked(self, reply: Any) -> dict[str, Any]:
        if not isinstance(reply, dict):
            raise SeatFault(Termination.CRASH, f"sent {reply!r:.80}, which is no answer")
        if "garbage" in reply:
            raise SeatFault(Termination.ILLEGAL_ACTION, str(reply["garbage"]))
        if "error" in reply:
            detail = str(reply.get("traceback", ""))
            raise SeatFault(Termination.CRASH, str(reply["error"]), detail + self._output.text())
        return reply

    def _death(self) -> SeatFault:
        # Not `join(1.0)`: a process that closed every file it had looks dead to it, and is waited for.
        patience = time.monotonic() + 1.0
        while (code := self._process.exitcode) is None and time.monotonic() < patience:
            time.sleep(0.002)
        if code is None:
            return SeatFault(Termination.CRASH, "closed its pipe", self._output.text())
        cause = f"killed by {_signal_name(-code)}" if code < 0 else f"exited with code {code}"
        return SeatFault(Termination.CRASH, cause, self._output.text())


def _serve(
    connection: Connection,
    others: Sequence[Connection],
    output: Connection,
    game: GameChoice,
    agent: AgentChoice,
) -> None:
    """Run the seat's process: build the agent, then answer until the pipe closes."""
    for other in others:
        other.close()
    os.setsid()
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    die_with_parent()
    for fd in (1, 2):
        os.dup2(output.fileno(), fd)
    output.close()
    try:
        player = agents.make_agent(agent.type, envs.make_rules(game.name, **game.params), **agent.params)
        _reply(connection, {})
        while (message := _next(connection)) is not None:
            _answer(connection, player, message)
    except BaseException as error:  # sys.exit and the like are the agent's doing too
        _flush()
        _reply(connection, {"error": _one_line(error), "traceback": traceback.format_exc()})
    finally:
        os._exit(0)  # no exit handlers: an agent's leftovers must not keep the process alive


def _next(connection: Connection) -> tuple[Any, ...] | None:
    """Return the referee's next message, or None when it is gone or has no more use for us."""
    try:
        message: tuple[Any, ...] = pickle.loads(connection.recv_bytes())
    except EOFError:
        return None
    return message


def _answer(connection: Connection, player: Agent, message: tuple[Any, ...]) -> None:
    if message[0] == "reset":
        _, index, seed, cores = message
        pin(cores)
        player.reset(index, seed)
        _reply(connection, {})
        return
    _, ply, (state, legal, index, history), limit = message
    legal.flags.writeable = False
    observation = _observe(player, state, legal, index) if player.uses_observation else None
    decision = player.act(View(state, legal, index, observation, history), limit)
    try:
        reply = {"ply": ply, **_plain(decision, len(legal))}
    except (TypeError, ValueError) as error:
        reply = {"garbage": f"answered {decision!r:.80}: {error}"}
    _reply(connection, reply)


def _observe(player: Agent, state: Any, legal: Any, index: int) -> dict[str, Any]:
    mask = np.zeros(player.rules.num_actions, np.int8)
    mask[legal] = 1
    return {"observation": player.rules.observation(state, index), "action_mask": mask}


def _plain(decision: Any, num_legal: int) -> dict[str, Any]:
    """Reduce an agent's answer to plain data; raise TypeError or ValueError where it is none."""
    if not isinstance(decision, Decision):
        decision = Decision(decision)
    value = None if decision.value is None else float(decision.value)
    if value is not None and not math.isfinite(value):
        raise ValueError(f"value {value} is not finite")
    visits = None
    if decision.visits is not None:
        visits = [operator.index(count) for count in decision.visits]
        if len(visits) != num_legal or min(visits, default=0) < 0:
            raise ValueError(f"visits must be {num_legal} counts, one a legal action")
        if sum(visits) > NEVER:
            raise ValueError("visits add up to more than 64 bits hold")
    action = operator.index(decision.action)
    return {"action": action, "visits": visits, "value": value, "info": dict(decision.info)}


def _reply(connection: Connection, reply: dict[str, Any]) -> None:
    connection.send_bytes(json.dumps(reply, default=str).encode())


def _one_line(error: BaseException) -> str:
    try:
        text = str(error)
    except Exception:
        text = "(its text cannot be had)"
    return f"{type(error).__name__}: {text}".splitlines()[0][:300]


def _flush() -> None:
    """Write out what the agent printed; it may have closed or replaced the streams."""
    for stream in (sys.stdout, sys.stderr):
        with suppress(Exception):
            stream.flush()


def _signal_name(number: int) -> str:
    try:
        return signal.Signals(number).name
    except ValueError:  # a real-time signal
        return f"signal {number}"


def _give_up_reading_after(seconds: float, connection: Connection) -> None:
    """Let no read take longer, where the system can: half a message must not hold the referee."""
    whole, rest = divmod(max(1, math.ceil(seconds * 1e6)), 1_000_000)
    with socket.socket(fileno=os.dup(connection.fileno())) as end:
        end.setsockopt(socket.SOL_SOCKET, socket.SO_RCVTIMEO, struct.pack("@ll", whole, rest))


def die_with_parent() -> None:
    """Ask Linux to kill this process when its parent dies; elsewhere the closed pipe has to do."""
    if sys.platform != "linux":
        return
    import ctypes

    PR_SET_PDEATHSIG = 1
    ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
