"""The depths of a recorded iterative deepening on one time axis, each as long as its time.

The bars are drawn by `templates/searches.html`; which searches are shown, in `arena.report.searches`.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy.typing as npt

from arena.results.replay import action_name

MOST = 200
"""Depths that are drawn, the last ones; an agent of the user's own may record any number."""


@dataclass(frozen=True)
class Bar:
    """One depth of the time line.

    Attributes:
        depth: in plies.
        move: name of the best move it found; "" where it was not finished.
        value: what that is worth to the searcher.
        nodes, seconds: what it took.
        finished: whether it counted.
        start, width: of the bar, in per cent of the axis.
    """

    depth: int
    move: str
    value: float | None
    nodes: int
    seconds: float
    finished: bool
    start: float
    width: float


@dataclass(frozen=True)
class Timeline:
    """What is shown of an iterative deepening.

    Attributes:
        sentence: what became of it.
        bars: the depths, in their order.
        ticks: places on the axis, in per cent, and the milliseconds there.
        budget: where the time that the move might take ends, in per cent; None where it was not limited.
    """

    sentence: str
    bars: tuple[Bar, ...]
    ticks: tuple[tuple[float, str], ...]
    budget: float | None


def draw(
    rules: Any, state: npt.NDArray[Any], search: Mapping[str, Any], played: int, budget: float | None
) -> Timeline:
    """Draw a search of kind "deepening" at `state`; `budget` is the seconds that the move might take."""
    rows = search["depths"]
    end = max(sum(row["seconds"] for row in rows), budget or 0.0, 1e-6)
    bars, begun = [], 0.0
    for row in rows:
        seconds, finished = float(row["seconds"]), bool(row["finished"])
        move = action_name(rules, state, row["action"]) if finished else ""
        value = float(row["value"]) if finished else None
        span = 100 * begun / end, 100 * seconds / end
        bars.append(Bar(int(row["depth"]), move, value, int(row["nodes"]), seconds, finished, *span))
        begun += seconds
    sentence = _sentence(bars, action_name(rules, state, played))
    if len(bars) > MOST:
        sentence += f" The last {MOST} of {len(bars):,} depths:"
    place = None if budget is None else 100 * budget / end
    return Timeline(sentence, tuple(bars[-MOST:]), _ticks(end), place)


def _sentence(bars: Sequence[Bar], played: str) -> str:
    """Tell how deep it came, since when it knew its move, and what was thrown away."""
    finished = [bar for bar in bars if bar.finished]
    if not finished:
        return f"No depth was finished; {played} was played."
    last = finished[-1]
    *_, since = itertools.takewhile(lambda bar: bar.move == last.move, reversed(finished))
    settled = "" if since is last else f" since depth {since.depth}"
    told = f"Depth {last.depth} was finished, with {last.move} the best move{settled}"
    if played != last.move:
        told += f"; {played} was played"
    if not bars[-1].finished:
        told += f"; depth {bars[-1].depth} was cut short and discarded"
    return f"{told}."


def _ticks(end: float) -> tuple[tuple[float, str], ...]:
    """Return round times on an axis of so many seconds: four of them, or a few more or less."""
    step = 10.0 ** math.floor(math.log10(end / 4))
    step *= next(factor for factor in (1, 2, 5, 10) if end / (step * factor) <= 6)
    return tuple((100 * i * step / end, f"{1000 * i * step:g}") for i in range(int(end / step + 1e-9) + 1))
