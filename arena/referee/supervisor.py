"""The supervisor: begins a run or takes one up, with all that belongs to it, and alone writes its database.

The course of the games is in `arena.referee.course`.
"""

from __future__ import annotations

import shlex
from collections import deque
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path

import envs
from arena.league.config import League, read_league
from arena.league.pairings import entrants
from arena.league.schedule import Scheduler
from arena.machine.cores import available_cores, too_many
from arena.records import GameRecord
from arena.referee.beat import NOBODY
from arena.referee.course import Course
from arena.referee.executor import Answer, Executor, Lost, Maker, Prepare, RunError
from arena.referee.interrupts import Interrupts, counted_interrupts
from arena.referee.local import LocalExecutor
from arena.referee.progress import Progress
from arena.runs import DATABASE, new_run_folder, reserved
from arena.store import Store, StoreError
from envs.parameters import ParameterError
from envs.plugins import UnknownNameError, search_in

__all__ = ["RunError", "RunOutcome", "StartError", "resume_league", "run_league"]


class StartError(RunError):
    """The run does not start, by what it was given: an agent, a folder, a number; nothing was created."""

    exit_code = 2


@dataclass(frozen=True)
class RunOutcome:
    """How a run ended.

    Attributes:
        run: the folder that keeps it.
        interrupted: whether games are missing because someone asked to stop.
        failed: whether there were faults, in a league that is `strict` about them.
    """

    run: Path
    interrupted: bool
    failed: bool


def run_league(
    league: League,
    run_dir_parent: Path,
    workers: int | None = None,
    quiet: bool = False,
    make_executor: Maker = LocalExecutor,
) -> RunOutcome:
    """Play a league and store it in a new folder `NAME-N` of `run_dir_parent`.

    Args:
        league: what to play.
        run_dir_parent: where runs are kept; made where it is missing.
        workers: games at a time; overrides the league's own.
        quiet: no progress line.
        make_executor: makes what plays the games.

    Raises:
        StartError: when an agent does not start; nothing is created then.
        RunError: when the folder cannot be made, or a game cannot be refereed.
        StoreError: when the database cannot be written.
    """
    with _ready(league, workers, quiet, make_executor) as ready:
        run = _new_run(run_dir_parent, league)
        with _held(run), Store.create(run / DATABASE, league.to_yaml(), ready.scheduler.total) as store:
            return ready.play(run, store)


def resume_league(
    run: Path, workers: int | None = None, quiet: bool = False, make_executor: Maker = LocalExecutor
) -> RunOutcome:
    """Play the games that are missing in the folder of an earlier run; for the arguments see `run_league`.

    Raises:
        StartError: when there is no run that can go on here, or an agent does not start.
        RunError: when a game cannot be refereed.
        StoreError: when the database cannot be written.
    """
    with _opened(run) as store, _held(run):
        league = read_league(store.about()["config"])
        search_in(league.folders)
        with _ready(league, workers, quiet, make_executor) as ready:
            return ready.play(run, store)


def _opened(run: Path) -> Store:
    try:
        store = Store.open(run / DATABASE)
    except StoreError as error:
        raise StartError(str(error)) from error
    if store.is_current:
        return store
    store.close()
    anew = f"play it anew with: arena run {shlex.quote(str(run / 'league.yaml'))}"
    raise StartError(f"{run}: an older Arena made this run: it can be shown, not continued; {anew}")


@contextmanager
def _held(run: Path) -> Iterator[None]:
    """Keep other processes from playing the same run meanwhile."""
    with ExitStack() as stack:
        try:
            stack.enter_context(reserved(run))
        except BlockingIOError:
            raise StartError(f"{run}: another process is playing this run") from None
        yield


def _new_run(parent: Path, league: League) -> Path:
    """Make the run's folder, with the resolved league file in it."""
    try:
        run = new_run_folder(parent, league.name)
        (run / "league.yaml").write_text(league.to_yaml(), encoding="utf-8")
    except OSError as error:
        raise RunError(f"{error.filename or parent}: {error.strerror or error}") from error
    return run


@contextmanager
def _ready(league: League, workers: int | None, quiet: bool, make_executor: Maker) -> Iterator[_Run]:
    """Start what plays a league, and see that every agent starts."""
    scheduler = _scheduler(league)
    cores = available_cores()
    at_a_time = workers or (len(cores) if league.workers == "auto" else league.workers)
    if wrong := too_many(at_a_time, league.oversubscribe):
        raise StartError(f"workers: {wrong}")
    if at_a_time > len(cores):
        cores = ()  # games share them as the system likes
    with (
        Progress(scheduler.total, quiet=quiet) as progress,
        make_executor(cores, at_a_time, league.folders) as executor,
    ):
        prepare(league, executor, progress)
        with counted_interrupts() as interrupts:
            yield _Run(league, scheduler, executor, progress, interrupts)


def _scheduler(league: League) -> Scheduler:
    """Make the schedule, for which games and agents are looked up; of an old run they may be gone."""
    try:
        rules = {game.label: envs.make_rules(game.name, **game.params) for game in league.games}
        return Scheduler(league, {label: made.num_players for label, made in rules.items()})
    except (UnknownNameError, ParameterError) as error:
        raise StartError(str(error)) from error


@dataclass(frozen=True)
class _Run:
    """A league with what plays it."""

    league: League
    scheduler: Scheduler
    executor: Executor
    progress: Progress
    interrupts: Interrupts

    def play(self, run: Path, store: Store) -> RunOutcome:
        """Play what is not in the store."""
        course = Course(self.league, self.scheduler, self.executor, store, self.progress, self.interrupts)
        self.progress.start()
        try:
            course.all()
        except RunError as error:
            raise RunError(f"{error}\nGo on with: arena resume {run}") from error
        failed = self.league.strict and store.has_faults()
        return RunOutcome(run, interrupted=self.interrupts.count > 0, failed=failed)


def prepare(league: League, executor: Executor, progress: Progress) -> None:
    """Compile and start every agent for every game it plays, before anything is created."""
    jobs = deque(Prepare(game, tuple(entrants(league, game)), league.terms) for game in league.games)
    failures: list[str] = []
    while jobs or executor.busy:
        while jobs and executor.has_room(1):
            progress.message(f"getting {jobs[0].game.label} ready (compiles the first time, some 10 s)")
            executor.give(jobs.popleft(), 1)
        for job, answer in executor.take(0.5):
            assert isinstance(job, Prepare)
            failures += [f"{job.game.label}: {text}" for text in _refusals(job, answer)]
    if failures:
        raise StartError("\n".join(failures))


def _refusals(job: Prepare, answer: Answer) -> Iterator[str]:
    """Say which agents do not start, and why."""
    assert not isinstance(answer, GameRecord)
    if isinstance(answer, Lost):
        if answer.seat == NOBODY:
            raise RunError(f"getting {job.game.label} ready failed: {answer.reason}")
        answer = [(job.agents[answer.seat].label, answer.reason)]
    for label, why in answer:
        yield f"agent {label} does not start: {why}"
