"""Boards whose stones stand where lines cross: names of the points, text and SVG.

Points are listed row by row from the top; columns are lettered without I, rows numbered from the bottom.
Boards of squares are in `envs.boards` and `envs.pictures`; no game's rules are here.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy.typing as npt

from envs import shapes
from envs.actions import ActionError
from envs.boards import EMPTY, SYMBOLS, action_note, per_cent, shares
from envs.shapes import (
    MARGIN,
    SQUARE,
    STONES,
    Heat,
    box,
    disc,
    document,
    label,
    last_mark,
    path,
    share_label,
    with_note,
)

LETTERS = "ABCDEFGHJKLMNOPQRST"
_LABELS = 30.0
"""Room for the names of rows or columns, between them and the first line."""


def point_name(point: int, size: int) -> str:
    """Name a point by column and row, as `D4`."""
    row, column = divmod(point, size)
    return f"{LETTERS[column]}{size - row}"


def parse_point(game: str, text: str, size: int) -> int:
    """Read a point's name, or `pass` as `size * size`, in either case.

    Raises:
        ActionError: for anything else.
    """
    names = {point_name(point, size): point for point in range(size * size)} | {"PASS": size * size}
    name = text.strip().upper()
    if name not in names:
        last = point_name(size - 1, size)
        raise ActionError(game, text, "no point of this board", f"A1 to {last} (no I), pass")
    return names[name]


def points_text(cells: Sequence[int], size: int, visits: npt.ArrayLike | None = None) -> str:
    """Draw the board, as `envs.boards.square_text` does; a share of visits for the pass stands below."""
    width, margin = 2 if visits is None else 4, len(str(size))
    part = [0.0] * (size * size + 1) if visits is None else shares(visits).tolist()
    marks = [SYMBOLS[owner] if owner >= 0 else per_cent(part[i]) or EMPTY for i, owner in enumerate(cells)]
    lines = [" " * margin + "".join(letter.rjust(width) for letter in LETTERS[:size])]
    for row in range(size):
        line = "".join(mark.rjust(width) for mark in marks[row * size : (row + 1) * size])
        lines.append(str(size - row).rjust(margin) + line)
    return "\n".join([*lines, *filter(None, [action_note("pass", visits, size * size)])])


def points_picture(
    cells: Sequence[int], size: int, visits: npt.ArrayLike | None = None, last: int | None = None
) -> str:
    """Draw the board with black and white stones.

    Args:
        cells: owner of each point, row by row from the top; -1 for an empty one.
        size: points a side.
        visits: per action: the points, then the pass, which is shown below the board.
        last: the point played last, or `size * size` for a pass, which is told below the board.
    """
    heat, first = Heat(visits), _LABELS + SQUARE / 2
    parts = _grid(size, first)
    for point, owner in enumerate(cells):
        x, y = first + point % size * SQUARE, first + point // size * SQUARE
        if owner >= 0:
            parts.append(disc(x, y, SQUARE * 0.46, owner, STONES))
            parts += [last_mark(x, y, SQUARE * 0.46, STONES[owner])] if point == last else []
        elif heat.share(point) > 0:
            side, title = SQUARE * 0.74, heat.title(point, point_name(point, size))
            parts += [box(x, y, side, side, heat.fill(point), title), share_label(x, y, heat.text(point))]
    low = _LABELS + size * SQUARE
    notes = ["last move: pass" if last == size * size else "", action_note("pass", visits, size * size)]
    return document(
        low + MARGIN, *with_note(low + MARGIN, low + MARGIN, parts, ", ".join(filter(None, notes)))
    )


def _grid(size: int, first: float) -> list[str]:
    """Draw the ground, the lines, the star points and the names of columns and rows."""
    ends = (first, first + (size - 1) * SQUARE)
    middle, side = sum(ends) / 2, size * SQUARE
    parts = [box(middle, middle, side, side, shapes.CELL)]
    for i in range(size):
        at = first + i * SQUARE
        parts += [path([(at, ends[0]), (at, ends[1])], shapes.LINE, 1)] if size > 1 else []
        parts += [path([(ends[0], at), (ends[1], at)], shapes.LINE, 1)] if size > 1 else []
        parts += [label(at, _LABELS / 2, LETTERS[i]), label(_LABELS / 2, at, str(size - i))]
    for row, column in _stars(size):
        x, y = first + column * SQUARE, first + row * SQUARE
        parts.append(f'<circle cx="{x:g}" cy="{y:g}" r="4" fill="{shapes.LINE}"/>')
    return parts


def _stars(size: int) -> list[tuple[int, int]]:
    """List the points that boards mark: on the third or fourth lines, and in the middle of odd boards."""
    if size < 7:
        return [(size // 2, size // 2)] if size % 2 and size > 3 else []
    near = 2 if size < 12 else 3
    lines = [near, size - 1 - near]
    middle = [size // 2] if size % 2 else []
    corners = [(row, column) for row in lines for column in lines]
    if size < 15:
        return corners + [(i, i) for i in middle]
    sides = [(i, j) for i in middle for j in lines] + [(i, j) for i in lines for j in middle]
    return corners + sides + [(i, i) for i in middle]
