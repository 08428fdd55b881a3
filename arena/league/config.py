"""From a league file to a `League`: every mistake found before the first game, all reported at once.

How YAML keeps its lines is in `arena.league.yaml_lines`, what each key may hold in `arena.league.models`, how
mistakes are told in `arena.league.problems`, and what needs the registries, the machine or two places of
the file in `arena.league.checks`.
"""

from __future__ import annotations

import io
import os
import re
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, Literal

from ruamel.yaml import YAML

from agents.base import Limit
from arena.league.checks import Checker, game_labels
from arena.league.models import LeagueModel, Openings, RoundRobin, Schedule
from arena.league.openings import with_lines
from arena.league.problems import find_problems
from arena.league.schema import json_schema
from arena.league.yaml_lines import Problem, parse_document, read_document
from arena.records import AgentChoice, GameChoice, Terms

__all__ = [
    "ConfigError",
    "League",
    "Openings",
    "RoundRobin",
    "Schedule",
    "json_schema",
    "load_league",
]


class ConfigError(ValueError):
    """A league file that cannot be played.

    Attributes:
        file: the file as it was named.
        problems: everything that is wrong, by line.
    """

    def __init__(self, file: str, problems: list[Problem]) -> None:
        """Sort the problems by line."""
        self.file = file
        self.problems = sorted(problems, key=lambda problem: problem.line)
        super().__init__(file, self.problems)

    @property
    def lines(self) -> list[str]:
        """Return `file:line: key.path: what is wrong`, for each problem."""
        return [f"{self.file}:{'' if problem.line else ' '}{problem}" for problem in self.problems]

    def __str__(self) -> str:
        """Return the lines."""
        return "\n".join(self.lines)


@dataclass(frozen=True)
class League:
    """A league, ready to be played: plain frozen data, picklable.

    Attributes:
        name: names the folder of its runs.
        games: what is played.
        agents: who plays.
        seed: where all randomness comes from.
        limit: what a move may cost, of every agent that has no limit of its own.
        margin: seconds past a limit's `time` before a move loses by timeout.
        schedule: who meets whom, and how often.
        openings: how games begin, with the lines of their file.
        own_openings: how those games begin that have openings of their own, by label.
        recorded: moves of the agents in a game, from 0, whose search is kept.
        workers: games played at a time.
        max_plies: a longer game is a draw.
        cap: seconds a move may take under a limit without time or clock.
        startup: seconds an agent may take to start.
        memory_mb: megabytes that an agent's processes may hold together, or None.
        freeze: whether agents are stopped while it is not their turn.
        max_faults: faults in a row by which an agent is withdrawn from a game.
        withdrawn: whether its games are then lost (`loss`) or not played (`unplayed`).
        strict: whether a league with faults has failed.
        grace: seconds that games in play may go on after Ctrl-C.
        oversubscribe: whether agents may ask for more cores than there are.
        folders: where plug-ins are looked for.
    """

    name: str
    games: tuple[GameChoice, ...]
    agents: tuple[AgentChoice, ...]
    seed: int = 0
    limit: Limit = field(default_factory=lambda: Limit(time=0.1))
    margin: float = 0.05
    schedule: Schedule = field(default_factory=RoundRobin)
    openings: Openings = field(default_factory=Openings)
    own_openings: Mapping[str, Openings] = field(default_factory=dict)
    recorded: tuple[int, ...] = (0, 5)
    workers: int | Literal["auto"] = "auto"
    max_plies: int = 10_000
    cap: float = 60.0
    startup: float = 120.0
    memory_mb: int | None = None
    freeze: bool = False
    max_faults: int = 10
    withdrawn: Literal["loss", "unplayed"] = "loss"
    strict: bool = False
    grace: float = 30.0
    oversubscribe: bool = False
    folders: tuple[str, ...] = ()

    @property
    def terms(self) -> Terms:
        """What holds for every agent, beside the limit of its moves."""
        return Terms(self.startup, self.memory_mb, self.freeze)

    def to_yaml(self) -> str:
        """Write the league as a file that loads as the same league, nothing left to defaults."""
        stream = io.StringIO()
        yaml = YAML(pure=True)
        yaml.width = 10_000
        yaml.dump(self._as_data(), stream)
        return stream.getvalue()

    def openings_of(self, game: GameChoice) -> Openings:
        """Return how games of `game` begin."""
        return self.own_openings.get(game.label, self.openings)

    def _as_data(self) -> dict[str, Any]:
        return {
            "name": self.name,
            "seed": self.seed,
            "games": [self._game_data(game) for game in self.games],
            "agents": {agent.label: _agent_data(agent) for agent in self.agents},
            "limit": _limit_data(self.limit),
            "margin": self.margin,
            "schedule": self.schedule.model_dump(exclude_none=True),
            "openings": self.openings.as_data(),
            "record": {"search": list(self.recorded)},
            "workers": self.workers,
            "max_plies": self.max_plies,
            "cap": self.cap,
            "startup": self.startup,
            **({} if self.memory_mb is None else {"memory_mb": self.memory_mb}),
            "freeze": self.freeze,
            "max_faults": self.max_faults,
            "withdrawn": self.withdrawn,
            "strict": self.strict,
            "grace": self.grace,
            "oversubscribe": self.oversubscribe,
            "folders": list(self.folders),
        }

    def _game_data(self, game: GameChoice) -> dict[str, Any]:
        own = self.own_openings.get(game.label)
        openings = {} if own is None else {"openings": own.as_data()}
        return {"name": game.name, "label": game.label, **openings, **game.params}


