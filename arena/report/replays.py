"""Games to step through: which of a run's games the report draws, and what it keeps of each.

Drawn games are packed by `arena.report.packing` and shown by `static/replay.js`. The list of all games is in
`arena.report.games`, replays for a terminal are in `arena.results.show`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
from tqdm import tqdm

from arena.records import GameRecord
from arena.referee.progress import outcome
from arena.report.figures import signed
from arena.report.packing import Pool, pack
from arena.report.positions import picture
from arena.results.replay import Step, final_state, rules_of, steps
from arena.results.show import Row, cell, move_row
from arena.store import Store

PLIES = 4_000
"""Plies that are drawn, at most, unless games are asked for that have more."""
SIZE = 9_000_000
"""Letters of the file after which no further game is drawn, unless it is asked for."""
_FAULTS = 3
"""Games drawn first of those in which the same agents come to the same fault; of others alike it is one."""
_GOLDEN = (5**0.5 - 1) / 2


class _Drawn(NamedTuple):
    """A game that is drawn: its number, whether agents searched in it, and what the page keeps of it."""

    number: int
    is_searched: bool
    packed: str


def replays(store: Store, rows: Sequence[Row], wanted: Collection[int] = (), quiet: bool = True) -> Any:
    """Return what the template shows: drawn games packed, by number, and one of them as text.

    That is the first that was searched, of those asked for where there are any.

    Args:
        store: the run.
        rows: its games.
        wanted: numbers of games that are drawn whatever room they take.
        quiet: show no progress.
    """
    order = tqdm(by_interest(rows, wanted), "replays", unit=" games", leave=False, disable=quiet or None)
    drawn = sorted(_drawn(store, order, wanted))
    if not drawn:
        return None
    shown = min(drawn, key=lambda one: (one.number not in wanted, not one.is_searched, one.number))
    first = store.game(shown.number)
    board = picture(rules_of(first), *list(_positions(first))[-1])
    packed = {one.number: one.packed for one in drawn}
    return {"run": store.path.parent, "drawn": packed, "first": told(first), "board": board}


def _drawn(store: Store, order: Iterable[Row], wanted: Collection[int]) -> Iterator[_Drawn]:
    plies = size = 0
    for row in order:
        fits = plies + row["plies"] <= PLIES and size < SIZE
        if fits or row["number"] in wanted:
            filmed = film(store.game(row["number"]))
            packed = pack(filmed)
            plies, size = plies + row["plies"], size + len(packed)
            yield _Drawn(row["number"], any(filmed["visits"]), packed)


def by_interest(rows: Sequence[Row], wanted: Collection[int]) -> list[Row]:
    """Sort games: those asked for, faults, one of each pairing and result, and the others evenly spread."""
    ranks, seen = {}, Counter[Any]()
    for row in rows:
        number, alike = row["number"], (row["game"], *row["players"], *row["returns"], row["termination"])
        seen[alike] += 1
        again = seen[alike] > (_FAULTS if row["fault"] else 1)
        # Multiples of the golden ratio: however many games are taken, they are spread over the whole run.
        ranks[number] = (number not in wanted, again, again or not row["fault"], number * _GOLDEN % 1)
    return sorted(rows, key=lambda row: ranks[row["number"]])


def film(record: GameRecord) -> dict[str, Any]:
    """Return a game with its pictures: before every ply and at the end, `plain` and with `visits`.

    A picture is a list of indices into `pool`. Where a game was searched, plain pictures have visits of 0, so
    that they are as large as the others.
    """
    rules, pool = rules_of(record), Pool()
    searched = any(move.visits is not None for move in record.moves)
    none = np.zeros(rules.num_actions, np.int64) if searched else None
    plain, shaded = [], []
    for state, visits, last in _positions(record):
        plain.append(pool.add(picture(rules, state, none, last)))
        shaded.append(None if visits is None else pool.add(picture(rules, state, visits, last)))
    return {**told(record), "pool": pool.parts, "plain": plain, "visits": shaded}


def _positions(
    record: GameRecord,
) -> Iterator[tuple[npt.NDArray[Any], npt.NDArray[np.int64] | None, int | None]]:
    """Yield the positions of a game with what was visited in them, and the action that led to them."""
    rules, last = rules_of(record), None
    for step in steps(rules, record):
        yield step.state, step.visits(rules.num_actions), last
        last = step.action
    yield final_state(rules, record), None, last


def told(record: GameRecord) -> dict[str, Any]:
    """Return what is told of a game beside its pictures."""
    fault = record.fault
    return {
        "number": record.spec.number,
        "game": record.spec.game.label,
        "players": [player.label for player in record.spec.players],
        "outcome": outcome(record),
        "fault": None if fault is None else {"reason": fault.reason, "detail": fault.detail},
        "plies": [_ply(record, step) for step in steps(rules_of(record), record)],
    }


def _ply(record: GameRecord, step: Step) -> dict[str, Any]:
    ply = {"seat": step.seat, "agent": step.agent, "move": step.name}
    if step.move is None:
        return {**ply, "by": step.by}
    return {**ply, "value": step.move.value, "facts": _facts(record, step)}


def _facts(record: GameRecord, step: Step) -> dict[str, str]:
    """Return the figures of a move, as they are read."""
    row = move_row(record, step)
    names = ["value", "time", "chosen", "simulations", "depth"] + ["overshoot"] * (row["overshoot"] > 0)
    facts = {name: cell(name, row[name]) for name in names if row[name] is not None}
    limit = record.spec.limit_of(record.spec.players[step.seat]).time
    if limit is not None:
        facts["time"] = f"{1000 * row['time']:,.2f} of {1000 * limit:,.4g} ms"
    if row["value"] is not None:
        facts["value"] = signed(row["value"], 2)
    return facts
