"""The commands that play leagues: `run` and `resume`. Those that look at runs are in `results`.

Like all commands they parse, call and print; everything heavy is imported inside them.
"""

from __future__ import annotations

import functools
import shlex
import sys
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import click

from arena.commands.exits import FAILED, INTERRUPTED, refuse
from arena.commands.options import QUIET, RUNS_DIR, check_writable, existing

if TYPE_CHECKING:
    from arena.league.config import League
    from arena.referee.supervisor import RunOutcome

_WORKERS = click.option(
    "--workers", type=click.IntRange(min=1), help="Games played at a time, whatever the file says."
)
_JSON = click.option("--json", "as_json", is_flag=True, help="Print the results as one JSON document.")
_REPORT = click.option(
    "--report/--no-report", "with_report", default=True, help="Whether to write report.html at the end."
)


@click.command()
@click.argument("config", type=click.Path(path_type=Path))
@_WORKERS
@_JSON
@_REPORT
@RUNS_DIR
@QUIET
def run(
    config: Path, workers: int | None, as_json: bool, with_report: bool, runs_dir: Path, quiet: bool
) -> None:
    """Play the league of the file CONFIG, print its tables, and write its report.

    A file with mistakes is refused before the first game, with every mistake and its line. The games
    are kept in one SQLite file in the run's folder, and nothing is lost when a run is interrupted.

    \b
    An example, league.yaml:
        name: evening
        seed: 7
        games: [tic_tac_toe, {name: hex, size: 5}]
        agents:
          uct:    {type: uct, uct_c: 1.0}
          random: {type: random}
          mine:   {type: "my_bots:Greedy"}     # class Greedy in my_bots.py
        limit: {time: 0.1}                     # seconds for every move
        schedule: {type: round_robin, rounds: 10}

    \b
    Then:
        arena run league.yaml
        arena run league.yaml --workers 2 --json > results.json

    Ctrl-C lets the games in play finish and starts no other; a second one stops at once.

    Ends with 0 when the league is finished, 1 when the machine fails (a full disk) or, where the file says
    `strict: true`, when an agent was at fault, 2 for bad input, 130 when interrupted. Finished games are
    kept in every case: `arena resume` plays the rest.
    """
    league = _load(config)
    check_writable("--runs-dir", runs_dir, existing(runs_dir))
    from arena.referee.supervisor import run_league

    play = functools.partial(run_league, league, run_dir_parent=runs_dir, workers=workers, quiet=quiet)
    sys.exit(_play(play, as_json, with_report, quiet))


@click.command()
@click.argument("run", required=False)
@_WORKERS
@_JSON
@_REPORT
@RUNS_DIR
@QUIET
def resume(
    run: str | None, workers: int | None, as_json: bool, with_report: bool, runs_dir: Path, quiet: bool
) -> None:
    """Play the games that RUN lacks, print all its tables, and write its report.

    RUN is a folder that `arena run` made, or its name in runs/; the last one where it is left out. What was
    finished is not played again. Under simulation, node or depth limits the result is the one that the run
    would have had without a break. Ends as `arena run` does.

    \b
    Examples:
        arena resume
        arena resume runs/evening-1
    """
    from arena.referee.supervisor import resume_league
    from arena.runs import UnknownRunError, find_run

    try:
        folder = find_run(run, runs_dir).parent
    except UnknownRunError as error:
        refuse([f"arena: {error}"])
    play = functools.partial(resume_league, folder, workers=workers, quiet=quiet)
    sys.exit(_play(play, as_json, with_report, quiet))


def _load(config: Path) -> League:
    from arena.league.config import ConfigError, load_league

    try:
        return load_league(config)
    except ConfigError as error:
        refuse(error.lines)


def _play(play: Callable[[], RunOutcome], as_json: bool, with_report: bool, quiet: bool) -> int:
    """Play, print, write the report, and return the exit code."""
    from arena.referee.supervisor import RunError
    from arena.results.summary import summarise
    from arena.results.tables import print_summary
    from arena.runs import DATABASE
    from arena.store import StoreError

    try:
        outcome = play()
        summary = summarise(outcome.run / DATABASE)
    except RunError as error:
        refuse((f"arena: {line}" for line in str(error).splitlines()), error.exit_code)
    except StoreError as error:
        refuse([f"arena: {error}"], FAILED)
    try:
        click.echo(summary.to_json()) if as_json else print_summary(summary)
    except OSError as error:
        raise OSError(error.errno, f"{error.strerror}; the games are kept in {outcome.run}") from error
    if with_report and summary.played:
        _report(outcome.run, quiet, on_stderr=as_json)
    if outcome.interrupted:
        click.echo(f"Go on with: arena resume {shlex.quote(str(outcome.run))}", err=True)
        return INTERRUPTED
    return FAILED if outcome.failed else 0


def _report(run: Path, quiet: bool, on_stderr: bool) -> None:
    """Write the report of a run that was just played and name it; without it the run is whole, too."""
    from arena.report.page import write_report
    from arena.runs import DATABASE

    try:
        path = write_report(run / DATABASE, quiet=quiet)
    except Exception as error:
        # A full disk, a game of the user's own: the games are kept all the same, and so is the exit code.
        again = f"arena report {shlex.quote(str(run))}"
        click.echo(f"arena: no report: {type(error).__name__}: {error}; try again with: {again}", err=True)
    else:
        click.echo(f"Report: {path}", err=on_stderr)
