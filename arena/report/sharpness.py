"""How sharp searches are along the game: the share of the visits that the move played had, and their entropy.

Where the visits went is in `arena.report.visits`.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from typing import Any

import numpy as np
import numpy.typing as npt
from markupsafe import Markup
from matplotlib.axes import Axes
from matplotlib.ticker import PercentFormatter

from arena.records import GameRecord
from arena.report import charts
from arena.results.findings import GameSummary
from arena.results.move_stats import concentration

_MANY = 0.1
"""Where an agent has fewer than this part of its searches at the ply where it has most, its line is faint."""
_LEFT, _RIGHT, _TOP, _TALL, _BETWEEN, _BELOW = 40, 264, 32, 96, 34, 42
"""Pixels around, of and between the two panels, which are taller where many agents are to be named."""


class Sharpness:
    """Gathers how sharp the searches of one game were, by agent and ply."""

    def __init__(self, rules: Any, colours: Mapping[str, int]) -> None:
        self._colours = colours
        self._sums: dict[str, dict[int, list[float]]] = defaultdict(
            lambda: defaultdict(lambda: [0.0, 0.0, 0.0])
        )

    def add(self, record: GameRecord) -> None:
        """Take a game's searches."""
        for move, chosen, entropy in concentration(record.moves):
            sums = self._sums[record.spec.players[move.seat].label][move.ply]
            sums[0] += 1
            sums[1] += chosen
            sums[2] += entropy

    def view(self, game: GameSummary) -> Any:
        """Return the chart and what it says; None without searches."""
        if not self._sums:
            return None
        finding = self._finding(game)
        return {"finding": finding, "chart": self._chart(f"{game.game}: sharpness of searches. {finding}")}

    def by_ply(self, agent: str) -> npt.NDArray[np.float64]:
        """Return float64[plies, 4], one a ply: the ply, how many searches, mean share and entropy."""
        rows = np.array([[ply, *sums] for ply, sums in sorted(self._sums[agent].items())])
        rows[:, 2:] /= rows[:, 1:2]
        return rows

    def _finding(self, game: GameSummary) -> str:
        """Say whose searches agree most with what is played, and how sharp they get."""
        use = max(game.searches, key=lambda one: one.chosen_share)
        rows = _usual(self.by_ply(use.agent))
        others = ", more than any other" if len(game.searches) > 1 else ""
        (first, *_, before), (last, *_, after) = rows[0], rows[-1]
        plays = f"The move that {use.agent} plays has {use.chosen_share:.0%} of its visits{others}"
        if first == last:
            return f"{plays}; their entropy is {before:.1f} bits at ply {first:.0f}."
        falls = f"from {before:.1f} bits at ply {first:.0f} to {after:.1f} at ply {last:.0f}"
        return f"{plays}; their entropy goes {falls}."

    def _chart(self, title: str) -> Markup:
        tall = max(_TALL, 14 * len(self._sums))
        low = _TOP + 2 * tall + _BETWEEN
        figure = charts.blank(low + _BELOW)
        share = charts.panel(figure, _LEFT, _TOP, _RIGHT, _TOP + tall)
        bits = charts.panel(figure, _LEFT, low - tall, _RIGHT, low)
        share.set_ylim(0, 1)
        share.yaxis.set_major_formatter(PercentFormatter(1, 0))
        share.xaxis.set_ticklabels([])
        charts.name_axes(share, "", "visits on the move played")
        charts.name_axes(bits, "ply", "entropy of the visits, bits")
        for axes, column in ((share, 2), (bits, 3)):
            for agent in self._sums:
                self._line(axes, agent, column)
        bits.set_ylim(bottom=0)
        share.set_xlim(bits.get_xlim())
        ends = {agent: float(_usual(self.by_ply(agent))[-1, 2]) for agent in self._sums}
        charts.label_ends(share, ends, self._colours)
        return charts.drawn(figure, title)

    def _line(self, axes: Axes, agent: str, column: int) -> None:
        rows, style = self.by_ply(agent), charts.own_line(self._colours, agent)
        style |= {"marker": "o"} if len(rows) == 1 else {}
        usual = _usual(rows)
        axes.plot(rows[:, 0], rows[:, column], **{**style, "linewidth": 1, "alpha": 0.35})
        axes.plot(usual[:, 0], usual[:, column], **style)


def _usual(rows: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    """Return the rows up to the last ply that the agent often searched at."""
    often = np.flatnonzero(rows[:, 1] >= _MANY * rows[:, 1].max())
    return rows[: often[-1] + 1]
