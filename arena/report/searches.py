"""Section of the report: some recorded searches of each agent, drawn.

Which searches are shown is decided here; each kind is drawn in a module of its own: `arena.report.trees`,
`arena.report.timelines`, `arena.report.walks`. What agents record is said in `agents.base`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from markupsafe import Markup

from arena.records import GameRecord, MoveRecord
from arena.report import timelines, trees, walks
from arena.report.positions import picture, position
from arena.results.findings import GameSummary

SHOWN, ROOM = 3, 24
"""Searches of an agent, and of all together, where there are many: that keeps the file small."""
_LETTERS = 500
"""Of why a search is not shown."""


class _Sample:
    """A few of many, chosen as they come: the first ones, and one of the second half."""

    def __init__(self) -> None:
        self.kept: list[tuple[GameRecord, MoveRecord]] = []
        self._seen = 0

    def add(self, record: GameRecord, move: MoveRecord) -> None:
        self._seen += 1
        if len(self.kept) < SHOWN:
            self.kept.append((record, move))
        elif self._seen.bit_count() == 1:  # the last power of two is past the middle
            self.kept[-1] = record, move


@dataclass(frozen=True)
class Shown:
    """A search as the template shows it.

    Attributes:
        number, ply: the game, and where in it.
        kind: "tree", "deepening" or "walk"; "failed" where it could not be recorded, or not be drawn.
        board: the position searched.
        drawn: by the kind's module; of what failed, the reason.
    """

    number: int
    ply: int
    kind: str
    board: Markup
    drawn: trees.Tree | timelines.Timeline | walks.Walk | str


class Searches:
    """Gathers recorded searches, and shows some of each agent; the others are not looked at."""

    def __init__(self, rules: Any, colours: Mapping[str, int]) -> None:
        """Begin empty."""
        self._rules = rules
        self._samples: dict[str, _Sample] = {}

    def add(self, record: GameRecord) -> None:
        """Take a game; they come by number."""
        for move in record.moves:
            if move.search is not None and move.ply <= len(record.actions):  # its position is known
                agent = record.spec.players[move.seat].label
                self._samples.setdefault(agent, _Sample()).add(record, move)

    def view(self, game: GameSummary) -> dict[str, list[Shown]] | None:
        """Return what is shown of each agent, best agent first; None where no search is recorded."""
        most = max(1, ROOM // max(1, len(self._samples)))
        agents = [line.agent for line in game.standings if line.agent in self._samples]
        kept = {agent: self._samples[agent].kept[:most] for agent in agents}
        return {agent: [self._shown(*each) for each in some] for agent, some in kept.items()} or None

    def _shown(self, record: GameRecord, move: MoveRecord) -> Shown:
        state = position(self._rules, record.actions[: move.ply])
        kind, drawn = self._drawn(record, move, state)
        last = record.actions[move.ply - 1] if move.ply else None
        return Shown(record.spec.number, move.ply, kind, picture(self._rules, state, last=last), drawn)

    def _drawn(self, record: GameRecord, move: MoveRecord, state: Any) -> tuple[str, Any]:
        search: Any = move.search
        kind, told = search["kind"], (self._rules, state, search, move.action)
        try:
            if kind == "tree":
                return kind, trees.draw(*told)
            if kind == "deepening":
                limit = record.spec.limit_of(record.spec.players[move.seat])
                return kind, timelines.draw(*told, limit.time)
            if kind == "walk":
                return kind, walks.draw(*told)
            return "failed", _brief(search.get("reason", f"there is no picture of the kind {kind!r}"))
        except Exception as error:  # an agent of the user's own may say anything
            return "failed", _brief(f"what it recorded cannot be drawn: {type(error).__name__}: {error}")


def _brief(told: object) -> str:
    """Return what may be a megabyte of an agent's own words, as far as it will be read."""
    text = str(told)
    return text if len(text) <= _LETTERS else f"{text[:_LETTERS]}…"
