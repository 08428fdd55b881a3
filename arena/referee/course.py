"""The course of a league: specs out, records in, until all is played or the person has had enough.

Where games are played, how they are scheduled and how they are kept, others know. A game that fails by no
agent's doing is played again once, and by then it is known whose doing it is, or that the league cannot
go on. An agent that is at fault in too many games in a row is withdrawn.
"""

from __future__ import annotations

import time
from dataclasses import replace

from arena.league.config import League
from arena.league.schedule import Scheduler
from arena.league.withdrawals import Withdrawals
from arena.records import Fault, GameRecord, MatchSpec, Result, Termination
from arena.referee.beat import NOBODY
from arena.referee.executor import Answer, Executor, Lost, RunError
from arena.referee.interrupts import Interrupts
from arena.referee.live import Live
from arena.referee.progress import Progress
from arena.store import Store

_AHEAD = 16
"""Games that may wait for more cores than are free while others start."""
_WAIT = 0.5
"""Seconds between two looks at whether someone asked to stop."""


class Course:
    """What is to be played yet, and who plays, keeps and tells it."""

    def __init__(
        self,
        league: League,
        scheduler: Scheduler,
        executor: Executor,
        store: Store,
        progress: Progress,
        interrupts: Interrupts,
    ) -> None:
        self._grace, self._scheduler, self._executor = league.grace, scheduler, executor
        self._store, self._progress, self._interrupts = store, progress, interrupts
        self._voided: dict[int, Fault] = {}
        self._waiting: list[MatchSpec] = []
        self._withdrawals = Withdrawals(league)
        self._live = Live(executor, store)

    def all(self) -> None:
        """Play every game that is not kept yet; stop where that is asked for.

        Raises:
            RunError: when a game fails twice by no agent's doing.
            StoreError: when the database cannot be written.
        """
        with self._live:
            while not self._interrupts.count:
                self._hand_out()
                if self._executor.busy:
                    self._take(_WAIT)
                elif self._scheduler.over:
                    self._store.complete()
                    return
            self._wind_up()

    def _wind_up(self) -> None:
        """Let the games in play finish, for as long as the league allows and the person bears it."""
        until = time.monotonic() + self._grace
        if self._executor.busy:
            how_long = f"games in play may finish, within {self._grace:g} s; once more stops at once"
            self._progress.message(f"interrupted: {how_long}")
        while self._executor.busy and self._interrupts.count == 1 and time.monotonic() < until:
            self._take(_WAIT)

    def _take(self, timeout: float) -> None:
        for job, answer in self._executor.take(timeout):
            assert isinstance(job, MatchSpec)
            self._finish(job, answer)
        self._live.look()

    def _hand_out(self) -> None:
        """Start whatever fits on the free cores."""
        while self._executor.has_room(1) and (spec := self._next_that_fits()) is not None:
            self._executor.give(spec, spec.cores)

    def _next_that_fits(self) -> MatchSpec | None:
        """Return the earliest game that fits, looking a little ahead, so that nothing waits for ever."""
        for spec in self._waiting:
            if self._executor.has_room(spec.cores):
                self._waiting.remove(spec)
                return spec
        while len(self._waiting) < _AHEAD and (new := self._next_missing()) is not None:
            if self._executor.has_room(new.cores):
                return new
            self._waiting.append(new)
        return None

    def _next_missing(self) -> MatchSpec | None:
        """Return the next game that is neither kept nor settled by a withdrawal."""
        while not self._interrupts.count and (spec := self._scheduler.next()) is not None:
            kept = self._store.result(spec.number)
            if kept is not None:
                self._progress.kept(spec, kept.returns)
                self._note(spec, kept)
            elif (forfeit := self._withdrawals.forfeit(spec)) is not None:
                self._keep(forfeit)
            else:
                return spec
        return None

    def _finish(self, spec: MatchSpec, answer: Answer) -> None:
        record = _record_of(spec, answer)
        if record.fault is not None and record.termination is Termination.VOID:
            before = self._voided.pop(spec.number, None)
            if before is None:
                self._again(spec, record.fault)
                return
            record = _twice_void(record, before, record.fault)
        self._keep(record)

    def _again(self, spec: MatchSpec, fault: Fault) -> None:
        self._voided[spec.number] = fault
        game = f"game {spec.number} ({spec.game.label})"
        self._progress.message(f"{game} is void and played again: {fault.reason}")
        self._waiting.insert(0, spec)

    def _keep(self, record: GameRecord) -> None:
        if record.termination is not Termination.VOID:
            self._store.add_game(record)
        self._progress.finished(record)
        self._note(record.spec, record.result)

    def _note(self, spec: MatchSpec, result: Result) -> None:
        self._scheduler.add(spec, result.returns)
        for text in self._withdrawals.note(spec, result):
            self._progress.message(text)


def _record_of(spec: MatchSpec, answer: Answer) -> GameRecord:
    """Return what is known of a game; of one whose referee is lost, whose turn it was."""
    if isinstance(answer, Lost):
        fault = Fault(answer.seat, answer.ply, answer.reason)
        return GameRecord(spec, (), (), (0.0,) * len(spec.players), Termination.VOID, fault)
    assert isinstance(answer, GameRecord)
    return answer


def _twice_void(record: GameRecord, before: Fault, fault: Fault) -> GameRecord:
    """Blame the agent that both times was waited for when the referee was lost.

    Raises:
        RunError: when there is none.
    """
    if fault.seat == NOBODY or fault.seat != before.seat:
        game = f"game {record.spec.number} ({record.spec.game.label})"
        raise RunError(f"{game} failed twice, by no agent's doing: {fault.reason}\n{fault.detail}")
    returns = fault.returns(len(record.spec.players))
    blamed = replace(fault, reason=f"{fault.reason}, twice, while this agent was waited for")
    return replace(record, returns=returns, termination=Termination.CRASH, fault=blamed)
