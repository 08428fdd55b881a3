"""The first levels of a recorded search tree as a picture: edges as thick as their visits, coloured by value.

How trees are laid out is in `arena.report.tidy`; which searches are shown, in `arena.report.searches`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy.typing as npt
from markupsafe import Markup

from arena.report.figures import signed
from arena.report.positions import after
from arena.report.tidy import (
    HEIGHT,
    LETTER,
    ROW,
    box,
    heights,
    letters,
    link,
    look,
    parents,
    shortened,
    svg,
    text,
)
from arena.results.replay import action_name
from envs.shapes import number

MOST = 500
"""Nodes of a tree that is drawn; an agent of the user's own may record any number."""
_MARK, _VISITS, _VALUE = 22.0, 50.0, 60.0
"""Pixels of a box's parts beside its name: whose move, visits, value."""
_GAP = 44.0
"""Pixels between two levels."""
_ROOT = "root"


@dataclass(frozen=True)
class Tree:
    """What is shown of a tree: one sentence, and an SVG element."""

    sentence: str
    picture: Markup


@dataclass(frozen=True)
class _Branch:
    """What stands at a place of the picture.

    Attributes:
        level: 0 for the root.
        moves: names of the moves that lead to it.
        seat: who made the last of them; at the root, who searched.
        node: as recorded (`agents.mcts.tree_record`).
        on_line: whether it is the move that was played, or the answer most looked at.
    """

    level: int
    moves: tuple[str, ...]
    seat: int
    node: Mapping[str, Any]
    on_line: bool = False


def draw(rules: Any, state: npt.NDArray[Any], search: Mapping[str, Any], played: int) -> Tree:
    """Draw a search of kind "tree" at `state`, from which `played` was the move.

    Raises:
        ValueError: for a tree too large to be drawn.
    """
    name, root = action_name(rules, state, played), search["root"]
    branches = list(_branches(rules, state, _Branch(0, (), root["player"], root), played))
    if len(branches) > MOST:
        raise ValueError(f"a tree of {len(branches):,} nodes: there may be {MOST}")
    return Tree(_sentence(search, played, name), _picture(branches))


def _sentence(search: Mapping[str, Any], played: int, name: str) -> str:
    root, trees = search["root"], search["trees"]
    total = f"{root['visits']:,} visits" + (f" in {trees} trees" if trees > 1 else "")
    chosen = next((node for node in root["children"] if node["action"] == played), None)
    if chosen is None:
        return f"{total}; {name} was played, which is not among the most visited."
    share = chosen["visits"] / max(1, root["visits"])
    worth = "" if chosen["value"] is None else f", worth {signed(chosen['value'], 2)}"
    return f"{total}, {share:.0%} of them on {name}, which was played{worth}."


def _branches(rules: Any, state: npt.NDArray[Any], here: _Branch, chosen: int | None) -> Iterator[_Branch]:
    """Yield `here` and all below it, in preorder; `chosen` is the action by which the line goes on."""
    yield here
    for child in here.node["children"]:
        name, below = after(rules, state, child["action"])
        on_line = child["action"] == chosen
        branch = _Branch(here.level + 1, (*here.moves, name), here.node["player"], child, on_line)
        yield from _branches(rules, below, branch, _answer(child) if on_line else None)


def _answer(node: Mapping[str, Any]) -> int | None:
    """Return the action of the child most visited."""
    best = max(node["children"], key=lambda child: child["visits"], default=None)
    return None if best is None else int(best["action"])


def _picture(branches: Sequence[_Branch]) -> Markup:
    levels = [branch.level for branch in branches]
    names = letters([_ROOT, *(branch.moves[-1] for branch in branches if branch.moves)])
    width = _MARK + LETTER * names + _VISITS + _VALUE
    xs, ys = [1 + level * (width + _GAP) for level in levels], heights(levels)
    boxes = [_box(*each, width) for each in zip(branches, xs, ys, strict=True)]
    parts = _edges(branches, xs, ys, width) + boxes
    return svg("search-tree", "search tree", max(xs) + width + 1, max(ys) + ROW / 2, parts)


def _edges(branches: Sequence[_Branch], xs: Sequence[float], ys: Sequence[float], width: float) -> list[str]:
    """Draw the edge to each node but the root, as thick as its visits; the root's are together as its box.

    Those of one node leave it side by side.
    """
    above = parents([branch.level for branch in branches])
    together = sum(branch.node["visits"] for branch in branches if branch.level == 1)
    widths = [max(1.0, HEIGHT * branch.node["visits"] / max(1, together)) for branch in branches]
    starts = list(ys)
    for up, thick in zip(above[1:], widths[1:], strict=True):
        starts[up] -= thick / 2
    edges = []
    for branch, up, thick, x, y in list(zip(branches, above, widths, xs, ys, strict=True))[1:]:
        data = link(xs[up] + width, starts[up] + thick / 2, x, y)
        edges.append(
            f'<path {look("edge", branch.node["value"])} d="{data}" stroke-width="{number(thick)}"/>'
        )
        starts[up] += thick
    return edges


def _box(branch: _Branch, x: float, y: float, width: float) -> str:
    node, name = branch.node, shortened(branch.moves[-1]) if branch.moves else _ROOT
    parts = [
        f'<circle cx="{_MARK / 2:g}" r="7.5"/>',
        text(_MARK / 2, str(branch.seat + 1), "seat"),
        text(_MARK, name, "name"),
        text(width - _VALUE, _count(node["visits"]), "visits"),
        text(width - 6, _value(node), "value"),
    ]
    if node["others"]:
        parts.append(text(width - 6, f"+ {node['others']:,} more", "more", 17))
    kind = "node line" if branch.on_line else "node"
    return box(look(kind, node["value"]), _title(branch), x, y, width, parts)


def _title(branch: _Branch) -> str:
    """Tell a node in full: the moves to it, exact figures, and whose they are."""
    node, moves = branch.node, " ".join(branch.moves) or _ROOT
    value = "no value" if node["value"] is None else f"value {signed(node['value'], 4)}"
    proven = ", proven" if node["proven"] else ""
    return f"{moves}: {node['visits']:,} visits, {value} for seat {branch.seat + 1}{proven}"


def _count(visits: int) -> str:
    return f"{visits:,}" if visits < 100_000 else f"{visits / 1000:,.0f}k"


def _value(node: Mapping[str, Any]) -> str:
    return "" if node["value"] is None else ("✓ " if node["proven"] else "") + signed(node["value"], 2)
