"""The executor for one machine: a referee a slot, each with cores of its own, killed when it is late.

It waits on pipes and never without a timeout, so that a referee that dies, hangs or is stopped is noticed
and replaced. What the games mean is not known here.
"""

from __future__ import annotations

import math
import multiprocessing
import os
import socket
import struct
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from multiprocessing.connection import Connection, wait

from arena.records import LiveGame, MatchSpec
from arena.referee.beat import Beat, shared_file
from arena.referee.executor import Answer, Job, Lost
from arena.referee.guard import Guard

PATIENCE = 10.0
"""Seconds that a referee may be later than it said itself: a machine may be busy."""
_STARTUP = 120.0
"""Seconds that a referee may take to begin its first job."""


@dataclass
class _Slot:
    """One referee and what it is doing."""

    pid: int
    connection: Connection
    beat: Beat
    job: Job | None = None
    cores: tuple[int, ...] = ()


class LocalExecutor:
    """All referees, and which cores they use; the sum never exceeds those there are.

    Args:
        cores: ids of the cores; empty leaves games wherever the system puts them.
        at_a_time: games played at a time, at most.
        folders: where plug-ins are looked for.
    """

    def __init__(self, cores: tuple[int, ...], at_a_time: int, folders: Sequence[str]) -> None:
        self._total, self._free, self._at_a_time = len(cores), list(cores), at_a_time
        self._slots: list[_Slot] = []
        self._guard = Guard(folders)

    def __enter__(self) -> LocalExecutor:
        """Return itself."""
        return self

    def __exit__(self, *error: object) -> None:
        """End every referee, and with it its seats."""
        self._guard.close()
        for slot in self._slots:
            slot.connection.close()

    @property
    def busy(self) -> bool:
        """Whether any referee is at work."""
        return any(slot.job is not None for slot in self._slots)

    def has_room(self, cores: int) -> bool:
        """Return whether a job for so many cores (at most all of them) can start now."""
        working = sum(slot.job is not None for slot in self._slots)
        return working < self._at_a_time and len(self._free) >= min(cores, self._total)

    def give(self, job: Job, cores: int) -> None:
        """Start a job; the caller has seen that there is room.

        Raises:
            GuardDied: when no referee can be started.
        """
        slot = next((slot for slot in self._slots if slot.job is None), None) or self._start()
        width = min(cores, self._total)
        slot.cores, self._free = tuple(self._free[:width]), self._free[width:]
        slot.job = job
        slot.beat.expect(_STARTUP)
        with suppress(OSError):  # it died while it was idle: `take` will see it
            slot.connection.send((job, slot.cores))

    def take(self, timeout: float) -> Iterator[tuple[Job, Answer]]:
        """Wait up to `timeout` seconds; yield the jobs that are done, with their answers."""
        working = [slot for slot in self._slots if slot.job is not None]
        ready = wait([slot.connection for slot in working], timeout)
        for slot in working:
            answer = self._answer(slot, slot.connection in ready)
            if answer is not None and slot.job is not None:
                self._free += slot.cores
                job, slot.job, slot.cores = slot.job, None, ()
                yield job, answer

    def in_play(self) -> Iterator[LiveGame]:
        """Yield how the games stand that have begun."""
        for slot in self._slots:
            number, plies, actions = slot.beat.game
            if isinstance(slot.job, MatchSpec) and slot.job.number == number:
                yield LiveGame(slot.job, plies, actions)

    def _answer(self, slot: _Slot, ready: bool) -> Answer | None:
        """Return what a referee has to say, or that it is lost, or None where there is no news."""
        if ready:
            try:
                answer: Answer = slot.connection.recv()
            except (EOFError, OSError):  # it died before or while answering
                return self._give_up(slot, "its referee died")
            return answer
        if slot.beat.late > PATIENCE:
            return self._give_up(slot, "its referee did not come back")
        return None

    def _give_up(self, slot: _Slot, reason: str) -> Lost:
        self._guard.kill(slot.pid)
        slot.connection.close()
        self._slots.remove(slot)
        return Lost(reason, *slot.beat.place)

    def _start(self) -> _Slot:
        ours, theirs = multiprocessing.Pipe()
        _give_up_reading_after(PATIENCE, ours)
        file = shared_file()
        try:
            slot = _Slot(self._guard.start(theirs, file), ours, Beat(file))
        finally:
            theirs.close()
            os.close(file)
        self._slots.append(slot)
        return slot


def _give_up_reading_after(seconds: float, connection: Connection) -> None:
    """Let no read wait longer: a referee may be stopped in the middle of its answer."""
    whole, rest = divmod(math.ceil(seconds * 1e6), 1_000_000)
    with socket.socket(fileno=os.dup(connection.fileno())) as end:
        end.setsockopt(socket.SOL_SOCKET, socket.SO_RCVTIMEO, struct.pack("@ll", whole, rest))
