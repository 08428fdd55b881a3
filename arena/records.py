"""The records that travel between the floors of a league: what is to be played, what was played.

Plain frozen data, picklable and free of live objects. Who makes them: `schedule` (specs) and
`match` (results). Who keeps them: `store`. Who reads them: `stats`, `summary`.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

import numpy as np
import numpy.typing as npt

from agents.base import NEVER, Limit

_EXACT = 2**53
"""Up to here all whole numbers are floats, too."""


class Termination(StrEnum):
    """Why a game ended."""

    NORMAL = "normal"
    ILLEGAL_ACTION = "illegal_action"
    TIMEOUT = "timeout"
    CRASH = "crash"
    MEMORY = "memory"
    MAX_PLIES = "max_plies"
    WITHDRAWN = "withdrawn"
    VOID = "void"

    @property
    def is_fault(self) -> bool:
        """Whether an agent is to blame."""
        return self in (self.ILLEGAL_ACTION, self.TIMEOUT, self.CRASH, self.MEMORY, self.WITHDRAWN)


@dataclass(frozen=True)
class GameChoice:
    """A game of the league: its label in tables, the registered name, its parameters."""

    label: str
    name: str
    params: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class AgentChoice:
    """An agent of the league: its label in tables, its type, its parameters, what holds for it alone."""

    label: str
    type: str
    params: Mapping[str, Any] = field(default_factory=dict)
    games: tuple[str, ...] | None = None
    """Labels of the games it takes part in; None is all of them."""
    limit: Limit | None = None
    """What its moves may cost, in place of the league's limit; None is the league's."""


@dataclass(frozen=True)
class Terms:
    """What holds for every agent of a league, beside the limit of its moves.

    Attributes:
        startup: seconds an agent may take to start, and to reset before a game.
        memory_mb: megabytes that its processes may hold together, beyond what the first began with;
            None for any.
        freeze: whether it is stopped while it is not its turn.
    """

    startup: float = 120.0
    memory_mb: int | None = None
    freeze: bool = False


@dataclass(frozen=True)
class MatchSpec:
    """One game to be played; everything `play_match` needs.

    Attributes:
        number: index in the schedule, from 0; the game's identity within its run.
        game: what is played.
        players: the agents in seat order.
        limit: what a move may cost, of every player that has no limit of its own (`limit_of`).
        margin: seconds past a limit's `time` before a move loses by timeout.
        pair: games of one pair share this number and their opening, and have their seats swapped.
        round: 0-based round of the schedule.
        opening_plies: how many random plies are played before the agents take over.
        opening_seed: entropy of the opening; equal for every pairing of a round.
        game_seed: entropy of the game; seats get `(*game_seed, seat)`.
        max_plies: a longer game ends by `max_plies`, a draw.
        cap: seconds a move may take where its limit has neither time nor clock.
        terms: what else the agents may take.
        cores: how many cores the game's slot needs.
        opening: names of the actions that open the game, between blanks, in place of random plies.
        recorded: moves of the agents, from 0, whose search is recorded.
    """

    number: int
    game: GameChoice
    players: tuple[AgentChoice, ...]
    limit: Limit
    margin: float
    pair: int
    round: int
    opening_plies: int
    opening_seed: tuple[int, ...]
    game_seed: tuple[int, ...]
    max_plies: int = 10_000
    cap: float = 60.0
    terms: Terms = field(default_factory=Terms)
    cores: int = 1
    opening: str | None = None
    recorded: tuple[int, ...] = ()

    def limit_of(self, player: AgentChoice) -> Limit:
        """Return what a move of `player` may cost."""
        return self.limit if player.limit is None else player.limit

    def latest(self, limit: Limit) -> float:
        """Return the seconds after which a move under `limit` loses by timeout."""
        return self.cap if limit.seconds is None else limit.seconds + self.margin


@dataclass(frozen=True)
class MoveRecord:
    """One move by an agent (the opening's random plies are not moves).

    Attributes:
        ply: 0-based index in the game, opening plies counted.
        seat: who moved.
        action: action id played; what is not allowed is no move, and told by the game's fault.
        time: seconds from question sent to answer received, by the referee's clock.
        overshoot: seconds past its limit's time or clock (0 when within it or when there is none).
        value: the mover's expected return, or None.
        legal_actions: int64, ascending; kept only with `visits`.
        visits: int64 per legal action, or None.
        info: what else the search told of itself, which may be anything that JSON holds.
        idle: seconds of processor time that the mover used since its last move, when it was not its turn; to
            tell what a move looked at takes some too.
        tree_visits: int64[trees, legal], of a search with several trees; else None.
        search: what of the search was recorded, for the moves whose search the league records; JSON-able.
    """

    ply: int
    seat: int
    action: int
    time: float
    overshoot: float = 0.0
    value: float | None = None
    legal_actions: npt.NDArray[np.int64] | None = None
    visits: npt.NDArray[np.int64] | None = None
    info: Mapping[str, Any] = field(default_factory=dict)
    idle: float = 0.0
    tree_visits: npt.NDArray[np.int64] | None = None
    search: Mapping[str, Any] | None = None

    @property
    def simulations(self) -> int | None:
        """How many simulations it says it took; None where it says none, or what is no count of 64 bits."""
        told = _finite(self.info.get("simulations"))
        return int(told) if told is not None and told == int(told) and 0 <= told <= NEVER else None

    @property
    def depth(self) -> float | None:
        """How many plies deep it says it looked, which may be a mean; None where it says no finite number."""
        told = _finite(self.info.get("depth", self.info.get("max_depth")))
        return told if told is None or abs(told) <= _EXACT else float(told)


def _finite(told: Any) -> float | None:
    is_number = isinstance(told, int | float) and not isinstance(told, bool)
    return told if is_number and abs(told) <= sys.float_info.max else None


def without_trees(
    info: Mapping[str, Any], legal: int
) -> tuple[Mapping[str, Any], npt.NDArray[np.int64] | None]:
    """Return what an agent tells of a search in two parts: the visits of its trees, and all the rest.

    Args:
        info: what it tells.
        legal: how many actions there are.

    Returns:
        info: without `tree_visits`, where that is what it should be.
        tree_visits: int64[trees, legal] of two trees and more, else None.
    """
    told = info.get("tree_visits")
    if not isinstance(told, list) or len(told) < 2:
        return info, None
    try:
        trees = np.array(told)
    except ValueError:  # an agent may say anything
        return info, None
    if trees.dtype != np.int64 or trees.shape != (len(told), legal) or trees.min() < 0:
        return info, None
    return {name: value for name, value in info.items() if name != "tree_visits"}, trees


@dataclass(frozen=True)
class LiveGame:
    """A game in play, as far as it has come.

    Attributes:
        spec: what is played.
        plies: how many have been played, those of the opening counted.
        actions: their action ids; of a very long game only the first.
    """

    spec: MatchSpec
    plies: int
    actions: tuple[int, ...]


@dataclass(frozen=True)
class Fault:
    """What an agent did wrong: its seat, the ply, one line for people, and the evidence.

    Of a timeout, `overshoot` is how many seconds past the limit the game was ended.
    """

    seat: int
    ply: int
    reason: str
    detail: str = ""
    overshoot: float = 0.0

    def returns(self, players: int) -> tuple[float, ...]:
        """Return what a game of so many players that ends by it is worth to each."""
        return tuple(-1.0 if seat == self.seat else 1.0 for seat in range(players))


@dataclass(frozen=True)
class Result:
    """What a game was worth to each seat, and the seat that was at fault, if any."""

    returns: tuple[float, ...]
    at_fault: int | None


@dataclass(frozen=True)
class GameRecord:
    """One game as it was played.

    Attributes:
        spec: what was asked for.
        opening: the action ids of the plies before the agents', chance's among them.
        moves: the agents' moves.
        returns: utility per seat in [-1, 1]; for a fault -1 for its seat and +1 for the others.
        termination: why it ended.
        fault: present when `termination.is_fault`, and for `void` (with seat -1).
        seconds: wall-clock length of the game, start-up excluded.
        chance: what chance did behind the opening: ply and action id of each.
    """

    spec: MatchSpec
    opening: tuple[int, ...]
    moves: tuple[MoveRecord, ...]
    returns: tuple[float, ...]
    termination: Termination
    fault: Fault | None = None
    seconds: float = 0.0
    chance: tuple[tuple[int, int], ...] = ()

    @property
    def result(self) -> Result:
        """What of it decides how the league goes on."""
        return Result(self.returns, None if self.fault is None else self.fault.seat)

    @property
    def actions(self) -> tuple[int, ...]:
        """All action ids of the game, opening and chance included; of one that is not whole, the first."""
        played = [(move.ply, move.action) for move in self.moves]
        if self.chance:
            played = sorted([*played, *self.chance])
        if not self.is_whole:
            played = [
                (ply, action) for at, (ply, action) in enumerate(played, len(self.opening)) if ply == at
            ]
        return (*self.opening, *(action for _, action in played))

    @property
    def plies(self) -> int:
        """How many plies were played, those included that are not known."""
        return max(len(self.actions), self.moves[-1].ply + 1 if self.moves else 0)

    @property
    def is_whole(self) -> bool:
        """Whether every ply is known; before version 5 of the database nothing kept what chance did."""
        behind = len(self.moves) + len(self.chance)
        return not self.moves or self.moves[-1].ply < len(self.opening) + behind
