"""The tables and the picture of docs/root-parallel.md, made of what its leagues print: a script.

    python docs/root_parallel.py speedup.json total.json merge.json greedy.json uct_c.json

Prints the tables and writes the picture, of the first file with single trees and several, beside this one.

Every Elo and every interval is the league's own; only the strength speed-up is computed here.
"""

from __future__ import annotations

import itertools
import json
import math
import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

Elo = tuple[float, float]
"""An estimate, and half the width of its 95% interval."""


def main() -> None:
    """Print the tables of every file named, and draw the first that can be."""
    runs = [json.loads(Path(file).read_text())["games"] for file in sys.argv[1:]]
    for game in itertools.chain.from_iterable(runs):
        print("\n".join(_standings(game)), end="\n\n")
        if "1x16000" in ratings(game):
            print("\n".join(_speedups(game)), end="\n\n")
    drawn = [games for games in runs if "1x16000" in ratings(games[0])]
    if drawn:
        Path(__file__).with_name("root-parallel.svg").write_text(picture(drawn[0]))


def ratings(game: Mapping[str, Any]) -> dict[str, Elo]:
    """Return the joint fit of a game's standings by agent, best first."""
    return {line["agent"]: (line["elo"]["value"], line["elo"]["error"]) for line in game["standings"]}


def speedup(single: Mapping[int, Elo], trees: Elo) -> tuple[float, float, float]:
    """Return how many times its simulations a single tree needs to be as strong as `trees`.

    Chaslot et al. (2008) call this the strength speed-up, for time. The strength of a single tree lies on
    straight lines between those that played, over the logarithm of simulations.

    Args:
        single: ratings of single trees, by simulations. The fewest count as once.
        trees: the rating of several trees.

    Returns:
        The estimate and its approximate 95% interval, for which the errors of `trees` and of the line at
        its height are taken as independent. Infinite is more than any of them had.
    """
    doublings = np.log2(np.array(sorted(single)) / min(single))
    elos, errors = np.array([single[count] for count in sorted(single)]).T

    def needed(elo: float) -> float:
        """Return the doublings after which the line first is at `elo`."""
        if elo <= elos[0] or elo > elos.max():
            return 0.0 if elo <= elos[0] else math.inf
        there = int(np.argmax(elos >= elo))
        return float(np.interp(elo, elos[there - 1 : there + 1], doublings[there - 1 : there + 1]))

    middle = needed(trees[0])
    error = math.hypot(trees[1], float(np.interp(middle, doublings, errors)))
    low, high = needed(trees[0] - error), needed(trees[0] + error)
    return 2**middle, 2**low, 2**high


def _standings(game: Mapping[str, Any]) -> Iterator[str]:
    agents = list(ratings(game))
    cells = {(cell["agent"], cell["opponent"]): cell for cell in game["crosstable"]}
    yield f"### {game['game']}, {game['played']:,} games, {game['distinct']:,} of them different"
    yield ""
    yield f"| agent | Elo | {' | '.join(f'against {agent}' for agent in agents)} |"
    yield f"| --- | --- |{' --- |' * len(agents)}"
    for agent, (value, error) in ratings(game).items():
        results = (cells.get((agent, opponent)) for opponent in agents)
        told = (f"{cell['wins']}-{cell['draws']}-{cell['losses']}" if cell else "" for cell in results)
        yield f"| {agent} | {value:+.0f} ± {error:.0f} | {' | '.join(told)} |"


def _speedups(game: Mapping[str, Any]) -> Iterator[str]:
    rated = ratings(game)
    single = {int(name[2:]): elo for name, elo in rated.items() if name.startswith("1x")}
    yield "| trees | strength speed-up | 95% interval |"
    yield "| --- | --- | --- |"
    for trees in (2, 4, 8):
        value, low, high = speedup(single, rated[f"{trees}x1000"])
        yield f"| {trees} | {_times(value)} | {_times(low)} to {_times(high)} |"


def _times(factor: float) -> str:
    return f"{factor:.1f}" if math.isfinite(factor) else "over 16"


_WIDE, _HIGH, _STEP = 360, 280, 60
"""Pixels: a panel's width and height, and a doubling of simulations."""


def picture(games: Sequence[Mapping[str, Any]]) -> str:
    """Return an SVG of Elo by simulations, a panel a game: one tree, and trees of 1,000 simulations each."""
    panels = (_panel(game, index * _WIDE) for index, game in enumerate(games))
    size = f'width="{_WIDE * len(games)}" height="{_HIGH}" viewBox="0 0 {_WIDE * len(games)} {_HIGH}"'
    style = 'font-family="sans-serif" font-size="12" style="background: white"'
    return f'<svg xmlns="http://www.w3.org/2000/svg" {size} {style}>\n' + "\n".join(panels) + "\n</svg>\n"


def _panel(game: Mapping[str, Any], left: int) -> str:
    rated = ratings(game)
    lines = [
        f'<g transform="translate({left} 0)">',
        _text(190, 18, f"{game['game']}: Elo", "black", "middle"),
    ]
    for elo in range(-200, 201, 100):
        name = f"{elo:+d}" if elo else "0"
        lines.append(f'<path d="M50 {_y(elo)}H340" stroke="#ddd"/>{_text(44, _y(elo) + 4, name)}')
    for doubling in range(5):
        lines.append(_text(70 + _STEP * doubling, 262, f"{2**doubling},000", "#555", "middle"))
    lines.append(_text(190, 276, "simulations a move, all trees together", "#555", "middle"))
    single = [rated[f"1x{2**doubling * 1000}"] for doubling in range(5)]
    several = [rated[f"{2**doubling}x1000"] for doubling in range(4)]
    lines += [_series(single, "#1f5fa8"), _text(330, _y(single[-1][0]) - 14, "one tree", "#1f5fa8")]
    lines += [_series(several, "#c2571a"), _text(270, _y(several[-1][0]) + 34, "1,000 a tree", "#c2571a")]
    return "\n".join([*lines, "</g>"])


def _series(elos: Sequence[Elo], colour: str) -> str:
    """Draw a line through the estimates, with their intervals."""
    at = [(70 + _STEP * doubling, value, error) for doubling, (value, error) in enumerate(elos)]
    line = "L".join(f"{x} {_y(value)}" for x, value, _ in at)
    bars = "".join(f"M{x} {_y(value - error)}V{_y(value + error)}" for x, value, error in at)
    return f'<path d="M{line}{bars}" stroke="{colour}" stroke-width="2" fill="none"/>'


def _y(elo: float) -> float:
    return round(140 - elo * 0.4, 1)


def _text(x: float, y: float, text: str, colour: str = "#555", anchor: str = "end") -> str:
    return f'<text x="{x}" y="{y}" fill="{colour}" text-anchor="{anchor}">{text}</text>'


if __name__ == "__main__":
    main()
