"""The `arena` command: each function parses, calls and prints, and nothing more.

Everything heavy is imported inside the commands, so that help comes at once. In `arena.commands`, those that
play leagues are in `runs`, those that look at runs in `results`, those that measure in `bench`.
"""

from __future__ import annotations

import json
import secrets
import sys
from importlib import metadata
from pathlib import Path
from typing import Any

import click

from arena.commands.bench import bench
from arena.commands.exits import INTERRUPTED, UNPROVEN, fail, refuse
from arena.commands.options import RUNS_DIR
from arena.commands.results import export, report, show
from arena.commands.runs import resume, run
from arena.commands.watch import watch
from arena.names import DISTRIBUTION, foreign_packages


def main() -> None:
    """Run the `arena` command, once it is sure that `agents` and `envs` are Arena's own."""
    try:
        complaints = foreign_packages()
        if complaints:
            refuse(f"arena: {complaint}" for complaint in complaints)
        cli(prog_name="arena")
    except OSError as error:
        fail(error)


class _Commands(click.Group):
    """Commands that Ctrl-C ends with one line, and with the exit code that shells expect."""

    def invoke(self, context: click.Context) -> Any:
        """Run the command that was asked for."""
        try:
            return super().invoke(context)
        except KeyboardInterrupt:
            refuse(["arena: interrupted"], INTERRUPTED)


def _version(context: click.Context, _option: click.Parameter, asked: bool) -> None:
    """Print the version; a source tree that is not installed has none."""
    if not asked:
        return
    try:
        click.echo(f"arena {metadata.version(DISTRIBUTION)}")
    except metadata.PackageNotFoundError:
        click.echo(f"arena, not installed: run from {Path(__file__).parent.parent}")
    context.exit()


@click.group(cls=_Commands, context_settings={"help_option_names": ["-h", "--help"]})
@click.option(
    "--version", is_flag=True, help="Print the version.", is_eager=True, expose_value=False, callback=_version
)
def cli() -> None:
    """Play leagues between game-playing programs, and see how sure the result is.

    Name games and agents in a YAML file, then `arena run` it. Every move gets the same time; the
    tables say who won, by how much, how sure that is, and what each search looked at.

    \b
    arena resume RUN       how a run goes on that was interrupted
    arena list games       what can be played, with its parameters
    arena list agents      who can play, with its parameters
    arena run --help       what a league file looks like
    arena show             what the last run says; its games on the board
    arena watch            the run that is going on, live
    arena report           the same as pictures, in one HTML file
    arena play hex         play against an agent yourself
    arena solve nim        what a position is worth, exactly
    arena bench uct        how fast the search is on this machine
    arena bench league     what the referee costs beside the agents
    """


@cli.command("list")
@click.argument("what", type=click.Choice(["games", "agents", "runs"]))
@click.option("--json", "as_json", is_flag=True, help="Print the list as one JSON document.")
@RUNS_DIR
def list_(what: str, as_json: bool, runs_dir: Path) -> None:
    """List the built-in games or agents, with their parameters and what each of them allows; or the runs."""
    if what == "runs":
        from arena.results.show import runs_view

        runs_view(runs_dir, as_json)
        return
    from arena import listing

    entries = listing.games() if what == "games" else listing.agents()
    if as_json:
        click.echo(json.dumps([entry.as_data() for entry in entries], indent=2, default=str))
    else:
        click.echo("\n\n".join(entry.as_text() for entry in entries))


@cli.command()
def schema() -> None:
    """Print the JSON Schema of league files, for editors to complete and check by.

    \b
    An example:
        arena schema > league.schema.json
    and, as the first line of a league file, for editors with the YAML language server:
        # yaml-language-server: $schema=league.schema.json
    """
    from arena.league.schema import json_schema

    click.echo(json.dumps(json_schema(), indent=2))


