"""What `arena show` tells of single games: lists of games, lists of moves, and replays on the board.

Games and moves come as rows, the same for tables, JSON and CSV. Which games are asked for is told by
`arena.results.wanted`. The tables of a whole run are in `arena.results.tables`, the positions of a game in
`arena.results.replay`.
"""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any, TextIO

import click
from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from arena.league.config import read_league
from arena.records import GameRecord
from arena.referee.progress import describe, printable
from arena.results.figures import signed
from arena.results.findings import Standing
from arena.results.replay import Step, board_text, final_state, rules_of, steps
from arena.results.summary import summarise
from arena.results.tables import console, print_summary
from arena.results.wanted import Wanted, wanted_games
from arena.runs import DATABASE, list_runs
from arena.store import Store, StoreError

Row = Mapping[str, Any]
"""A game or a move: names of columns and plain values."""
GAME_COLUMNS = ("number", "game", "players", "returns", "termination", "plies", "seconds", "pair", "fault")
MOVE_COLUMNS = (
    *("number", "ply", "agent", "move", "value", "time", "overshoot", "visits", "chosen", "simulations"),
    "depth",
)
STANDING_COLUMNS = (
    "game",
    "agent",
    "games",
    "wins",
    "draws",
    "losses",
    "score",
    "mean_return",
    "mean_return_error",
    "elo",
    "elo_error",
    "better_than_next",
)


_NONE = "no such game"


def game_row(record: GameRecord, plies: int | None = None) -> Row:
    """Return a finished game as a row.

    Args:
        record: the game.
        plies: how long it was, where it comes without its moves.
    """
    fault = record.fault
    return {
        "number": record.spec.number,
        "game": record.spec.game.label,
        "players": [player.label for player in record.spec.players],
        "returns": list(record.returns),
        "termination": str(record.termination),
        "plies": record.plies if plies is None else plies,
        "seconds": round(record.seconds, 3),
        "pair": record.spec.pair,
        "fault": "" if fault is None else fault.reason,
    }


def game_rows(store: Store, wanted: Wanted) -> Iterator[Row]:
    """Yield the games that are asked for as rows."""
    plies = store.plies()
    for record in store.games(moves=False):
        if record in wanted:
            moved = plies.get(record.spec.number, len(record.opening))
            yield game_row(record, max(moved, *(ply + 1 for ply, _ in record.chance), 0))


def rows_of_moves(store: Store, wanted: Wanted) -> Iterator[Row]:
    """Yield the moves of the games that are asked for as rows."""
    for record in wanted_games(store, wanted):
        yield from move_rows(record)


def runs_view(parent: Path, as_data: bool) -> None:
    """Print the runs that a folder keeps, the one written to last at the end."""
    rows = [_run_row(run) for run in list_runs(parent)]
    if as_data:
        print(as_json(rows))
    elif rows:
        console().print(as_table(rows))
    else:
        print(f"no run is kept in {parent}; `arena run LEAGUE.yaml` makes one")


def _run_row(run: Path) -> Row:
    row: dict[str, Any] = dict.fromkeys(("run", "begun", "played", "of", "agents", "games", "fault"))
    try:
        with Store.open(run / DATABASE) as store:
            about, played = store.about(), len(store.finished())
    except StoreError as error:
        return row | {"run": run.name, "fault": str(error)}
    league = read_league(about["config"])
    return row | {
        "run": run.name,
        "begun": about["created"][:16].replace("T", " "),
        "played": played,
        "of": int(about["games"]) if "games" in about else None,
        "agents": [agent.label for agent in league.agents],
        "games": [game.label for game in league.games],
    }


def tables_view(store: Store, forfeits: bool, form: str) -> None:
    """Print the tables of a run.

    Args:
        store: the run.
        forfeits: whether meetings with an agent at fault count.
        form: "" for tables, "json" for all they say, "csv" for the standings.
    """
    summary = summarise(store.path, forfeits)
    if form == "json":
        print(summary.to_json())
    elif form == "csv":
        rows = (standing_row(game.game, line) for game in summary.games for line in game.standings)
        print(as_csv(rows, STANDING_COLUMNS))
    else:
        print_summary(summary)


def games_view(store: Store, wanted: Wanted, moves: bool, form: str) -> None:
    """Print games: one that is named is replayed, of others there is a list.

    Args:
        store: the run.
        wanted: which games.
        moves: print a line a move instead.
        form: "" for people, "json" or "csv".
    """
    if wanted.number is not None and not form and not moves:
        replays = [page(replay(record)) for record in wanted_games(store, wanted)]
        click.echo_via_pager(replays) if replays else print(_NONE)
        return
    by_move = moves or wanted.number is not None
    rows = rows_of_moves(store, wanted) if by_move else game_rows(store, wanted)
    if form == "json":
        print(as_json(rows))
    elif form == "csv":
        print(as_csv(rows, MOVE_COLUMNS if by_move else GAME_COLUMNS))
    elif listed := list(rows):
        console().print(as_table(listed))
    else:
        print("no such move" if by_move else _NONE)


