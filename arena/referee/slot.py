"""A slot: the referee's process, which plays the games that the supervisor sends, one at a time.

Protocol over its pipe, all pickled: (job, cores) is answered as `arena.referee.executor` says; None ends it.
"""

from __future__ import annotations

import gc
import os
import signal
from collections.abc import Sequence
from multiprocessing.connection import Connection

from arena.machine.cores import pin
from arena.machine.processes import adopt_orphans, die_with_parent
from arena.records import GameRecord, MatchSpec
from arena.referee.beat import Beat
from arena.referee.executor import Job, Prepare, Refusals
from arena.referee.match import play_match, refusals
from arena.referee.seat import Stopped
from arena.referee.seats import SeatPool
from envs.plugins import search_in


def serve(boss: Connection, beat: Beat, folders: Sequence[str]) -> None:
    """Run the referee's process until the supervisor says so or is gone."""
    os.setsid()
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the supervisor decides what Ctrl-C means
    die_with_parent()
    adopt_orphans()
    search_in(folders)
    gc.freeze()
    pinned: tuple[int, ...] = ()
    with SeatPool(boss) as seats:
        try:
            while (message := boss.recv()) is not None:
                job, cores = message
                if isinstance(job, MatchSpec) and cores != pinned:  # whoever compiles may use them all
                    pin(cores)
                    pinned = cores
                boss.send(_do(job, cores, seats, beat))
        except (EOFError, OSError, Stopped):
            pass


def _do(job: Job, cores: tuple[int, ...], seats: SeatPool, beat: Beat) -> GameRecord | Refusals:
    if isinstance(job, Prepare):
        return refusals(job.game, job.agents, job.terms, seats, beat)
    return play_match(job, seats, cores, beat)
