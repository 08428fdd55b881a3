"""The database of a run: one SQLite file, one transaction a finished game.

It keeps of each game what was asked for and what was played: the game, its moves, its fault. What that means,
standings and all, is computed from it elsewhere and never stored; how it is put into columns is in
`arena.columns`, how older databases are read in `arena.versions`. Only the supervisor writes; any number
of readers may look on, for the file is in WAL mode.
"""

from __future__ import annotations

import json
import os
import sqlite3
from collections.abc import Iterable, Iterator
from contextlib import ExitStack, closing, contextmanager
from datetime import UTC, datetime
from itertools import groupby
from operator import itemgetter
from pathlib import Path

from arena.columns import Row, fault_row, live_of, live_row, move_row, spec_of, spec_text
from arena.records import Fault, GameRecord, LiveGame, MoveRecord, Result, Termination
from arena.versions import VERSION, VersionError, reading

_TABLES = """
CREATE TABLE run (key TEXT PRIMARY KEY, value TEXT NOT NULL);
CREATE TABLE games (
    number INTEGER PRIMARY KEY,
    spec TEXT NOT NULL,             -- what was asked for, JSON
    opening TEXT NOT NULL,          -- action ids, JSON
    returns TEXT NOT NULL,          -- utility per seat, JSON
    termination TEXT NOT NULL,
    seconds REAL NOT NULL,          -- wall-clock
    chance TEXT NOT NULL            -- plies and action ids of chance's moves behind the opening, JSON
);
CREATE TABLE faults (
    number INTEGER PRIMARY KEY REFERENCES games,
    seat INTEGER NOT NULL,          -- -1: no agent's doing
    ply INTEGER NOT NULL,
    reason TEXT NOT NULL,           -- one line
    detail TEXT NOT NULL,           -- traceback, and the last of what it printed
    overshoot REAL NOT NULL         -- of a timeout, seconds past the limit
);
CREATE TABLE moves (
    number INTEGER NOT NULL REFERENCES games,
    ply INTEGER NOT NULL,
    seat INTEGER NOT NULL,
    action INTEGER NOT NULL,
    time REAL NOT NULL,             -- seconds
    overshoot REAL NOT NULL,        -- seconds
    value REAL,
    legal_actions BLOB,             -- ascending
    visits BLOB,                    -- one a legal action
    info TEXT NOT NULL,             -- JSON
    idle REAL NOT NULL,             -- seconds of processor time, while it was not its turn
    tree_visits BLOB,               -- tree after tree, one a legal action
    search BLOB,                    -- JSON, packed by zlib
    PRIMARY KEY (number, ply)
) WITHOUT ROWID;
CREATE TABLE live (                 -- games in play, for who looks on; of a run that died, the last it wrote
    number INTEGER PRIMARY KEY,
    spec TEXT NOT NULL,             -- what was asked for, JSON
    plies INTEGER NOT NULL,         -- how many were played; of very long games not all are in `actions`
    actions BLOB NOT NULL           -- from the first position on
);
"""

_NO_MOVES: tuple[int, Iterable[Row]] = (-1, ())


class StoreError(RuntimeError):
    """The database cannot be read or written; the text says which and why."""


