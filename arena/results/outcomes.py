"""What the meetings that count come to: points, seats, ratings, and who did what against whom.

Which meetings count is decided in `arena.results.summary`; the formulas are in `arena.statistics`.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Sequence

from arena.results.findings import Cell, SeatResult, Standing
from arena.statistics.meetings import Seating, duels, outcome
from arena.statistics.ratings import Meeting, Ratings, rate
from arena.statistics.stats import Estimate, MeanReturn, Tally


class Outcomes:
    """Counts meetings, of agents whose list may still grow."""

    def __init__(self, agents: list[str]) -> None:
        self.agents = agents
        self.points: defaultdict[str, float] = defaultdict(float)
        self.seats: dict[tuple[str, int], Counter[float]] = defaultdict(Counter)
        self.returns: dict[str, MeanReturn] = defaultdict(MeanReturn)
        self.meetings: Counter[Meeting] = Counter()
        self.first_return, self.first_tally = MeanReturn(), Tally()

    def add(self, meeting: Sequence[Seating]) -> None:
        """Count a meeting: the games of the same agents from the same opening."""
        self.meetings[duels(meeting, self.agents)] += 1
        for label in meeting[0].labels:
            self.returns[label].add([game.returns[game.labels.index(label)] for game in meeting])
        for game in meeting:
            for seat, (label, utility) in enumerate(zip(game.labels, game.returns, strict=True)):
                self.points[label] += (utility + 1) / 2
                self.seats[label, seat][outcome(utility)] += 1
        firsts = [game.returns[0] for game in meeting]
        self.first_return.add(firsts)
        if len(firsts) == 2:
            self.first_tally += Tally.of([outcome(utility) for utility in firsts])

    def ratings(self) -> Ratings:
        """Return the joint fit of all agents, in the order of their list."""
        return rate(len(self.agents), self.meetings)

    def standings(self, ratings: Ratings) -> tuple[Standing, ...]:
        """Return a line an agent, best first."""
        order = sorted(range(len(self.agents)), key=lambda index: ratings.elo[index].value, reverse=True)
        return tuple(self._standing(place, order, ratings) for place in range(len(order)))

    def _standing(self, place: int, order: list[int], ratings: Ratings) -> Standing:
        index = order[place]
        agent = self.agents[index]
        results = self._total(agent)
        return Standing(
            agent,
            results.total(),
            results[1.0],
            results[0.5],
            results[0.0],
            self.points[agent] / results.total() if results else 0.5,
            self.returns[agent].estimate(),
            ratings.elo[index],
            ratings.superiority(index, order[place + 1]) if place + 1 < len(order) else None,
        )

    def _total(self, agent: str) -> Counter[float]:
        total: Counter[float] = Counter()
        for (label, _), results in self.seats.items():
            if label == agent:
                total += results
        return total

    def by_seat(self) -> tuple[SeatResult, ...]:
        """Return the results of each agent in each seat it had."""
        return tuple(
            SeatResult(agent, seat, results[1.0], results[0.5], results[0.0])
            for (agent, seat), results in sorted(self.seats.items(), key=lambda item: item[0][1])
        )

    def first_seat(self, players: int) -> Estimate:
        """Return what the first seat makes: points a game of two players, else its mean return."""
        return self.first_tally.mean() if players == 2 else self.first_return.estimate()

    def crosstable(self) -> tuple[Cell, ...]:
        """Return the results of each agent against each that it met."""
        tallies: defaultdict[tuple[int, int], Tally] = defaultdict(Tally)
        for meeting, count in self.meetings.items():
            tallies[meeting[0][:2]] += Tally.of([score for _, _, _, score in meeting], count)
        cells = []
        for (i, j), tally in sorted(tallies.items()):
            a, b = self.agents[i], self.agents[j]
            cells += [_cell(a, b, tally), _cell(b, a, -tally)]
        return tuple(cells)


def _cell(agent: str, opponent: str, tally: Tally) -> Cell:
    results = (tally.wins, tally.draws, tally.losses)
    return Cell(agent, opponent, *results, tally.pairs, tally.elo(), tally.superiority())
