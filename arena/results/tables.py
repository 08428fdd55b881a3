"""A `Summary` as tables for a terminal: plain where there is none, never wider than it is.

A block is a title, a table and notes in full width. How the first moves' visits are drawn is in
`arena.results.boards`; what is told is in `arena.results.findings`, and how it is computed in
`arena.results.summary`.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Sequence

from rich.cells import cell_len
from rich.console import Console, RenderableType
from rich.padding import Padding
from rich.rule import Rule
from rich.table import Table
from rich.text import Text

from arena.referee.progress import printable
from arena.results.boards import first_positions
from arena.results.figures import signed
from arena.results.findings import FaultLine, GameSummary, Summary
from arena.results.sentences import (
    count,
    headline,
    likely,
    limits,
    overview,
    scoring,
    seats,
    state,
    stops,
    warnings,
)
from arena.statistics.stats import Estimate

_LONG = 12
"""Cells of the longest label that may head a column of the crosstable; beyond, places do."""
_PAIRINGS_SHOWN = 30
_FAULTS_SHOWN = 10
"""Examples of faults a game."""


def print_summary(summary: Summary, screen: Console | None = None) -> None:
    """Print everything a run says, one game after the other.

    Args:
        summary: from `arena.results.summary.summarise`.
        screen: where to; `console()` unless told otherwise.
    """
    screen = screen or console()
    screen.print()
    if len(summary.games) > 1:
        screen.print(Text(overview(summary.games), "bold"))
    screen.print(Text(limits(summary), "dim"), end="\n\n")
    for game in summary.games:
        screen.print(Rule(Text(title(game), "bold"), align="left", style="dim"))
        for block in _game(game, summary.faults, screen.width):
            for part in block:
                screen.print(part)
            screen.print()
    for line in _closing(summary):
        screen.print(line)


def console() -> Console:
    """Return stdout, as wide as the terminal, or as the variable COLUMNS says, or 100 columns."""
    screen = Console(highlight=False)
    if screen.is_terminal or os.environ.get("COLUMNS", "").isdecimal():
        return screen
    return Console(highlight=False, width=100)


Block = Iterable[RenderableType]


def title(game: GameSummary) -> str:
    """Return what heads a game: its label, its parameters, how often it was played."""
    params = ", ".join(f"{name} {value}" for name, value in game.params.items())
    return f"{game.game}{f' ({params})' if params else ''}: {count(game.played, 'game')}"


def _game(game: GameSummary, examples: Sequence[FaultLine], width: int) -> Iterator[Block]:
    won = [] if game.winner is None else [f"{game.winner} wins the knockout."]
    yield [
        *map(Text, (*won, headline(game), *stops(game))),
        *(Text(text, "yellow") for text in warnings(game)),
    ]
    yield _standings(game)
    if len(game.crosstable) > 2:
        yield _crosstable(game, width)
    if game.crosstable:
        yield _pairings(game)
    yield _seats(game)
    yield _time(game)
    if game.searches:
        yield _searches(game)
        yield first_positions(game, width)
    if game.faults:
        yield _faults(game, examples)


def _block(title: str, table: Table, *notes: str) -> Iterator[RenderableType]:
    """Yield a titled table; notes are lines of their own, for rich wraps captions to the table's width."""
    yield Text(title, "bold")
    yield table
    for note in notes:
        yield Text(note, "dim")


def _table(*columns: str) -> Table:
    """Make a table whose first column is text, folded where it must be, and whose others are figures."""
    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0))
    for index, column in enumerate(columns):
        figures = index > 0
        table.add_column(
            Text(column), justify="right" if figures else "left", no_wrap=figures, overflow="fold"
        )
    return table


def _row(table: Table, *cells: str | Text) -> None:
    # Text, not str: names of agents may look like markup.
    table.add_row(*(cell if isinstance(cell, Text) else Text(cell) for cell in cells))


def _standings(game: GameSummary) -> Block:
    note = "Elo: 0 is these agents' average, ± the 95% interval. stronger: probability, than the line below."
    return _block("Standings", standings(game), scoring(game), note)


def standings(game: GameSummary) -> Table:
    """Return the standings of a game, best first."""
    for_two = game.players == 2
    table = _table(
        "agent", *(["score"] if for_two else ["return", "±"]), "W", "D", "L", "Elo", "±", "stronger"
    )
    for line in game.standings:
        won = [f"{line.score:.1%}"] if for_two else _with_error(line.mean_return, 3)
        results = (str(line.wins), str(line.draws), str(line.losses))
        sure = "" if line.better_than_next is None else likely(line.better_than_next)
        _row(table, line.agent, *won, *results, *_with_error(line.elo), sure)
    return table


def _with_error(estimate: Estimate, digits: int = 0) -> list[str]:
    return [signed(estimate.value, digits), f"{estimate.error:.{digits}f}"]


