"""Levels of strength for people to play against: presets of limits and temperature."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Annotated, Literal, TypeVar

from pydantic import Field

from agents.base import Limit
from envs.parameters import ParameterError

N = TypeVar("N", int, float)
LevelName = Annotated[
    Literal["easy", "medium", "hard"] | None, Field(description="a preset of limits and temperature")
]
"""The parameter by which agents are given one."""


@dataclass(frozen=True)
class Level:
    """What a search may use at the most, whatever its limit, and how freely it draws its move.

    Attributes:
        simulations: None is no cap.
        time: seconds; None is no cap.
        depth: plies; None is no cap.
        temperature: how freely; 0 takes the best. What is drawn by is said by each agent.
    """

    simulations: int | None = None
    time: float | None = None
    depth: int | None = None
    temperature: float = 0.0

    def caps(self, limit: Limit) -> Limit:
        """Return `limit`, lowered to what the level allows."""
        return replace(
            limit,
            simulations=_lower(limit.simulations, self.simulations),
            time=_lower(limit.time, self.time),
            depth=_lower(limit.depth, self.depth),
        )


LEVELS = {
    "easy": Level(simulations=50, time=0.2, temperature=0.7),
    "medium": Level(simulations=500, time=1.0, temperature=0.3),
    "hard": Level(time=5.0),
}
"""A person who has just learnt a game, one who knows it, and all that the limit gives. UCT draws a move in
proportion to visits ** (1 / temperature)."""
ALPHABETA_LEVELS = {
    "easy": Level(time=0.2, depth=1, temperature=0.2),
    "medium": Level(time=1.0, depth=4, temperature=0.05),
    "hard": Level(time=5.0),
}
"""The same persons; alpha-beta draws a move in proportion to exp(value / temperature)."""


def make_level(
    name: str | None, temperature: float, agent: str = "uct", levels: Mapping[str, Level] = LEVELS
) -> Level:
    """Return the level of that name, or one without caps.

    Raises:
        ParameterError: for a temperature beside a level, which has its own.
    """
    if name is None:
        return Level(temperature=temperature)
    if temperature > 0:
        raise ParameterError.single(
            agent, "temperature", temperature, f"0 with level: {name}, which has its own"
        )
    return levels[name]


def _lower(given: N | None, cap: N | None) -> N | None:
    return min((value for value in (given, cap) if value is not None), default=None)
