"""What schedules ask of games and agents, checked before anything runs; `arena.league.checks` says where."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from arena.league.models import Gauntlet, Knockout, Schedule, Sprt, Swiss
from envs.parameters import did_you_mean


def unsuitable(schedule: Schedule, num_players: int, agents: Sequence[str]) -> Iterator[str]:
    """Say why a game cannot be played by a schedule.

    Args:
        schedule: the league's.
        num_players: how many the game is for.
        agents: labels of those that play it.
    """
    if num_players != 2 and (what := needs_results(schedule)):
        yield f"{what} is for games of two players, and this is one of {num_players}"
    if isinstance(schedule, Sprt) and len(agents) != 2:
        yield f"sprt is between two agents, and {', '.join(agents)} play this"
    if isinstance(schedule, Gauntlet):
        others = [agent for agent in agents if agent not in schedule.challengers]
        if len(others) == len(agents):
            yield "no challenger plays this"
        elif len(others) < num_players - 1:
            needed = "another agent is" if num_players == 2 else f"{num_players - 1} other agents are"
            yield f"{needed} needed to meet the challengers"


def needs_results(schedule: Schedule) -> str | None:
    """Return what makes the schedule depend on results, or None."""
    if isinstance(schedule, Swiss | Knockout | Sprt):
        return schedule.type
    return None if schedule.until is None else "until"


def unknown_challengers(schedule: Schedule, agents: Sequence[str]) -> Iterator[tuple[int, str]]:
    """Yield the challengers that are no agents: (index, what is wrong)."""
    for index, label in enumerate(schedule.challengers if isinstance(schedule, Gauntlet) else ()):
        if label not in agents:
            text = f"no agent is called {label!r}{did_you_mean(label, agents)}"
            yield index, f"{text}: there are {', '.join(agents)}"
