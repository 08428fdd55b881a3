"""How long moves took, against what they could cost, and by how much they went over it.

Means and quantiles of the table are the summary's; here are the distributions, one row an agent.
"""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from typing import Any

from markupsafe import Markup
from matplotlib.axes import Axes
from matplotlib.ticker import FuncFormatter, LogLocator, NullLocator

from agents.base import Limit
from arena.records import GameRecord, Termination
from arena.report import charts
from arena.results.findings import GameSummary
from arena.results.move_stats import Quantiles
from arena.results.sentences import count

_ROW, _RIDGE = 46, 24
"""Pixels of a row, and of its highest bar."""
_TOP, _BELOW, _SIDE = 12, 38, 14
_SHORTEST = 1e-6
"""Seconds where the axis may begin; moves that took less are drawn there."""


class Times:
    """Gathers how long the moves of one game took, by agent."""

    def __init__(self, rules: Any, colours: Mapping[str, int]) -> None:
        self._colours = colours
        self._times: dict[str, Quantiles] = defaultdict(Quantiles)
        self._limits: dict[str, Limit] = {}
        self._over: Counter[str] = Counter()

    def add(self, record: GameRecord) -> None:
        """Count the moves of a game."""
        for player in record.spec.players:
            self._limits[player.label] = record.spec.limit_of(player)
        for move in record.moves:
            agent = record.spec.players[move.seat].label
            self._times[agent].add(move.time)
            self._over[agent] += move.overshoot > 0

    def view(self, game: GameSummary) -> Any:
        """Return the chart, what it says, and whether limits are drawn in it; None without moves."""
        if not game.time:
            return None
        finding, agents = self._finding(game), [use.agent for use in game.time]
        chart = self._chart(agents, f"{game.game}: time a move. {finding}")
        limited = any(self._limits[agent].time is not None for agent in agents)
        return {"finding": finding, "chart": chart, "limited": limited}

    def _finding(self, game: GameSummary) -> str:
        """Say how many moves went over their limit, by how much, and what it cost."""
        moves, over = sum(use.moves for use in game.time), self._over.total()
        late = game.terminations.get(Termination.TIMEOUT, 0)
        lost = f" {count(late, 'game')} {'was' if late == 1 else 'were'} lost by timeout." if late else ""
        if all(limit.seconds is None for limit in self._limits.values()):
            slowest = max(game.time, key=lambda use: use.mean)
            return f"{slowest.agent} takes longest: {duration(slowest.mean)} a move in the mean.{lost}"
        if over == 0:
            return f"None of {moves:,} moves went over its limit.{lost}"
        worst = max(game.time, key=lambda use: use.overshoot_max)
        by = f"{worst.agent} by {duration(worst.overshoot_max)} at most"
        return f"{over:,} of {moves:,} moves ({over / moves:.1%}) went over their limit, {by}.{lost}"

    def _chart(self, agents: list[str], title: str) -> Markup:
        height = _TOP + _ROW * len(agents) + _BELOW
        figure = charts.blank(height)
        axes = charts.panel(figure, _SIDE, _TOP, charts.WIDTH - _SIDE, height - _BELOW)
        axes.set_ylim(_ROW * len(agents), 0)
        _scale(axes, self._range(agents))
        charts.name_axes(axes, "time a move")
        for row, agent in enumerate(agents):
            self._row(axes, agent, _ROW * (row + 1))
        return charts.drawn(figure, title)

    def _range(self, agents: Iterable[str]) -> tuple[float, float]:
        """Return the seconds between which all times and limits lie, with some room."""
        ends = [seconds for agent in agents for seconds, _ in self._times[agent].bins()]
        ends += [limit for agent in agents if (limit := self._limits[agent].time) is not None]
        low, high = max(_SHORTEST, min(ends)), max(_SHORTEST, *ends)
        room = max(1.2, (high / low) ** 0.03)
        return low / room, high * room

    def _row(self, axes: Axes, agent: str, base: float) -> None:
        times, shade = self._times[agent], charts.own_colour(self._colours, agent)
        height = axes.bbox.y1 - base + _RIDGE + 9
        moves = f"{count(times.count, 'move')}, median {duration(times.quantile(0.5))}"
        charts.write(axes, _SIDE, height, charts.short(agent, 18), shade, weight="bold")
        charts.write(axes, charts.WIDTH - _SIDE, height, moves, charts.colour("muted"), ha="right")
        axes.plot(axes.get_xlim(), (base, base), color=charts.colour("line"), linewidth=0.7)
        _ridge(axes, times, base, shade)
        limit = self._limits[agent].time
        if limit is not None:
            axes.plot((limit, limit), (base, base - _RIDGE), color=charts.colour("ink"), linewidth=1.2)


def _ridge(axes: Axes, times: Quantiles, base: float, shade: str) -> None:
    """Draw the histogram, as high as the root of how many moves there are, so that rare ones show."""
    bins = times.bins()
    most = max(moves for _, moves in bins)
    xs, ys = [], []
    for end, moves in bins:
        right = max(_SHORTEST, end)
        left, high = right / times.width, base - _RIDGE * math.sqrt(moves / most)
        xs += [left, left, right, right]
        ys += [base, high, high, base]
    axes.fill(xs, ys, color=shade, linewidth=0.4)


def _scale(axes: Axes, limits: tuple[float, float]) -> None:
    """Make the axis of time logarithmic, with few ticks; the rows have no axis."""
    axes.set_xscale("log")
    axes.set_xlim(*limits)
    decades = math.log10(limits[1] / limits[0])
    axes.xaxis.set_major_locator(LogLocator(subs=(1,) if decades > 2 else (1, 2, 5), numticks=6))
    axes.xaxis.set_minor_locator(NullLocator())
    axes.xaxis.set_major_formatter(FuncFormatter(lambda seconds, _: duration(seconds)))
    axes.yaxis.set_visible(False)
    axes.grid(False)
    axes.spines["bottom"].set_visible(False)


def duration(seconds: float) -> str:
    """Write seconds with three digits, in the unit that suits them."""
    unit, scale = ("s", 1) if seconds >= 1 else ("ms", 1e3) if seconds >= 1e-3 else ("µs", 1e6)
    return f"{float(f'{scale * seconds:.3g}'):,g} {unit}"
