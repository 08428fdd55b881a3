"""How fast UCT is, beside OpenSpiel's C++ search: what `arena bench uct` measures and says.

Nothing here is asserted in a test, for it depends on the machine; how the search is built is in `agents.uct`.
"""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from agents import make_agent
from agents.base import Limit, View
from envs import make_rules
from envs.rules import list_legal

UCT_C = 1.4
"""Exploration constant of both searches."""
GEOMETRIC_MEAN = 20.0
"""What the ratios to OpenSpiel should come to over all games."""
TIMES_MORAT = 4.0
"""By how much UCT should outdo the engine written for one family of games."""


@dataclass(frozen=True)
class Contest:
    """A game to measure on: ours, how OpenSpiel calls it, and what is aimed at.

    Attributes:
        game: the name of the game; `params` make its rules.
        openspiel: what `pyspiel.load_game` takes.
        target: how many times OpenSpiel's simulations per second.
        morat: rollouts per second of the C++ engine morat (T. Ewalds, github.com/tewalds/morat), measured
            apart on 2 cores such as a small cloud machine has; None where it does not play the game.
    """

    game: str
    params: dict[str, Any]
    openspiel: str
    target: float = 5.0
    morat: float | None = None


CONTESTS = (
    Contest("tic_tac_toe", {}, "tic_tac_toe"),
    Contest("connect_four", {}, "connect_four"),
    Contest("hex", {"size": 11}, "hex(board_size=11)", target=60.0, morat=91_000),
    Contest("havannah", {"size": 8}, "havannah(board_size=8)", morat=43_000),
    Contest("gomoku", {}, "gomoku(size=15)", morat=43_000),  # its mnk is some 25 times slower
    Contest("othello", {}, "othello"),
    Contest("breakthrough", {}, "breakthrough(rows=8,columns=8)"),
    Contest("go", {"size": 9}, "go(board_size=9)"),
)


@dataclass(frozen=True)
class Speed:
    """Simulations per second on one game; `openspiel` is None where it is not installed."""

    game: str
    ours: float
    openspiel: float | None
    target: float
    morat: float | None

    @property
    def ratio(self) -> float | None:
        """Our simulations for each of OpenSpiel's."""
        return self.ours / self.openspiel if self.openspiel else None


def measure(contest: Contest, simulations: int, repeats: int) -> Speed:
    """Search the first position with both, by turns; medians over `repeats`."""
    ours = our_search(contest.game, contest.params, simulations)
    theirs = openspiel_search(contest.openspiel, simulations, UCT_C)
    seconds = interleaved([ours, theirs] if theirs else [ours], repeats)
    rates = [simulations / s for s in seconds]
    return Speed(contest.game, rates[0], rates[1] if theirs else None, contest.target, contest.morat)


def interleaved(works: Sequence[Callable[[], None]], repeats: int, seconds: float = 0.1) -> list[float]:
    """Return the median seconds of a call of each work; a repeat calls each for `seconds` or longer.

    Seconds are this thread's time on the processor, so that what else runs on the machine matters little.
    Each is called once before, for the first call touches memory that later ones find ready.
    """
    taken: list[list[float]] = [[] for _ in works]
    for work in works:
        work()
    for _ in range(repeats):
        for work, times in zip(works, taken, strict=True):
            calls, begin = 0, time.thread_time()
            while time.thread_time() < begin + seconds:
                work()
                calls += 1
            times.append((time.thread_time() - begin) / calls)
    return [statistics.median(times) for times in taken]


def our_search(game: str, params: dict[str, Any], simulations: int) -> Callable[[], None]:
    """Return a function that searches the first position once, in one tree."""
    rules = make_rules(game, **params)
    agent = make_agent("uct", rules, uct_c=UCT_C, solver=False)
    view, limit = first_view(rules), Limit(simulations=simulations)

    def search() -> None:
        agent.act(view, limit)

    return search


def openspiel_search(game: str, simulations: int, uct_c: float) -> Callable[[], None] | None:
    """Return the same for OpenSpiel's C++ `MCTSBot`, one random rollout a leaf.

    None where `open_spiel` is not installed, or `game` (its name with parameters) is empty.
    """
    try:
        import pyspiel
    except ImportError:
        return None
    if not game:
        return None
    rules = pyspiel.load_game(game)
    evaluator = pyspiel.RandomRolloutEvaluator(1, 1)
    bot = pyspiel.MCTSBot(rules, evaluator, uct_c, simulations, 10_000, False, 1, False)
    state = rules.new_initial_state()

    def search() -> None:
        bot.step(state)

    return search


def first_view(rules: Any) -> View:
    """Return what the first player sees."""
    state = rules.initial_state()
    return View(state, list_legal(rules, state), 0)


HEADING = f"{'game':<13}{'UCT/s':>12}{'OpenSpiel/s':>13}{'ratio':>8}{'target':>8}{'morat/s':>9}{'ratio':>7}"


def row(speed: Speed) -> str:
    """Return a line of the table."""
    theirs = f"{speed.openspiel:>13,.0f}{speed.ratio:>8.1f}" if speed.openspiel else f"{'–':>13}{'–':>8}"
    morat = f"{speed.morat:>9,.0f}{speed.ours / speed.morat:>7.1f}" if speed.morat else ""
    return f"{speed.game:<13}{speed.ours:>12,.0f}{theirs}{speed.target:>8.0f}{morat}"


def verdict(speeds: Iterable[Speed]) -> Iterator[str]:
    """Yield what the table comes to."""
    speeds = list(speeds)
    ratios = [speed.ratio for speed in speeds if speed.ratio is not None]
    if ratios:
        mean = statistics.geometric_mean(ratios)
        yield f"Geometric mean of the ratios to OpenSpiel: {mean:.1f} (target {GEOMETRIC_MEAN:.0f})."
    else:
        yield "OpenSpiel cannot be imported: `pip install open-spiel` here puts it beside."
    below = [speed.game for speed in speeds if speed.ratio is not None and speed.ratio < speed.target]
    slow = [speed.game for speed in speeds if speed.morat and speed.ours < TIMES_MORAT * speed.morat]
    if below:
        yield f"Below the target: {', '.join(below)}."
    if slow:
        yield f"Below {TIMES_MORAT:.0f} times morat: {', '.join(slow)}."
