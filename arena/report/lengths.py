"""How long the games were, and who won the short ones and the long ones.

A game's length is its plies, those of its opening counted. Games that a fault ended have none of their own.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping
from typing import Any

from markupsafe import Markup
from matplotlib.axes import Axes

from arena.records import GameRecord, Termination
from arena.report import charts
from arena.results.findings import GameSummary
from arena.results.sentences import count
from arena.statistics.meetings import outcome

_BARS = 40
"""At most; of a longer range several lengths make a bar."""
_FEWEST = 10
"""Plies for which the axis has room, so that a bar alone is not as wide as the chart."""
_LEFT, _TOP, _RIGHT, _BELOW = 40, 56, 348, 42
_HEIGHT = 260
_RESULTS: tuple[tuple[float, str, dict[str, Any]], ...] = (
    (1.0, "first seat won", {"facecolor": charts.colour("good"), "edgecolor": charts.colour("good")}),
    (0.5, "drawn", {"facecolor": charts.colour("line"), "edgecolor": charts.colour("muted")}),
    (0.0, "lost", {"facecolor": charts.colour("panel"), "edgecolor": charts.colour("bad")}),
)
"""Points of the first seat and how its games are drawn, from below: filled to hollow, for print too."""


class Lengths:
    """Gathers the lengths of one game's games, by the result of the first seat."""

    def __init__(self, rules: Any, colours: Mapping[str, int]) -> None:
        self._lengths: dict[float, Counter[int]] = {points: Counter() for points, _, _ in _RESULTS}
        self._left_out = 0

    def add(self, record: GameRecord) -> None:
        """Count a game."""
        if record.termination is Termination.VOID or record.termination.is_fault:
            self._left_out += 1
        else:
            self._lengths[outcome(record.returns[0])][record.plies] += 1

    def view(self, game: GameSummary) -> Any:
        """Return the chart and what it says; None where no game came to its end."""
        every = sum(self._lengths.values(), Counter[int]())
        if not every:
            return None
        finding = self._finding(every)
        chart = self._chart(every, f"{game.game}: games by length. {finding}")
        return {"finding": finding, "chart": chart, "left_out": self._left_out}

    def _finding(self, every: Counter[int]) -> str:
        """Say how long games are, and whether it is the first seat that wins the long ones."""
        low, middle, high = (quantile(every, q) for q in (0.25, 0.5, 0.75))
        games = count(every.total(), "game")
        plies = f"{low} to {high}" if low < high else f"{low}"
        text = f"The middle half of {games} lasted {plies} plies, the median is {middle}"
        won, lost = self._lengths[1.0], self._lengths[0.0]
        if not won or not lost:
            return f"{text}."
        medians = f"{quantile(won, 0.5)} where the first seat won, {quantile(lost, 0.5)} where it lost"
        return f"{text} ({medians})."

    def _chart(self, every: Counter[int], title: str) -> Markup:
        figure = charts.blank(_HEIGHT)
        axes = charts.panel(figure, _LEFT, _TOP, _RIGHT, _HEIGHT - _BELOW)
        axes.yaxis.set_major_locator(charts.whole_numbers())
        shortest = min(every)
        width = math.ceil((max(every) - shortest + 1) / _BARS)
        base = Counter[int]()
        for points, name, style in _RESULTS:
            games = Counter[int]()
            for length, number in self._lengths[points].items():
                games[shortest + (length - shortest) // width * width] += number
            _bars(axes, games, base, width, name, style)
            base += games
        beside = max(1.0, (_FEWEST - (max(every) - shortest)) / 2)
        axes.set_xlim(max(-0.5, shortest - beside), max(every) + beside)
        charts.name_axes(axes, "plies", "games")
        totals = [(f"{name} {self._lengths[points].total():,}", style) for points, name, style in _RESULTS]
        charts.key(axes, _HEIGHT, totals)
        return charts.drawn(figure, title)


def _bars(
    axes: Axes, games: Counter[int], base: Counter[int], width: int, name: str, style: dict[str, Any]
) -> None:
    """Draw games by their lengths, from so many plies on, on top of those that are there."""
    for first, number in sorted(games.items()):
        (bar,) = axes.bar(
            first - 0.5, number, 0.86 * width, base[first], align="edge", linewidth=0.8, **style
        )
        plies = f"{first}" if width == 1 else f"{first} to {first + width - 1}"
        charts.tell(bar, f"{plies} plies: {name} {number:,}")


def quantile(counts: Counter[int], q: float) -> int:
    """Return the smallest value that a share `q` of all lies at or below."""
    below = 0
    for value in sorted(counts):
        below += counts[value]
        if below >= q * counts.total():
            return value
    raise ValueError("nothing was counted")
