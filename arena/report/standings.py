"""The sections that a game's summary has everything for: standings, crosstable, seats, faults.

What they tell is computed in `arena.results.summary`; here it is only laid out.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import quote

from arena.records import GameRecord
from arena.results.findings import Cell, GameSummary, SeatResult, Standing
from arena.statistics.stats import Estimate

_ROOM = 0.04
"""Share of an axis left free at either end."""


class FromSummary:
    """A section that needs no records of its own."""

    def __init__(self, rules: Any, colours: Mapping[str, int]) -> None:
        self.colours = colours

    def add(self, record: GameRecord) -> None:
        """Leave it: the summary has it."""


@dataclass(frozen=True)
class Interval:
    """A value and its interval on an axis, in per cent of its width."""

    value: float
    low: float
    high: float


@dataclass(frozen=True)
class Axis:
    """Places values between the lowest and the highest that occur."""

    low: float
    high: float

    @classmethod
    def of(cls, estimates: list[Estimate]) -> Axis:
        """Return an axis with room for all of them."""
        low = min(estimate.value - estimate.error for estimate in estimates)
        high = max(estimate.value + estimate.error for estimate in estimates)
        room = _ROOM * (high - low) or 1.0
        return cls(low - room, high + room)

    def place(self, value: float) -> float:
        """Return where a value lies, in per cent."""
        return 100 * (value - self.low) / (self.high - self.low)

    def interval(self, estimate: Estimate) -> Interval:
        """Return where an estimate lies."""
        low, high = estimate.value - estimate.error, estimate.value + estimate.error
        return Interval(self.place(estimate.value), self.place(low), self.place(high))


class Standings(FromSummary):
    """Who is how strong, with the interval of each rating drawn on one axis."""

    def view(self, game: GameSummary) -> Any:
        """Return the lines with their intervals, and where the average lies."""
        axis = Axis.of([line.elo for line in game.standings])
        lines = [(line, axis.interval(line.elo)) for line in game.standings]
        return {"lines": lines, "zero": axis.place(0.0)}


class Crosstable(FromSummary):
    """Results of each agent against each, as a heat map whose cells lead to their games."""

    def view(self, game: GameSummary) -> Any:
        """Return the agents, best first, and a row of cells for each."""
        if not game.crosstable:
            return None
        cells = {(cell.agent, cell.opponent): cell for cell in game.crosstable}
        agents = [line.agent for line in game.standings]
        rows = [[self._cell(cells.get((one, other))) for other in agents] for one in agents]
        return {"agents": agents, "rows": list(zip(agents, rows, strict=True))}

    def _cell(self, cell: Cell | None) -> Any:
        if cell is None:
            return None
        games = cell.wins + cell.draws + cell.losses
        score = (cell.wins + cell.draws / 2) / games
        return {
            "cell": cell,
            "score": score,
            "side": "above" if score >= 0.5 else "below",
            "strength": round(abs(2 * score - 1), 3),
            "query": f"{quote(cell.agent, safe='')}/{quote(cell.opponent, safe='')}",
        }


class Seats(FromSummary):
    """What it is worth to move first."""

    def view(self, game: GameSummary) -> Any:
        """Return a row of results an agent, by seat."""
        by_agent: dict[str, dict[int, SeatResult]] = {}
        for result in game.seats:
            by_agent.setdefault(result.agent, {})[result.seat] = result
        lines: list[tuple[Standing, list[SeatResult | None]]] = [
            (line, [by_agent.get(line.agent, {}).get(seat) for seat in range(game.players)])
            for line in game.standings
        ]
        return {"lines": lines, "for_two": game.players == 2}


class Faults(FromSummary):
    """Faults by agent and kind, and examples with their tracebacks."""

    def view(self, game: GameSummary) -> Any:
        """Return the kinds that occurred and a row of counts an agent."""
        if not game.faults:
            return None
        kinds = sorted({kind for counts in game.faults.values() for kind in counts})
        rows = [(agent, [counts.get(kind, 0) for kind in kinds]) for agent, counts in game.faults.items()]
        return {"kinds": kinds, "rows": rows, "total": sum(map(sum, (row for _, row in rows)))}