class Store:
    """An open run database; use it as a context manager."""

    def __init__(self, path: Path, connection: sqlite3.Connection) -> None:
        """Wrap a connection; `create` and `open` are the ways in."""
        self.path, self._connection = path, connection
        self._reading = reading(self.about().get("version"))

    @classmethod
    def create(cls, path: Path, config: str, games: int | None = None) -> Store:
        """Make a new database at `path`, holding the resolved league file.

        Args:
            path: where.
            config: the league file.
            games: how many will be played, where that is known.

        Raises:
            StoreError: when it exists or cannot be written.
        """
        about = {"version": str(VERSION), "created": datetime.now(UTC).isoformat(), "config": config}
        if games is not None:
            about["games"] = str(games)
        with _told(path):
            if path.exists():
                raise FileExistsError("exists already")
            draft = path.with_name(f".{path.name}.{os.getpid()}")
            draft.touch()
            with closing(_connect(draft)) as connection, connection:
                connection.execute("PRAGMA journal_mode = WAL")
                connection.executescript(_TABLES)
                connection.executemany("INSERT INTO run VALUES (?, ?)", about.items())
            draft.rename(path)  # so that whoever looks on finds it whole from the first moment
            return cls(path, _connect(path))

    @classmethod
    def open(cls, path: Path) -> Store:
        """Open an existing database.

        Raises:
            StoreError: when it is missing, is no run, or is of a version that is not read.
        """
        if not path.is_file():
            raise StoreError(f"{path}: there is no such run")
        with ExitStack() as undone:
            try:
                store = cls(path, undone.enter_context(closing(_connect(path))))
            except VersionError as error:
                raise StoreError(f"{path}: {error}") from error
            except sqlite3.Error as error:
                raise StoreError(f"{path}: is not the database of a run ({error})") from error
            undone.pop_all()
        return store

    @property
    def is_current(self) -> bool:
        """Whether games may be added: databases of older versions are only read."""
        return self._reading is reading(str(VERSION))

    def about(self) -> dict[str, str]:
        """Return what is known of the run as a whole: version, created, config, and games where known."""
        return dict(self._connection.execute("SELECT key, value FROM run"))

    def complete(self) -> None:
        """Note that no further game comes: those that are kept are all.

        Raises:
            StoreError: when the disk refuses.
        """
        with _told(self.path), self._connection:
            self._connection.execute(
                "INSERT OR REPLACE INTO run SELECT 'games', CAST(count(*) AS TEXT) FROM games"
            )

    def add_game(self, record: GameRecord) -> None:
        """Keep a finished game and its spec, wholly or not at all.

        Raises:
            StoreError: when a game of its number is there already, the file is gone, or the disk refuses.
        """
        if not self.path.exists():  # SQLite would go on writing into a file that no longer has a name
            raise StoreError(f"{self.path}: was removed while the run was on")
        number, fault = record.spec.number, record.fault
        asked, ended = spec_text(record.spec), record.termination
        chance = json.dumps(record.chance)
        game = (number, asked, _json(record.opening), _json(record.returns), ended, record.seconds, chance)
        moves = [move_row(number, move) for move in record.moves]
        with _told(self.path), self._connection:
            try:
                self._connection.execute("INSERT INTO games VALUES (?, ?, ?, ?, ?, ?, ?)", game)
            except sqlite3.IntegrityError as error:
                raise StoreError(f"{self.path}: game {number} is stored already ({error})") from error
            self._connection.executemany(
                "INSERT INTO moves VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)", moves
            )
            if fault is not None:
                row = fault_row(number, fault)
                self._connection.execute("INSERT INTO faults VALUES (?, ?, ?, ?, ?, ?)", row)

    def show(self, games: Iterable[LiveGame]) -> None:
        """Put these games in play in place of those that were shown before.

        Raises:
            StoreError: when the disk refuses.
        """
        rows = [live_row(game) for game in games]
        with _told(self.path), self._connection:
            self._connection.execute("DELETE FROM live")
            self._connection.executemany("INSERT INTO live VALUES (?, ?, ?, ?)", rows)

    def live(self) -> list[LiveGame]:
        """Return the games in play by number, as they stood a moment ago; of a run that died, at its end."""
        unfinished = "number NOT IN (SELECT number FROM games)"
        query = f"SELECT * FROM ({self._reading.live}) WHERE {unfinished} ORDER BY number"
        with _told(self.path):
            return [live_of(row) for row in self._connection.execute(query)]

    def result(self, number: int) -> Result | None:
        """Return how a game ended, or None where it is not kept."""
        query = "SELECT returns, seat FROM games LEFT JOIN faults USING (number) WHERE number = ?"
        with _told(self.path):
            row = self._connection.execute(query, (number,)).fetchone()
        return None if row is None else Result(tuple(json.loads(row[0])), row[1])

    def has_faults(self) -> bool:
        """Return whether an agent was at fault in any game."""
        with _told(self.path):
            return self._connection.execute("SELECT 1 FROM faults LIMIT 1").fetchone() is not None

    def finished(self) -> set[int]:
        """Return the numbers of the games that are kept."""
        with _told(self.path):
            return {number for (number,) in self._connection.execute("SELECT number FROM games")}

    def games(self, moves: bool = True, start: int = 0) -> Iterator[GameRecord]:
        """Yield the finished games by number, one at a time in memory.

        All are of one moment: games that are added meanwhile are not seen.

        Args:
            moves: whether they come with their moves, which takes most of the time.
            start: the first number of interest.
        """
        with _told(self.path):
            wanted = "WHERE number >= ? ORDER BY number"
            games = self._connection.execute(f"{self._reading.games} {wanted}", (start,))
            # One query for the moves of all games: one a game takes most of the time of short ones.
            rows = self._connection.execute(f"{self._reading.moves} {wanted}, ply", (start,)) if moves else ()
            for game, own in _joined(games, rows):
                yield _record(game, map(self._reading.move_of, own))

    def game(self, number: int) -> GameRecord:
        """Return one finished game.

        Raises:
            StoreError: when there is none of this number.
        """
        with _told(self.path):
            row = self._connection.execute(f"{self._reading.games} WHERE number = ?", (number,)).fetchone()
            if row is None:
                raise StoreError(f"{self.path}: no game {number} is finished")
            moves = self._connection.execute(
                f"{self._reading.moves} WHERE number = ? ORDER BY ply", (number,)
            )
            return _record(row, map(self._reading.move_of, moves))

    def plies(self) -> dict[int, int]:
        """Return by the numbers of the games the plies up to the last move of an agent, all counted."""
        with _told(self.path):
            return dict(self._connection.execute("SELECT number, max(ply) + 1 FROM moves GROUP BY number"))

    def close(self) -> None:
        """Close the file."""
        self._connection.close()

    def __enter__(self) -> Store:
        """Return the store."""
        return self

    def __exit__(self, *error: object) -> None:
        """Close the file."""
        self.close()


