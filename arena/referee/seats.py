"""The seats of one referee: started when first needed, used again, turned out when too many."""

from __future__ import annotations

from collections import OrderedDict
from contextlib import suppress
from multiprocessing.connection import Connection

import agents
import envs
from arena.machine.processes import end_orphans
from arena.records import AgentChoice, GameChoice, Terms
from arena.referee.seat import Seat

_MOST = 16
"""Seats kept at a time; an idle one costs its memory and nothing else."""

Key = tuple[str, str]


class SeatPool:
    """Running agents by (game, agent), the least recently used turned out first.

    Args:
        boss: the referee's own pipe to the supervisor, if there is one. Then every child of this process
            that is no seat of the pool is ended as what a dead seat left behind.
    """

    def __init__(self, boss: Connection | None = None) -> None:
        self._boss = boss
        self._seats: OrderedDict[Key, Seat] = OrderedDict()
        self._warm: set[tuple[str, str]] = set()

    def __enter__(self) -> SeatPool:
        """Return the pool."""
        return self

    def __exit__(self, *error: object) -> None:
        """End every seat."""
        self.close()

    def get(self, game: GameChoice, agent: AgentChoice, terms: Terms) -> Seat:
        """Return the seat of `agent` for `game`, starting it where it does not run.

        Raises:
            SeatFault: when it does not start.
        """
        key = (game.label, agent.label)
        if key not in self._seats:
            self._warm_up(game, agent)
            while len(self._seats) >= _MOST:
                self._end(self._seats.popitem(last=False)[1])
            inherited = [end for seat in self._seats.values() for end in seat.ends]
            try:
                self._seats[key] = Seat(game, agent, terms, self._boss, inherited)
            finally:
                self._sweep()
        self._seats.move_to_end(key)
        return self._seats[key]

    def remove(self, game: GameChoice, agent: AgentChoice) -> None:
        """End a seat, if it runs."""
        seat = self._seats.pop((game.label, agent.label), None)
        if seat is not None:
            self._end(seat)

    def close(self) -> None:
        """End every seat."""
        while self._seats:
            self._end(self._seats.popitem()[1])

    def _end(self, seat: Seat) -> None:
        seat.kill()
        self._sweep()

    def _sweep(self) -> None:
        """End what dead seats left behind, where this process is known to have no other children."""
        if self._boss is not None:
            end_orphans(keep={seat.pid for seat in self._seats.values()})

    def _warm_up(self, game: GameChoice, agent: AgentChoice) -> None:
        """Load an agent's kernels here, so that its seats, which are forks, begin with them.

        Only for agents of this project: what a plug-in does must not be able to hurt the referee.
        """
        key = (game.name, agent.type)
        if key in self._warm or ":" in agent.type or ":" in game.name:
            return
        self._warm.add(key)
        with suppress(ValueError):  # refused: the seat will say so, and be blamed
            agents.make_agent(agent.type, envs.make_rules(game.name, **game.params), **agent.params)
