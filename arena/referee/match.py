"""One game, refereed: `play_match(spec) -> GameRecord`.

The referee moves the game forward in its PettingZoo environment, asks the seats, keeps the clock
and judges. It knows nothing of schedules, stores or other games. What travels to a seat is only
what its player may know.
"""

from __future__ import annotations

import functools
import json
import time
import traceback
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any

import numpy as np

import envs
from agents.base import Limit
from arena.records import (
    AgentChoice,
    Fault,
    GameChoice,
    GameRecord,
    MatchSpec,
    MoveRecord,
    Termination,
    Terms,
    without_trees,
)
from arena.referee.beat import NOBODY, Witness
from arena.referee.gameclock import GameClocks
from arena.referee.seat import Answer, Seat, SeatFault, Stopped
from arena.referee.seats import SeatPool
from envs.actions import illegal
from envs.rules import TERMINAL
from envs.streams import below, make_stream

_STEPS = 3
"""Long things that happen before an agent's first move: kernels are loaded, it starts, it resets."""
_TOLD = 4096
"""Characters told of why an agent does not start."""
_NOBODY_ASKS = Witness()


def play_match(
    spec: MatchSpec,
    seats: SeatPool | None = None,
    cores: tuple[int, ...] = (),
    witness: Witness = _NOBODY_ASKS,
) -> GameRecord:
    """Play one game and return its record; it needs nothing but its spec.

    Args:
        spec: what to play.
        seats: running agents to use again, for a referee that plays many games.
        cores: where the agents run; empty leaves that to the system.
        witness: told what is played, and of everything that may take long before it begins.

    Raises:
        Stopped: when the supervisor behind `seats` wants no more.
    """
    if seats is None:
        with SeatPool() as own:
            return play_match(spec, own, cores, witness)
    try:
        return _Referee(spec, seats, cores, witness).play()
    except Stopped:
        raise
    except Exception as error:  # ours, or the game's; never an agent's, and so nobody's loss
        reason = f"{type(error).__name__}: {error}".splitlines()[0]
        fault = Fault(NOBODY, 0, reason, traceback.format_exc())
        return GameRecord(spec, (), (), (0.0,) * len(spec.players), Termination.VOID, fault)


class _Referee:
    """The state of one game in play."""

    def __init__(self, spec: MatchSpec, seats: SeatPool, cores: tuple[int, ...], witness: Witness) -> None:
        self.spec, self.seats, self.cores, self.witness = spec, seats, cores, witness
        self.clocks = GameClocks(spec)
        witness.expect(spec.terms.startup, NOBODY, 0)
        self.env = environment(spec.game.name, json.dumps(dict(spec.game.params), sort_keys=True))
        self.moves: list[MoveRecord] = []
        self.opening: tuple[int, ...] = ()
        self.told = 0

    def play(self) -> GameRecord:
        env, spec = self.env, self.spec
        env.reset(seed=_seed(*spec.game_seed, len(spec.players)))
        self.witness.begin(spec.number)
        self.opening = play_opening(env, spec)
        self._tell()
        started = time.monotonic()
        fault, termination = None, Termination.NORMAL
        try:
            table = self._seat_all()
            started = time.monotonic()
            while not _is_over(env) and len(env.history) < spec.max_plies:
                self._move(table)
        except _Forfeit as forfeit:
            termination, fault = forfeit.termination, forfeit.fault
        if fault is None and not _is_over(env):
            termination = Termination.MAX_PLIES
        returns = self._returns(fault)
        seconds = time.monotonic() - started
        moves, chance = tuple(self.moves), self._chance()
        return GameRecord(spec, self.opening, moves, returns, termination, fault, seconds, chance)

    def _chance(self) -> tuple[tuple[int, int], ...]:
        """Return what nobody moved, behind the opening."""
        moved = {*range(len(self.opening)), *(move.ply for move in self.moves)}
        return tuple((ply, action) for ply, action in enumerate(self.env.history) if ply not in moved)

    def _seat_all(self) -> list[Seat]:
        """Start, or find, every agent and tell it that a game begins; off the clock."""
        table = []
        for index, agent in enumerate(self.spec.players):
            self.witness.expect(_STEPS * self.spec.terms.startup, index, len(self.env.history))
            with self._blame(index, agent):
                seat = self.seats.get(self.spec.game, agent, self.spec.terms)
                seat.reset(index, _seed(*self.spec.game_seed, index), self.cores)
                table.append(seat)
        return table

    def _move(self, table: list[Seat]) -> None:
        env, spec = self.env, self.spec
        index = env.possible_agents.index(env.agent_selection)
        legal, ply = env.legal_actions(), len(env.history)
        state = env.game_state
        env.rules.information_state(env.game_state, index, state)
        limit = self.clocks.left(index)
        wait = spec.latest(limit)
        self.witness.expect(wait, index, ply)
        with self._blame(index, spec.players[index], limit):
            view = (state, legal, index, env.history)
            answer = table[index].ask(ply, view, self.clocks.told(index), wait)
            self._judge(answer, wait, legal)
        self.clocks.spend(index, answer.time)
        search = self._search(table[index], index, ply)
        self.moves.append(_record(answer, ply, index, legal, limit, search))
        self.witness.expect(spec.terms.startup, NOBODY, ply)
        env.step(answer.action)
        self._tell()

    def _tell(self) -> None:
        """Tell the witness what was played since the last time, by chance too."""
        history = self.env.history
        for action in history[self.told :]:
            self.witness.play(action)
        self.told = len(history)

    def _search(self, seat: Seat, index: int, ply: int) -> Mapping[str, Any] | None:
        """Have recorded what the move looked at, where the league wants it; off the clock, as a reset is."""
        if len(self.moves) not in self.spec.recorded:
            return None
        self.witness.expect(self.spec.terms.startup, index, ply)
        with self._blame(index, self.spec.players[index]):
            return seat.search_record()

    def _judge(self, answer: Answer, wait: float, legal: Any) -> None:
        if answer.time > wait:
            raise SeatFault(Termination.TIMEOUT, f"moved after {answer.time:.3f} s of {wait:.3f} s")
        if answer.action not in legal:
            reason = illegal(self.env.rules, self.env.game_state, answer.action)
            raise SeatFault(Termination.ILLEGAL_ACTION, str(reason))

    def _returns(self, fault: Fault | None) -> tuple[float, ...]:
        players = len(self.spec.players)
        if fault is not None:
            return fault.returns(players)
        if not _is_over(self.env):
            return (0.0,) * players
        return tuple(float(self.env.rewards[agent]) + 0.0 for agent in self.env.possible_agents)

    @contextmanager
    def _blame(self, index: int, agent: AgentChoice, limit: Limit | None = None) -> Iterator[None]:
        """Turn a seat's fault into a forfeit, and the seat out."""
        started = time.monotonic()
        try:
            yield
        except SeatFault as fault:
            late = fault.termination is Termination.TIMEOUT
            over = _overshoot(time.monotonic() - started, limit) if limit and late else 0.0
            self.seats.remove(self.spec.game, agent)
            ply = len(self.env.history)
            raise _Forfeit(fault.termination, Fault(index, ply, fault.reason, fault.detail, over)) from None