@contextmanager
def _told(path: Path) -> Iterator[None]:
    """Turn what SQLite and the system complain of into one clear error."""
    try:
        yield
    except sqlite3.Error as error:
        raise StoreError(f"{path}: {error}") from error
    except OSError as error:
        raise StoreError(f"{path}: {error.strerror or error}") from error


def _connect(path: Path) -> sqlite3.Connection:
    """Open the file; what is committed outlives the death of this process, whenever it comes."""
    connection = sqlite3.connect(path, timeout=30.0)
    try:
        # In WAL mode a commit needs no fsync for that; only a power cut can cost the last games.
        connection.execute("PRAGMA synchronous = NORMAL")
    except sqlite3.Error:
        connection.close()
        raise
    return connection


def _json(values: Iterable[float]) -> str:
    return json.dumps(list(values))


def _joined(games: Iterable[Row], moves: Iterable[Row]) -> Iterator[tuple[Row, Iterable[Row]]]:
    """Yield every game with its moves; both come by number."""
    groups = groupby(moves, key=itemgetter(0))
    number, own = next(groups, _NO_MOVES)
    for game in games:
        if number == game[0]:
            yield game, own
            number, own = next(groups, _NO_MOVES)
        else:
            yield game, ()


def _record(game: Row, moves: Iterable[MoveRecord]) -> GameRecord:
    _, spec, opening, returns, termination, seconds, chance, *fault = game
    return GameRecord(
        spec=spec_of(spec),
        opening=tuple(json.loads(opening)),
        moves=tuple(moves),
        returns=tuple(utility + 0.0 for utility in json.loads(returns)),  # no -0.0, which older runs have
        termination=Termination(termination),
        fault=None if fault[0] is None else Fault(*fault),
        seconds=seconds,
        chance=tuple(map(tuple, json.loads(chance))),
    )
