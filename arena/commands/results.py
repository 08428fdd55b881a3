"""The commands that look at runs: `show`, `report`, `export`. Those that play them are in `runs`.

Like all commands they parse, call and print; everything heavy is imported inside them.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import click

from arena.commands.exits import refuse
from arena.commands.options import QUIET, RUNS_DIR, check_writable, existing

if TYPE_CHECKING:
    from arena.store import Store


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
@click.option("--csv", "as_csv", is_flag=True, help="Print games or moves as CSV; lists of players are JSON.")
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
    from arena.league.config import read_league
    from arena.results.show import games_view, tables_view
    from arena.results.wanted import Wanted

    if as_json and as_csv:
        refuse(["arena: --json and --csv: only one of them at a time"])
    form = "json" if as_json else "csv" if as_csv else ""
    wanted = Wanted(number, agent, against, result, termination, game_name)
    with opened(run, runs_dir) as store:
        unknown = list(wanted.unknown(read_league(store.about()["config"])))
        if unknown:
            refuse(f"arena: {line}" for line in unknown)
        if games or moves or wanted != Wanted():
            games_view(store, wanted, moves, form)
        else:
            tables_view(store, not without_forfeits, form)


@click.command()
@click.argument("run", required=False)
@click.option(
    "--out",
    type=click.Path(dir_okay=False, path_type=Path),
    help="The file to write; report.html in the run's folder when left out.",
)
@click.option("--without-forfeits", is_flag=True, help="Leave out pairs in which an agent was at fault.")
@click.option(
    "--game", "replay", type=int, multiple=True, help="Have this game among its replays; may be given again."
)
@click.option("--open", "and_open", is_flag=True, help="Open it in the browser.")
@RUNS_DIR
@QUIET
def report(
    run: str | None,
    out: Path | None,
    without_forfeits: bool,
    replay: tuple[int, ...],
    and_open: bool,
    runs_dir: Path,
    quiet: bool,
) -> None:
    """Write the report of RUN: one HTML file with its standings, charts, searches and games, and print where.

    RUN is a folder that `arena run` made, or its name in runs/; the last one where it is left out. It may
    be a run that is still going on, or was interrupted. The file needs no network, and may be sent to others.
    Of thousands of games it has a sample to replay, and all in a list.

    \b
    Examples:
        arena report --open
        arena report evening-1 --out evening.html --game 17
    """
    from arena.report.page import REPORT, write_report

    with opened(run, runs_dir) as store:
        out = out or store.path.parent / REPORT
        check_writable("--out", out, out.parent)
        path = write_report(store.path, out, not without_forfeits, quiet, replay)
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
    written for go, othello, gomoku, hex and havannah. Parquet needs pyarrow (pip install pyarrow). In CSV
    numbers of a list have blanks between them, and other lists, as the players, are JSON.

    \b
    Examples:
        arena export                                 games.csv and moves.csv of the last run
        arena export evening-1 --format sgf --out records
    and then, in Python:
        pandas.read_json("runs/evening-1/export/moves.jsonl", lines=True)
    """
    from arena.results.export import ExportError
    from arena.results.export import export as write

    with opened(run, runs_dir) as store:
        out = out or store.path.parent / "export"
        check_writable("--out", out, existing(out))
        try:
            for path in write(store, form, out):
                click.echo(path)
        except ExportError as error:
            refuse([f"arena: {error}"])


@contextmanager
def opened(run: str | None, runs_dir: Path) -> Iterator[Store]:
    """Open a run to be looked at, its own games to be found; what cannot be read is refused in one line."""
    from arena.league.config import read_league
    from arena.runs import UnknownRunError, find_run
    from arena.store import Store, StoreError
    from envs.parameters import ParameterError
    from envs.plugins import UnknownNameError, search_in

    try:
        with Store.open(find_run(run, runs_dir)) as store:
            search_in(read_league(store.about()["config"]).folders)
            yield store
    except (UnknownRunError, StoreError, UnknownNameError, ParameterError) as error:
        refuse([f"arena: {error}"])
