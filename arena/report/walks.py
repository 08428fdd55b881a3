"""A recorded walk of minimax: the data that `static/walk.js` replays, and the whole tree where it is small.

How trees are laid out is in `arena.report.tidy`; which searches are shown, in `arena.report.searches`.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy.typing as npt
from markupsafe import Markup

from arena.report.figures import signed
from arena.report.positions import after
from arena.report.tidy import LETTER, ROW, box, heights, letters, link, look, parents, shortened, svg, text
from arena.results.replay import action_name

MOST = 7_500
"""Nodes of a walk that is replayed: half the events of the longest that `minimax` records."""
LEAVES, AT_ONCE = 32, 500
"""A tree with more leaves or nodes is too large to be seen at once."""
_DIGITS = 4
"""Of a value behind the point: a replay shows no more, and most of its data would be values."""
_MARK, _VALUE = 22.0, 40.0
"""Pixels of a box's parts beside its name: whose turn, value."""
_GAP = 26.0
"""Pixels between two levels."""
_TURNS = {"max": "▲", "min": "▼", "": "■"}


@dataclass(frozen=True)
class Node:
    """A node of the walk.

    Attributes:
        level: 0 for the root.
        name: of the move into it; "" at the root.
        turn: "max" or "min"; "" where the game is over.
        value: for the player who searched.
    """

    level: int
    name: str
    turn: str
    value: float


@dataclass(frozen=True)
class Walk:
    """What is shown of a walk.

    Attributes:
        sentence: how large it was, and what it found.
        data: the nodes in the order in which they were entered, for the script.
        picture: the tree after the walk, as an SVG element; None where it is too large.
    """

    sentence: str
    data: dict[str, Any]
    picture: Markup | None


def draw(rules: Any, state: npt.NDArray[Any], search: Mapping[str, Any], played: int) -> Walk:
    """Draw a search of kind "walk" at `state`, from which `played` was the move.

    Raises:
        ValueError: for a walk too long to be replayed.
    """
    entered = sum(event["event"] == "enter" for event in search["events"])
    if entered > MOST:
        raise ValueError(f"a walk of {entered:,} nodes: there may be {MOST:,}")
    found = nodes(rules, state, search["events"])
    leaves = sum(node.turn == "" for node in found)
    is_small = leaves <= LEAVES and len(found) <= AT_ONCE
    name = action_name(rules, state, played)
    sentence = (
        f"{len(found):,} nodes, {leaves:,} of them ends of the game; the position is worth "
        f"{worth(found[0].value)} to the searcher, and {name} was played."
    )
    return Walk(sentence, _data(found), _picture(found) if is_small else None)


def nodes(rules: Any, state: npt.NDArray[Any], events: Sequence[Mapping[str, Any]]) -> list[Node]:
    """Return the nodes of a walk (`agents.depth_first.trace`) in the order in which they were entered."""
    path, entered = [state], list[tuple[int, str, str]]()
    values, last = dict[int, float](), dict[int, int]()
    for event in events:
        level = event["ply"]
        if event["event"] != "enter":
            values[last[level]] = _finite(event["value"])
            continue
        name = ""
        if level:
            del path[level:]
            name, below = after(rules, path[-1], event["action"])
            path.append(below)
        last[level] = len(entered)
        entered.append((level, name, event["turn"] or ""))
    return [Node(*node, values[index]) for index, node in enumerate(entered)]


def _finite(value: Any) -> float:
    """Return a value as a number; one that JSON cannot hold would keep the script from all other walks."""
    number = float(value)
    if not math.isfinite(number):
        raise ValueError(f"{value!r} is no value")
    return number


def _data(found: Sequence[Node]) -> dict[str, Any]:
    """Return the columns of the nodes, short: names are places in a list, "M" is max, "m" min."""
    names = list(dict.fromkeys(node.name for node in found))
    place = {name: index for index, name in enumerate(names)}
    return {
        "names": names,
        "name": [place[node.name] for node in found],
        "level": [node.level for node in found],
        "turn": "".join({"max": "M", "min": "m", "": "."}[node.turn] for node in found),
        "value": [_short(node.value) for node in found],
    }


def _short(value: float) -> float:
    return int(value) if value.is_integer() else round(value, _DIGITS)


def _picture(found: Sequence[Node]) -> Markup:
    levels = [node.level for node in found]
    width = _MARK + LETTER * letters(["root", *(node.name for node in found)]) + _VALUE
    xs, ys = [1 + level * (width + _GAP) for level in levels], heights(levels)
    boxes = [_box(*each, width) for each in zip(range(len(found)), found, xs, ys, strict=True)]
    parts = _edges(found, xs, ys, width) + boxes
    return svg("walk-tree", "tree of the walk", max(xs) + width + 1, max(ys) + ROW / 2, parts)


def _edges(found: Sequence[Node], xs: Sequence[float], ys: Sequence[float], width: float) -> list[str]:
    """Draw the edge to each node but the root; of siblings, the first with the best value carried it up."""
    above, edges, carried = parents([node.level for node in found]), [], set()
    for node, up in list(enumerate(above))[1:]:
        best = up not in carried and found[node].value == found[up].value
        kind = "edge carried" if best else "edge"
        data = link(xs[up] + width, ys[up], xs[node], ys[node])
        edges.append(f'<path {look(kind, found[node].value)} data-node="{node}" d="{data}"/>')
        carried |= {up} if best else set()
    return edges


def _box(index: int, node: Node, x: float, y: float, width: float) -> str:
    title = f"{node.name or 'root'}: {node.turn or 'the game is over'}, value {worth(node.value)}"
    parts = [
        text(_MARK / 2, _TURNS[node.turn], "turn"),
        text(_MARK, shortened(node.name) or "root", "name"),
        text(width - 6, worth(node.value), "value"),
    ]
    return box(f'{look("node", node.value)} data-node="{index}"', title, x, y, width, parts)


def worth(value: float) -> str:
    """Write a value as short as it is exact, to two digits; 0 has no sign."""
    return signed(value, 0 if value.is_integer() else 2) if value else "0"
