"""The commands that play leagues and show their runs: `run`, `resume`, `show`, `report`, `export`.

Like all commands they parse, call and print; everything heavy is imported inside them.
"""

from __future__ import annotations

import functools
import os
import shlex
import sys
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import click

from arena.commands.exits import FAILED, INTERRUPTED, refuse

if TYPE_CHECKING:
    from arena.league.config import League
    from arena.referee.supervisor import RunOutcome
    from arena.store import Store

_WORKERS = click.option(
    "--workers", type=click.IntRange(min=1), help="Games played at a time, whatever the file says."
)
_JSON = click.option("--json", "as_json", is_flag=True, help="Print the results as one JSON document.")
RUNS_DIR = click.option(
    "--runs-dir",
    type=click.Path(file_okay=False, path_type=Path),
    default=Path("runs"),
    show_default=True,
    help="Where runs are kept, each in a folder NAME-1, NAME-2, …",
)
_QUIET = click.option("--quiet", is_flag=True, help="Show no progress.")
_REPORT = click.option(
    "--report/--no-report", "with_report", default=True, help="Whether to write report.html at the end."
)


@click.command()
@click.argument("config", type=click.Path(path_type=Path))
@_WORKERS
@_JSON
@_REPORT
@RUNS_DIR
@_QUIET
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
    _check_folder(runs_dir)
    from arena.referee.supervisor import run_league

    play = functools.partial(run_league, league, run_dir_parent=runs_dir, workers=workers, quiet=quiet)
    sys.exit(_play(play, as_json, with_report, quiet))


@click.command()
@click.argument("run", required=False)
@_WORKERS
@_JSON
@_REPORT
@RUNS_DIR
@_QUIET
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


@click.command()
@click.argument("run", required=False)
@click.option("--games", is_flag=True, help="List the games; so does any of the filters below.")
@click.option("--game", "number", type=int, help="Replay the game of this number on the board.")
@click.option("--moves", is_flag=True, help="One line a move, of that game or of all that are listed.")
@click.option("--agent", help="Games of this agent.")
@click.option("--against", help="Games against this one.")
@click.option(
    "--result",
    type=click.Choice(["win", "draw", "loss"]),
    help="Games with this result for --agent, or else for the first seat.",
)
@click.option("--termination", help="Games that ended so: normal, timeout, crash, …")
@click.option("--game-name", help="Games of the game with this label.")
@click.option("--without-forfeits", is_flag=True, help="Tables without pairs in which an agent was at fault.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON document.")
@click.option("--csv", "as_csv", is_flag=True, help="Print games or moves as CSV.")
@RUNS_DIR
def show(
    run: str | None,
    games: bool,
    number: int | None,
    moves: bool,
    agent: str | None,
    against: str | None,
    result: str | None,
    termination: str | None,
    game_name: str | None,
    without_forfeits: bool,
    as_json: bool,
    as_csv: bool,
    runs_dir: Path,
) -> None:
    """Show what a run says: its tables, its games, or one game on the board.

    RUN is a folder that `arena run` made, or its name in runs/; the last one where it is left out. It may
    be a run that is still going on, or was interrupted.

    \b
    Examples:
        arena show                                   the tables of the last run
        arena show evening-1 --without-forfeits
        arena show evening-1 --agent uct --result loss
        arena show evening-1 --game 17               move by move, the visits on the board
        arena show evening-1 --game 17 --moves --csv
    """
    from arena.results.show import Wanted, games_view, tables_view
    from arena.runs import UnknownRunError, find_run
    from arena.store import Store, StoreError

    form = "json" if as_json else "csv" if as_csv else ""
    wanted = Wanted(number, agent, against, result, termination, game_name)
    try:
        with Store.open(find_run(run, runs_dir)) as store:
            _find_plugins(store)
            if games or moves or wanted != Wanted():
                games_view(store, wanted, moves, form)
            else:
                tables_view(store, not without_forfeits, form)
    except (UnknownRunError, StoreError) as error:
        refuse([f"arena: {error}"])


