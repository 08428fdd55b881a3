"""What the supervisor asks of whatever plays its games: the jobs, the answers, the interface, the error.

The one there is, for the cores of this machine, is in `arena.referee.local`. Another needs nothing but
`arena.referee.match.play_match` and `arena.referee.match.refusals`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import Protocol, runtime_checkable

from arena.records import AgentChoice, GameChoice, GameRecord, LiveGame, MatchSpec, Terms


class RunError(RuntimeError):
    """The league cannot go on; the text says why."""

    exit_code = 1


@dataclass(frozen=True)
class Prepare:
    """Compile and start everything that `game` needs, and say what does not start."""

    game: GameChoice
    agents: tuple[AgentChoice, ...]
    terms: Terms


@dataclass(frozen=True)
class Lost:
    """A job whose referee died or did not come back.

    Attributes:
        reason: what happened, in a few words.
        seat: index of the agent that was waited for; -1 for none.
        ply: of the game.
    """

    reason: str
    seat: int
    ply: int


Job = Prepare | MatchSpec
Refusals = list[tuple[str, str]]
"""The answer to `Prepare`: (agent label, reason) of every agent that does not start."""
Answer = GameRecord | Refusals | Lost


Maker = Callable[[tuple[int, ...], int, Sequence[str]], AbstractContextManager["Executor"]]
"""Makes an executor from the cores (none: games are not pinned), games at a time, and folders of plug-ins."""


class Executor(Protocol):
    """Plays games, several at a time; a job that is given is answered exactly once."""

    @property
    def busy(self) -> bool:
        """Whether any job is not answered yet."""

    def has_room(self, cores: int) -> bool:
        """Return whether a job for so many cores (at most all of them) can start now."""

    def give(self, job: Job, cores: int) -> None:
        """Start a job; the caller has seen that there is room."""

    def take(self, timeout: float) -> Iterator[tuple[Job, Answer]]:
        """Wait up to `timeout` seconds; yield the jobs that are done, with their answers."""


@runtime_checkable
class ShowsGames(Protocol):
    """An executor that can tell how the games stand that it plays; not every one can."""

    def in_play(self) -> Iterable[LiveGame]:
        """Return the games that have begun."""
