"""How records are written down in the columns of a run's database, and read again.

Texts are JSON; those of searches are packed, for they would be most of the file. Arrays of counts are blobs:
the width of a number in bytes, then the numbers, little-endian, none wider than the greatest of them needs.
Which tables there are is in `arena.store`.
"""

from __future__ import annotations

import json
import zlib
from collections.abc import Iterator, Mapping
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from agents.base import Clock, Limit
from arena.records import AgentChoice, Fault, GameChoice, LiveGame, MatchSpec, MoveRecord, Terms

Row = tuple[Any, ...]
"""Values of a row, in the order of its columns."""
_decode = json.JSONDecoder(parse_constant=lambda name: None).raw_decode
"""Reads JSON; NaN and infinities, which older runs have and JSON has not, are None."""
_decode_search = json.JSONDecoder(
    parse_constant=lambda name: None, parse_float=lambda text: float(text) + 0.0
).raw_decode
"""Likewise, and -0.0, which values are by rounding and by negation, is 0.0."""
_TYPES = {width: np.dtype(f"<u{width}") for width in (1, 2, 4, 8)}


def move_row(number: int, move: MoveRecord) -> Row:
    """Return a move of the game `number` as a row."""
    return (
        number,
        move.ply,
        move.seat,
        move.action,
        move.time,
        move.overshoot,
        move.value,
        blob_of(move.legal_actions),
        blob_of(move.visits),
        json_of(move.info),
        move.idle,
        blob_of(move.tree_visits),
        None if move.search is None else zlib.compress(json_of(move.search).encode()),
    )


def move_of(row: Row) -> MoveRecord:
    """Return a move again."""
    _, ply, seat, action, time, overshoot, value, legal, visits, info, idle, trees, search = row
    legal_actions, tree_visits = array_of(legal), array_of(trees)
    if tree_visits is not None and legal_actions is not None:
        tree_visits = tree_visits.reshape(-1, len(legal_actions))
    return MoveRecord(
        ply,
        seat,
        action,
        time,
        overshoot,
        value,
        legal_actions,
        array_of(visits),
        _read(info),
        idle,
        tree_visits,
        None if search is None else _Packed(search),
    )


def live_row(game: LiveGame) -> Row:
    """Return a game in play as a row."""
    return game.spec.number, spec_text(game.spec), game.plies, blob_of(np.array(game.actions, np.int64))


def live_of(row: Row) -> LiveGame:
    """Return a game in play again."""
    _, spec, plies, actions = row
    return LiveGame(spec_of(spec), plies, tuple(_numbers(actions).tolist()))


class _Packed(Mapping[str, Any]):
    """The record of a search, unpacked when it is looked at: that takes a quarter of the reading of a run."""

    def __init__(self, blob: bytes) -> None:
        self._blob = blob

    @cached_property
    def _told(self) -> dict[str, Any]:
        told: dict[str, Any] = _decode_search(zlib.decompress(self._blob).decode())[0]
        return told

    def __getitem__(self, key: str) -> Any:
        return self._told[key]

    def __iter__(self) -> Iterator[str]:
        return iter(self._told)

    def __len__(self) -> int:
        return len(self._told)


def fault_row(number: int, fault: Fault) -> Row:
    """Return the fault of the game `number` as a row."""
    return number, fault.seat, fault.ply, _text(fault.reason), _text(fault.detail), fault.overshoot


def _text(text: str) -> str:
    """Return text that UTF-8 can hold: an agent's last words may be any bytes."""
    return text.encode("utf-8", "backslashreplace").decode("utf-8")


def json_of(told: Mapping[str, Any]) -> str:
    """Return as JSON what an agent tells of itself, which may be anything."""
    return json.dumps(dict(told), default=jsonable, skipkeys=True)


def jsonable(value: Any) -> Any:
    """Return what stands in JSON for a value that JSON has not."""
    told = value.tolist() if isinstance(value, np.ndarray | np.generic) else value
    return repr(value) if type(told) is type(value) else told  # NumPy's long floats stay what they are


def _read(text: str) -> Any:
    """Return what JSON of our own says, which has no blanks around it: `json.loads` takes twice as long."""
    return _decode(text)[0]


def blob_of(counts: npt.NDArray[np.int64] | None) -> bytes | None:
    """Return non-negative numbers as a blob; the shape is not kept."""
    if counts is None:
        return None
    width = np.min_scalar_type(counts.max(initial=0)).itemsize
    return bytes([width]) + counts.astype(_TYPES[width]).tobytes()


def array_of(blob: bytes | None) -> npt.NDArray[np.int64] | None:
    """Return int64[n], the numbers of a blob."""
    return None if blob is None else _numbers(blob)


def _numbers(blob: bytes) -> npt.NDArray[np.int64]:
    return np.frombuffer(blob, _TYPES[blob[0]], offset=1).astype(np.int64)


def spec_text(spec: MatchSpec) -> str:
    """Return what was asked for as JSON."""
    return json.dumps(spec, default=vars)


def spec_of(text: str) -> MatchSpec:
    """Return again what was asked for."""
    data = _read(text)
    data["game"] = GameChoice(**data["game"])
    data["players"] = tuple(_agent(player) for player in data["players"])
    data["limit"] = _limit(data["limit"])
    data["terms"] = Terms(**data["terms"])
    data |= {name: tuple(value) for name, value in data.items() if isinstance(value, list)}
    return MatchSpec(**data)


def _agent(data: dict[str, Any]) -> AgentChoice:
    games, limit = data["games"], data["limit"]
    own = None if limit is None else _limit(limit)
    return AgentChoice(**{**data, "games": None if games is None else tuple(games), "limit": own})


def _limit(data: dict[str, Any]) -> Limit:
    clock = data["clock"]
    return Limit(**{**data, "clock": None if clock is None else Clock(**clock)})
