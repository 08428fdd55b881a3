"""The versions of a run's database that are read, and how an older one is read as if it were of today.

What older tables lack stands in the queries as a literal, so that nothing else knows of them. The tables of
today are in `arena.store`; only those are written.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

from arena.columns import Row, move_of
from arena.records import MoveRecord, without_trees

VERSION = 5
"""Version of the tables that are written."""

_GAME = "number, spec, opening, returns, termination, seconds"
_FAULT = "seat, ply, reason, detail, overshoot"
_MOVE = "number, ply, seat, action, time, overshoot, value"


@dataclass(frozen=True)
class Reading:
    """How a version is read.

    Attributes:
        games: the query for games, each with its fault; without a condition, as they all are.
        moves: the query for moves.
        live: the query for games in play.
        move_of: makes a move of a row.
    """

    games: str
    moves: str
    live: str
    move_of: Callable[[Row], MoveRecord] = move_of


def _move_with_trees(row: Row) -> MoveRecord:
    """Return a move of version 3, whose info holds the visits of several trees."""
    move = move_of(row)
    if move.legal_actions is None:
        return move
    info, trees = without_trees(move.info, len(move.legal_actions))
    return replace(move, info=info, tree_visits=trees)


_NOW = Reading(
    games=f"SELECT {_GAME}, chance, {_FAULT} FROM games LEFT JOIN faults USING (number)",
    moves=f"SELECT {_MOVE}, legal_actions, visits, info, idle, tree_visits, search FROM moves",
    live="SELECT number, spec, plies, actions FROM live",
)
_VERSION_4 = Reading(
    games=f"SELECT {_GAME}, '[]', {_FAULT} FROM games LEFT JOIN faults USING (number)",
    # Its first searches were texts, not packed, and are left out.
    moves=f"""SELECT {_MOVE}, legal_actions, visits, info, idle, tree_visits,
        CASE typeof(search) WHEN 'blob' THEN search END FROM moves""",
    live=_NOW.live,
)
_VERSION_3 = Reading(
    games=_VERSION_4.games,
    # Its counts have 8 bytes each, and do not begin by saying so.
    moves=f"""SELECT {_MOVE}, CAST(x'08' || legal_actions AS BLOB), CAST(x'08' || visits AS BLOB), info, idle,
        NULL, NULL FROM moves""",
    live="SELECT number, '', 0, x'08' FROM games WHERE false",
    move_of=_move_with_trees,
)
_READINGS = {"3": _VERSION_3, "4": _VERSION_4, str(VERSION): _NOW}


class VersionError(ValueError):
    """A version that is not read; the text says what to do."""


def reading(version: str | None) -> Reading:
    """Return how a version is read.

    Raises:
        VersionError: where it is not.
    """
    if version in _READINGS:
        return _READINGS[version]
    told = f"its tables are of version {version}, and this Arena reads {', '.join(_READINGS)}"
    if version is not None and version.isdecimal() and int(version) > VERSION:
        raise VersionError(f"{told}: a newer Arena made it; update this one")
    raise VersionError(f"{told}: only the Arena that made it can read it")
