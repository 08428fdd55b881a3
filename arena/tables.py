"""A `Summary` as tables for a terminal: plain where there is none, never wider than it is."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
from rich.columns import Columns
from rich.console import Console, Group, RenderableType
from rich.panel import Panel
from rich.rule import Rule
from rich.table import Table
from rich.text import Text

import envs
from arena.move_stats import SearchUse
from arena.stats import Estimate
from arena.summary import GameSummary, Summary

_SHARES_SHOWN = 1_000_000
"""Visits that shares are multiplied by, for a board that takes counts."""


def print_summary(summary: Summary, console: Console | None = None) -> None:
    """Print everything a run says, one game after the other.

    Args:
        summary: from `arena.summary.summarise`.
        console: where to; stdout, at least 100 columns wide where it is no terminal.
    """
    console = console or _console()
    for game in summary.games:
        console.print()
        console.print(Rule(Text(f"{game.game}: {game.played} games", style="bold"), align="left", style="dim"))
        for part in _game(game):
            console.print(part)
    console.print()
    if summary.faults:
        console.print(_fault_examples(summary))
    for line in _closing(summary):
        console.print(line)


def _console() -> Console:
    console = Console(highlight=False)
    return console if console.is_terminal else Console(highlight=False, width=max(100, console.width))


def _game(game: GameSummary) -> Iterable[RenderableType]:
    yield Text(headline(game))
    yield _standings(game)
    if len(game.crosstable) > 2:
        yield _crosstable(game)
    yield _seats(game)
    yield _time(game)
    if game.searches:
        yield _searches(game)
        yield Columns([_first_position(game, search) for search in game.searches if search.first_moves])
    if game.faults:
        yield _faults(game)
    if game.distinct < game.played:
        repeated = game.played - game.distinct
        yield Text(f"{repeated} of {game.played} games repeat another move for move, and prove nothing new.", "yellow")


def headline(game: GameSummary) -> str:
    """Say in one sentence who is best and how sure that is."""
    best = game.standings[0]
    if len(game.standings) == 1 or best.better_than_next is None:
        return f"{best.agent} has the most: {best.score:.0%} of the points."
    sure = best.better_than_next
    second = game.standings[1].agent
    if sure < 0.75:
        return f"{best.agent} and {second} cannot be told apart yet ({_likely(sure)} that {best.agent} is stronger)."
    verdict = "is best" if sure >= 0.95 else "is probably best"
    return f"{best.agent} {verdict}: {best.score:.0%} of the points; {_likely(sure)} that it is stronger than {second}."


def _likely(p: float) -> str:
    return "over 99.9%" if p > 0.999 else f"{p:.1%}"


def _table(title: str, *columns: str, note: str = "") -> Table:
    """Make a table whose first column is text and whose others are figures."""
    table = Table(title=title, title_justify="left", title_style="bold", box=None, pad_edge=False, padding=(0, 2, 0, 0))
    table.caption, table.caption_justify, table.caption_style = note or None, "left", "dim"
    for index, column in enumerate(columns):
        table.add_column(column, justify="right" if index else "left", no_wrap=True)
    return table


def _row(table: Table, *cells: str | Text) -> None:
    # Text, not str: names of agents may look like markup.
    table.add_row(*(cell if isinstance(cell, Text) else Text(cell) for cell in cells))


def _standings(game: GameSummary) -> Table:
    note = "Elo: 0 is the average of these agents; ± is the 95% interval. stronger: probability over the line below."
    table = _table("Standings", "agent", "score", "W", "D", "L", "Elo", "±", "stronger", note=note)
    for line in game.standings:
        sure = "" if line.better_than_next is None else _likely(line.better_than_next)
        elo, error = ("", "") if line.elo is None else (f"{line.elo.value:+.0f}", f"{line.elo.error:.0f}")
        counts = (str(line.wins), str(line.draws), str(line.losses))
        _row(table, line.agent, f"{line.score:.1%}", *counts, elo, error, sure)
    return table


def _crosstable(game: GameSummary) -> Table:
    agents = [line.agent for line in game.standings]
    cells = {(cell.agent, cell.opponent): cell for cell in game.crosstable}
    table = _table("Results, W-D-L of the row against the column", "", *agents)
    for agent in agents:
        row: list[str | Text] = [agent]
        for opponent in agents:
            cell = cells.get((agent, opponent))
            row.append(_coloured(cell.wins, cell.draws, cell.losses) if cell else Text("·", "dim"))
        _row(table, *row)
    return table


def _coloured(wins: int, draws: int, losses: int) -> Text:
    style = "green" if wins > losses else "red" if losses > wins else ""
    return Text(f"{wins}-{draws}-{losses}", style)


def _seats(game: GameSummary) -> Table:
    note = "" if game.first_seat is None else _first_seat(game.first_seat)
    count = 1 + max(result.seat for result in game.seats)
    names = ["moving first", "moving second", *(f"seat {seat + 1}" for seat in range(2, count))][:count]
    table = _table("By seat, W-D-L", "agent", *names, note=note)
    by_agent = {(result.agent, result.seat): result for result in game.seats}
    for line in game.standings:
        results = [by_agent.get((line.agent, seat)) for seat in range(count)]
        _row(table, line.agent, *(f"{r.wins}-{r.draws}-{r.losses}" if r else "·" for r in results))
    return table


def _first_seat(estimate: Estimate) -> str:
    return f"The first seat makes {estimate.value:.1%} ± {estimate.error:.1%} of the points (95% interval)."


def _time(game: GameSummary) -> Table:
    table = _table(
        "Time a move, milliseconds",
        *("agent", "moves", "mean", "longest", "over p50", "over p99", "over max"),
        note="over: past the limit, by the referee's clock (half, 1 in 100, and the worst of the moves are above).",
    )
    for use in game.time:
        milliseconds = (use.mean, use.longest, use.overshoot_p50, use.overshoot_p99, use.overshoot_max)
        _row(table, use.agent, str(use.moves), *(f"{1000 * seconds:.2f}" for seconds in milliseconds))
    return table


def _searches(game: GameSummary) -> Table:
    note = "chosen: mean share of the root's visits that the move played had. entropy: 0 bits is all visits on one move."
    table = _table("Root visits", "agent", "moves", "chosen", "entropy", "simulations/s", note=note)
    for use in game.searches:
        rate = "" if use.simulations_per_second is None else f"{use.simulations_per_second:,.0f}"
        _row(table, use.agent, str(use.moves), f"{use.chosen_share:.1%}", f"{use.entropy:.2f} bits", rate)
    return table


def _first_position(game: GameSummary, use: SearchUse) -> RenderableType:
    position = "of the first position" if use.first_openings == 1 else f"of {use.first_openings} openings"
    title = f"{use.agent}: visits {position}, % (mean of {use.first_moves})"
    return Panel(Text(_board(game, use)), title=Text(title), title_align="left", border_style="dim", expand=False)


def _board(game: GameSummary, use: SearchUse) -> str:
    rules = envs.make_rules(game.name, **game.params)
    visits = np.zeros(rules.num_actions, np.int64)
    for action, share in use.first_shares.items():
        visits[action] = round(_SHARES_SHOWN * share)
    return str(rules.to_text(rules.initial_state(), visits))


def _faults(game: GameSummary) -> Table:
    kinds = sorted({kind for counts in game.faults.values() for kind in counts})
    table = _table("Faults, each a lost game", "agent", *kinds)
    for agent, counts in game.faults.items():
        _row(table, agent, *(str(counts.get(kind, 0)) for kind in kinds))
    return table


def _fault_examples(summary: Summary) -> Group:
    lines = [Text("Faults", style="bold")]
    for fault in summary.faults:
        where = f"game {fault.number} ({fault.game}), ply {fault.ply}"
        lines.append(Text(f"  {fault.agent}: {fault.termination} in {where}: {fault.reason}", "red"))
    return Group(*lines)


def _closing(summary: Summary) -> Iterable[Text]:
    if summary.played < summary.scheduled:
        yield Text(f"Interrupted after {summary.played} of {summary.scheduled} games.", "yellow")
    yield Text(f"Kept in {summary.run}")
