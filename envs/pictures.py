"""Boards as SVG: the layouts that games share to draw themselves, and SVG as pixels.

Two layouts, of squares and of hexagons, serve whole families of games; both show visits as shade and
number. The shapes they are made of are in `envs.shapes`, boards as text in `envs.boards`; no game's
rules are here.
"""

from __future__ import annotations

import io
import math
from collections.abc import Sequence
from html import escape
from typing import Any

import numpy as np
import numpy.typing as npt

from envs import shapes
from envs.boards import column_name, square_name
from envs.shapes import HEXAGON, MARGIN, SQUARE, Heat, document, label, number, with_note

LABELS = 32.0
"""Room for the names of rows or columns."""
PILE_WIDTH = 20
"""How many stones of a pile stand in a row."""
MONOSPACE = "ui-monospace, Menlo, Consolas, 'DejaVu Sans Mono', monospace"


def square_picture(
    cells: Sequence[int],
    rows: int,
    columns: int,
    visits: npt.ArrayLike | None = None,
    column_visits: npt.ArrayLike | None = None,
    discs: bool = False,
    numbered: bool = False,
    bottom_up: bool = False,
    last: int | None = None,
    note: str = "",
    fills: Sequence[str] = shapes.PLAYERS,
    steps: Sequence[tuple[int, int, int, str]] = (),
    step_visits: npt.ArrayLike | None = None,
) -> str:
    """Draw a board of squares, as `envs.boards.square_text` does, with its arguments.

    Args:
        cells: owner of each cell, row by row from the top; -1 for an empty one.
        rows: how many.
        columns: how many.
        visits: per cell (an action's id is its cell).
        column_visits: per column, shown above the board.
        discs: pieces are discs, not crosses and rings.
        numbered: the columns are numbered from 1 and the rows have no names.
        bottom_up: row 1 is at the bottom.
        last: the cell played last.
        note: a line below the board.
        fills: each player's colour, of discs.
        steps: moves from cell to cell, each its start, end, action and name.
        step_visits: per action; a visited step is drawn as an arrow.
    """
    left = MARGIN if numbered else LABELS
    top = LABELS + (SQUARE * 0.8 if column_visits is not None else 0.0)
    heat = Heat(visits)
    parts = _square_labels(rows, columns, left, top, numbered, bottom_up)
    parts += _column_heat(Heat(column_visits), columns, left) if column_visits is not None else []
    for cell, owner in enumerate(cells):
        x, y = left + (cell % columns + 0.5) * SQUARE, top + (cell // columns + 0.5) * SQUARE
        is_last = cell == last
        plain = shapes.LAST if is_last and not discs else shapes.CELL
        title = heat.title(cell, square_name(cell, rows, columns, bottom_up))
        parts.append(shapes.square(x, y, SQUARE, plain if owner >= 0 else heat.fill(cell), title))
        text = shapes.share_label(x, y, heat.text(cell))
        parts.append(_piece(x, y, owner, discs, is_last, fills) if owner >= 0 else text)
    parts += _step_arrows(steps, Heat(step_visits), columns, left, top)
    width, height = left + columns * SQUARE + MARGIN, top + rows * SQUARE + MARGIN
    return document(width, *with_note(height, width, parts, note))


def _step_arrows(
    steps: Sequence[tuple[int, int, int, str]], heat: Heat, columns: int, left: float, top: float
) -> list[str]:
    """Draw the most visited steps on top of the others, and all numbers on top of the arrows."""
    arrows, numbers = [], []
    for start, end, action, name in sorted(steps, key=lambda step: heat.share(step[2])):
        row, column = divmod(start, columns)
        to_row, to_column = divmod(end, columns)
        x, y = left + (column + 0.5) * SQUARE, top + (row + 0.5) * SQUARE
        right, down = (to_column - column) * SQUARE, (to_row - row) * SQUARE
        if heat.share(action) > 0:
            arrows.append(shapes.arrow(x, y, right, down, heat.fill(action), heat.title(action, name)))
        if heat.share(action) >= 0.01:
            # Up to three steps end on a cell: their numbers stand side by side in its upper half.
            numbers.append(shapes.raised_label(x + 0.68 * right, y + 0.77 * down, heat.text(action), 10))
    return arrows + numbers


def _square_labels(
    rows: int, columns: int, left: float, top: float, numbered: bool, bottom_up: bool
) -> list[str]:
    names = [str(column + 1) if numbered else column_name(column) for column in range(columns)]
    parts = [label(left + (i + 0.5) * SQUARE, top - LABELS / 2, name) for i, name in enumerate(names)]
    if numbered:
        return parts
    numbers = [rows - row if bottom_up else row + 1 for row in range(rows)]
    return parts + [label(left / 2, top + (i + 0.5) * SQUARE, str(n)) for i, n in enumerate(numbers)]


def _column_heat(heat: Heat, columns: int, left: float) -> list[str]:
    parts = []
    for column in range(columns):
        x, y = left + (column + 0.5) * SQUARE, MARGIN / 2 + SQUARE * 0.4
        title = heat.title(column, str(column + 1))
        parts.append(shapes.box(x, y, SQUARE - 6, SQUARE * 0.6, heat.fill(column, shapes.PAPER), title))
        parts.append(shapes.share_label(x, y, heat.text(column)))
    return parts


def _piece(x: float, y: float, owner: int, discs: bool, is_last: bool, fills: Sequence[str]) -> str:
    if discs or owner > 1:
        radius = SQUARE * 0.4
        mark = shapes.last_mark(x, y, radius, fills[owner]) if is_last else ""
        return shapes.disc(x, y, radius, owner, fills) + mark
    return shapes.cross(x, y, SQUARE * 0.25) if owner == 0 else shapes.ring(x, y, SQUARE * 0.27)


def hex_picture(
    cells: Sequence[int],
    rows: int,
    columns: int,
    visits: npt.ArrayLike | None = None,
    last: int | None = None,
    note: str = "",
) -> str:
    """Draw a rhombus of hexagons; the first player's sides are top and bottom, the second's left and right.

    Args:
        cells: owner of each cell, row by row from the top; -1 for an empty one.
        rows: how many.
        columns: how many.
        visits: per cell (an action's id is its cell).
        last: the cell played last.
        note: a line below the board.
    """
    places = [(cell // columns, cell % columns) for cell in range(rows * columns)]
    names = [square_name(cell, rows, columns) for cell in range(rows * columns)]
    parts = _hex_sides(rows, columns) + hexagon_cells(places, names, cells, Heat(visits), last)
    parts += [
        label(*shapes.hexagon_centre(-0.95, column - 0.02), column_name(column)) for column in range(columns)
    ]
    parts += [label(*shapes.hexagon_centre(row, -0.95), str(row + 1)) for row in range(rows)]
    right, low = shapes.hexagon_centre(rows - 1, columns - 1)
    half = math.sqrt(3) / 2 * HEXAGON
    left, top = 2.4 * half + MARGIN / 2, 1.9 * HEXAGON + MARGIN / 2
    shifted = f'<g transform="translate({number(left)} {number(top)})">{"".join(parts)}</g>'
    width, height = left + right + half + MARGIN, top + low + HEXAGON + MARGIN
    return document(width, *with_note(height, width, [shifted], note))


def lattice_picture(
    places: Sequence[tuple[int, int]],
    names: Sequence[str],
    cells: Sequence[int],
    labels: Sequence[tuple[int, int, str]],
    visits: npt.ArrayLike | None = None,
    last: int | None = None,
    note: str = "",
) -> str:
    """Draw any board of hexagons, as `envs.boards.lattice_text` does, with its arguments.

    Args:
        places: row and column of each cell.
        names: of each cell.
        cells: owner of each cell; -1 for an empty one.
        labels: row and column of each name of a row or column, and the name.
        visits: per cell.
        last: the cell played last.
        note: a line below the board.
    """
    parts = hexagon_cells(places, names, cells, Heat(visits), last)
    parts += [label(*shapes.hexagon_centre(row, column), text) for row, column, text in labels]
    xs, ys = zip(*(shapes.hexagon_centre(*place) for place in places), strict=True)
    far_xs, far_ys = zip(*(shapes.hexagon_centre(*at[:2]) for at in labels), strict=True)
    half = math.sqrt(3) / 2 * HEXAGON
    left, right = min(min(xs) - half, *far_xs) - MARGIN, max(max(xs) + half, *far_xs) + MARGIN
    top, low = min(far_ys) - MARGIN, max(ys) + HEXAGON + MARGIN
    shifted = f'<g transform="translate({number(-left)} {number(-top)})">{"".join(parts)}</g>'
    return document(right - left, *with_note(low - top, right - left, [shifted], note))


def hexagon_cells(
    places: Sequence[tuple[int, int]],
    names: Sequence[str],
    cells: Sequence[int],
    heat: Heat,
    last: int | None = None,
) -> list[str]:
    """Draw hexagons at axial `places`, each with its piece or its visits; a cell's index is its action."""
    parts = []
    for cell, (place, name, owner) in enumerate(zip(places, names, cells, strict=True)):
        x, y = shapes.hexagon_centre(*place)
        if owner >= 0:
            parts += [shapes.hexagon(x, y), shapes.disc(x, y, HEXAGON * 0.66, owner)]
            parts += [shapes.last_mark(x, y, HEXAGON * 0.66)] if cell == last else []
        else:
            parts.append(shapes.hexagon(x, y, HEXAGON, heat.fill(cell), heat.title(cell, name)))
            parts.append(shapes.share_label(x, y, heat.text(cell)))
    return parts


def _hex_sides(rows: int, columns: int) -> list[str]:
    """Colour the rim; the cells, drawn later, cover the inner half of the lines.

    A side's line ends in the middle of the edge that it shares with the next side.
    """
    top = [_rim(0, column, corner) for column in range(columns) for corner in (5, 0, 1)]
    bottom = [_rim(rows - 1, column, corner) for column in range(columns) for corner in (4, 3, 2)]
    left = [_rim(row, 0, corner) for row in range(rows) for corner in (5, 4, 3)]
    right = [_rim(row, columns - 1, corner) for row in range(rows) for corner in (0, 1, 2)]
    top[-1] = right[0] = _middle(top[-2], top[-1])
    left[-1] = bottom[0] = _middle(left[-1], left[-2])
    outlines = [shapes.path(line, shapes.INK, 14) for line in (top, bottom, left, right)]
    fills = [(top, 0), (bottom, 0), (left, 1), (right, 1)]
    return outlines + [shapes.path(line, shapes.PLAYERS[player], 11.5) for line, player in fills]


def _rim(row: int, column: int, corner: int) -> tuple[float, float]:
    return shapes.hexagon_corner(*shapes.hexagon_centre(row, column), HEXAGON, corner)


def _middle(a: tuple[float, float], b: tuple[float, float]) -> tuple[float, float]:
    return (a[0] + b[0]) / 2, (a[1] + b[1]) / 2


def piles_picture(
    piles: Sequence[Sequence[tuple[int, str]]],
    visits: npt.ArrayLike | None = None,
    taken: tuple[int, int] | None = None,
) -> str:
    """Draw piles of stones, a row or more for each; a move takes a stone and all to the right of it.

    Args:
        piles: for each pile the action that takes one stone, two, and so on, and its name.
        visits: per action, shown at the leftmost stone that it takes.
        taken: the pile (from 0) of the last move and how many stones it took, shown as gaps.
    """
    gaps = [taken[1] if taken is not None and taken[0] == pile else 0 for pile in range(len(piles))]
    lengths = [len(takes) + gap for takes, gap in zip(piles, gaps, strict=True)]
    heat, parts, width = Heat(visits), [], min(PILE_WIDTH, max(1, *lengths))
    y = MARGIN + SQUARE / 2
    for pile, (takes, length) in enumerate(zip(piles, lengths, strict=True)):
        parts.append(label(LABELS / 2, y, str(pile + 1)))
        for place in range(length):
            x, down = LABELS + (place % width + 0.5) * SQUARE, place // width * SQUARE
            if place < len(takes):
                parts += _pile_stone(x, y + down, *takes[len(takes) - 1 - place], heat)
            else:
                parts.append(shapes.gap(x, y + down, SQUARE * 0.36))
        y += SQUARE * max(1, math.ceil(length / width)) + MARGIN / 2
    return document(LABELS + width * SQUARE + MARGIN, y - SQUARE / 2 + MARGIN / 2, parts)


def _pile_stone(x: float, y: float, action: int, name: str, heat: Heat) -> list[str]:
    parts = [shapes.square(x, y, SQUARE, heat.fill(action), heat.title(action, name))]
    parts.append(shapes.disc(x, y, SQUARE * 0.36, 1, shapes.STONES))
    return [*parts, shapes.share_label(x, y, heat.text(action))]


def text_picture(text: str) -> str:
    """Draw a board that is only text, in a fixed-width font, line by line."""
    lines = text.split("\n")
    width = max(len(line) for line in lines) * 9.7 + 2 * MARGIN
    lines_at = [(MARGIN + 15 + 20 * i, escape(line)) for i, line in enumerate(lines)]
    rows = [f'<text x="{MARGIN}" y="{y}" xml:space="preserve">{line}</text>' for y, line in lines_at]
    style = f'font-family="{MONOSPACE}" font-size="16" fill="{shapes.INK}" text-anchor="start"'
    group = f"<g {style}>{''.join(rows)}</g>"
    return document(width, 20 * len(lines) + 2 * MARGIN, [group])


def to_pixels(svg: str, zoom: float = 1.0) -> npt.NDArray[np.uint8]:
    """Turn a picture into uint8[height, width, 3].

    Raises:
        RuntimeError: where the packages for it are not installed.
    """
    try:
        from PIL import Image
        from resvg_py import svg_to_bytes
    except ImportError as error:
        raise RuntimeError(
            f"pictures as pixels need the package {error.name}: pip install 'game-ai-arena[pictures]'"
        ) from error
    png: Any = svg_to_bytes(svg_string=svg, background="#ffffff", zoom=zoom)
    return np.array(Image.open(io.BytesIO(bytes(png))).convert("RGB"), np.uint8)
