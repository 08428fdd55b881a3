"""A seat: one agent in a process of its own, and the handle by which a referee talks to it.

The process is a fork of the referee, which has the kernels loaded; what runs in it is in
`arena.referee.seat_process`. Whatever goes wrong in it reaches the referee as `SeatFault`. What the answers
mean for a game is decided in `match`.
"""

from __future__ import annotations

import json
import math
import multiprocessing
import os
import pickle
import select
import signal
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from multiprocessing.connection import Connection
from typing import Any

import numpy as np
import numpy.typing as npt

from agents.base import Decision, Limit
from arena.machine.processes import kill_tree, memory
from arena.records import AgentChoice, GameChoice, Termination, Terms
from arena.referee.family import Family
from arena.referee.inbox import Inbox
from arena.referee.output import Output
from arena.referee.seat_process import PlainLimit, plain, plain_search, serve

Sent = tuple[npt.NDArray[Any], npt.NDArray[np.int64], int, tuple[int, ...]]
"""What of a `View` travels to a seat: state, legal actions, player, history."""
_ANSWER = ("action", "visits", "value", "info")
_MEGABYTE = 1 << 20
_decode = json.JSONDecoder(parse_constant=lambda name: None).decode
"""Reads an answer; NaN and infinities, which JSON has not but Python writes, are None."""


class SeatFault(Exception):
    """An agent did something that ends its game: how it counts, one line, and the evidence."""

    def __init__(self, termination: Termination, reason: str, detail: str = "") -> None:
        super().__init__(reason)
        self.termination, self.reason, self.detail = termination, reason, detail


class Stopped(Exception):
    """The supervisor wants this referee to stop, or is gone."""


@dataclass(frozen=True)
class Answer:
    """What a seat answered, checked for form but not for legality.

    Attributes:
        time: seconds from question to answer.
        idle: seconds of processor time that the agent used since its last answer, when it was asked no move.
    """

    action: int
    visits: npt.NDArray[np.int64] | None
    value: float | None
    info: Mapping[str, Any]
    time: float
    idle: float


