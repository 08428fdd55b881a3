"""Whether `arena watch` slows the run it follows: a script, not a test. Run it from the project's root.

It plays the same league alone and watched in turn, and prints for both what a move's search came to, and how
many games a second are played that need next to no search. What differs less than the pairs do is noise.
"""

from __future__ import annotations

import argparse
import os
import pty
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import replace
from pathlib import Path

from agents.base import Limit
from arena.league.config import League, RoundRobin
from arena.records import AgentChoice, GameChoice
from arena.referee.supervisor import run_league
from arena.results.summary import summarise
from arena.runs import DATABASE

CONNECT_FOUR, TIC_TAC_TOE = (GameChoice(name, name) for name in ("connect_four", "tic_tac_toe"))
RANDOM = (AgentChoice("a", "random"), AgentChoice("b", "random"))
UCT = tuple(AgentChoice(label, "uct", {"solver": False, "memory_mb": 16}) for label in "ab")
USED: list[float] = []
"""Shares of a processor that watchers used."""
LEAGUES = {
    "simulations a second": (League("bench", (CONNECT_FOUR,), UCT, limit=Limit(time=0.05)), 10),
    "games a second": (League("bench", (TIC_TAC_TOE,), RANDOM, limit=Limit(time=1)), 1000),
}


def main() -> None:
    """Print each pair, and the medians."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--pairs", type=int, default=5)
    pairs = parser.parse_args().pairs
    for what, (league, rounds) in LEAGUES.items():
        measured = replace(league, schedule=RoundRobin(rounds=rounds))
        play(measured, alone)  # compiles
        ratios = []
        for number in range(pairs):
            order = (alone, watched) if number % 2 else (watched, alone)
            found = {how: play(measured, how)[what] for how in order}
            ratios.append(found[watched] / found[alone])
            print(f"{what}: {found[alone]:,.0f} alone, {found[watched]:,.0f} watched", flush=True)
        median, least, most = statistics.median(ratios), min(ratios), max(ratios)
        print(f"{what}: watched over alone {median:.3f}, {least:.3f} to {most:.3f}")
    print(f"a watcher used {max(USED):.1%} of a processor at most, its start included")


def play(league: League, how: Callable[[Path], object]) -> dict[str, float]:
    """Play a league and return what it came to."""
    with tempfile.TemporaryDirectory() as folder, how(Path(folder)):
        started = time.perf_counter()
        outcome = run_league(league, Path(folder), quiet=True)
        seconds = time.perf_counter() - started
        (game,) = summarise(outcome.run / DATABASE).games
    rates = [use.simulations_per_second or 0.0 for use in game.searches]
    return {"games a second": game.played / seconds, "simulations a second": sum(rates) / max(len(rates), 1)}


@contextmanager
def alone(_folder: Path) -> Iterator[None]:
    """Nobody watches."""
    yield


@contextmanager
def watched(folder: Path) -> Iterator[None]:
    """The first run in a folder is watched on a terminal, as soon as there is one."""
    ours, theirs = pty.openpty()
    reader = threading.Thread(target=_drain, args=(ours,))
    reader.start()
    watcher = threading.Thread(target=_watch, args=(folder, theirs))
    watcher.start()
    yield
    watcher.join()
    os.close(theirs)
    reader.join()  # it must not go on reading: the number of the file is soon another's
    os.close(ours)


def _watch(folder: Path, terminal: int) -> None:
    while not list(folder.glob(f"*/{DATABASE}-wal")):
        time.sleep(0.01)
    command = [sys.executable, "-m", "arena", "watch", "--runs-dir", str(folder)]
    started = time.perf_counter()
    watcher = subprocess.Popen(command, stdout=terminal, stdin=subprocess.DEVNULL)
    _, _, used = os.wait4(watcher.pid, 0)
    USED.append((used.ru_utime + used.ru_stime) / (time.perf_counter() - started))


def _drain(terminal: int) -> None:
    with suppress(OSError):
        while os.read(terminal, 4096):
            pass


if __name__ == "__main__":
    main()
