"""Ratings over the league's course: the standings' joint fit, after each part of the games.

The same meetings count as in the standings, in the order of their games' numbers. The fit itself is in
`arena.statistics.ratings`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from markupsafe import Markup
from matplotlib.axes import Axes

from arena.records import GameRecord, Termination
from arena.report import charts
from arena.results.findings import GameSummary
from arena.results.sentences import SURE_ENOUGH
from arena.statistics.meetings import OpenMeetings, duels
from arena.statistics.ratings import Meeting, Ratings, rate
from arena.statistics.stats import Estimate

_STEPS = 24
_BANDS = 4
"""Agents up to which each has its interval as a band; of more, only who leads has."""
_LEFT, _RIGHT, _TOP, _BELOW = 40, 264, 32, 42
"""Pixels around the panel."""


@dataclass(frozen=True)
class Step:
    """The ratings after so many of the games that count."""

    games: int
    ratings: Ratings


class Course:
    """Gathers the meetings of one game, in the order in which they were complete."""

    def __init__(self, rules: Any, colours: Mapping[str, int]) -> None:
        self._colours = colours
        self._open = OpenMeetings()
        self._agents: list[str] = []
        self._forfeited: set[int] = set()
        self._meetings: list[tuple[int, bool, int, Meeting]] = []
        self._alike: dict[Meeting, Meeting] = {}

    def add(self, record: GameRecord) -> None:
        """Take a game; they come by number."""
        spec = record.spec
        self._agents += [player.label for player in spec.players if player.label not in self._agents]
        if record.fault is not None and record.termination is not Termination.VOID:
            self._forfeited.add(spec.pair)
        games = self._open.add(spec, record.returns)
        if games is not None:
            meeting = duels(games, self._agents)
            meeting = self._alike.setdefault(meeting, meeting)  # there are few, however many are played
            self._meetings.append((spec.round, spec.pair in self._forfeited, len(games), meeting))

    def view(self, game: GameSummary) -> Any:
        """Return the chart and what it says; None while there is too little for a line."""
        steps = self.steps(game)
        if len(steps) < 2:
            return None
        finding = _finding(game, [self._leader(step) for step in steps], steps)
        chart = self._chart(steps, f"{game.game}: Elo by games played. {finding}")
        return {"finding": finding, "chart": chart, "banded": self._banded(steps)}

    def steps(self, game: GameSummary) -> list[Step]:
        """Return the ratings after each part of the meetings that the summary counts."""
        rounds = _counted_rounds(game)
        counted = [
            (games, meeting)
            for round_index, forfeited, games, meeting in self._meetings
            if (rounds is None or round_index < rounds) and not (forfeited and game.forfeited)
        ]
        ends = {round(len(counted) * part / _STEPS) for part in range(1, _STEPS + 1)}
        played, seen, steps = 0, Counter[Meeting](), []
        for index, (games, meeting) in enumerate(counted, 1):
            played += games
            seen[meeting] += 1
            if index in ends:
                steps.append(Step(played, rate(len(self._agents), seen)))
        return steps

    def _banded(self, steps: Sequence[Step]) -> list[str]:
        """Return the agents whose intervals are drawn."""
        return self._agents if len(self._agents) <= _BANDS else [self._leader(steps[-1])]

    def _leader(self, step: Step) -> str:
        return max(zip(step.ratings.elo, self._agents, strict=True), key=lambda one: one[0].value)[1]

    def _chart(self, steps: Sequence[Step], title: str) -> Markup:
        height = max(240, _TOP + _BELOW + 14 * len(self._agents))
        figure = charts.blank(height)
        axes = charts.panel(figure, _LEFT, _TOP, _RIGHT, height - _BELOW)
        games = [step.games for step in steps]
        axes.set_ylim(*_limits(steps))
        axes.set_xlim(games[0], games[-1])
        for index, agent in enumerate(self._agents):
            elo = [step.ratings.elo[index] for step in steps]
            axes.plot(games, [one.value for one in elo], **charts.own_line(self._colours, agent))
            if agent in self._banded(steps):
                _band(axes, games, elo, charts.own_colour(self._colours, agent))
        charts.name_axes(axes, "games played", "Elo")
        last = [elo.value for elo in steps[-1].ratings.elo]
        charts.label_ends(axes, dict(zip(self._agents, last, strict=True)), self._colours)
        return charts.drawn(figure, title)


def _band(axes: Axes, games: Sequence[int], elo: Sequence[Estimate], shade: str) -> None:
    """Draw an agent's intervals, as far as there is room."""
    upper, lower = [one.value + one.error for one in elo], [one.value - one.error for one in elo]
    band = np.clip([*upper, *reversed(lower)], *axes.get_ylim())
    axes.fill([*games, *reversed(games)], band, color=shade, alpha=0.1, linewidth=0)


def _counted_rounds(game: GameSummary) -> int | None:
    """Return how many rounds count of a game that a rule has stopped; in a sequential test one is a pair."""
    if game.until is not None and game.until.reached:
        return game.until.rounds
    return game.sprt.pairs if game.sprt is not None and game.sprt.accepted else None


def _limits(steps: Sequence[Step]) -> tuple[float, float]:
    """Return a range of Elo with room for all ratings and the last intervals; the first are far wider."""
    values = [one.value for step in steps for one in step.ratings.elo]
    last = steps[-1].ratings.elo
    low = min(*values, *(one.value - one.error for one in last))
    high = max(*values, *(one.value + one.error for one in last))
    room = 0.08 * (high - low)
    return low - room, high + room


def _finding(game: GameSummary, leaders: Sequence[str], steps: Sequence[Step]) -> str:
    """Say since when who leads, where somebody does, and how far the ratings have settled."""
    first, last = (max(one.error for one in steps[index].ratings.elo) for index in (0, -1))
    settled = f"the widest interval went from ±\u00a0{first:.0f} to ±\u00a0{last:.0f} Elo"
    best, second = game.standings[:2]
    if best.better_than_next is None or best.better_than_next < SURE_ENOUGH:
        return f"{best.agent} and {second.agent} are level so far; {settled}."
    since = next(index for index in range(len(steps)) if len(set(leaders[index:])) == 1)
    led = "all along" if since == 0 else f"since {steps[since].games:,} games were played"
    return f"{leaders[-1]} has led {led}; {settled}."
