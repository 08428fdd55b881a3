"""The clocks of one game: what is left to each seat, and what that makes of the limit of a move."""

from __future__ import annotations

from dataclasses import replace

from agents.base import Clock, Limit
from arena.records import MatchSpec

_MOVES = 30
"""Moves that what is left on a clock shall still suffice for, when an agent is told how long to think."""
_LEAST = 0.001
"""Seconds that an agent is told at least."""


class GameClocks:
    """What each seat has left.

    Args:
        spec: the game, with the limits of its players.
    """

    def __init__(self, spec: MatchSpec) -> None:
        self._limits = [spec.limit_of(player) for player in spec.players]

    def left(self, seat: int) -> Limit:
        """Return what the next move may cost, with what is left on the clock."""
        return self._limits[seat]

    def told(self, seat: int) -> Limit:
        """Return the limit that the agent is told: of its clock a share, as `time`.

        An agent that thinks for as long as it is told never runs out of time; one that reads
        `View.clock` may do as it likes.
        """
        limit = self._limits[seat]
        if limit.clock is None:
            return limit
        left, increment = limit.clock.remaining or 0.0, limit.clock.increment or 0.0
        share = min(left / _MOVES + increment, left)
        return replace(limit, time=max(_LEAST, share if limit.time is None else min(share, limit.time)))

    def spend(self, seat: int, seconds: float) -> None:
        """Take the time of a move from its clock; then the increment comes."""
        limit = self._limits[seat]
        if limit.clock is not None:
            left, increment = limit.clock.remaining or 0.0, limit.clock.increment or 0.0
            clock = Clock(max(0.0, left - seconds) + increment, increment)
            self._limits[seat] = replace(limit, clock=clock)
