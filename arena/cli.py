"""The `arena` command: each function parses, calls and prints, and nothing more.

Everything heavy is imported inside the commands, so that help comes at once. What a league file may
say is in `arena.config`; playing it in `arena.supervisor`; the tables in `arena.tables`.
"""

from __future__ import annotations

import json
import os
import secrets
import shlex
import sys
from collections.abc import Callable, Iterable
from contextlib import suppress
from importlib import metadata
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn

import click

from arena.names import DISTRIBUTION, foreign_packages

if TYPE_CHECKING:
    from arena.bench import Contest
    from arena.config import League
    from arena.store import Store
    from arena.supervisor import RunOutcome

FAILED = 1
BAD_INPUT = 2
UNPROVEN = 3
INTERRUPTED = 130


def main() -> None:
    """Run the `arena` command, once it is sure that `agents` and `envs` are Arena's own."""
    try:
        complaints = foreign_packages()
        if complaints:
            _refuse(f"arena: {complaint}" for complaint in complaints)
        cli(prog_name="arena")
    except OSError as error:
        _fail(error)


class _Commands(click.Group):
    """Commands that Ctrl-C ends with one line, and with the exit code that shells expect."""

    def invoke(self, context: click.Context) -> Any:
        """Run the command that was asked for."""
        try:
            return super().invoke(context)
        except KeyboardInterrupt:
            _refuse(["arena: interrupted"], INTERRUPTED)


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
    arena play hex         play against an agent yourself
    arena solve nim        what a position is worth, exactly
    arena bench uct        how fast the search is on this machine
    arena bench league     what the referee costs beside the agents
    """


_WORKERS = click.option(
    "--workers", type=click.IntRange(min=1), help="Games played at a time, whatever the file says."
)
_JSON = click.option("--json", "as_json", is_flag=True, help="Print the results as one JSON document.")
_QUIET = click.option("--quiet", is_flag=True, help="Show no progress.")


@cli.command()
@click.argument("config", type=click.Path(path_type=Path))
@_WORKERS
@_JSON
@click.option(
    "--runs-dir",
    type=click.Path(file_okay=False, path_type=Path),
    default=Path("runs"),
    show_default=True,
    help="Where the folder of this run is made: NAME-1, NAME-2, …",
)
@_QUIET
def run(config: Path, workers: int | None, as_json: bool, runs_dir: Path, quiet: bool) -> None:
    """Play the league of the file CONFIG and print its tables.

    A file with mistakes is refused before the first game, with every mistake and its line. The games
    are kept in one SQLite file in the run's folder, and nothing is lost when a run is interrupted.

    \b
    An example, league.yaml:
        name: evening
        seed: 7
        games: [tic_tac_toe, {name: hex, size: 5}]
        agents:
          uct:    {type: uct, uct_c: 1.0}
          random: {type: random}
          mine:   {type: "my_bots:Greedy"}     # class Greedy in my_bots.py
        limit: {time: 0.1}                     # seconds for every move
        schedule: {type: round_robin, rounds: 10}

    \b
    Then:
        arena run league.yaml
        arena run league.yaml --workers 2 --json > results.json

    Ctrl-C lets the games in play finish and starts no other; a second one stops at once.

    Ends with 0 when the league is finished, 1 when the machine fails (a full disk) or, where the file says
    `strict: true`, when an agent was at fault, 2 for bad input, 130 when interrupted. Finished games are
    kept in every case: `arena resume` plays the rest.
    """
    league = _load(config)
    _check_folder(runs_dir)
    from arena.supervisor import run_league

    sys.exit(
        _play(lambda: run_league(league, run_dir_parent=runs_dir, workers=workers, quiet=quiet), as_json)
    )


@cli.command()
@click.argument("run", required=False)
@_WORKERS
@_JSON
@click.option(
    "--runs-dir",
    type=click.Path(file_okay=False, path_type=Path),
    default=Path("runs"),
    show_default=True,
    help="Where runs are kept.",
)
@_QUIET
def resume(run: str | None, workers: int | None, as_json: bool, runs_dir: Path, quiet: bool) -> None:
    """Play the games that RUN lacks, and print all its tables.

    RUN is a folder that `arena run` made, or its name in runs/; the last one where it is left out. What was
    finished is not played again. Under simulation, node or depth limits the result is the one that the run
    would have had without a break. Ends as `arena run` does.

    \b
    Examples:
        arena resume
        arena resume runs/evening-1
    """
    from arena.runs import UnknownRunError, find_run
    from arena.supervisor import resume_league

    try:
        folder = find_run(run, runs_dir).parent
    except UnknownRunError as error:
        _refuse([f"arena: {error}"])
    sys.exit(_play(lambda: resume_league(folder, workers=workers, quiet=quiet), as_json))


@cli.command()
@click.argument("run", required=False)
@click.option("--games", is_flag=True, help="List the games; so does any of the filters below.")
@click.option("--game", "number", type=int, help="Replay the game of this number on the board.")
@click.option("--moves", is_flag=True, help="One line a move, of that game or of all that are listed.")
@click.option("--agent", help="Games of this agent.")
@click.option("--against", help="Games against this one.")
@click.option(
    "--result",
    type=click.Choice(["win", "draw", "loss"]),
    help="Games with this result for --agent, or else for the first seat.",
)
@click.option("--termination", help="Games that ended so: normal, timeout, crash, …")
@click.option("--game-name", help="Games of the game with this label.")
@click.option("--without-forfeits", is_flag=True, help="Tables without pairs in which an agent was at fault.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON document.")
@click.option("--csv", "as_csv", is_flag=True, help="Print games or moves as CSV.")
@click.option(
    "--runs-dir",
    type=click.Path(file_okay=False, path_type=Path),
    default=Path("runs"),
    show_default=True,
    help="Where runs are kept.",
)
def show(
    run: str | None,
    games: bool,
    number: int | None,
    moves: bool,
    agent: str | None,
    against: str | None,
    result: str | None,
    termination: str | None,
    game_name: str | None,
    without_forfeits: bool,
    as_json: bool,
    as_csv: bool,
    runs_dir: Path,
) -> None:
    """Show what a run says: its tables, its games, or one game on the board.

    RUN is a folder that `arena run` made, or its name in runs/; the last one where it is left out. It may
    be a run that is still going on, or was interrupted.

    \b
    Examples:
        arena show                                   the tables of the last run
        arena show evening-1 --without-forfeits
        arena show evening-1 --agent uct --result loss
        arena show evening-1 --game 17               move by move, the visits on the board
        arena show evening-1 --game 17 --moves --csv
    """
    from arena.runs import UnknownRunError, find_run
    from arena.show import Wanted, games_view, tables_view
    from arena.store import Store, StoreError

    form = "json" if as_json else "csv" if as_csv else ""
    wanted = Wanted(number, agent, against, result, termination, game_name)
    try:
        with Store.open(find_run(run, runs_dir)) as store:
            _find_plugins(store)
            if games or moves or wanted != Wanted():
                games_view(store, wanted, moves, form)
            else:
                tables_view(store, not without_forfeits, form)
    except (UnknownRunError, StoreError) as error:
        _refuse([f"arena: {error}"])


@cli.command()
@click.argument("run", required=False)
@click.option(
    "--format",
    "form",
    type=click.Choice(["csv", "jsonl", "parquet", "sgf", "pgn"]),
    default="csv",
    show_default=True,
    help="csv, jsonl and parquet: tables of games and of moves; sgf and pgn: the games as records.",
)
@click.option(
    "--out",
    type=click.Path(file_okay=False, path_type=Path),
    help="The folder to write into; `export` in the run's own when left out.",
)
@click.option(
    "--runs-dir",
    type=click.Path(file_okay=False, path_type=Path),
    default=Path("runs"),
    show_default=True,
    help="Where runs are kept.",
)
def export(run: str | None, form: str, out: Path | None, runs_dir: Path) -> None:
    """Write the games of RUN as files for other programs, and print where.

    RUN is a folder that `arena run` made, or its name in runs/; the last one where it is left out. SGF is
    written for go, othello, gomoku, hex and havannah. Parquet needs pyarrow (pip install pyarrow).

    \b
    Examples:
        arena export                                 games.csv and moves.csv of the last run
        arena export evening-1 --format sgf --out records
    and then, in Python:
        pandas.read_json("runs/evening-1/export/moves.jsonl", lines=True)
    """
    from arena.export import ExportError
    from arena.export import export as write
    from arena.runs import UnknownRunError, find_run
    from arena.store import Store, StoreError

    try:
        database = find_run(run, runs_dir)
        with Store.open(database) as store:
            _find_plugins(store)
            for path in write(store, form, out or database.parent / "export"):
                click.echo(path)
    except (UnknownRunError, StoreError, ExportError) as error:
        _refuse([f"arena: {error}"])


@cli.command("list")
@click.argument("what", type=click.Choice(["games", "agents", "runs"]))
@click.option("--json", "as_json", is_flag=True, help="Print the list as one JSON document.")
@click.option(
    "--runs-dir",
    type=click.Path(file_okay=False, path_type=Path),
    default=Path("runs"),
    show_default=True,
    help="Where runs are kept.",
)
def list_(what: str, as_json: bool, runs_dir: Path) -> None:
    """List the built-in games or agents, with their parameters and what each of them allows; or the runs."""
    if what == "runs":
        from arena.show import runs_view

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
    from arena.schema import json_schema

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
    from arena.play import Duel
    from arena.play import play as start
    from arena.words import read_choice, read_limit, read_params
    from envs import ParameterError, UnknownNameError

    click.echo(f"getting {game} ready (compiles the first time, some 10 s)", err=True)
    try:
        agent, limit = read_choice("--against", against), read_limit(limits)
        seed = secrets.randbits(32) if seed is None else seed
        duel = Duel(game, read_params(game, params), agent, limit, int(second), seed)
    except (UnknownNameError, ParameterError, AgentRefused) as error:
        _refuse(f"arena: {line}" for line in str(error).splitlines())
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
    from arena.solve import solve as prove
    from arena.words import read_params
    from envs import ParameterError, UnknownNameError
    from envs.actions import ActionError

    try:
        solution = prove(game, read_params(game, params), moves, seconds, memory_mb, quiet)
    except (UnknownNameError, ParameterError, ActionError, AgentRefused) as error:
        _refuse(f"arena: {line}" for line in str(error).splitlines())
    click.echo(json.dumps(solution.as_data(), indent=2) if as_json else solution.as_text())
    sys.exit(0 if solution.proof.is_complete else UNPROVEN)


@cli.group()
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
    from arena.bench import HEADING, measure, row, verdict

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
    from arena.bench_league import report

    for line in report(games, rounds):
        click.echo(line)


def _contests(games: tuple[str, ...]) -> list[Contest]:
    from arena.bench import CONTESTS
    from envs.parameters import did_you_mean

    known = {contest.game: contest for contest in CONTESTS}
    unknown = [name for name in games if name not in known]
    if unknown:
        _refuse(
            f"arena: --game {name}: unknown{did_you_mean(name, known)}: measured are {', '.join(known)}"
            for name in unknown
        )
    return [contest for contest in CONTESTS if not games or contest.game in games]


def _load(config: Path) -> League:
    from arena.config import ConfigError, load_league

    try:
        return load_league(config)
    except ConfigError as error:
        _refuse(error.lines)


def _find_plugins(store: Store) -> None:
    """Let the games of a run be found that are not Arena's own."""
    from arena.config import read_league
    from envs.plugins import search_in

    search_in(read_league(store.about()["config"]).folders)