def load_league(path: str | os.PathLike[str]) -> League:
    """Read and check a league file.

    The folders of its plug-ins stay on `sys.path`, for the agents are made later.

    Raises:
        ConfigError: carrying everything that is wrong with the file.
    """
    file = Path(path)
    document = read_document(file)
    if not document.problems and not document.data:
        document.problems.append(document.problem((), "is empty: a league needs games and agents"))
    problems = list(document.problems)
    if isinstance(document.data, Mapping) and document.data:
        problems += Checker(document, file).problems()
    elif document.data:
        problems += [document.problem(keys, text) for keys, text in find_problems(document.data)]
    if problems:
        raise ConfigError(str(path), problems)
    return _league(LeagueModel.model_validate(document.data), file)


def read_league(text: str) -> League:
    """Read what `League.to_yaml` wrote; nothing is looked up, so that its plug-ins need not be there.

    Raises:
        ValueError: when it is something else.
    """
    return _league(LeagueModel.model_validate(parse_document(text).data), Path())


def _agent_data(agent: AgentChoice) -> dict[str, Any]:
    games = {} if agent.games is None else {"games": list(agent.games)}
    limit = {} if agent.limit is None else {"limit": _limit_data(agent.limit)}
    return {"type": agent.type, **games, **limit, **agent.params}


def _limit_data(limit: Limit) -> dict[str, Any]:
    data = {name: value for name, value in asdict(limit).items() if value is not None}
    if limit.clock is not None:
        data["clock"] = {"base": limit.clock.remaining, "increment": limit.clock.increment}
    return data


def _league(model: LeagueModel, file: Path) -> League:
    labels = game_labels(model.games)
    return League(
        name=model.name or re.sub(r"[^A-Za-z0-9._-]+", "-", file.stem).strip("-._")[:60] or "league",
        games=tuple(
            GameChoice(label, entry.name, dict(entry.model_extra or {}))
            for label, entry in zip(labels, model.games, strict=True)
        ),
        agents=tuple(
            AgentChoice(
                label,
                entry.type,
                dict(entry.model_extra or {}),
                None if entry.games is None else tuple(entry.games),
                None if entry.limit is None else entry.limit.as_limit(),
            )
            for label, entry in model.agents.items()
        ),
        seed=model.seed,
        limit=model.limit.as_limit(),
        margin=model.margin,
        schedule=model.schedule,
        openings=with_lines(model.openings, file),
        own_openings={
            label: with_lines(entry.openings, file)
            for label, entry in zip(labels, model.games, strict=True)
            if entry.openings is not None
        },
        recorded=tuple(sorted(set(model.record.search))),
        workers=model.workers,
        max_plies=model.max_plies,
        cap=model.cap,
        startup=model.startup,
        memory_mb=model.memory_mb,
        freeze=model.freeze,
        max_faults=model.max_faults,
        withdrawn=model.withdrawn,
        strict=model.strict,
        grace=model.grace,
        oversubscribe=model.oversubscribe,
        folders=tuple(str((file.parent / folder).resolve()) for folder in model.folders),
    )