def _crosstable(game: GameSummary, width: int) -> Iterator[RenderableType]:
    """Yield the crosstable, in as many parts as its columns need."""
    agents = [line.agent for line in game.standings]
    heads, names = _heads(agents)
    cells = {(cell.agent, cell.opponent): (cell.wins, cell.draws, cell.losses) for cell in game.crosstable}
    rows = [[_result(cells.get((agent, opponent))) for opponent in agents] for agent in agents]
    widest = 2 + max(map(cell_len, (*heads, *(cell.plain for row in rows for cell in row))))
    left = min(width // 2, 2 + max(map(cell_len, names)))
    at_once = max(1, (width - left) // widest)
    yield Text("Results, W-D-L of the row against the column", "bold")
    for start in range(0, len(agents), at_once):
        part = slice(start, start + at_once)
        table = _table("", *heads[part])
        table.columns[0].max_width = left - 2
        for name, row in zip(names, rows, strict=True):
            _row(table, name, *row[part])
        yield table


def _pairings(game: GameSummary) -> Block:
    place = {line.agent: index for index, line in enumerate(game.standings)}
    cells = [cell for cell in game.crosstable if place[cell.agent] < place[cell.opponent]]
    cells.sort(key=lambda cell: (place[cell.agent], place[cell.opponent]))
    table = _table("pairing", "score", "0", "½", "1", "1½", "2", "Elo", "±", "stronger")
    for cell in cells[:_PAIRINGS_SHOWN]:
        score = (cell.wins + cell.draws / 2) / (cell.wins + cell.draws + cell.losses)
        elo = _with_error(cell.elo)
        pair = f"{cell.agent} v {cell.opponent}"
        _row(table, pair, f"{score:.1%}", *map(str, cell.pairs), *elo, likely(cell.superiority))
    notes = ["0 to 2: pairs by the first agent's points. Elo and ±: from these pairs alone."]
    if len(cells) > _PAIRINGS_SHOWN:
        notes.append(f"{len(cells) - _PAIRINGS_SHOWN} more are in --json.")
    return _block("Pairings", table, *notes)


def _heads(agents: Sequence[str]) -> tuple[list[str], list[str]]:
    """Return what heads the columns and the rows: the agents, or their places where those are long."""
    if max(map(cell_len, agents)) <= _LONG:
        return list(agents), list(agents)
    places = [str(place + 1) for place in range(len(agents))]
    return places, [f"{place}  {agent}" for place, agent in zip(places, agents, strict=True)]


def _result(cell: tuple[int, int, int] | None) -> Text:
    if cell is None:
        return Text("·", "dim")
    wins, draws, losses = cell
    return Text(f"{wins}-{draws}-{losses}", "green" if wins > losses else "red" if losses > wins else "")


def _seats(game: GameSummary) -> Block:
    names = [f"moving {name}" if game.players == 2 else name for name in seats(game)]
    table = _table("agent", *names)
    by_agent = {(result.agent, result.seat): result for result in game.seats}
    for line in game.standings:
        results = [by_agent.get((line.agent, seat)) for seat in range(game.players)]
        _row(table, line.agent, *(f"{r.wins}-{r.draws}-{r.losses}" if r else "·" for r in results))
    return _block("By seat, W-D-L", table, _first_seat(game))


def _first_seat(game: GameSummary) -> str:
    value, error = game.first_seat.value, game.first_seat.error
    elo = f"{signed(game.first_seat_elo.value)} ± {game.first_seat_elo.error:.0f} Elo"
    if game.players == 2:
        return f"The first seat makes {value:.1%} ± {error:.1%} of the points, {elo} (95% intervals)."
    return f"The first seat's mean return is {signed(value, 3)} ± {error:.3f}, {elo} (95% intervals)."


def _time(game: GameSummary) -> Block:
    table = _table("agent", "moves", "mean", "longest", "over p50", "over p99", "over max", "out of turn")
    for use in game.time:
        overshoot = (use.overshoot_p50, use.overshoot_p99, use.overshoot_max)
        milliseconds = (use.mean, use.longest, *overshoot, use.out_of_turn)
        _row(table, use.agent, f"{use.moves:,}", *(f"{1000 * seconds:,.2f}" for seconds in milliseconds))
    notes = (
        "over: past the limit by the referee's clock; p50 is the median, p99 what 1 move in 100 exceeds.",
        "out of turn: mean processor time that the agent used between its moves.",
    )
    return _block("Time a move, milliseconds", table, *notes)


def _searches(game: GameSummary) -> Block:
    table = _table("agent", "moves", "chosen", "entropy", "simulations/s")
    for use in game.searches:
        rate = "" if use.simulations_per_second is None else f"{use.simulations_per_second:,.0f}"
        _row(table, use.agent, f"{use.moves:,}", f"{use.chosen_share:.1%}", f"{use.entropy:.2f} bits", rate)
    note = "chosen: mean share of the visits that the move played had. entropy: 0 bits, all on one move."
    return _block("Root visits", table, note)


def _faults(game: GameSummary, examples: Sequence[FaultLine]) -> Iterator[RenderableType]:
    kinds = sorted({kind for counts in game.faults.values() for kind in counts})
    table = _table("agent", *kinds)
    for agent, counts in game.faults.items():
        _row(table, agent, *(str(counts.get(kind, 0)) for kind in kinds))
    yield from _block("Faults, each a lost game", table)
    shown = [fault for fault in examples if fault.game == game.game][:_FAULTS_SHOWN]
    for fault in shown:
        text = f"game {fault.number}, ply {fault.ply}: {fault.agent}: {fault.termination}: {fault.reason}"
        yield Padding(Text(printable(text), "red"), (0, 0, 0, 2))
    more = sum(sum(counts.values()) for counts in game.faults.values()) - len(shown)
    if more:
        yield Text(f"  and {more:,} more", "dim")


def _closing(summary: Summary) -> Iterator[Text]:
    for line in state(summary):
        yield Text(line, "yellow")
    yield Text(f"Kept in {summary.run}")
