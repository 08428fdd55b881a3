"""Visit distributions in opening positions, where the agents take over: what their searches looked at.

Visits are summed over all searches of an agent in a position; beside them stand the single trees. Their bars
are in `arena.report.visit_bars`, how sharp searches are along the game in `arena.report.sharpness`.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from arena.records import GameRecord, MoveRecord
from arena.report import charts
from arena.report.positions import picture, position
from arena.report.visit_bars import visit_bars
from arena.results.findings import GameSummary
from arena.results.replay import action_name
from arena.results.sentences import enumerated
from envs.boards import shares

_KEPT = 64
"""Opening positions whose searches are kept; those that come up later are only counted."""
_SHOWN, _BOARDS = 4, 16
"""Opening positions that are shown, and boards of all agents together, at most."""
_TREES = 48
"""Trees of an agent in one position that are shown one by one, at most."""
_LEAST = 0.05
"""Part of its fair share of the visits that a tree has at least, or it is not compared with the others."""
_MOST = 2**40
"""Visits of a search that are believed: an agent may say anything, and sums must fit into 64 bits."""

Opening = tuple[int, ...]


class Searches:
    """What an agent's searches of one position found.

    Attributes:
        legal: int64, the legal actions.
        visits: int64 per legal action, summed over the searches.
        played: how often each action was played.
        trees: float64 shares per legal action, of single trees.
        distances: of each search with several trees, their mean total variation distance from their sum.
    """

    def __init__(self, legal: npt.NDArray[np.int64]) -> None:
        """Begin empty."""
        self.legal, self.visits = legal, np.zeros(len(legal), np.int64)
        self.played: Counter[int] = Counter()
        self.trees: list[npt.NDArray[np.float64]] = []
        self.distances: list[float] = []

    def add(self, move: MoveRecord) -> None:
        """Take a search with visits, of the same position."""
        assert move.visits is not None
        self.played[move.action] += 1
        self.visits += move.visits
        every = move.visits[None] if move.tree_visits is None else move.tree_visits
        least = _LEAST * move.visits.sum() / len(every)  # a tree that had next to no time says nothing
        trees = [shares(tree) for tree in every if tree.sum() > least]
        self.trees += trees[: _TREES - len(self.trees)]
        if len(trees) > 1:
            self.distances.append(float(np.abs(trees - shares(move.visits)).sum(axis=1).mean()) / 2)

    @property
    def distance(self) -> float | None:
        """The part of its visits by which a tree differs from the sum, in the mean; None of single trees."""
        return float(np.mean(self.distances)) if self.distances else None

    @property
    def preferred(self) -> int:
        """The place of the most visited action."""
        return int(self.visits.argmax())


class Visits:
    """Gathers the searches of opening positions of one game of the league."""

    def __init__(self, rules: Any, colours: Mapping[str, int]) -> None:
        self._rules, self._colours = rules, colours
        self._searches: dict[Opening, dict[str, Searches]] = {}
        self._openings: Counter[Opening] = Counter()

    def add(self, record: GameRecord) -> None:
        """Take the search of a game's first move, where it has one."""
        move = next(iter(record.moves), None)
        if move is None or move.visits is None or move.legal_actions is None:
            return
        if not 0 < int(move.visits.sum()) <= _MOST:
            return
        self._openings[record.opening] += 1
        if record.opening in self._searches or len(self._searches) < _KEPT:
            by_agent = self._searches.setdefault(record.opening, {})
            agent = record.spec.players[move.seat].label
            by_agent.setdefault(agent, Searches(move.legal_actions)).add(move)

    def view(self, game: GameSummary) -> Any:
        """Return the most frequent positions and what they say; None without searches."""
        if not self._searches:
            return None
        agents = [line.agent for line in game.standings]
        searching = {agent for by_agent in self._searches.values() for agent in by_agent}
        most = max(1, min(_SHOWN, _BOARDS // len(searching)))
        shown = [opening for opening, _ in self._openings.most_common() if opening in self._searches][:most]
        positions = [self._position(game.game, opening, agents) for opening in shown]
        return {
            "finding": _finding(positions[0]),
            "positions": positions,
            "trees": _TREES,
            "openings_more": len(self._openings) - len(shown),
            "games_more": self._openings.total() - sum(position["games"] for position in positions),
        }

    def _position(self, game: str, opening: Opening, agents: Sequence[str]) -> dict[str, Any]:
        name = f"After {self._names(opening)}" if opening else "In the first position"
        searching = [agent for agent in agents if agent in self._searches[opening]]
        shown = [self._agent(opening, agent, f"{game}: visits of {agent}. {name}") for agent in searching]
        return {
            "name": name,
            "games": self._openings[opening],
            "agents": shown,
            "width": max(_width(one["board"]) for one in shown),
        }

    def _names(self, opening: Opening) -> str:
        """Return the names of the actions of an opening."""
        state = self._rules.initial_state()
        names = []
        for action in opening:
            names.append(action_name(self._rules, state, action))
            self._rules.step(state, action)
        return " ".join(names)

    def _agent(self, opening: Opening, agent: str, title: str) -> dict[str, Any]:
        searches, state = self._searches[opening][agent], position(self._rules, opening)
        names = [action_name(self._rules, state, action) for action in searches.legal.tolist()]
        visits = np.zeros(self._rules.num_actions, np.int64)
        visits[searches.legal] = searches.visits
        colour = charts.own_colour(self._colours, agent)
        return {
            "agent": agent,
            "board": picture(self._rules, state, visits, opening[-1] if opening else None),
            "chart": visit_bars(searches.visits, names, searches.trees, colour, title),
            "moves": searches.played.total(),
            "visits": int(searches.visits.sum()),
            "distance": searches.distance,
            "preferred": names[searches.preferred],
            "share": float(shares(searches.visits)[searches.preferred]),
        }


def _finding(shown: Mapping[str, Any]) -> str:
    """Say what the agents look at most in a position, and how far the trees of each agree."""
    looks = [
        f"{one['agent']} looks most at {one['preferred']} ({one['share']:.0%})" for one in shown["agents"]
    ]
    apart = [
        f"{one['distance']:.1%} of the visits for {one['agent']}"
        for one in shown["agents"]
        if one["distance"] is not None
    ]
    agree = f" Single trees differ from their sum by {enumerated(apart)}." if apart else ""
    return f"{shown['name']}, {enumerated(looks)}.{agree}"


def _width(board: str) -> float:
    """Return how wide a picture is in pixels at its natural size, where its numbers are legible."""
    found = re.search(r'viewBox="\S+ \S+ ([\d.]+) ', board)
    return float(found[1]) if found else charts.WIDTH
