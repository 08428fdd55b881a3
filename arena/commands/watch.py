"""The command that follows a run while another process plays it: `watch`.

It reads, never writes, and steps back behind whoever needs a processor: the agents that are at play.
"""

from __future__ import annotations

import os
import shlex
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import click

from arena.commands.options import RUNS_DIR
from arena.commands.results import opened

if TYPE_CHECKING:
    from rich.console import Console

    from arena.results.follow import Follower

_MODEST, _LONGEST = 9, 5.0
"""Seconds of rest for each second of processor time, and the longest rest that comes of it."""
_NICE = 10
"""By how much everything else goes before it; 19 is the most there is."""

Wait = Callable[[float], str]
"""Waits so many seconds for a key and returns it; "" where none came."""


@click.command()
@click.argument("run", required=False)
@click.option("--once", is_flag=True, help="Print how it stands now, and end.")
@click.option(
    "--interval",
    type=click.FloatRange(min=0.1),
    default=1.0,
    show_default=True,
    help="Seconds between two looks.",
)
@RUNS_DIR
def watch(run: str | None, once: bool, interval: float, runs_dir: Path) -> None:
    """Follow RUN while it is played: its progress, the standings, and the boards of the games in play.

    RUN is a folder that `arena run` made, or its name in runs/; the last one where it is left out. It is
    for another terminal than the one that plays, and only reads: the run is neither slowed nor changed.
    When the run is over, its tables are printed; q or Ctrl-C ends before that. Where the output is no
    terminal, a line is printed whenever games were finished.

    \b
    Examples:
        arena watch
        arena watch evening-1 --interval 5
        arena watch evening-1 --once
    """
    _step_back()  # before anything heavy is loaded
    from arena.results.follow import Follower
    from arena.results.screen import frame
    from arena.results.show import tables_view
    from arena.results.tables import console

    with opened(run, runs_dir) as store:
        follower, screen = Follower(store), console()
        if once:
            screen.print(frame(follower.look(), screen))
            return
        try:
            follow = _on_screen if sys.stdout.isatty() else _in_lines
            is_over = follow(follower, screen, interval)
        except KeyboardInterrupt:
            return
        if is_over:
            tables_view(store, forfeits=True, form="")
            if store.is_current and not follower.look().is_complete:
                where = shlex.quote(str(store.path.parent))
                click.echo(f"No process plays it. Go on with: arena resume {where}", err=True)


def _step_back() -> None:
    if hasattr(os, "nice"):
        os.nice(_NICE)


def _on_screen(follower: Follower, screen: Console, interval: float) -> bool:
    """Draw the run until it is over, or the person presses q; return which: True when it is over."""
    from rich.live import Live

    from arena.results.screen import frame

    with _keys() as wait, Live(console=screen, screen=True, auto_refresh=False) as live:
        while True:
            began = time.process_time()
            moment = follower.look()
            live.update(frame(moment, screen, screen.height), refresh=True)
            if moment.is_over:
                return True
            if wait(_rest(began, interval)) == "q":
                return False


def _in_lines(follower: Follower, _screen: Console, interval: float) -> bool:
    """Print a line whenever games were finished, until the run is over."""
    from arena.results.screen import progress_line

    told = -1
    while True:
        began = time.process_time()
        moment = follower.look()
        if moment.summary.played != told:
            click.echo(progress_line(moment))
            told = moment.summary.played
        if moment.is_over:
            return True
        time.sleep(_rest(began, interval))


def _rest(began: float, interval: float) -> float:
    """Return how long to do nothing after work that began at this processor time."""
    return max(interval, min(_LONGEST, _MODEST * (time.process_time() - began)))


@contextmanager
def _keys() -> Iterator[Wait]:
    """Let single keys be read, unseen; Ctrl-C goes on to be what it is."""
    if sys.platform == "win32" or not sys.stdin.isatty():
        yield _wait_only
        return
    import termios
    import tty

    before = termios.tcgetattr(sys.stdin)
    tty.setcbreak(sys.stdin)
    try:
        yield _wait_for_key
    finally:
        termios.tcsetattr(sys.stdin, termios.TCSADRAIN, before)


def _wait_only(seconds: float) -> str:
    time.sleep(seconds)
    return ""


def _wait_for_key(seconds: float) -> str:
    import select

    ready, _, _ = select.select([sys.stdin], [], [], seconds)
    return os.read(sys.stdin.fileno(), 1).decode(errors="replace") if ready else ""
