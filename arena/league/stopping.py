"""When a game of the league was played enough: `until` a precision, or by a sequential test.

Rounds count in the order in which they are handed out, however their games finish: a rule sees round after
round, each complete, and once it says enough no later round counts, whether played or not. So the result
depends on no clock and on no number of workers. The formulas are in `arena.statistics.ratings` and
`arena.statistics.sprt`.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Sequence
from typing import Protocol

from arena.league.config import League
from arena.league.models import Gauntlet, RoundRobin, Sprt
from arena.league.pairings import entrants, meetings_a_round
from arena.records import MatchSpec
from arena.statistics.meetings import OpenMeetings, Seating, duels
from arena.statistics.ratings import Meeting, rate
from arena.statistics.sprt import SequentialTest


class Rule(Protocol):
    """Says when enough was played of one game, between two players."""

    def add(self, meeting: Sequence[Seating]) -> None:
        """Take one meeting."""

    def is_enough(self) -> bool:
        """Return whether the meetings so far suffice; asked after each round."""


class Stopping:
    """Shows a rule the rounds of one game, each when it and all before it are complete.

    Args:
        rule: what decides.
        meetings: how many make a round.

    Attributes:
        over: whether enough was played; once true, it stays.
        rounds: how many rounds the rule has seen; when over, no other counts.
    """

    def __init__(self, rule: Rule, meetings: int) -> None:
        self.rule, self.over, self.rounds = rule, False, 0
        self._meetings = meetings
        self._open = OpenMeetings()
        self._complete: defaultdict[int, list[list[Seating]]] = defaultdict(list)

    def add(self, spec: MatchSpec, returns: Sequence[float]) -> None:
        """Take a finished game, in any order."""
        meeting = self._open.add(spec, returns)
        if meeting is not None and not self.over:
            self._complete[spec.round].append(meeting)
            self._show()

    def counts(self, spec: MatchSpec) -> bool:
        """Return whether a game counts: those of rounds after the last do not."""
        return not self.over or spec.round < self.rounds

    def _show(self) -> None:
        while not self.over and len(self._complete.get(self.rounds, ())) == self._meetings:
            for meeting in self._complete.pop(self.rounds):
                self.rule.add(meeting)
            self.rounds += 1
            self.over = self.rule.is_enough()


def stoppings(league: League) -> dict[str, Stopping]:
    """Return what stops each game, which two play, by its label; nothing where the schedule has no rule."""
    found = {}
    for game in league.games:
        agents = [agent.label for agent in entrants(league, game)]
        if (rule := _rule(league, agents)) is not None:
            found[game.label] = Stopping(rule, meetings_a_round(league, game, 2))
    return found


def _rule(league: League, agents: list[str]) -> Rule | None:
    schedule = league.schedule
    if isinstance(schedule, Sprt):
        return SequentialTest(schedule, agents[0])
    if isinstance(schedule, RoundRobin | Gauntlet) and schedule.until is not None:
        return EloError(agents, schedule.until.elo_error)
    return None


class EloError:
    """Enough is a joint fit that knows every rating within so many Elo points, at 95%."""

    def __init__(self, agents: Sequence[str], most: float) -> None:
        self.most = most
        self._agents = list(agents)
        self._meetings: Counter[Meeting] = Counter()

    def add(self, meeting: Sequence[Seating]) -> None:
        """Take one meeting."""
        self._meetings[duels(meeting, self._agents)] += 1

    def is_enough(self) -> bool:
        """Return whether the widest interval is narrow enough."""
        return self.widest <= self.most

    @property
    def widest(self) -> float:
        """Half the widest interval of a rating, in Elo."""
        return max(estimate.error for estimate in rate(len(self._agents), self._meetings).elo)
