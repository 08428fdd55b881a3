"""The supervisor: runs a league over several referees, and alone writes its database.

It hands out specs and takes in records; what a game is, it does not know. It waits on pipes and
processes together and never without a timeout, so that a referee that dies is noticed and replaced.
"""

from __future__ import annotations

import multiprocessing
import os
import signal
import sys
import time
from collections import deque
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from multiprocessing import forkserver, resource_tracker
from multiprocessing.connection import Connection, wait
from pathlib import Path
from types import FrameType
from typing import Any

import envs
from arena.config import League
from arena.cores import ONE_THREAD, available_cores
from arena.pairings import entrants
from arena.progress import Progress
from arena.records import GameRecord, MatchSpec, Termination
from arena.runs import new_run_folder
from arena.schedule import Scheduler
from arena.slot import Job, Prepare, serve
from arena.store import Store

GRACE = 30.0
"""Seconds that games in play may go on after Ctrl-C."""
_AHEAD = 16
"""Games that may wait for more cores than are free while others start."""


class RunError(RuntimeError):
    """The league cannot go on; the text says why."""

    exit_code = 1


class StartError(RunError):
    """An agent does not start, by what the league file asks for; nothing was created."""

    exit_code = 2


@dataclass(frozen=True)
class RunOutcome:
    """Where a run is kept, and whether it was interrupted."""

    run: Path
    interrupted: bool


def run_league(
    league: League, run_dir_parent: Path, workers: int | None = None, quiet: bool = False
) -> RunOutcome:
    """Play a league and store it in a new folder `NAME-N` of `run_dir_parent`.

    Args:
        league: what to play.
        run_dir_parent: where runs are kept; made where it is missing.
        workers: games at a time; overrides the league's own.
        quiet: no progress line.

    Raises:
        StartError: when an agent does not start; nothing is created then.
        RunError: when the folder cannot be made, or a game cannot be refereed.
        StoreError: when the database cannot be written.
    """
    scheduler = Scheduler(league, _num_players(league))
    cores = available_cores()
    at_a_time = workers or (len(cores) if league.workers == "auto" else league.workers)
    with (
        Progress(scheduler.total, quiet=quiet) as progress,
        _Slots(cores, at_a_time, league.folders) as slots,
    ):
        prepare(league, slots, progress)
        run = _new_run(run_dir_parent, league)
        config = league.to_yaml()
        with (
            Store.create(run / "league.sqlite", config, scheduler.total) as store,
            _interrupts() as interrupts,
        ):
            progress.start()
            _Play(scheduler, slots, store, progress, interrupts).all()
            return RunOutcome(run, interrupted=interrupts.count > 0)


def _new_run(parent: Path, league: League) -> Path:
    """Make the run's folder, with the resolved league file in it."""
    try:
        run = new_run_folder(parent, league.name)
        (run / "league.yaml").write_text(league.to_yaml(), encoding="utf-8")
    except OSError as error:
        raise RunError(f"{error.filename or parent}: {error.strerror or error}") from error
    return run


def _num_players(league: League) -> dict[str, int]:
    return {game.label: envs.make_rules(game.name, **game.params).num_players for game in league.games}


def prepare(league: League, slots: _Slots, progress: Progress) -> None:
    """Compile and start every agent for every game it plays, before anything is created."""
    jobs = deque(Prepare(game, tuple(entrants(league, game)), league.startup) for game in league.games)
    failures: list[str] = []
    while jobs or slots.busy:
        while jobs and slots.has_room(1):
            progress.message(f"getting {jobs[0].game.label} ready (compiles the first time, some 10 s)")
            slots.give(jobs.popleft(), 1)
        for job, answer in slots.take(0.5):
            if answer is None:
                raise RunError(f"the referee died while getting {job.game.label} ready")
            failures += [f"{job.game.label}: agent {label} does not start: {why}" for label, why in answer]
    if failures:
        raise StartError("\n".join(failures))


class _Play:
    """The course of a league: specs out, records in."""

    def __init__(
        self, scheduler: Scheduler, slots: _Slots, store: Store, progress: Progress, interrupts: _Interrupts
    ) -> None:
        self.scheduler, self.slots, self.store = scheduler, slots, store
        self.progress, self.interrupts = progress, interrupts
        self.voided: set[int] = set()
        self.waiting: list[MatchSpec] = []

    def all(self) -> None:
        """Play every game; one that was void once is played again."""
        stop_at = float("inf")
        while True:
            if self.interrupts.count:
                stop_at = min(stop_at, time.monotonic() + GRACE)
            else:
                self._hand_out()
            if not self.slots.busy:
                break
            if self.interrupts.count > 1 or time.monotonic() > stop_at:
                return
            for job, answer in self.slots.take(0.5):
                self._finish(job[0], answer)
        if self.scheduler.over and not self.interrupts.count:
            self.store.complete()

    def _hand_out(self) -> None:
        """Start whatever fits on the free cores."""
        while self.slots.has_room(1) and (spec := self._next_that_fits()) is not None:
            self.slots.give((spec, ()), spec.cores)

    def _next_that_fits(self) -> MatchSpec | None:
        """Return the earliest game that fits, looking a little ahead, so that nothing waits for ever."""
        for spec in self.waiting:
            if self.slots.has_room(spec.cores):
                self.waiting.remove(spec)
                return spec
        while len(self.waiting) < _AHEAD and (new := self.scheduler.next()) is not None:
            if self.slots.has_room(new.cores):
                return new
            self.waiting.append(new)
        return None

    def _finish(self, spec: MatchSpec, record: GameRecord | None) -> None:
        if record is not None and record.termination is not Termination.VOID:
            self.store.add_game(record)
            self.scheduler.add(spec, record.returns)
            self.progress.finished(record)
            return
        why = "its referee died" if record is None or record.fault is None else record.fault.reason
        if spec.number in self.voided:
            detail = "" if record is None or record.fault is None else record.fault.detail
            raise RunError(
                f"game {spec.number} ({spec.game.label}) failed twice, by no agent's doing: {why}\n{detail}"
            )
        self.voided.add(spec.number)
        self.progress.message(f"game {spec.number} ({spec.game.label}) is void and played again: {why}")
        self.waiting.insert(0, spec)


