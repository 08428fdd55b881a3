"""The built-in games and agents with their parameters, as text for people and as data for programs."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any

import agents as agent_registry
import envs as game_registry
from envs.parameters import Parameter


def games() -> list[Entry]:
    """List the games; what each is, its file says: its class documents only the parameters."""
    entries = _entries(
        game_registry.game_names(),
        game_registry.game_parameters,
        lambda name: sys.modules[game_registry.game_class(name).__module__].__doc__,
    )
    return [replace(entry, features=game_registry.game_class(entry.name).FEATURES) for entry in entries]


def agents() -> list[Entry]:
    """List the agents; what each is, its class says."""
    return _entries(
        agent_registry.agent_names(),
        agent_registry.agent_parameters,
        lambda name: agent_registry.agent_class(name).__doc__,
    )


@dataclass(frozen=True)
class Entry:
    """A game or an agent: its name, one sentence on it, and what it takes.

    A game's `features` are what agents with a parameter `weights` weigh, and how much by default.
    """

    name: str
    description: str
    parameters: list[Parameter]
    features: Mapping[str, float] | None = None

    def as_data(self) -> dict[str, Any]:
        """Return what JSON can hold."""
        parameters = [
            {
                "name": parameter.name,
                "type": parameter.annotation,
                "required": parameter.required,
                "default": None if parameter.required else parameter.default,
                "allowed": parameter.allowed,
                "description": parameter.description,
            }
            for parameter in self.parameters
        ]
        data = {"name": self.name, "description": self.description, "parameters": parameters}
        return data if self.features is None else data | {"features": dict(self.features)}

    def as_text(self) -> str:
        """Return the name and a line for each parameter, written as in a league file."""
        settings = [_setting(parameter) for parameter in self.parameters]
        width = max(map(len, settings), default=0)
        rows = [
            f"    {setting:<{width}}  {parameter.allowed}"
            + (f": {parameter.description}" if parameter.description else "")
            for setting, parameter in zip(settings, self.parameters, strict=True)
        ]
        if self.features:
            rows.append(
                f"    features: {', '.join(f'{n} {weight:g}' for n, weight in self.features.items())}"
            )
        return "\n".join([f"{self.name}: {self.description}", *(rows or ["    no parameters"])])


def _setting(parameter: Parameter) -> str:
    if parameter.required:
        return f"{parameter.name}: …"
    return f"{parameter.name}: {json.dumps(parameter.default, default=str)}"


def _entries(
    names: Iterable[str], parameters: Callable[[str], list[Parameter]], doc: Callable[[str], str | None]
) -> list[Entry]:
    return [Entry(name, _first_sentence(doc(name)), parameters(name)) for name in names]


def _first_sentence(doc: str | None) -> str:
    paragraph = " ".join((doc or "").split("\n\n")[0].split())
    return paragraph.split(". ")[0].removesuffix(".") + "."