@click.command()
@click.argument("run", required=False)
@click.option(
    "--out",
    type=click.Path(dir_okay=False, path_type=Path),
    help="The file to write; report.html in the run's folder when left out.",
)
@click.option("--without-forfeits", is_flag=True, help="Leave out pairs in which an agent was at fault.")
@click.option("--open", "and_open", is_flag=True, help="Open it in the browser.")
@RUNS_DIR
@_QUIET
def report(
    run: str | None, out: Path | None, without_forfeits: bool, and_open: bool, runs_dir: Path, quiet: bool
) -> None:
    """Write the report of RUN: one HTML file with its standings, charts, searches and games, and print where.

    RUN is a folder that `arena run` made, or its name in runs/; the last one where it is left out. It may
    be a run that is still going on, or was interrupted. The file needs no network, and may be sent to others.

    \b
    Examples:
        arena report --open
        arena report evening-1 --out evening.html
    """
    from arena.report.page import write_report
    from arena.runs import UnknownRunError, find_run
    from arena.store import Store, StoreError

    try:
        database = find_run(run, runs_dir)
        with Store.open(database) as store:
            _find_plugins(store)
        path = write_report(database, out, not without_forfeits, quiet)
    except (UnknownRunError, StoreError) as error:
        refuse([f"arena: {error}"])
    click.echo(path)
    if and_open:
        click.launch(str(path))


@click.command()
@click.argument("run", required=False)
@click.option(
    "--format",
    "form",
    type=click.Choice(["csv", "jsonl", "parquet", "sgf", "pgn"]),
    default="csv",
    show_default=True,
    help="csv, jsonl and parquet: tables of games and of moves; sgf and pgn: the games as records.",
)
@click.option(
    "--out",
    type=click.Path(file_okay=False, path_type=Path),
    help="The folder to write into; `export` in the run's own when left out.",
)
@RUNS_DIR
def export(run: str | None, form: str, out: Path | None, runs_dir: Path) -> None:
    """Write the games of RUN as files for other programs, and print where.

    RUN is a folder that `arena run` made, or its name in runs/; the last one where it is left out. SGF is
    written for go, othello, gomoku, hex and havannah. Parquet needs pyarrow (pip install pyarrow).

    \b
    Examples:
        arena export                                 games.csv and moves.csv of the last run
        arena export evening-1 --format sgf --out records
    and then, in Python:
        pandas.read_json("runs/evening-1/export/moves.jsonl", lines=True)
    """
    from arena.results.export import ExportError
    from arena.results.export import export as write
    from arena.runs import UnknownRunError, find_run
    from arena.store import Store, StoreError

    try:
        database = find_run(run, runs_dir)
        with Store.open(database) as store:
            _find_plugins(store)
            for path in write(store, form, out or database.parent / "export"):
                click.echo(path)
    except (UnknownRunError, StoreError, ExportError) as error:
        refuse([f"arena: {error}"])


def _load(config: Path) -> League:
    from arena.league.config import ConfigError, load_league

    try:
        return load_league(config)
    except ConfigError as error:
        refuse(error.lines)


def _find_plugins(store: Store) -> None:
    """Let the games of a run be found that are not Arena's own."""
    from arena.league.config import read_league
    from envs.plugins import search_in

    search_in(read_league(store.about()["config"]).folders)


def _check_folder(folder: Path) -> None:
    """Refuse a place that cannot be written, before hours are spent; make nothing yet."""
    existing = next(place for place in (folder, *folder.absolute().parents) if place.exists())
    if not existing.is_dir() or not os.access(existing, os.W_OK | os.X_OK):
        refuse([f"arena: --runs-dir {folder}: {existing} is not a folder that can be written"])


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
    except (
        Exception
    ) as error:  # a full disk, a game of the user's own; the games are kept, and so is the exit code
        again = f"arena report {shlex.quote(str(run))}"
        click.echo(f"arena: no report: {type(error).__name__}: {error}; try again with: {again}", err=True)
    else:
        click.echo(f"Report: {path}", err=on_stderr)