def _check_folder(folder: Path) -> None:
    """Refuse a place that cannot be written, before hours are spent; make nothing yet."""
    existing = next(place for place in (folder, *folder.absolute().parents) if place.exists())
    if not existing.is_dir() or not os.access(existing, os.W_OK | os.X_OK):
        _refuse([f"arena: --runs-dir {folder}: {existing} is not a folder that can be written"])


def _play(play: Callable[[], RunOutcome], as_json: bool) -> int:
    """Play, print, and return the exit code."""
    from arena.store import StoreError
    from arena.summary import summarise
    from arena.supervisor import RunError
    from arena.tables import print_summary

    try:
        outcome = play()
        summary = summarise(outcome.run / "league.sqlite")
    except RunError as error:
        _refuse((f"arena: {line}" for line in str(error).splitlines()), error.exit_code)
    except StoreError as error:
        _refuse([f"arena: {error}"], FAILED)
    try:
        click.echo(summary.to_json()) if as_json else print_summary(summary)
    except OSError as error:
        raise OSError(error.errno, f"{error.strerror}; the games are kept in {outcome.run}") from error
    if outcome.interrupted:
        click.echo(f"Go on with: arena resume {shlex.quote(str(outcome.run))}", err=True)
        return INTERRUPTED
    return FAILED if outcome.failed else 0


def _fail(error: OSError) -> NoReturn:
    """End because the system refuses something: quietly where only the reader of our output is gone."""
    with suppress(OSError):  # what is left in the buffers would fail once more when Python ends
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    text = f"arena: {error.filename or 'standard output'}: {error.strerror or error}"
    _refuse([] if isinstance(error, BrokenPipeError) else [text], FAILED)


def _refuse(lines: Iterable[str], exit_code: int = BAD_INPUT) -> NoReturn:
    for line in lines:
        click.echo(line, err=True)
    sys.exit(exit_code)
