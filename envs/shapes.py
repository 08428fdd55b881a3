"""Pieces of SVG that boards are drawn of: shapes, pieces, colours, and the shade of a visit count.

Each function returns one piece of a document, and `document` joins them. Colours differ in
lightness as well as in hue, and a document brings its own light ground, so it reads in print, on a
light page and on a dark one. How whole boards are laid out is in `envs.pictures`.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Iterable, Sequence
from html import escape

import numpy as np
import numpy.typing as npt

from envs.boards import NEXT_TO_NOTHING, per_cent, shares

PAPER = "#fcfbf8"
CELL = "#f0ece1"
BOARD = "#cfc8b6"
LINE = "#8b8473"
INK = "#1d222b"
LAST = "#ffe08a"
HOT = "#3fb39f"
"""The most visited cell; `INK` on it has a contrast above 4.5."""
SHADES = 32
"""Steps from a cell without visits to `HOT`: enough to look continuous, few enough to take little room."""
PLAYERS = ("#1c4278", "#f5a52f", "#b3386b", "#ffffff")
"""Fill of each player's pieces."""
STONES = (INK, "#ffffff")
"""Fill of the pieces of games whose players are called Black and White."""
FONT = "system-ui, 'Segoe UI', Helvetica, Arial, 'DejaVu Sans', sans-serif"

SQUARE = 44.0
"""Side of a square cell."""
HEXAGON = 24.0
"""Side of a hexagon."""
MARGIN = 16.0
# Clockwise from the top, in units of half a width and of a side.
_CORNERS = ((0, -1), (1, -0.5), (1, 0.5), (0, 1), (-1, 0.5), (-1, -0.5))


def document(width: float, height: float, parts: Iterable[str]) -> str:
    """Join parts into a document with a light ground."""
    w, h = number(width), number(height)
    head = (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {w} {h}" width="{w}" height="{h}" '
        f'role="img" font-family="{FONT}" text-anchor="middle">'
    )
    return f'{head}<rect width="{w}" height="{h}" rx="10" fill="{PAPER}"/>{"".join(parts)}</svg>'


def with_note(height: float, width: float, parts: list[str], note: str) -> tuple[float, list[str]]:
    """Return the height and parts of a picture with a line of text below it, where there is one."""
    if not note:
        return height, parts
    return height + MARGIN, [*parts, label(width / 2, height - MARGIN / 4, note)]


@functools.lru_cache(maxsize=4096)  # the boards of a game share their coordinates
def number(value: float) -> str:
    """Write a coordinate as short as two decimals allow."""
    return f"{value:.2f}".rstrip("0").rstrip(".")


@functools.lru_cache(maxsize=4096)  # likewise
def label(x: float, y: float, text: str, size: float = 17, fill: str = INK, anchor: str = "middle") -> str:
    """Write `text`, escaped, with its middle at height `y`."""
    where = f'x="{number(x)}" y="{number(y + 0.36 * size)}"'
    start = "" if anchor == "middle" else f' text-anchor="{anchor}"'
    return f'<text {where} font-size="{number(size)}" fill="{fill}"{start}>{escape(text)}</text>'


def share_label(x: float, y: float, text: str) -> str:
    """Write a share of the visits, to be read on a phone too; what is next to nothing steps back."""
    return label(x, y, text, 12 if text == NEXT_TO_NOTHING else 18) if text else ""


def raised_label(x: float, y: float, text: str, size: float) -> str:
    """Write `text` with a light rim, to be read on pieces and across edges."""
    rim = f'<g stroke="{PAPER}" stroke-width="3" stroke-linejoin="round">{label(x, y, text, size, PAPER)}</g>'
    return rim + label(x, y, text, size)


def square(x: float, y: float, side: float, fill: str = CELL, title: str = "") -> str:
    """Draw a square cell around (x, y)."""
    return box(x, y, side, side, fill, title)


def box(x: float, y: float, width: float, height: float, fill: str = CELL, title: str = "") -> str:
    """Draw a rectangle around (x, y)."""
    place = f'x="{number(x - width / 2)}" y="{number(y - height / 2)}"'
    size = f'width="{number(width)}" height="{number(height)}"'
    return _titled("rect", f'{place} {size} fill="{fill}" stroke="{LINE}"', title)


def hexagon_centre(row: float, column: float, side: float = HEXAGON) -> tuple[float, float]:
    """Place a cell of a lattice of pointy-top hexagons, each row half a cell right of the one above.

    Rows and columns are axial coordinates, so a rhombus, a triangle and a hexagon of cells all fit.
    """
    return (column + row / 2) * math.sqrt(3) * side, row * 1.5 * side


def hexagon_corner(x: float, y: float, side: float, corner: int) -> tuple[float, float]:
    """Return a corner of a hexagon: 0 is the top one, then clockwise."""
    across, down = _CORNERS[corner % 6]
    return x + across * side * math.sqrt(3) / 2, y + down * side


def hexagon(x: float, y: float, side: float = HEXAGON, fill: str = CELL, title: str = "") -> str:
    """Draw a pointy-top hexagon around (x, y)."""
    return _titled("polygon", f'points="{_outline(x, y, side)}" fill="{fill}" stroke="{LINE}"', title)


