"""The database of a run: one SQLite file, one transaction a finished game.

It keeps of each game what was asked for and what was played: the game, its moves, its fault. What that means,
standings and all, is computed from it elsewhere and never stored. Only the supervisor writes; any
number of readers may look on, for the file is in WAL mode.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from agents.base import Clock, Limit
from arena.records import (
    AgentChoice,
    Fault,
    GameChoice,
    GameRecord,
    MatchSpec,
    MoveRecord,
    Result,
    Termination,
    Terms,
)

VERSION = 3
"""Version of the tables; a database of another version is refused."""

_TABLES = """
CREATE TABLE run (key TEXT PRIMARY KEY, value TEXT NOT NULL);
CREATE TABLE games (
    number INTEGER PRIMARY KEY,
    spec TEXT NOT NULL,             -- what was asked for, JSON
    opening TEXT NOT NULL,          -- action ids, JSON
    returns TEXT NOT NULL,          -- utility per seat, JSON
    termination TEXT NOT NULL,
    seconds REAL NOT NULL           -- wall-clock
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
    legal_actions BLOB,             -- int64, little-endian
    visits BLOB,                    -- int64, one a legal action
    info TEXT NOT NULL,             -- JSON
    idle REAL NOT NULL,             -- seconds of processor time, while it was not its turn
    PRIMARY KEY (number, ply)
) WITHOUT ROWID;
"""

_GAMES = """SELECT number, spec, opening, returns, termination, seconds
    FROM games"""


class StoreError(RuntimeError):
    """The database cannot be read or written; the text says which and why."""


class Store:
    """An open run database; use it as a context manager."""

    def __init__(self, path: Path, connection: sqlite3.Connection) -> None:
        """Wrap a connection; `create` and `open` are the ways in."""
        self.path, self._connection = path, connection

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
            path.touch(exist_ok=False)
            connection = _connect(path)
            connection.execute("PRAGMA journal_mode = WAL")
            connection.executescript(_TABLES)
            with connection:
                connection.executemany("INSERT INTO run VALUES (?, ?)", about.items())
        return cls(path, connection)

    @classmethod
    def open(cls, path: Path) -> Store:
        """Open an existing database.

        Raises:
            StoreError: when it is missing, is no run, or is of another version.
        """
        if not path.is_file():
            raise StoreError(f"{path}: there is no such run")
        try:
            store = cls(path, _connect(path))
            version = store.about().get("version")
        except sqlite3.Error as error:
            raise StoreError(f"{path}: is not the database of a run ({error})") from error
        if version != str(VERSION):
            store.close()
            raise StoreError(
                f"{path}: its tables are of version {version}, and this Arena reads version {VERSION} only"
            )
        return store

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
        asked, ended = json.dumps(record.spec, default=vars), record.termination
        game = (number, asked, _json(record.opening), _json(record.returns), ended, record.seconds)
        moves = [_move_row(number, move) for move in record.moves]
        with _told(self.path), self._connection:
            try:
                self._connection.execute("INSERT INTO games VALUES (?, ?, ?, ?, ?, ?)", game)
            except sqlite3.IntegrityError as error:
                raise StoreError(f"{self.path}: game {number} is stored already ({error})") from error
            self._connection.executemany("INSERT INTO moves VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)", moves)
            if fault is not None:
                texts = _text(fault.reason), _text(fault.detail)
                row = (number, fault.seat, fault.ply, *texts, fault.overshoot)
                self._connection.execute("INSERT INTO faults VALUES (?, ?, ?, ?, ?, ?)", row)

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

    def games(self, moves: bool = True) -> Iterator[GameRecord]:
        """Yield the finished games by number, one at a time in memory.

        All are of one moment: games that are added meanwhile are not seen.

        Args:
            moves: whether they come with their moves, which takes most of the time.
        """
        with _told(self.path):
            for row in self._connection.execute(f"{_GAMES} ORDER BY number"):
                yield self._record(row, moves)

    def game(self, number: int) -> GameRecord:
        """Return one finished game.

        Raises:
            StoreError: when there is none of this number.
        """
        with _told(self.path):
            row = self._connection.execute(f"{_GAMES} WHERE number = ?", (number,)).fetchone()
            if row is None:
                raise StoreError(f"{self.path}: no game {number} is finished")
            return self._record(row, True)

    def _record(self, row: tuple[Any, ...], moves: bool) -> GameRecord:
        number, spec, opening, returns, termination, seconds = row
        return GameRecord(
            spec=_spec(spec),
            opening=tuple(json.loads(opening)),
            moves=tuple(self._moves(number)) if moves else (),
            returns=tuple(json.loads(returns)),
            termination=Termination(termination),
            fault=self._fault(number),
            seconds=seconds,
        )

    def plies(self) -> dict[int, int]:
        """Return by the numbers of the games how many plies agents' moves came to, openings included."""
        with _told(self.path):
            return dict(self._connection.execute("SELECT number, max(ply) + 1 FROM moves GROUP BY number"))

    def _fault(self, number: int) -> Fault | None:
        rows = self._connection.execute(
            "SELECT seat, ply, reason, detail, overshoot FROM faults WHERE number = ?", (number,)
        )
        row = rows.fetchone()
        return None if row is None else Fault(*row)

    def _moves(self, number: int) -> Iterator[MoveRecord]:
        rows = self._connection.execute(
            "SELECT ply, seat, action, time, overshoot, value, legal_actions, visits, info, idle"
            " FROM moves WHERE number = ? ORDER BY ply",
            (number,),
        )
        for ply, seat, action, time, overshoot, value, legal, visits, info, idle in rows:
            arrays = _array(legal), _array(visits)
            yield MoveRecord(ply, seat, action, time, overshoot, value, *arrays, json.loads(info), idle)

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


def _text(text: str) -> str:
    """Return text that UTF-8 can hold: an agent's last words may be any bytes."""
    return text.encode("utf-8", "backslashreplace").decode("utf-8")


def _plain(value: Any) -> Any:
    """Return what JSON can hold of a thing it does not know, for an agent may tell anything of itself."""
    return value.tolist() if isinstance(value, np.ndarray | np.generic) else repr(value)


def _move_row(number: int, move: MoveRecord) -> tuple[Any, ...]:
    return (
        number,
        move.ply,
        move.seat,
        move.action,
        move.time,
        move.overshoot,
        move.value,
        _blob(move.legal_actions),
        _blob(move.visits),
        json.dumps(dict(move.info), default=_plain, skipkeys=True),
        move.idle,
    )


def _blob(array: npt.NDArray[np.int64] | None) -> bytes | None:
    return None if array is None else array.astype("<i8").tobytes()


def _array(blob: bytes | None) -> npt.NDArray[np.int64] | None:
    return None if blob is None else np.frombuffer(blob, "<i8").astype(np.int64)


def _spec(text: str) -> MatchSpec:
    data = json.loads(text)
    data["game"] = GameChoice(**data["game"])
    data["players"] = tuple(_agent(player) for player in data["players"])
    data["limit"] = _limit(data["limit"])
    data["terms"] = Terms(**data["terms"])
    data["opening_seed"], data["game_seed"] = tuple(data["opening_seed"]), tuple(data["game_seed"])
    return MatchSpec(**data)


def _agent(data: dict[str, Any]) -> AgentChoice:
    games, limit = data["games"], data["limit"]
    own = None if limit is None else _limit(limit)
    return AgentChoice(**{**data, "games": None if games is None else tuple(games), "limit": own})


def _limit(data: dict[str, Any]) -> Limit:
    clock = data["clock"]
    return Limit(**{**data, "clock": None if clock is None else Clock(**clock)})
