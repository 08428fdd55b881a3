"""A slot: the referee's process, which plays the games that the supervisor sends, one at a time.

Protocol over its pipe, all pickled: `Prepare` is answered by a list of (agent label, reason) of
agents that do not start; `(MatchSpec, cores)` is answered by a `GameRecord`; None ends it.
"""

from __future__ import annotations

import gc
import os
import signal
from dataclasses import dataclass
from multiprocessing.connection import Connection

from arena.cores import pin
from arena.match import is_refused, play_match
from arena.records import AgentChoice, GameChoice, GameRecord, MatchSpec
from arena.seat import Stopped, die_with_parent
from arena.seats import SeatPool
from envs.plugins import search_in


@dataclass(frozen=True)
class Prepare:
    """Compile and start everything that `game` needs, and say what does not start."""

    game: GameChoice
    agents: tuple[AgentChoice, ...]
    startup: float


Job = Prepare | tuple[MatchSpec, tuple[int, ...]]


def serve(boss: Connection, import_path: list[str]) -> None:
    """Run the referee's process until the supervisor says so or is gone."""
    os.setsid()
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the supervisor decides what Ctrl-C means
    die_with_parent()
    search_in(import_path)
    gc.freeze()
    with SeatPool(boss) as seats:
        try:
            while (job := boss.recv()) is not None:
                boss.send(_do(job, seats))
        except (EOFError, OSError, Stopped):
            pass


def _do(job: Job, seats: SeatPool) -> GameRecord | list[tuple[str, str]]:
    if isinstance(job, Prepare):
        reasons = ((agent.label, is_refused(job.game, agent, job.startup, seats)) for agent in job.agents)
        return [(label, reason) for label, reason in reasons if reason]
    spec, cores = job
    pin(cores)
    return play_match(spec, seats, cores)
