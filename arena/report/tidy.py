"""Trees drawn from left to right: where their boxes stand, what is written in them, and the links between.

A tree is a list of levels in preorder: 0 for the root, and a node's children follow it, one level further.
What stands at its nodes is the business of `arena.report.trees` and `arena.report.walks`, colours that of
`static/searches.css`.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape

from markupsafe import Markup

from envs.shapes import number

ROW, HEIGHT = 25.0, 20.0
"""Pixels from row to row, and from the top to the bottom of a box."""
LETTER = 7.4
"""Pixels that a letter of a name takes."""
_LETTERS = 10
"""Longer names are cut short; the pointer tells them whole."""


def parents(levels: Sequence[int]) -> list[int]:
    """Return every node's parent; -1 for the root."""
    above, last = [], dict[int, int]()
    for node, level in enumerate(levels):
        above.append(last[level - 1] if level else -1)
        last[level] = node
    return above


def heights(levels: Sequence[int]) -> list[float]:
    """Return the pixels from the top to every node: leaves below each other, parents midway between children.

    So no two boxes of a level meet, for every leaf has a row of its own. Tidier trees (E. Reingold and
    J. Tilford, 1981) take fewer rows, and more than a few lines.
    """
    children: list[list[int]] = [[] for _ in levels]
    for node, parent in enumerate(parents(levels)):
        if parent >= 0:
            children[parent].append(node)
    leaves = [node for node, below in enumerate(children) if not below]
    ys = [0.0] * len(levels)
    for row, leaf in enumerate(leaves):
        ys[leaf] = (row + 0.5) * ROW
    for node in reversed(range(len(levels))):
        if below := children[node]:
            ys[node] = (ys[below[0]] + ys[below[-1]]) / 2
    return ys


def letters(names: Iterable[str]) -> int:
    """Return how many letters the longest of these names shows."""
    return min(_LETTERS, max(map(len, names), default=0))


def shortened(name: str) -> str:
    """Return what is shown of a name."""
    return name if len(name) <= _LETTERS else name[: _LETTERS - 1] + "…"


def box(look: str, title: str, x: float, y: float, width: float, parts: Iterable[str]) -> str:
    """Draw a box whose left side has its middle at (x, y), the origin of its parts.

    Args:
        look: attributes (`look`).
        title: what the pointer tells.
        x, y, width: in pixels.
        parts: what stands in it.
    """
    place, top = f'transform="translate({number(x)} {number(y)})"', number(-HEIGHT / 2)
    frame = f'<rect y="{top}" width="{number(width)}" height="{number(HEIGHT)}" rx="6"/>'
    return f"<g {look} {place}><title>{escape(title)}</title>{frame}{''.join(parts)}</g>"


def link(x: float, y: float, to_x: float, to_y: float) -> str:
    """Return the data of a path from one place to the other, level at both of its ends."""
    middle = number((x + to_x) / 2)
    start, end = f"{number(x)} {number(y)}", f"{number(to_x)} {number(to_y)}"
    return f"M{start}C{middle} {number(y)} {middle} {number(to_y)} {end}"


def text(x: float, words: str, kind: str, y: float = 0) -> str:
    """Write words, escaped, with their middle at height `y`; their CSS class `kind` says what x is."""
    return f'<text class="{kind}" x="{number(x)}" y="{number(y + 4)}">{escape(words)}</text>'


def look(kind: str, value: float | None) -> str:
    """Return the attributes of something of CSS class `kind` that is coloured by a value in [-1, 1]."""
    side = "" if not value else " win" if value > 0 else " loss"
    return f'class="{kind}{side}" style="--part: {abs(value or 0):.0%}"'


def svg(kind: str, label: str, width: float, height: float, parts: Iterable[str]) -> Markup:
    """Join parts into a picture of CSS class `kind`, named `label` for those who do not see it."""
    w, h = number(width), number(height)
    size = f'viewBox="0 0 {w} {h}" width="{w}" height="{h}"'
    head = f'<svg xmlns="http://www.w3.org/2000/svg" class="{kind}" {size} role="img" aria-label="{label}">'
    return Markup(f"{head}{''.join(parts)}</svg>")
