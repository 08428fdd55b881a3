"""What an agent is: `Agent`, and the three records it meets (`View`, `Limit`, `Decision`).

Nothing here knows of leagues or processes: a notebook or a test can build a `View`, ask an
agent for a `Decision`, and read it. The agents themselves live one per file beside this one.
"""

from __future__ import annotations

import time
from collections.abc import Collection, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt

NEVER = 2**63 - 1
"""A deadline that does not come, or a count that is not reached."""
RESERVE = 0.0011
"""Seconds that a search keeps back from its time limit for the way to the referee and back.

On a core for itself most moves need less: pickling, waking up, cold caches. None may come 1 ms early.
"""


class AgentRefused(ValueError):
    """An agent cannot play this game at all (too many players, hidden information, …)."""


@dataclass(frozen=True)
class Clock:
    """Time on the game clock, in seconds; `None` where the league has no game clock."""

    remaining: float | None = None
    increment: float | None = None


@dataclass(frozen=True)
class View:
    """All that the player to move may know.

    Attributes:
        state: the information state, a flat array as the rules define it; a copy, free to change.
        legal_actions: int64 action ids, ascending; in a league not to be written, which to a compiler is
            another type.
        player: 0-based index of the player to move (the seat).
        observation: PettingZoo's observation dict, for agents that set `uses_observation`; else None.
        history: the actions played so far, oldest first.
        clock: what is left on the game clock.
    """

    state: npt.NDArray[Any]
    legal_actions: npt.NDArray[np.int64]
    player: int
    observation: Mapping[str, npt.NDArray[Any]] | None = None
    history: tuple[int, ...] = ()
    clock: Clock = field(default_factory=Clock)


@dataclass(frozen=True)
class Limit:
    """What one move may cost; a search stops at whichever comes first.

    Attributes:
        time: wall-clock seconds for this move.
        simulations: select-to-backup passes, all trees together.
        nodes: nodes visited.
        depth: plies searched.
        clock: what is left for the rest of the game. An agent that keeps to `time` keeps to it too: with a
            clock, the referee makes `time` a share of it.
    """

    time: float | None = None
    simulations: int | None = None
    nodes: int | None = None
    depth: int | None = None
    clock: Clock | None = None

    def has_any(self, kinds: Collection[str]) -> bool:
        """Return whether it limits one of these; a clock limits the time."""
        given = {kind for kind in kinds if getattr(self, kind) is not None}
        return bool(given) or ("time" in kinds and self.clock is not None)

    @property
    def seconds(self) -> float | None:
        """The wall-clock seconds that a move may take: its `time`, and no more than the clock has."""
        times = [self.time, self.clock.remaining if self.clock else None]
        return min((time for time in times if time is not None), default=None)

    def __post_init__(self) -> None:
        """Refuse limits that no search can keep."""
        for name in ("time", "simulations", "nodes", "depth"):
            value = getattr(self, name)
            if value is not None and not value > 0:
                raise ValueError(f"limit: {name}: {value!r} is not allowed: it must be above 0")


@dataclass(frozen=True)
class Decision:
    """An agent's answer.

    Attributes:
        action: the id to play.
        visits: int64, root visits per legal action in the order of `View.legal_actions`, or None.
        value: expected return in [-1, 1] for the mover, or None. A league takes what is beyond, or NaN, for
            no answer: the game is lost.
        info: what the search wants to show (JSON-able): per-tree visits, simulations, nodes, depth. Exports
            have `simulations` where it is a whole number, `depth` where it is finite.
    """

    action: int
    visits: npt.NDArray[np.int64] | None = None
    value: float | None = None
    info: Mapping[str, Any] = field(default_factory=dict)


class Agent:
    """A player of one game. Subclass it, override `act`, and name the class in the league file.

    Randomness comes from the seed given to `reset`, never from a global generator.
    """

    uses_observation = False
    """Set it to have `View.observation` filled in."""
    needs: ClassVar[tuple[str, ...]] = ()
    """Limits of which it must be given one or more, as `("time", "nodes")`; () where it ends by itself."""

    def __init__(self, rules: Any) -> None:
        """Prepare to play `rules`; called once per process, off the clock, and may be slow."""
        self.rules = rules

    def reset(self, player: int, seed: int) -> None:
        """Begin a game in seat `player`; nothing may survive from the game before."""

    def act(self, view: View, limit: Limit) -> int | Decision:
        """Choose one of `view.legal_actions` within `limit`."""
        raise NotImplementedError(f"{type(self).__name__} does not say how it moves: define act(view, limit)")

    def search_record(self) -> Mapping[str, Any] | None:
        """Return what the last `act` looked at, for a picture of it; None where there is nothing to show.

        Asked right after some moves only (`record` in the league file), off the clock, and it must not change
        any move to come. The answer is JSON-able and small, and `kind` says what it is:
        `agents.mcts.tree_record` has "tree", `agents.alphabeta` "deepening", `agents.minimax` "walk". Of any
        agent "failed" is a record too, with the `reason`.
        """
        return None


def require_perfect_information(agent: str, rules: Any) -> None:
    """Raise AgentRefused for games with chance or hidden information."""
    unknown = sorted(rules.given & {"sample_chance", "chance_outcomes", "information_state"})
    if unknown:
        raise AgentRefused(
            f"{agent} plays games of perfect information without chance; "
            f"{type(rules).__name__} defines {', '.join(unknown)}"
        )


def require_two_players(agent: str, rules: Any) -> None:
    """Raise AgentRefused for games of one player or of more than two."""
    if rules.num_players != 2:
        raise AgentRefused(f"{agent} is for games of two players; this one has {rules.num_players}")


@contextmanager
def compiling(agent: str, rules: Any) -> Iterator[None]:
    """Turn what the compiler complains of into AgentRefused, with the remedy."""
    from numba.core.errors import NumbaError

    try:
        yield
    except NumbaError as error:
        raise AgentRefused(
            f"{agent} cannot compile {type(rules).__name__}; if its methods make arrays or lists, give the "
            f"class `allocates = True`. {error}"
        ) from error


def deadline_ns(limit: Limit) -> int:
    """Return when a search that starts now must stop, in nanoseconds of the monotonic clock.

    A little of the limit is kept back for the way to the referee. Without a time limit it is never.
    """
    if limit.time is None:
        return NEVER
    return time.monotonic_ns() + int((limit.time - min(RESERVE, limit.time / 2)) * 1e9)
