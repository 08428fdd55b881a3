"""The commands that measure: `arena bench uct`, `arena bench league`.

Like all commands they parse, call and print; everything heavy is imported inside them.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import click

from arena.commands.exits import refuse

if TYPE_CHECKING:
    from arena.bench.uct import Contest


@click.group()
def bench() -> None:
    """Measure how fast Arena is on this machine.

    Nothing else should run meanwhile: figures of a busy machine compare only with each other.
    """


@bench.command("uct")
@click.option("--game", "games", multiple=True, help="Only this game; may be given again.")
@click.option(
    "--simulations",
    type=click.IntRange(min=1),
    default=10_000,
    show_default=True,
    help="Simulations of a search.",
)
@click.option(
    "--repeats",
    type=click.IntRange(min=1),
    default=5,
    show_default=True,
    help="Searches whose median is taken.",
)
@click.option("--json", "as_json", is_flag=True, help="Print the figures as one JSON document.")
def bench_uct(games: tuple[str, ...], simulations: int, repeats: int, as_json: bool) -> None:
    """Measure UCT's simulations per second on eight games, beside OpenSpiel's.

    Each search starts from the first position, in one tree on one core, with the same exploration
    constant, the same number of simulations and one random rollout a leaf. OpenSpiel's C++ MCTSBot takes
    its turns in the same process, where it is installed (pip install open-spiel); where it is not, the
    table has ours alone. morat, a C++ engine for such games, was measured apart: its figures are constants.

    \b
    Examples:
        arena bench uct                          all games, a minute or two
        arena bench uct --game hex --repeats 9
        arena bench uct --json > speed.json
    """
    from arena.bench.uct import HEADING, measure, row, verdict

    contests = _contests(games)
    if not as_json:
        click.echo(HEADING)
    speeds = []
    for contest in contests:
        speeds.append(measure(contest, simulations, repeats))
        if not as_json:
            click.echo(row(speeds[-1]))
    if as_json:
        click.echo(json.dumps([vars(speed) | {"ratio": speed.ratio} for speed in speeds], indent=2))
    else:
        click.echo("\n".join(verdict(speeds)))


@bench.command("league")
@click.option(
    "--games", type=click.IntRange(min=1), default=100, show_default=True, help="Games whose median is taken."
)
@click.option(
    "--rounds",
    type=click.IntRange(min=1),
    default=1000,
    show_default=True,
    help="Rounds of the league at random; UCT's has a fiftieth.",
)
def bench_league(games: int, rounds: int) -> None:
    """Measure what a league costs beside its agents' thinking.

    Microseconds of referee and pipe a move, games of tic-tac-toe a second between agents that play at random,
    by how much the supervisor's memory grows meanwhile, and how busy UCT at 50 ms a move keeps the cores.

    \b
    Examples:
        arena bench league                           a minute or two
        arena bench league --games 20 --rounds 200   a first look
    """
    from arena.bench.league import report

    for line in report(games, rounds):
        click.echo(line)


def _contests(games: tuple[str, ...]) -> list[Contest]:
    from arena.bench.uct import CONTESTS
    from envs.parameters import did_you_mean

    known = {contest.game: contest for contest in CONTESTS}
    unknown = [name for name in games if name not in known]
    if unknown:
        refuse(
            f"arena: --game {name}: unknown{did_you_mean(name, known)}: measured are {', '.join(known)}"
            for name in unknown
        )
    return [contest for contest in CONTESTS if not games or contest.game in games]