class _Forfeit(Exception):
    """A game that ends by a fault."""

    def __init__(self, termination: Termination, fault: Fault) -> None:
        super().__init__(fault.reason)
        self.termination, self.fault = termination, fault


def _record(
    answer: Answer, ply: int, index: int, legal: Any, limit: Limit, search: Mapping[str, Any] | None
) -> MoveRecord:
    kept = legal if answer.visits is not None else None
    info, trees = (answer.info, None) if kept is None else without_trees(answer.info, len(legal))
    return MoveRecord(
        ply=ply,
        seat=index,
        action=answer.action,
        time=answer.time,
        overshoot=_overshoot(answer.time, limit),
        value=answer.value,
        legal_actions=kept,
        visits=answer.visits,
        info=info,
        idle=answer.idle,
        tree_visits=trees,
        search=search,
    )


def _overshoot(seconds: float, limit: Limit) -> float:
    return 0.0 if limit.seconds is None else max(0.0, seconds - limit.seconds)


@functools.lru_cache(maxsize=32)
def environment(name: str, params: str) -> Any:
    """Return the environment in which this process referees a game; `params` is JSON."""
    return envs.make_env(name, **json.loads(params))


def play_opening(env: Any, spec: MatchSpec) -> tuple[int, ...]:
    """Play the opening in `env`, as written down or random plies, and return its actions.

    An action that ends the game is not played, so an opening is never decided; it is shorter where
    every action would end the game.
    """
    if spec.opening is not None:
        for name in spec.opening.split():
            env.step(env.rules.string_to_action(env.game_state, name))
        return tuple(env.history)
    rng = make_stream(*spec.opening_seed)
    for _ in range(spec.opening_plies):
        quiet = [action for action in env.legal_actions() if not _ends(env, action)]
        if not quiet:
            break
        env.step(quiet[below(rng, len(quiet))])
    return tuple(env.history)


def _ends(env: Any, action: int) -> bool:
    after = env.game_state
    env.rules.step(after, action)
    return bool(env.rules.current_player(after) == TERMINAL)


def _is_over(env: Any) -> bool:
    return any(env.terminations.values()) or not env.agents


def _seed(*entropy: int) -> int:
    return int(np.random.SeedSequence(entropy).generate_state(1, np.uint32)[0])


def refusals(
    game: GameChoice,
    players: Iterable[AgentChoice],
    terms: Terms,
    seats: SeatPool,
    witness: Witness = _NOBODY_ASKS,
) -> list[tuple[str, str]]:
    """Start agents for `game`; return (label, reason) of those that do not start."""
    refused = []
    for index, agent in enumerate(players):
        witness.expect(_STEPS * terms.startup, index, 0)
        try:
            seats.get(game, agent, terms).reset(0, 0, ())
        except SeatFault as fault:
            seats.remove(game, agent)
            reason = "\n".join(filter(None, (fault.reason, _shortened(fault.detail.strip()))))
            refused.append((agent.label, reason))
    return refused


def _shortened(text: str) -> str:
    """Return the beginning and the end: a traceback stands there, and the last that was printed here."""
    half = _TOLD // 2
    return text if len(text) <= _TOLD else f"{text[:half]}\n[…]\n{text[-half:]}"
