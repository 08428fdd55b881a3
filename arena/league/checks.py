"""Checks of a league file that need the registries, the machine or two places of the file.

What can be said of one value alone is in `arena.league.models`; `arena.league.config` gathers both. What
schedules ask of games and agents is in `arena.league.schedule_checks`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from pydantic import ValidationError

import agents as agent_registry
import envs as game_registry
from arena.league.models import (
    SCHEDULES,
    AgentEntry,
    GameEntry,
    LimitSection,
    Openings,
    Schedule,
    schedule_type,
)
from arena.league.openings import complaints
from arena.league.problems import find_problems
from arena.league.schedule_checks import needs_results, unknown_challengers, unsuitable
from arena.league.yaml_lines import Document, Keys, Problem
from arena.machine.cores import cores_needed, too_many
from envs.parameters import ParameterError, did_you_mean
from envs.plugins import UnknownNameError, search_in

Complaint = tuple[Keys, str]
"""Where something is wrong, and what."""


class Checker:
    """Goes through a document once; each method yields problems as (keys, text)."""

    def __init__(self, document: Document, file: Path) -> None:
        """Find the well-formed entries, and let plug-ins be found."""
        self.document, self.file = document, file
        self.data = document.data
        self.shape = find_problems(self.data)
        self.games = self._entries("games", GameEntry)
        self.agents = self._entries("agents", AgentEntry)
        self.rules: dict[Keys, Any] = {}
        folders = self.data.get("folders", ["."])
        if isinstance(folders, list):
            search_in(file.parent / folder for folder in folders if isinstance(folder, str))

    def problems(self) -> list[Problem]:
        """Return everything that is wrong."""
        found = [
            *self.shape,
            *self._in_games(),
            *self._in_agents(),
            *self._in_openings(),
            *self._between(),
            *self._too_many_workers(),
        ]
        return [self.document.problem(keys, text) for keys, text in dict.fromkeys(found)]

    def _entries(self, section: str, model: Any) -> dict[Keys, Any]:
        """Return the well-formed entries of a section, so that one bad entry does not hide the rest."""
        raw = self.data.get(section)
        pairs = raw.items() if isinstance(raw, dict) else enumerate(raw) if isinstance(raw, list) else ()
        entries: dict[Keys, Any] = {}
        for key, value in pairs:
            try:
                entries[section, key] = model.model_validate(value)
            except ValidationError:
                continue  # it is among `self.shape`
        return entries

    def _in_games(self) -> Iterator[Complaint]:
        for keys, entry in self.games.items():
            try:
                rules = game_registry.make_rules(entry.name, **(entry.model_extra or {}))
            except (UnknownNameError, ParameterError) as error:
                yield from _located(error, keys, self._name_keys(keys, "name"))
            except Exception as error:  # a plug-in's `make` may raise anything
                yield keys, f"{entry.name} cannot be made: {type(error).__name__}: {error}"
            else:
                self.rules[keys] = rules
        yield from self._equal_labels()

    def _equal_labels(self) -> Iterator[Complaint]:
        first: dict[str, Keys] = {}
        for keys, label in self._labels().items():
            if label in first:
                line = self.document.problem(first[label], "").line
                yield keys, f"two games are called {label!r} (the other in line {line}): give one a label"
            first.setdefault(label, keys)

    def _in_agents(self) -> Iterator[Complaint]:
        for keys, entry in self.agents.items():
            params = entry.model_extra or {}
            try:
                agent_registry.check_agent(entry.type, params)
            except (UnknownNameError, ParameterError) as error:
                yield from _located(error, keys, self._name_keys(keys, "type"))
            else:
                yield from self._too_many_trees(keys, entry.type, params)
                yield from self._useless_limit(keys, entry)

    def _too_many_trees(self, keys: Keys, agent: str, params: Mapping[str, Any]) -> Iterator[Complaint]:
        if wrong := too_many(cores_needed(agent, params), self.data.get("oversubscribe") is True):
            yield (*keys, "trees"), wrong

    def _too_many_workers(self) -> Iterator[Complaint]:
        workers = self.data.get("workers")
        if type(workers) is int and (wrong := too_many(workers, self.data.get("oversubscribe") is True)):
            yield ("workers",), wrong

    def _useless_limit(self, keys: Keys, entry: AgentEntry) -> Iterator[Complaint]:
        """Check that the agent's limit is one that it heeds; a `level` brings one of its own."""
        needs = getattr(agent_registry.agent_class(entry.type), "needs", ())
        try:
            limit = entry.limit or LimitSection.model_validate(self.data["limit"])
        except (KeyError, ValidationError):
            return  # the default, which has a time; or it is among `self.shape`
        level = (entry.model_extra or {}).get("level")
        if needs and level is None and not limit.as_limit().has_any(needs):
            known = f"{', '.join(needs[:-1])} or {needs[-1]}" if len(needs) > 1 else needs[0]
            yield keys, f"{entry.type} needs a limit of {known}: give the league or this agent one"

    def _in_openings(self) -> Iterator[Complaint]:
        """Check every opening that is written down against the rules of the game that it opens."""
        for keys, rules in self.rules.items():
            own = self.games[keys].openings is not None
            place: Keys = (*keys, "openings") if own else ("openings",)
            try:
                section = self.data["games"][keys[1]]["openings"] if own else self.data.get("openings", {})
                openings = Openings.model_validate(section)
            except ValidationError:
                continue  # it is among `self.shape`
            for index, text in complaints(openings, rules, self.file):
                inner = (
                    ("file",)
                    if index is None
                    else (index,)
                    if isinstance(section, list)
                    else ("lines", index)
                )
                yield (*place, *inner), text

    def _between(self) -> Iterator[Complaint]:
        """Check what games and agents say of each other."""
        raw_agents, labels = self.data.get("agents"), self._labels()
        if not isinstance(raw_agents, dict):
            return
        if len(raw_agents) < 2:
            yield ("agents",), f"a league needs at least two agents, not {len(raw_agents)}"
            return
        for keys, entry in self.agents.items():
            for index, label in enumerate(entry.games or ()):
                if label not in labels.values() and len(labels) == len(self.data.get("games") or ()):
                    text = f"no game is called {label!r}{did_you_mean(label, labels.values())}"
                    yield (*keys, "games", index), f"{text}: there are {', '.join(labels.values())}"
        if len(self.agents) == len(raw_agents):
            yield from self._unplayed(labels)

    def _unplayed(self, labels: Mapping[Keys, str]) -> Iterator[Complaint]:
        """Check that each game has as many agents as it and the schedule need."""
        schedule = self._schedule()
        if schedule is not None:
            for index, text in unknown_challengers(schedule, [str(keys[1]) for keys in self.agents]):
                yield ("schedule", "challengers", index), text
            if self.data.get("withdrawn") == "unplayed" and (what := needs_results(schedule)):
                yield ("withdrawn",), f"unplayed does not go with {what}, which needs a result of every game"
        for keys, label in labels.items():
            playing = ((where[1], entry.games) for where, entry in self.agents.items())
            players = [str(agent) for agent, games in playing if games is None or label in games]
            needed = self.rules[keys].num_players if keys in self.rules else 2
            if len(players) < needed:
                found = ", ".join(players) or "none"
                yield keys, f"{label} needs {needed} agents that play it, and has {found}"
            elif schedule is not None:
                yield from ((keys, f"{label}: {text}") for text in unsuitable(schedule, needed, players))

    def _schedule(self) -> Schedule | None:
        """Return the schedule, where it is well-formed."""
        raw = self.data.get("schedule", {})
        try:
            return SCHEDULES[schedule_type(raw)].model_validate(raw)
        except ValidationError:
            return None  # it is among `self.shape`

    def _labels(self) -> dict[Keys, str]:
        return dict(zip(self.games, game_labels(list(self.games.values())), strict=True))

    def _name_keys(self, keys: Keys, key: str) -> Keys:
        """Return where an entry names its class: under `key`, or as the entry itself."""
        return (*keys, key) if (*keys, key) in self.document.lines else keys


def _located(error: Exception, keys: Keys, name_keys: Keys) -> Iterator[Complaint]:
    if isinstance(error, ParameterError):
        for name, message in error.problems:
            known = f"{error.owner} " in message  # it says already who takes what
            yield (*keys, name), message if known else f"{error.owner}: {message}"
    else:
        yield name_keys, str(error)


def game_labels(entries: list[GameEntry]) -> list[str]:
    """Label games by their names, and those that share a name by their parameters too."""
    names = [entry.name.rpartition(":")[2] for entry in entries]
    shared = Counter(name for name, entry in zip(names, entries, strict=True) if entry.label is None)
    return [
        entry.label or (name if shared[name] == 1 else " ".join([name, *_settings(entry)]))
        for name, entry in zip(names, entries, strict=True)
    ]


def _settings(entry: GameEntry) -> list[str]:
    return [f"{name}={value}" for name, value in (entry.model_extra or {}).items()]