def standing_row(game: str, line: Standing) -> Row:
    """Return a line of a game's standings as a row; an estimate is a column, and its error another."""
    row: dict[str, Any] = {"game": game}
    for name, value in asdict(line).items():
        row |= (
            {name: value["value"], f"{name}_error": value["error"]}
            if isinstance(value, dict)
            else {name: value}
        )
    return row


def move_rows(record: GameRecord) -> Iterator[Row]:
    """Yield the moves of a game as rows; times in seconds."""
    return (move_row(record, step) for step in steps(rules_of(record), record))


def move_row(record: GameRecord, step: Step) -> Row:
    """Return one move as a row; times in seconds."""
    move = step.move
    return {
        "number": record.spec.number,
        "ply": step.ply,
        "agent": step.agent,
        "move": step.name,
        "value": None if move is None else move.value,
        "time": None if move is None else round(move.time, 6),
        "overshoot": None if move is None else round(move.overshoot, 6),
        "visits": None if move is None or move.visits is None else int(move.visits.sum()),
        "chosen": step.chosen_share,
        "simulations": None if move is None else move.simulations,
        "depth": None if move is None else move.depth,
    }


def as_csv(rows: Iterable[Row], columns: Sequence[str]) -> str:
    """Return rows as CSV with a heading; for what is in a cell see `csv_row`."""
    out = io.StringIO()
    write_csv(out, rows, columns)
    return out.getvalue().rstrip()


def write_csv(file: TextIO, rows: Iterable[Row], columns: Sequence[str]) -> None:
    """Write rows as CSV with a heading; for what is in a cell see `csv_row`."""
    writer = csv.DictWriter(file, columns)
    writer.writeheader()
    writer.writerows(map(csv_row, rows))


def csv_row(row: Row) -> Row:
    """Return a row for CSV: lists of numbers have blanks between them, other lists and mappings are JSON.

    For labels may have blanks in them.
    """
    return {name: _csv_cell(value) for name, value in row.items()}


def _csv_cell(value: Any) -> Any:
    if isinstance(value, list) and all(isinstance(each, int | float) for each in value):
        return " ".join(map(str, value))
    if isinstance(value, list):
        return json.dumps(value, ensure_ascii=False)  # labels as they are in other columns
    return json.dumps(value) if isinstance(value, Mapping) else value


def as_json(rows: Iterable[Row]) -> str:
    """Return rows as one JSON document."""
    return json.dumps(list(rows), indent=2, allow_nan=False, default=str)


def as_table(rows: Iterable[Row]) -> Table:
    """Return rows as a table; columns in which nothing stands are left out."""
    rows = list(rows)
    names = [name for name in (rows[0] if rows else {}) if any(row[name] not in (None, "") for row in rows)]
    table = Table(box=None, pad_edge=False, header_style="dim")
    for name in names:
        numbers = all(isinstance(row[name], int | float | None) for row in rows)
        wraps = name == "fault" or any(isinstance(row[name], list) for row in rows)
        table.add_column(name, justify="right" if numbers else "left", no_wrap=not wraps)
    for row in rows:
        table.add_row(*(Text(printable(cell(name, row[name]))) for name in names))
    return table


def cell(name: str, value: Any) -> str:
    """Return what people read of the value in a column."""
    if value is None:
        return ""
    if name == "returns":
        return " ".join(f"{utility:g}" for utility in value)
    if isinstance(value, list):
        return (" v " if name == "players" else ", ").join(map(str, value))
    if name in ("time", "overshoot"):
        return f"{1000 * value:,.2f} ms"
    if name == "chosen":
        return f"{value:.0%}"
    if name == "value":
        return signed(value, 2)
    return f"{value:,}" if isinstance(value, int) else str(value)


def replay(record: GameRecord) -> RenderableType:
    """Return a game to be read from top to bottom: every move, and the board with the visits before it."""
    rules = rules_of(record)
    parts: list[RenderableType] = [Text(describe(record), "bold")]
    for step in steps(rules, record):
        parts += ["", Text(_heading(step, move_row(record, step)), "bold cyan"), _board(rules, step)]
    end = "At the end" if record.is_whole else "What chance did from here on was not kept"
    parts += ["", Text(end, "bold cyan"), Text(board_text(rules, final_state(rules, record)))]
    if record.fault is not None:
        parts += ["", Text(printable(record.fault.reason), "red"), Text(record.fault.detail.rstrip(), "dim")]
    return Group(*parts)


def _heading(step: Step, row: Row) -> str:
    if step.move is None:
        return f"ply {step.ply}: {step.by}: {step.name}"
    told = {
        "value": row["value"],
        "time": row["time"],
        "simulations": row["simulations"],
        "depth": row["depth"],
        "chosen": row["chosen"],
    }
    said = [f"{name} {cell(name, value)}" for name, value in told.items() if value is not None]
    return printable(f"ply {step.ply}: {step.agent}: {step.name}  " + ", ".join(said))


def _board(rules: Any, step: Step) -> Text:
    return Text(board_text(rules, step.state, step.visits(rules.num_actions)))


def page(what: RenderableType) -> str:
    """Render for a pager, with colours where the terminal has them."""
    screen = console()
    with screen.capture() as capture:
        screen.print(what)
    return capture.get()
