"""A run as it goes on, as a terminal shows it: progress, standings, boards side by side, the latest results.

What is shown is a `Moment` of `arena.results.follow`. Of a screen that is too small it leaves out what
matters least.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from math import inf

from rich.cells import cell_len
from rich.console import Console, Group, RenderableType
from rich.measure import Measurement
from rich.panel import Panel
from rich.progress_bar import ProgressBar
from rich.table import Table
from rich.text import Text
from tqdm import tqdm

from arena.referee.progress import describe, printable
from arena.results.findings import GameSummary
from arena.results.follow import Moment, Position
from arena.results.sentences import headline
from arena.results.tables import standings, title

_LATEST = 5
"""Finished games that are named."""
_NARROW = 24
"""Cells of a board's caption that are never cut."""


def frame(moment: Moment, screen: Console, height: float = inf) -> RenderableType:
    """Return what is to be seen of a run, in so many lines at most.

    Where there is not room for everything, a row of boards comes first, then the standings of games in play.
    """
    room = _Room(screen, height)
    head = room.take([_head(moment, screen.width)])
    rows = [_row(row) for row in _rows([_panel(position) for position in moment.positions], screen)]
    boards = room.take(rows[:1])
    tables = _tables(moment, room)
    boards += room.take(rows[1:])
    latest = room.take(_latest(moment, min(_LATEST, room.left - 1)))
    return Group(*head, *tables, *boards, *latest)


class _Room:
    """The lines of a screen that are left."""

    def __init__(self, screen: Console, height: float) -> None:
        self._screen, self.left = screen, height

    def take(self, parts: Iterable[RenderableType]) -> list[RenderableType]:
        """Return the parts that have room, as far as the first that has not."""
        taken = []
        for part in parts:
            lines = len(self._screen.render_lines(part))
            if lines > self.left:
                break
            self.left -= lines
            taken.append(part)
        return taken


def progress_line(moment: Moment) -> str:
    """Say in one line how far a run is, how fast it goes and how long it will take."""
    summary = moment.summary
    of_all = "" if summary.scheduled is None else f" of {summary.scheduled:,}"
    said = [f"{summary.played:,}{of_all} games"]
    if moment.pace is not None:
        said.append(f"{moment.pace:.1f} a second" if moment.pace >= 1 else f"{60 * moment.pace:.1f} a minute")
    if moment.seconds_left is not None:
        said.append(f"{tqdm.format_interval(moment.seconds_left)} left")
    return ", ".join(said)


def _head(moment: Moment, width: int) -> RenderableType:
    summary = moment.summary
    name = summary.run.rstrip("/").rpartition("/")[2]
    parts: list[RenderableType] = [Text.assemble((printable(name), "bold"), f"  {progress_line(moment)}")]
    if summary.scheduled:
        done = min(summary.played, summary.scheduled)
        parts.append(ProgressBar(summary.scheduled, done, width, complete_style="green"))
    if not moment.is_played and not moment.is_complete:
        parts.append(Text("No process plays it: it was interrupted, or died.", "yellow"))
    return Group(*parts, "")


def _tables(moment: Moment, room: _Room) -> list[RenderableType]:
    """Return the standings that have room, of games in play before others, in the order of the file."""
    in_play = {position.game.spec.game.label for position in moment.positions}
    games = sorted(enumerate(moment.summary.games), key=lambda item: item[1].game not in in_play)
    taken = room.take(_standings(game) for _, game in games)
    shown = zip((place for place, _ in games), taken, strict=False)
    return [table for _, table in sorted(shown, key=lambda item: item[0])]


def _standings(game: GameSummary) -> RenderableType:
    return Group(Text(title(game), "bold"), Text(headline(game), "dim"), standings(game), "")


def _panel(position: Position) -> Panel:
    spec = position.game.spec
    players = Text(" v ").join(
        Text(printable(player.label), "bold" if seat == position.seat else "")
        for seat, player in enumerate(spec.players)
    )
    width = max([_NARROW, *map(cell_len, position.text.splitlines())])
    for part in (players, caption := Text(_caption(position), "dim")):
        part.truncate(width, overflow="ellipsis")
    heading = Text(printable(f"{spec.number} {spec.game.label}"))
    heading.truncate(width - 2, overflow="ellipsis")
    body = Group(players, _board(position), caption)
    return Panel(body, title=heading, title_align="left", border_style="dim", expand=False)


def _caption(position: Position) -> str:
    known, unknown = len(position.game.actions), position.game.plies - len(position.game.actions)
    last = f"ply {known:,}: {position.last}" if known else "not begun"
    return printable(f"{last}, {unknown:,} more" if unknown else last)


def _board(position: Position) -> Text:
    """Return the board, with what the last move changed set off."""
    text = Text(position.text)
    if len(position.before) == len(position.text):
        for at, (old, new) in enumerate(zip(position.before, position.text, strict=True)):
            if old != new:
                text.stylize("bold green", at, at + 1)
    return text


def _rows(panels: Sequence[Panel], screen: Console) -> Iterator[list[Panel]]:
    """Yield the panels in rows that are as wide as the screen at most."""
    row: list[Panel] = []
    left = screen.width
    for panel in panels:
        width = Measurement.get(screen, screen.options, panel).maximum
        if row and width > left:
            yield row
            row, left = [], screen.width
        row.append(panel)
        left -= width + 1
    if row:
        yield row


def _row(panels: Sequence[Panel]) -> Table:
    row = Table.grid(padding=(0, 1, 0, 0))
    row.add_row(*panels)
    return row


def _latest(moment: Moment, most: float) -> Iterator[RenderableType]:
    games = moment.latest[-int(most) :] if most >= 1 else ()
    if games:
        yield Text("Finished last", "bold")
    for record in games:
        yield Text(describe(record), no_wrap=True, overflow="ellipsis")