class Seat:
    """The referee's end: starts the process, asks it, and kills it.

    Args:
        game: the game to be played.
        agent: who plays it.
        terms: what the agent may take, beside the time of its moves.
        boss: the referee's own pipe to the supervisor, watched while waiting; may be None.
        inherited: connections of the referee that the new process must not hold open.

    Raises:
        SeatFault: when the agent does not start.
    """

    def __init__(
        self,
        game: GameChoice,
        agent: AgentChoice,
        terms: Terms,
        boss: Connection | None = None,
        inherited: Sequence[Connection] = (),
    ) -> None:
        self._boss, self._terms = boss, terms
        self._output = Output()
        self.connection, theirs = multiprocessing.Pipe()
        others = [*inherited, *self.ends, *([boss] if boss else [])]
        self._process = multiprocessing.get_context("fork").Process(
            target=serve,
            args=(theirs, others, self._output.writer, game, agent),
            name=f"arena seat {agent.label}",
        )
        self._base = memory([os.getpid()])  # of which the fork begins with a copy
        self._process.start()
        self._family = Family(self.pid)
        theirs.close()
        self._output.writer.close()
        self._inbox = Inbox(self.connection)
        self._poll = select.poll()
        for connection in (*self.ends, *([boss] if boss else [])):
            self._poll.register(connection.fileno(), select.POLLIN)
        self._death_notice = os.pidfd_open(self.pid) if hasattr(os, "pidfd_open") else None
        if self._death_notice is not None:  # a child of the agent's may hold its end of the pipe open
            self._poll.register(self._death_notice, select.POLLIN)
        self._cores: tuple[int, ...] = ()
        try:
            self._receive(terms.startup, "start")
        except BaseException:
            self.kill()
            raise

    @property
    def pid(self) -> int:
        """The id of the process."""
        assert self._process.pid is not None
        return self._process.pid

    @property
    def ends(self) -> tuple[Connection, Connection]:
        """The referee's ends of the seat's pipes, which no other process should hold open."""
        return self.connection, self._output.reader

    def reset(self, player: int, seed: int, cores: tuple[int, ...]) -> None:
        """Begin a game, on these cores."""
        self._output.forget()
        self._send(("reset", player, seed, cores if cores != self._cores else ()))
        self._cores = cores
        self._receive(self._terms.startup, "reset")

    def ask(self, ply: int, view: Sent, limit: Limit, wait: float) -> Answer:
        """Ask for a move, and wait for it at most `wait` seconds.

        Raises:
            SeatFault: no answer within `wait`, death, an exception, or an answer of the wrong form.
        """
        idle = self._family.cpu_since()
        asked = time.monotonic()
        state, legal, player, history = view
        # Bytes and numbers: to pickle arrays and records takes both sides some 50 µs a move.
        self._send(("act", ply, state.tobytes(), legal.tobytes(), player, history, _plain_limit(limit)))
        reply = self._receive(wait, "move")
        used = time.monotonic() - asked
        if reply.get("ply") != ply:
            raise SeatFault(
                Termination.CRASH, f"answered for ply {reply.get('ply')!s:.20} when asked for ply {ply}"
            )
        try:  # once more: what comes over the pipe need not be of our making
            answer = plain(Decision(**{name: reply[name] for name in _ANSWER}), len(legal))
        except (KeyError, TypeError, ValueError) as error:
            raise SeatFault(Termination.CRASH, f"sent something that is no answer: {error!r:.80}") from None
        visits = None if answer["visits"] is None else np.array(answer["visits"], np.int64)
        return Answer(answer["action"], visits, answer["value"], answer["info"], used, idle)

    def search_record(self) -> dict[str, Any] | None:
        """Ask what its last move looked at, off the clock; return plain data that says its `kind`.

        Raises:
            SeatFault: no answer within the time to start, or death.
        """
        self._send(("search",))
        reply = self._receive(self._terms.startup, "record of the search", mark=False)
        return plain_search(lambda: reply.get("search"))

    def kill(self) -> None:
        """End the process and all it started, now.

        What it started and left to others before it died, only the process that adopted it can end.
        """
        if self._process.exitcode is None:
            kill_tree(self.pid)
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(self.pid, signal.SIGKILL)  # even when it is dead: what it started may live
        self._process.join()
        self.connection.close()
        self._output.close()
        if self._death_notice is not None:
            os.close(self._death_notice)

    def _send(self, message: tuple[Any, ...]) -> None:
        if self._terms.freeze:
            self._family.signal(signal.SIGCONT)
        try:
            self.connection.send_bytes(pickle.dumps(message, pickle.HIGHEST_PROTOCOL))
        except OSError:
            raise self._death() from None

    def _receive(self, timeout: float, what: str, mark: bool = True) -> dict[str, Any]:
        """Wait for an answer; with `mark`, what the agent computes from now on counts as out of turn."""
        try:
            message = self._wait(timeout)
        except OSError:
            raise self._death() from None
        except ValueError as error:
            raise SeatFault(Termination.CRASH, f"sent something that is no answer: {error}") from None
        if message is None:
            whole = "whole " if self._inbox.begun else ""
            reason = f"no {whole}{what} within {timeout:.3g} s"
            raise SeatFault(Termination.TIMEOUT, reason, self._output.text())
        if self._terms.freeze:
            self._family.signal(signal.SIGSTOP)
        if mark:
            self._family.mark()
        try:
            return self._checked(_decode(message.decode()))
        except (ValueError, RecursionError) as error:
            raise SeatFault(Termination.CRASH, f"sent something that is no answer: {error}") from None

    def _wait(self, timeout: float) -> bytes | None:
        """Wait for an answer, taking in meanwhile what the agent prints; return it, or None."""
        until = time.monotonic() + timeout
        look = Family.EVERY if self._terms.memory_mb else math.inf
        while (message := self._inbox.message()) is None and (left := until - time.monotonic()) > 0:
            ready = {fd for fd, _ in self._poll.poll(math.ceil(min(left, look) * 1000))}
            if self._boss and self._boss.fileno() in ready:
                raise Stopped
            if self.connection.fileno() in ready:
                self._inbox.read()
            elif self._death_notice in ready:
                raise ConnectionResetError
            if self._output.reader.fileno() in ready and not self._output.drain():
                self._poll.unregister(self._output.reader.fileno())
            self._check_memory()
        return message

    def _check_memory(self) -> None:
        allowed = self._terms.memory_mb
        if allowed is None or not self._family.look():
            return
        used = (self._family.memory() - self._base) / _MEGABYTE
        if used > allowed:
            raise SeatFault(Termination.MEMORY, f"uses {used:.0f} MB of {allowed} MB", self._output.text())

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


def _plain_limit(limit: Limit) -> PlainLimit:
    clock = None if limit.clock is None else (limit.clock.remaining, limit.clock.increment)
    return limit.time, limit.simulations, limit.nodes, limit.depth, clock


def _signal_name(number: int) -> str:
    try:
        return signal.Signals(number).name
    except ValueError:  # a real-time signal
        return f"signal {number}"
