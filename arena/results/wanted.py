"""Which games of a run are asked for, by number, agents, result, end or label; and whether there can be such.

How they are shown is in `arena.results.show`.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass

from arena.league.config import League
from arena.records import GameRecord, Termination
from arena.referee.progress import printable
from arena.store import Store
from envs.parameters import did_you_mean


@dataclass(frozen=True)
class Wanted:
    """Which games are asked for; what is None does not matter.

    Attributes:
        number: of the game in the run.
        agent: who takes part.
        against: who else takes part.
        result: `win`, `draw` or `loss`, for `agent`, or for the first seat where no agent is named.
        termination: how it ended.
        game: its label.
    """

    number: int | None = None
    agent: str | None = None
    against: str | None = None
    result: str | None = None
    termination: str | None = None
    game: str | None = None

    def __contains__(self, record: GameRecord) -> bool:
        """Return whether a game is among them."""
        labels = [player.label for player in record.spec.players]
        others = list(labels)
        if self.agent in others:
            others.remove(self.agent)
        wanted = [
            self.number in (None, record.spec.number),
            self.agent is None or self.agent in labels,
            self.against is None or self.against in others,
            self.termination in (None, record.termination),
            self.game in (None, record.spec.game.label),
            self.result is None or self.result in self._results(labels, record),
        ]
        return all(wanted)

    def _results(self, labels: list[str], record: GameRecord) -> set[str]:
        seats = [0] if self.agent is None else [i for i, label in enumerate(labels) if label == self.agent]
        return {_result(record.returns[seat]) for seat in seats}

    def unknown(self, league: League) -> Iterator[str]:
        """Say of each name that a league has nothing of, by the option it comes from, what there is."""
        agents = [agent.label for agent in league.agents]
        games = [game.label for game in league.games]
        yield from _unknown("--agent", self.agent, agents, "agents are")
        yield from _unknown("--against", self.against, agents, "agents are")
        yield from _unknown("--game-name", self.game, games, "games are")
        yield from _unknown("--termination", self.termination, list(Termination), "games end by")


def _unknown(option: str, name: str | None, known: Collection[str], there_is: str) -> Iterator[str]:
    if name is not None and name not in known:
        yield printable(f"{option} {name}: unknown{did_you_mean(name, known)}: {there_is} {', '.join(known)}")


def _result(utility: float) -> str:
    return "draw" if utility == 0 else "win" if utility > 0 else "loss"


def wanted_games(store: Store, wanted: Wanted) -> Iterator[GameRecord]:
    """Yield the games that are asked for, moves and all.

    Raises:
        StoreError: when one is asked for by its number, and there is none.
    """
    if wanted.number is not None:
        record = store.game(wanted.number)
        yield from [record] if record in wanted else []
        return
    for number in [record.spec.number for record in store.games(moves=False) if record in wanted]:
        yield store.game(number)
