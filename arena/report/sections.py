"""What the report tells of each game of a league, in this order.

A section has a module that gathers and a template that shows, `templates/NAME.html`. How they become a page
is in `arena.report.page`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Protocol

from arena.records import GameRecord
from arena.report.course import Course
from arena.report.lengths import Lengths
from arena.report.searches import Searches
from arena.report.sharpness import Sharpness
from arena.report.standings import Crosstable, Faults, Seats, Standings
from arena.report.times import Times
from arena.report.visits import Visits
from arena.results.findings import GameSummary


class Gatherer(Protocol):
    """Takes the records of one game of the league, and then has something to show."""

    def add(self, record: GameRecord) -> None:
        """Take a game; they come by number."""

    def view(self, game: GameSummary) -> Any:
        """Return what the template shows as `view`, or None for nothing: the section is then left out."""


@dataclass(frozen=True)
class Section:
    """A part of what is told of a game.

    Attributes:
        name: of its template, and of its anchor in the page.
        title: its heading.
        gatherer: makes what gathers it, given the rules and each agent's colour: from 1, by the order of the
            league file, the same in all games.
        wide: whether it takes the whole width of the page.
    """

    name: str
    title: str
    gatherer: Callable[[Any, Mapping[str, int]], Gatherer]
    wide: bool = False


SECTIONS = (
    Section("standings", "Standings", Standings, wide=True),
    Section("crosstable", "Who beat whom", Crosstable),
    Section("seats", "The first seat", Seats),
    Section("course", "Ratings over the course", Course),
    Section("lengths", "Length of the games", Lengths),
    Section("times", "Time a move", Times),
    Section("sharpness", "Searches along the game", Sharpness),
    Section("visits", "Visits in opening positions", Visits, wide=True),
    Section("searches", "Searches, shown", Searches, wide=True),
    Section("faults", "Faults", Faults, wide=True),
)
