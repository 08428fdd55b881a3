"""Boards as text: what the games share to name their cells and to draw themselves in a terminal.

Cells are listed row by row from the top; an owner is a player's index, or -1 for an empty cell.
Pictures are in `envs.pictures`; no game's rules are here.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from envs.actions import ActionError

SYMBOLS = "XO#*"
"""How the players' pieces look in a terminal, by player."""
EMPTY = "."
NEXT_TO_NOTHING = "<1"
"""How a share below 1% is written, in per cent."""
_CELL = re.compile(r"([a-z]+)([1-9][0-9]*)")


def column_name(index: int) -> str:
    """Name a column: a to z, then aa, ab, …"""
    name = chr(ord("a") + index % 26)
    return name if index < 26 else column_name(index // 26 - 1) + name


@functools.lru_cache(maxsize=4096)
def square_name(cell: int, rows: int, columns: int, bottom_up: bool = False) -> str:
    """Name a cell by column and row, as `c2`; rows count from the top, or `bottom_up`."""
    row, column = divmod(cell, columns)
    return f"{column_name(column)}{rows - row if bottom_up else row + 1}"


def parse_cell(game: str, text: str, rows: int, columns: int, bottom_up: bool = False) -> int:
    """Read a name as `square_name` writes it, in either case.

    Raises:
        ActionError: for anything else.
    """
    match = _CELL.fullmatch(text.strip().lower())
    row, column = (int(match[2]) - 1, _column_index(match[1])) if match else (rows, columns)
    if row >= rows or column >= columns:
        last = f"{column_name(columns - 1)}{rows}"
        raise ActionError(game, text, "no cell of this board", f"a1 to {last}")
    return (rows - 1 - row if bottom_up else row) * columns + column


def _column_index(name: str) -> int:
    index = 0
    for letter in name:
        index = index * 26 + ord(letter) - ord("a") + 1
    return index - 1


def owners(places: Iterable[tuple[int, int]], first: Sequence[Any], second: Sequence[Any]) -> list[int]:
    """Return the owner of each place (row and column) from the players' rows of bits, a bit a column."""
    held = ((int(first[row]) >> column & 1, int(second[row]) >> column & 1) for row, column in places)
    return [0 if one else 1 if other else -1 for one, other in held]


def planes(
    cells: Sequence[int],
    player: int,
    rows: int,
    columns: int,
    places: Sequence[tuple[int, int]] | None = None,
) -> npt.NDArray[np.int8]:
    """Return int8[rows, columns, 2]: the cells of the player, those of the opponent.

    Args:
        cells: owner of each cell.
        player: who looks.
        rows: how many.
        columns: how many.
        places: row and column of each cell, where not every place is one.
    """
    board = np.full((rows, columns), -1)
    if places is None:
        board[:] = np.reshape(cells, (rows, columns))
    else:
        board[tuple(np.transpose(places))] = cells
    return np.stack([board == player, board == 1 - player], axis=-1).astype(np.int8)


def shares(visits: npt.ArrayLike) -> npt.NDArray[np.float64]:
    """Return each action's share of all visits; all 0 where there are none."""
    counts = np.asarray(visits, np.float64)
    total = counts.sum()
    return counts / total if total > 0 else np.zeros_like(counts)


def per_cent(share: float) -> str:
    """Write a share in at most three characters: nothing for 0, then `<1`, then whole per cents."""
    if share <= 0:
        return ""
    return NEXT_TO_NOTHING if share < 0.01 else f"{100 * share:.0f}"


def square_text(
    cells: Sequence[int],
    rows: int,
    columns: int,
    visits: npt.ArrayLike | None = None,
    column_visits: npt.ArrayLike | None = None,
    numbered: bool = False,
    bottom_up: bool = False,
) -> str:
    """Draw a board of squares.

    Args:
        cells: owner of each cell.
        rows: how many.
        columns: how many.
        visits: per cell (an action's id is its cell); empty cells show their share in per cent.
        column_visits: per column, shown above the board.
        numbered: the columns are numbered from 1 and the rows have no names.
        bottom_up: row 1 is at the bottom.
    """
    width = 2 if visits is None and column_visits is None else 4
    margin = 0 if numbered else len(str(rows))
    lines = [" " * margin + _fields(_column_labels(columns, numbered), width)]
    if column_visits is not None:
        percents = [per_cent(share) for share in shares(column_visits)[:columns]]
        lines.insert(0, " " * margin + _fields(percents, width))
    marks = _marks(cells, visits)
    for row in range(rows):
        name = "" if numbered else str(rows - row if bottom_up else row + 1)
        lines.append(name.rjust(margin) + _fields(marks[row * columns : (row + 1) * columns], width))
    return "\n".join(line.rstrip() for line in lines)


def hex_text(cells: Sequence[int], rows: int, columns: int, visits: npt.ArrayLike | None = None) -> str:
    """Draw a rhombus of hexagons: each row stands half a cell right of the one above.

    Args:
        cells: owner of each cell.
        rows: how many.
        columns: how many.
        visits: per cell (an action's id is its cell); empty cells show their share in per cent.
    """
    width = 2 if visits is None else 4
    margin = len(str(rows))
    # Half a cell left of row 1, on the line that the column itself runs along.
    lines = [" " * margin + _fields(_column_labels(columns, False), width)[width // 2 :]]
    marks = _marks(cells, visits)
    for row in range(rows):
        indent = " " * (row * width // 2)
        line = _fields(marks[row * columns : (row + 1) * columns], width)
        lines.append(indent + str(row + 1).rjust(margin) + line)
    return "\n".join(line.rstrip() for line in lines)


def lattice_text(
    places: Sequence[tuple[int, int]],
    cells: Sequence[int],
    labels: Sequence[tuple[int, int, str]],
    visits: npt.ArrayLike | None = None,
    note: str = "",
) -> str:
    """Draw any board of hexagons, each row half a cell right of the one above for the same column.

    Args:
        places: row and column of each cell.
        cells: owner of each cell.
        labels: row and column of each name of a row or column, and the name.
        visits: per cell; empty cells show their share in per cent.
        note: a line below the board.
    """
    width = 2 if visits is None else 4
    texts = [(*place, mark) for place, mark in zip(places, _marks(cells, visits), strict=True)]
    ends = [(row, (2 * column + row) * width // 2, text) for row, column, text in [*texts, *labels]]
    first = min(end - len(text) for _, end, text in ends)
    lines: dict[int, str] = {}
    for row, end, text in sorted(ends):
        lines[row] = lines.get(row, "").ljust(end - first - len(text)) + text
    return "\n".join([*(lines[row] for row in sorted(lines)), *filter(None, [note])])


def action_note(name: str, visits: npt.ArrayLike | None, action: int) -> str:
    """Return a line that tells the share of an action that has no cell, as `pass: 75%`; "" for none."""
    share = 0.0 if visits is None else float(shares(visits)[action])
    return f"{name}: {per_cent(share)}%" if share > 0 else ""


def _column_labels(columns: int, numbered: bool) -> list[str]:
    return [str(column + 1) if numbered else column_name(column) for column in range(columns)]


def _marks(cells: Sequence[int], visits: npt.ArrayLike | None) -> list[str]:
    part: Any = shares(visits) if visits is not None else np.zeros(len(cells))
    return [SYMBOLS[owner] if owner >= 0 else per_cent(part[i]) or EMPTY for i, owner in enumerate(cells)]


def _fields(texts: Sequence[str], width: int) -> str:
    return "".join(text.rjust(width) for text in texts)
