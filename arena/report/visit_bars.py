"""Visits by action as bars, with a mark for each single tree: how far the trees of a search agree.

Which visits these are is the matter of `arena.report.visits`.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt
from markupsafe import Markup
from matplotlib.axes import Axes
from matplotlib.ticker import FuncFormatter, MaxNLocator

from arena.report import charts
from arena.results.sentences import count
from envs.boards import shares

_ROWS = 10
"""Actions that have a bar; of the others there is the sum."""
_ROW = 20
_LEFT, _RIGHT, _TOP, _BELOW = 74, 312, 4, 38
"""Pixels of a row, and around the panel; numbers stand to the right of it."""


def visit_bars(
    visits: npt.NDArray[np.int64],
    names: Sequence[str],
    trees: Sequence[npt.NDArray[np.float64]],
    shade: str,
    title: str,
) -> Markup:
    """Draw the visits of a position.

    Args:
        visits: of each action, summed over trees and searches.
        names: of the actions.
        trees: float64, shares of the visits by action, of single trees.
        shade: the agent's colour.
        title: what the picture shows.
    """
    by_action = np.stack([shares(visits), *trees], axis=1)
    order = np.argsort(-visits, kind="stable")[: min(_ROWS, np.count_nonzero(visits))]
    shown, rest = by_action[order], len(names) - len(order)
    height = _TOP + _ROW * (len(order) + (rest > 0)) + _BELOW
    figure = charts.blank(height)
    axes = charts.panel(figure, _LEFT, _TOP, _RIGHT, height - _BELOW)
    _scale(axes, len(order) + (rest > 0), float(shown.max()))
    for row, (index, (share, *single)) in enumerate(zip(order, shown.tolist(), strict=True)):
        (bar,) = axes.barh(row, share, 0.62, color=shade)
        charts.tell(bar, f"{names[index]}: {visits[index]:,} visits, {share:.2%}")
        _write_row(axes, row, names[index], share)
        _marks(axes, row, single)
    if rest:
        _write_row(axes, len(order), count(rest, "other"), 1 - float(shown[:, 0].sum()))
    charts.name_axes(axes, "share of the visits")
    return charts.drawn(figure, title)


def _scale(axes: Axes, rows: int, most: float) -> None:
    """Let shares grow to the right, and rows stand one below the other."""
    axes.set_xlim(0, most)
    axes.set_ylim(rows - 0.5, -0.5)
    axes.yaxis.set_visible(False)
    axes.grid(axis="x", color=charts.colour("line"), linewidth=0.7)
    axes.xaxis.set_major_locator(MaxNLocator(4))
    axes.xaxis.set_major_formatter(FuncFormatter(lambda share, _: f"{100 * share:.3g}%"))


def _write_row(axes: Axes, row: int, name: str, share: float) -> None:
    """Write a name to the left of a row, and its share to the right."""
    middle = axes.transData.transform((0, row))[1]
    charts.write(axes, _LEFT - 6, middle, charts.short(name, 10), charts.colour("ink"), ha="right")
    charts.write(axes, charts.WIDTH - 4, middle, f"{share:.1%}", charts.colour("muted"), ha="right")


def _marks(axes: Axes, row: int, single: Sequence[float]) -> None:
    """Mark the shares of single trees, in one stroke of many parts."""
    xs = [x for share in single for x in (share, share, np.nan)]
    ys = [y for _ in single for y in (row - 0.42, row + 0.42, np.nan)]
    axes.plot(xs, ys, color=charts.colour("ink"), linewidth=0.9, alpha=0.55, solid_capstyle="butt")