@functools.lru_cache(maxsize=4096)  # likewise
def _outline(x: float, y: float, side: float) -> str:
    return _points(hexagon_corner(x, y, side, corner) for corner in range(6))


def path(points: Iterable[tuple[float, float]], stroke: str, width: float) -> str:
    """Draw an open line with round joints."""
    style = f'fill="none" stroke="{stroke}" stroke-width="{number(width)}"'
    return f'<polyline points="{_points(points)}" {style} stroke-linecap="round" stroke-linejoin="round"/>'


def arrow(x: float, y: float, right: float, down: float, fill: str, title: str = "") -> str:
    """Draw a broad arrow along the middle of the way from (x, y) to a place so far right and down."""
    outline = ((0.28, 0.16), (0.6, 0.16), (0.6, 0.3), (0.9, 0), (0.6, -0.3), (0.6, -0.16), (0.28, -0.16))
    scale = SQUARE / math.hypot(right, down)
    points = _points(
        (x + along * right - side * scale * down, y + along * down + side * scale * right)
        for along, side in outline
    )
    return _titled("polygon", f'points="{points}" fill="{fill}" stroke="{INK}" stroke-width="0.8"', title)


def disc(x: float, y: float, radius: float, player: int, fills: Sequence[str] = PLAYERS) -> str:
    """Draw a stone."""
    style = f'fill="{fills[player]}" stroke="{INK}" stroke-width="1.2"'
    return f'<circle cx="{number(x)}" cy="{number(y)}" r="{number(radius)}" {style}/>'


def cross(x: float, y: float, radius: float) -> str:
    """Draw the first player's mark of pencil games."""
    return path(((x - radius, y - radius), (x + radius, y + radius)), PLAYERS[0], radius / 2) + path(
        ((x - radius, y + radius), (x + radius, y - radius)), PLAYERS[0], radius / 2
    )


def ring(x: float, y: float, radius: float) -> str:
    """Draw the second player's mark of pencil games, edged so that it stands out on paper."""
    circle = f'<circle cx="{number(x)}" cy="{number(y)}" r="{number(radius)}" fill="none"'
    strokes = ((INK, radius / 2 + 2), (PLAYERS[1], radius / 2))
    return "".join(f'{circle} stroke="{ink}" stroke-width="{number(width)}"/>' for ink, width in strokes)


def last_mark(x: float, y: float, radius: float, stone: str = INK) -> str:
    """Mark a stone of that radius and colour as the last one played."""
    style = f'fill="{INK if stone == STONES[1] else PAPER}" stroke="{INK}" stroke-width="1.2"'
    return f'<circle class="last" cx="{number(x)}" cy="{number(y)}" r="{number(radius * 0.32)}" {style}/>'


def gap(x: float, y: float, radius: float) -> str:
    """Mark where a stone of that radius has just been taken away."""
    style = f'fill="none" stroke="{LINE}" stroke-width="1.5" stroke-dasharray="4 3"'
    return f'<circle class="last" cx="{number(x)}" cy="{number(y)}" r="{number(radius)}" {style}/>'


class Heat:
    """Visits as a shade and a number for each action; without visits every cell is plain."""

    def __init__(self, visits: npt.ArrayLike | None) -> None:
        """Work out every action's share."""
        self.visits: list[int] = [] if visits is None else np.asarray(visits).tolist()
        self._shares: list[float] = [] if visits is None else shares(visits).tolist()
        self._peak = max(self._shares, default=0.0)

    def share(self, action: int) -> float:
        """Return the action's share of all visits."""
        return self._shares[action] if action < len(self._shares) else 0.0

    def fill(self, action: int, plain: str = CELL) -> str:
        """Return the colour of the action's cell: the most visited is `HOT`."""
        share = self.share(action)
        if share <= 0:
            return plain
        # The root keeps cells of few visits apart from those of none.
        return mix(plain, HOT, math.ceil(SHADES * math.sqrt(share / self._peak)) / SHADES)

    def text(self, action: int) -> str:
        """Return the action's share in per cent."""
        return per_cent(self.share(action))

    def title(self, action: int, name: str) -> str:
        """Return what a pointer over the cell tells: the exact number of visits."""
        if self.share(action) == 0:
            return ""
        return f"{name}: {int(self.visits[action]):,} visits, {100 * self.share(action):.2f}%"


@functools.lru_cache(maxsize=4096)
def mix(low: str, high: str, part: float) -> str:
    """Return the colour `part` of the way from `low` to `high` (both `#rrggbb`)."""
    pairs = [(int(low[i : i + 2], 16), int(high[i : i + 2], 16)) for i in (1, 3, 5)]
    return "#" + "".join(f"{round(a + (b - a) * part):02x}" for a, b in pairs)


def _points(points: Iterable[tuple[float, float]]) -> str:
    return " ".join(f"{number(x)},{number(y)}" for x, y in points)


def _titled(tag: str, attributes: str, title: str) -> str:
    if not title:
        return f"<{tag} {attributes}/>"
    return f"<{tag} {attributes}><title>{escape(title)}</title></{tag}>"