@dataclass
class _Slot:
    """One referee process and what it is doing."""

    process: Any
    connection: Connection
    job: Any = None
    cores: tuple[int, ...] = ()


class _Slots:
    """All referees, and which cores they use; the sum never exceeds those there are."""

    def __init__(self, cores: tuple[int, ...], at_a_time: int, folders: tuple[str, ...]) -> None:
        self._total, self._free, self._at_a_time = len(cores), list(cores), at_a_time
        self._folders = [*folders, *(path for path in sys.path if path)]
        self._slots: list[_Slot] = []
        self._context = multiprocessing.get_context("forkserver")

    def __enter__(self) -> _Slots:
        """Start the server from which referees are forked, everything imported."""
        os.environ.update({name: os.environ.get(name, value) for name, value in ONE_THREAD.items()})
        self._context.set_forkserver_preload(["arena.slot", "agents.uct", "agents.minimax", "envs.aec"])
        _start_forkserver()
        return self

    def __exit__(self, *error: object) -> None:
        """End every referee, and with it its seats."""
        for slot in self._slots:
            self._end(slot)

    @property
    def busy(self) -> bool:
        """Whether any referee is at work."""
        return any(slot.job is not None for slot in self._slots)

    def has_room(self, cores: int) -> bool:
        """Return whether a job for so many cores (at most all of them) can start now."""
        working = sum(slot.job is not None for slot in self._slots)
        return working < self._at_a_time and len(self._free) >= min(cores, self._total)

    def give(self, job: Job, cores: int) -> None:
        """Start a job; the caller has seen that there is room."""
        slot = next((slot for slot in self._slots if slot.job is None), None) or self._start()
        width = min(cores, self._total)
        slot.cores, self._free = tuple(self._free[:width]), self._free[width:]
        slot.job = job
        slot.connection.send(job if isinstance(job, Prepare) else (job[0], slot.cores))

    def take(self, timeout: float) -> Iterator[tuple[Any, Any]]:
        """Wait up to `timeout` seconds; yield (job, answer) of what is done, answer None for a death."""
        working = [slot for slot in self._slots if slot.job is not None]
        ready = wait([end for slot in working for end in (slot.connection, slot.process.sentinel)], timeout)
        for slot in working:
            if slot.connection in ready or slot.process.sentinel in ready:
                job, answer = slot.job, self._receive(slot)
                self._free += slot.cores
                slot.job, slot.cores = None, ()
                yield job, answer

    def _receive(self, slot: _Slot) -> Any:
        try:
            if slot.connection.poll():
                return slot.connection.recv()
        except (EOFError, OSError):
            pass  # it died before or while answering
        self._slots.remove(slot)
        self._end(slot)
        return None

    def _start(self) -> _Slot:
        ours, theirs = multiprocessing.Pipe()
        process = self._context.Process(target=serve, args=(theirs, self._folders), name="arena referee")
        process.start()
        theirs.close()
        self._slots.append(_Slot(process, ours))
        return self._slots[-1]

    def _end(self, slot: _Slot) -> None:
        slot.connection.close()  # a referee whose pipe closes ends its seats and itself
        slot.process.join(2.0)
        if slot.process.is_alive():
            slot.process.kill()
            slot.process.join()


def _start_forkserver() -> None:
    """Start it deaf to Ctrl-C, which a terminal sends to it too: while it imports it would die of it."""
    resource_tracker.ensure_running()  # the server starts it otherwise, and that lets signals in again
    before = signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGINT])
    try:
        forkserver.ensure_running()
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


class _Interrupts:
    """How often the person, or the system, asked to stop."""

    count = 0


@contextmanager
def _interrupts() -> Iterator[_Interrupts]:
    """Count SIGINT and SIGTERM instead of dying of them."""
    interrupts = _Interrupts()

    def note(signum: int, frame: FrameType | None) -> None:
        interrupts.count += 1

    before = {number: signal.signal(number, note) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield interrupts
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