@cli.command()
@click.argument("game")
@click.argument("params", metavar="[PARAMETER=VALUE]...", nargs=-1)
@click.option(
    "--against",
    default="uct",
    show_default=True,
    help="The agent, as in a league file: a type, or a mapping such as {type: uct, level: easy}.",
)
@click.option(
    "--limit",
    "limits",
    multiple=True,
    default=["time=1"],
    show_default=True,
    help="What its moves may cost: time=1, simulations=500, nodes=…, depth=…; may be given again.",
)
@click.option("--second", is_flag=True, help="Let the agent move first.")
@click.option("--seed", type=click.IntRange(min=0), help="Of the agent; another every time when left out.")
def play(
    game: str, params: tuple[str, ...], against: str, limits: tuple[str, ...], second: bool, seed: int | None
) -> None:
    """Play GAME against an agent.

    Moves are typed by their names. Besides, `hint`, `undo`, `moves`, `visits` and `quit` are understood;
    `visits` puts on the board where the agent's searches went.

    \b
    Examples:
        arena play connect_four
        arena play hex size=5 --against "{type: uct, level: easy}"
        arena play othello --against my_bots:Greedy --limit time=5 --second
    """
    from agents.base import AgentRefused
    from arena.commands.words import read_choice, read_limit, read_params
    from arena.play import Duel
    from arena.play import play as start
    from envs import ParameterError, UnknownNameError

    click.echo(f"getting {game} ready (compiles the first time, some 10 s)", err=True)
    try:
        agent, limit = read_choice("--against", against), read_limit(limits)
        seed = secrets.randbits(32) if seed is None else seed
        duel = Duel(game, read_params(game, params), agent, limit, int(second), seed)
    except (UnknownNameError, ParameterError, AgentRefused) as error:
        refuse(f"arena: {line}" for line in str(error).splitlines())
    start(duel, lambda: input("> "), click.echo)


@cli.command()
@click.argument("game")
@click.argument("params", metavar="[PARAMETER=VALUE]...", nargs=-1)
@click.option("--moves", default="", help="Moves from the first position to the one to solve, by name.")
@click.option(
    "--time",
    "seconds",
    type=click.FloatRange(min=0, min_open=True),
    default=60.0,
    show_default=True,
    help="Seconds after which to say what is known.",
)
@click.option(
    "--memory-mb",
    type=click.IntRange(min=1, max=65536),
    default=256,
    show_default=True,
    help="Memory of the transposition table in MB.",
)
@click.option("--json", "as_json", is_flag=True, help="Print the result as one JSON document.")
@click.option("--quiet", is_flag=True, help="Show no progress.")
def solve(
    game: str, params: tuple[str, ...], moves: str, seconds: float, memory_mb: int, as_json: bool, quiet: bool
) -> None:
    """Prove what a position of GAME is worth, and which moves keep that.

    Games are two players' without chance or hidden information. Points are the first player's: Connect
    Four counts the discs that the winner has left and one more, Othello the discs ahead.

    \b
    Examples:
        arena solve connect_four --moves "4 4 4 4 4 2"
        arena solve hex size=4
        arena solve nim "piles=[3, 4, 5]" --json

    Ends with 0 when all is proven, 2 for bad input, 3 when time was up first, 130 when interrupted.
    """
    from agents.base import AgentRefused
    from arena.commands.words import read_params
    from arena.solve import solve as prove
    from envs import ParameterError, UnknownNameError
    from envs.actions import ActionError

    try:
        solution = prove(game, read_params(game, params), moves, seconds, memory_mb, quiet)
    except (UnknownNameError, ParameterError, ActionError, AgentRefused) as error:
        refuse(f"arena: {line}" for line in str(error).splitlines())
    click.echo(json.dumps(solution.as_data(), indent=2) if as_json else solution.as_text())
    sys.exit(0 if solution.proof.is_complete else UNPROVEN)


for command in (run, resume, watch, show, report, export, bench):
    cli.add_command(command)
