"""The list of all games, to be filtered and leafed through by `static/games.js`; each leads to its replay.

How single games are replayed is in `arena.report.replays`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from arena.records import GameRecord
from arena.results.show import Row, game_row

LISTED = 100
"""Games in the list that is read without scripts."""


class Games:
    """Takes the games of a run, of all games of the league."""

    def __init__(self) -> None:
        self.rows: list[Row] = []

    def add(self, record: GameRecord) -> None:
        """Take a game; they come by number."""
        self.rows.append(game_row(record))

    def view(self, slugs: Mapping[str, str]) -> Any:
        """Return the list as tables for the script, and its beginning as rows for the template.

        Args:
            slugs: what links call the games of the league, by label.
        """
        places = _distinct(slugs)
        labels = _distinct(label for row in self.rows for label in row["players"])
        endings = _distinct(row["termination"] for row in self.rows)
        tables = {
            "games": [[label, slug] for label, slug in slugs.items()],
            "agents": list(labels),
            "endings": list(endings),
            "rows": [_packed(row, places, labels, endings) for row in self.rows],
        }
        first = [{**row, "score": score(row["returns"])} for row in self.rows[:LISTED]]
        return {"tables": tables, "first": first, "count": len(self.rows)}


def score(returns: Sequence[float]) -> str:
    """Write a result as `static/games.js` does: as points where it is a win, a draw or a loss of two."""
    points = {1: "1", 0: "½", -1: "0"}
    if len(returns) == 2 and all(utility in points for utility in returns):
        return "–".join(points[int(utility)] for utility in returns)
    return "  ".join(f"{utility:g}" for utility in map(_rounded, returns))


def _rounded(utility: float) -> float:
    return round(utility, 3) + 0.0 if utility % 1 else int(utility)


def _distinct(values: Iterable[str]) -> dict[str, int]:
    """Return the place of each value in the order of first occurrence."""
    return {value: place for place, value in enumerate(dict.fromkeys(values))}


def _packed(row: Row, games: Mapping[str, int], labels: Mapping[str, int], endings: Mapping[str, int]) -> Any:
    players = [labels[label] for label in row["players"]]
    returns = list(map(_rounded, row["returns"]))
    return [row["number"], games[row["game"]], players, returns, endings[row["termination"]], row["plies"]]
