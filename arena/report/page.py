"""A run's report: reads the run once, lets every section gather, and writes one HTML file.

What is told of a game is in `arena.report.sections`, how it looks in `templates` and `static`. Only this
module knows of Jinja2.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup
from tqdm import tqdm

import envs
from arena.drafts import replacing
from arena.league.config import League, read_league
from arena.records import GameChoice, GameRecord
from arena.referee.progress import printable
from arena.report.figures import signed
from arena.report.games import Games
from arena.report.replays import replays
from arena.report.sections import SECTIONS, Gatherer, Section
from arena.results import sentences
from arena.results.findings import FaultLine, GameSummary, Summary
from arena.results.summary import Summariser
from arena.runs import distinct
from arena.store import Store

REPORT = "report.html"
"""What the file in a run's folder is called."""
_STATIC = Path(__file__).parent / "static"
_COLOURS = 8
"""Agents that have a colour of their own; further ones begin again."""


def write_report(
    database: Path,
    out: Path | None = None,
    forfeits: bool = True,
    quiet: bool = True,
    replay: Collection[int] = (),
) -> Path:
    """Write the report of a run and return where; a report that is there already is replaced.

    Args:
        database: of the run, which may still be going on.
        out: the file; `report.html` beside the database when left out.
        forfeits: count meetings in which an agent was at fault, too.
        quiet: show no progress.
        replay: numbers of games that are to be replayed in it, however many others are.

    Raises:
        StoreError: when the database cannot be read, or has no game of a number that is to be replayed.
        OSError: when the file cannot be written.
    """
    out = out or database.parent / REPORT
    with Store.open(database) as store:
        for number in replay:
            store.game(number)
        page = Page(store.about(), forfeits)
        games = tqdm(
            store.games(), "report", len(store.finished()), unit=" games", leave=False, disable=quiet or None
        )
        for record in games:
            page.add(record)
        html = page.html(store, replay, quiet)
    with replacing(out) as file:
        file.write_text(html, encoding="utf-8")
    return out


class Page:
    """What gathers a run, and then is its page.

    Args:
        about: what the run's database says of it.
        forfeits: count meetings in which an agent was at fault, too.
    """

    def __init__(self, about: Mapping[str, str], forfeits: bool = True) -> None:
        self._about = about
        league = read_league(about["config"])
        colours = _colours(league)
        self._summariser = Summariser(about, forfeits)
        self._games = {game.label: _Game(game, colours) for game in league.games}
        self._list = Games()
        self._colours = colours

    def add(self, record: GameRecord) -> None:
        """Take a game; they come by number."""
        self._summariser.add(record)
        self._list.add(record)
        self._games[record.spec.game.label].add(record)

    def html(self, store: Store, replay: Collection[int] = (), quiet: bool = True) -> str:
        """Return the page, with games of the run's database to replay, those of some numbers among them."""
        run = store.path.parent
        summary = self._summariser.summary(run)
        slugs = unique_slugs([game.game for game in summary.games])
        games = [self._games[game.game].view(game, slugs[game.game], summary) for game in summary.games]
        page = _environment(self._colours).get_template("page.html")
        return page.render(
            name=run.name,
            created=self._about["created"],
            summary=summary,
            games=games,
            replays=replays(store, self._list.rows, replay, quiet),
            list=self._list.view(slugs),
            sentences=sentences,
        )


@dataclass(frozen=True)
class GameView:
    """A game of the league, as the page shows it.

    Attributes:
        summary: what is told of it.
        slug: what its anchors begin with.
        sections: those that have something to show, with what they show.
        faults: examples.
    """

    summary: GameSummary
    slug: str
    sections: list[tuple[Section, Any]]
    faults: list[FaultLine]


class _Game:
    """The sections of one game of the league."""

    def __init__(self, choice: GameChoice, colours: Mapping[str, int]) -> None:
        rules = envs.make_rules(choice.name, **choice.params)
        self._gatherers: list[tuple[Section, Gatherer]] = [
            (section, section.gatherer(rules, colours)) for section in SECTIONS
        ]

    def add(self, record: GameRecord) -> None:
        for _, gatherer in self._gatherers:
            gatherer.add(record)

    def view(self, game: GameSummary, slug: str, summary: Summary) -> GameView:
        views = [(section, gatherer.view(game)) for section, gatherer in self._gatherers]
        shown = [(section, view) for section, view in views if view is not None]
        return GameView(game, slug, shown, [fault for fault in summary.faults if fault.game == game.game])


def unique_slugs(labels: Collection[str]) -> dict[str, str]:
    """Return for each label what may begin an HTML id, no two alike."""
    return dict(zip(labels, distinct(map(_slug, labels)), strict=True))


def _slug(label: str) -> str:
    slug = re.sub(r"[^a-z0-9]+", "-", label.lower()).strip("-") or "game"
    # Links such as #game-17 are of single games.
    return f"the-{slug}" if slug.startswith(("game", "replay")) else slug


def _colours(league: League) -> dict[str, int]:
    return {agent.label: 1 + place % _COLOURS for place, agent in enumerate(league.agents)}


def _environment(colours: Mapping[str, int]) -> Environment:
    environment = Environment(
        loader=PackageLoader("arena.report"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.globals.update(static=_static, colours=colours, likely=sentences.likely)
    environment.filters.update(printable=printable, signed=signed)
    return environment


def _static(ending: str) -> Markup:
    """Return the files of `static` that end so, to be written into the page as they are, its own first."""
    files = sorted(_STATIC.glob(f"*.{ending}"), key=lambda file: (file.stem != "page", file.stem))
    return Markup("\n").join(Markup(file.read_text(encoding="utf-8")) for file in files)
