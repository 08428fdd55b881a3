"""The seat's own process: one agent, which answers what a referee asks over a pipe.

Everything here runs beside the agent and at its mercy; what becomes of the answers is in
`arena.referee.seat`. It answers in JSON, so that nothing an agent sends can run code in the referee.
"""

from __future__ import annotations

import functools
import json
import operator
import os
import pickle
import signal
import sys
import traceback
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

import numpy as np

import agents
import envs
from agents.base import NEVER, Agent, Clock, Decision, Limit, View
from arena.columns import jsonable
from arena.machine.cores import pin
from arena.machine.processes import adopt_orphans, die_with_parent
from arena.records import AgentChoice, GameChoice

PlainLimit = tuple[float | None, int | None, int | None, int | None, tuple[float | None, float | None] | None]
"""A `Limit` as it travels: time, simulations, nodes, depth, and the clock's remaining time and increment."""
_LARGEST, _DEEPEST = 1 << 20, 100
"""Bytes of JSON that the record of a search may have, and levels: whoever reads it may do so by recursion."""

_ROUNDING = 1e-5
"""How far beyond [-1, 1] a value may be, for sums of many numbers of 32 bits are."""


def serve(
    connection: Connection,
    others: Sequence[Connection],
    output: Connection,
    game: GameChoice,
    agent: AgentChoice,
) -> None:
    """Run the seat's process: build the agent, then answer until the pipe closes."""
    for other in others:
        other.close()
    os.setsid()
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    die_with_parent()
    adopt_orphans()  # so that all this agent starts stays below it, as long as it lives
    _offer_to_the_system()
    for fd in (1, 2):
        os.dup2(output.fileno(), fd)
    output.close()
    try:
        rules = envs.make_rules(game.name, **game.params)
        player = agents.make_agent(agent.type, rules, **agent.params)
        dtype = rules.initial_state().dtype
        _reply(connection, {})
        while (message := _next(connection)) is not None:
            _answer(connection, player, dtype, message)
    except BaseException as error:  # sys.exit and the like are the agent's doing too
        _flush()
        _reply(connection, {"error": _one_line(error), "traceback": traceback.format_exc()})
    finally:
        os._exit(0)  # no exit handlers: an agent's leftovers must not keep the process alive


def _offer_to_the_system() -> None:
    """Where memory runs out, Linux shall end this process before any other of the run."""
    with suppress(OSError):
        Path("/proc/self/oom_score_adj").write_text("1000")


def _next(connection: Connection) -> tuple[Any, ...] | None:
    """Return the referee's next message, or None when it is gone or has no more use for us."""
    try:
        message: tuple[Any, ...] = pickle.loads(connection.recv_bytes())
    except EOFError:
        return None
    return message


def _answer(connection: Connection, player: Agent, dtype: np.dtype[Any], message: tuple[Any, ...]) -> None:
    if message[0] == "reset":
        _, index, seed, cores = message
        pin(cores)
        player.reset(index, seed)
        _reply(connection, {})
        return
    if message[0] == "search":
        _reply(connection, {"search": plain_search(player.search_record)})
        return
    _, ply, state_bytes, legal_bytes, index, history, plain_limit = message
    state = np.frombuffer(state_bytes, dtype).copy()
    legal = np.frombuffer(legal_bytes, np.int64)  # which cannot be written to
    limit = _limit(plain_limit)
    observation = _observe(player, state, legal, index) if player.uses_observation else None
    view = View(state, legal, index, observation, history, limit.clock or Clock())
    decision = player.act(view, limit)
    try:
        reply = {"ply": ply, **plain(decision, len(legal))}
    except (TypeError, ValueError) as error:
        answered = " ".join(repr(decision).split())  # arrays are written in several lines
        reply = {"garbage": f"answered {answered:.80}: {error}"}
    _reply(connection, reply)


@functools.lru_cache(maxsize=4)
def _limit(fields: PlainLimit) -> Limit:
    time, simulations, nodes, depth, clock = fields
    return Limit(time, simulations, nodes, depth, None if clock is None else Clock(*clock))


def _observe(player: Agent, state: Any, legal: Any, index: int) -> dict[str, Any]:
    mask = np.zeros(player.rules.num_actions, np.int8)
    mask[legal] = 1
    return {"observation": player.rules.observation(state, index), "action_mask": mask}


def plain(decision: Any, num_legal: int) -> dict[str, Any]:
    """Reduce an agent's answer to plain data; raise TypeError or ValueError where it is none."""
    if not isinstance(decision, Decision):
        decision = Decision(decision)
    value = None if decision.value is None else _value(float(decision.value))
    visits = None
    if decision.visits is not None:
        visits = [operator.index(count) for count in decision.visits]
        if len(visits) != num_legal or min(visits, default=0) < 0:
            raise ValueError(f"visits must be {num_legal} counts, one a legal action")
        if sum(visits) > NEVER:
            raise ValueError("visits add up to more than 64 bits hold")
    action = operator.index(decision.action)
    return {"action": action, "visits": visits, "value": value, "info": dict(decision.info)}


def _value(told: float) -> float:
    """Return what a mover expects, without what rounding put beyond [-1, 1]; raise ValueError past that."""
    if not abs(told) <= 1 + _ROUNDING:
        raise ValueError(f"value {told:g} is not in [-1, 1]")
    return min(max(told, -1.0), 1.0)


def plain_search(tell: Callable[[], Any]) -> dict[str, Any] | None:
    """Return as plain data what an agent tells of its search; where it is none, a record that says why."""
    try:
        record = tell()
        return None if record is None else _checked(record)
    except Exception as error:
        return {"kind": "failed", "reason": _one_line(error)}


def _checked(record: Any) -> dict[str, Any]:
    if not isinstance(record, Mapping) or not isinstance(record.get("kind"), str):
        raise TypeError(f"{record!r:.80} is no mapping with a kind")
    text = json.dumps(dict(record), allow_nan=False)
    if len(text) > _LARGEST:
        raise ValueError(f"a record of {len(text):,} bytes: there may be {_LARGEST:,}")
    plain_record: dict[str, Any] = json.loads(text)
    if _is_deeper(plain_record, _DEEPEST):
        raise ValueError(f"a record of more than {_DEEPEST} levels")
    return plain_record


def _is_deeper(value: Any, levels: int) -> bool:
    """Return whether lists and mappings stand in each other more than so many levels deep."""
    if not isinstance(value, dict | list):
        return False
    inner = value.values() if isinstance(value, dict) else value
    return levels == 0 or any(_is_deeper(each, levels - 1) for each in inner)


def _reply(connection: Connection, reply: dict[str, Any]) -> None:
    connection.send_bytes(json.dumps(reply, default=jsonable).encode())


def _one_line(error: BaseException) -> str:
    try:
        text = str(error)
    except Exception:
        text = "(its text cannot be had)"
    return f"{type(error).__name__}: {text}".splitlines()[0][:300]


def _flush() -> None:
    """Write out what the agent printed; it may have closed or replaced the streams."""
    for stream in (sys.stdout, sys.stderr):
        with suppress(Exception):
            stream.flush()
