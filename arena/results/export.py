"""`arena export`: the games of a run as files for other programs.

Tables of games and moves for pandas and the like (CSV, JSON lines, Parquet), or game records (SGF, PGN; see
`arena.results.sgf`). Each file is whole or not there.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from itertools import islice
from pathlib import Path
from typing import Any

from arena.drafts import replacing
from arena.league.config import read_league
from arena.results.replay import rules_of, steps
from arena.results.sgf import has_sgf, to_pgn, to_sgf
from arena.results.show import GAME_COLUMNS, MOVE_COLUMNS, Row, game_rows, move_row, write_csv
from arena.results.wanted import Wanted
from arena.runs import distinct, file_stem
from arena.store import Store

FORMATS = ("csv", "jsonl", "parquet", "sgf", "pgn")
_BATCH = 10_000
"""Rows that are turned into Parquet at a time."""
_TYPES = {
    **dict.fromkeys(("number", "plies", "pair", "ply", "action", "visits", "simulations"), "int64"),
    **dict.fromkeys(("seconds", "value", "time", "overshoot", "chosen", "depth", "returns of"), "float64"),
    **dict.fromkeys(("game", "termination", "fault", "agent", "move", "search", "players of"), "string"),
}
"""What Parquet calls the types of columns, and of the elements of those in _LISTS that hold no int64."""
_LISTS = ("players", "returns", "legal_actions", "root_visits")
_ARRAYS = {"legal_actions": "legal_actions", "root_visits": "visits", "tree_visits": "tree_visits"}
"""Columns that hold an array of a move, and what a move calls it."""
_MOVE_COLUMNS = (*MOVE_COLUMNS, "action", *_ARRAYS, "search")


class ExportError(RuntimeError):
    """The run cannot be written so; the text says why and what can be done."""


def export(store: Store, form: str, folder: Path) -> list[Path]:
    """Write all finished games into `folder`, which is made where it is missing; return the files.

    Raises:
        ExportError: where the run has no game of the kind, or a library is missing.
        StoreError: when the run cannot be read.
        OSError: when the system does not let a file be written.
    """
    folder.mkdir(parents=True, exist_ok=True)
    if form in ("sgf", "pgn"):
        return _records(store, form, folder)
    write = {"csv": _csv, "jsonl": _jsonl, "parquet": _parquet}[form]
    tables = {"games": (GAME_COLUMNS, game_rows(store, Wanted())), "moves": (_MOVE_COLUMNS, _moves(store))}
    return [
        _whole(folder / f"{name}.{form}", rows, partial(write, columns=columns))
        for name, (columns, rows) in tables.items()
    ]


def _moves(store: Store) -> Iterator[Row]:
    """Yield every move as a row, with its visits action by action and what of its search was recorded."""
    for record in store.games():
        for step in steps(rules_of(record), record):
            arrays = {column: getattr(step.move, name, None) for column, name in _ARRAYS.items()}
            yield {
                **move_row(record, step),
                "action": step.action,
                **{column: None if array is None else array.tolist() for column, array in arrays.items()},
                "search": None if step.move is None or step.move.search is None else dict(step.move.search),
            }


def _whole(path: Path, rows: Iterable[Any], write: Callable[[Path, Iterable[Any]], None]) -> Path:
    """Write a file, so that it is whole wherever it is, and return it."""
    with replacing(path) as draft:
        write(draft, rows)
    return path


def _csv(path: Path, rows: Iterable[Row], columns: Sequence[str]) -> None:
    with path.open("w", newline="", encoding="utf-8") as file:
        write_csv(file, rows, columns)


def _flat(row: Row) -> Row:
    """Return a row for a table, which has no mappings in it, but their JSON."""
    return {name: json.dumps(value) if isinstance(value, Mapping) else value for name, value in row.items()}


def _jsonl(path: Path, rows: Iterable[Row], columns: Sequence[str]) -> None:
    with path.open("w", encoding="utf-8") as file:
        for row in rows:
            file.write(json.dumps(row, allow_nan=False, default=str) + "\n")


def _parquet(path: Path, rows: Iterable[Row], columns: Sequence[str]) -> None:
    try:
        import pyarrow
        from pyarrow import parquet
    except ImportError as error:
        raise ExportError("Parquet needs pyarrow: pip install pyarrow") from error
    rows = map(_flat, rows)
    types = {name: pyarrow.type_for_alias(kind) for name, kind in _TYPES.items()}
    types |= {name: pyarrow.list_(types.get(f"{name} of", pyarrow.int64())) for name in _LISTS}
    types["tree_visits"] = pyarrow.list_(pyarrow.list_(pyarrow.int64()))
    schema = pyarrow.schema([(name, types[name]) for name in columns])
    with path.open("wb") as file, parquet.ParquetWriter(file, schema) as writer:
        while batch := list(islice(rows, _BATCH)):
            writer.write_table(pyarrow.Table.from_pylist(batch, schema))


def _records(store: Store, form: str, folder: Path) -> list[Path]:
    """Write one file for each game of the league that has such records."""
    league = read_league(store.about()["config"])
    games = [game.label for game in league.games if form == "pgn" or has_sgf(game.name)]
    if not games:
        raise ExportError("no game of this run is written as SGF: go, othello, gomoku, hex and havannah are")
    write = to_sgf if form == "sgf" else to_pgn

    def texts(game: str) -> Iterator[str]:
        for record in store.games():
            if record.spec.game.label == game and len(record.spec.players) == 2:
                yield write(rules_of(record), record, league.name)

    stems = zip(games, distinct(map(file_stem, games)), strict=True)
    return [_whole(folder / f"{stem}.{form}", texts(game), _text) for game, stem in stems]


def _text(path: Path, parts: Iterable[str]) -> None:
    with path.open("w", encoding="utf-8") as file:
        file.writelines(parts)
