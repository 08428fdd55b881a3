"""Agents that are at fault in game after game: when they are withdrawn, and what becomes of their games."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from arena.league.config import League
from arena.records import Fault, GameRecord, MatchSpec, Result, Termination


class Withdrawals:
    """Counts faults in a row, of each agent in each game of the league.

    Args:
        league: says after how many an agent is withdrawn, and whether its games are then lost or unplayed.
    """

    def __init__(self, league: League) -> None:
        self._most, self._scored = league.max_faults, league.withdrawn
        self._in_a_row: Counter[tuple[str, str]] = Counter()

    def note(self, spec: MatchSpec, result: Result) -> Iterator[str]:
        """Take a result, in the order in which games finish; say who is withdrawn by it."""
        for seat, player in enumerate(spec.players):
            key = spec.game.label, player.label
            if seat == result.at_fault:
                self._in_a_row[key] += 1
                if self._in_a_row[key] == self._most:
                    yield f"{player.label} is withdrawn from {spec.game.label}: {self._why()}"
            elif self._in_a_row[key] < self._most:
                self._in_a_row[key] = 0

    def forfeit(self, spec: MatchSpec) -> GameRecord | None:
        """Return how a game ends without being played, or None where all its agents are in."""
        out = [
            seat
            for seat, player in enumerate(spec.players)
            if self._in_a_row[spec.game.label, player.label] >= self._most
        ]
        if not out:
            return None
        fault = Fault(out[0], 0, f"withdrawn: {self._why()}")
        if self._scored == "unplayed" or len(out) == len(spec.players):
            return GameRecord(spec, (), (), (0.0,) * len(spec.players), Termination.VOID, fault)
        returns = tuple(-1.0 if seat in out else 1.0 for seat in range(len(spec.players)))
        return GameRecord(spec, (), (), returns, Termination.WITHDRAWN, fault)

    def _why(self) -> str:
        return f"at fault in {self._most} games in a row"
