"""The JSON Schema of league files, for editors to complete and check by.

Made of the models of `arena.league.models` and of what the built-in games and agents declare.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import agents
import envs
from arena.league.models import LeagueModel
from envs.parameters import Parameter


def json_schema() -> dict[str, Any]:
    """Return the schema; it loads every built-in game and agent."""
    schema = LeagueModel.model_json_schema()
    schema["$schema"] = "https://json-schema.org/draft/2020-12/schema"
    entries = schema["$defs"]
    _complete(entries["GameEntry"], "name", envs.game_names(), envs.game_parameters)
    _complete(entries["AgentEntry"], "type", agents.agent_names(), agents.agent_parameters)
    for entry in ("GameEntry", "AgentEntry"):
        name = entries[entry]["properties"]["name" if entry == "GameEntry" else "type"]
        entries[entry] = {"anyOf": [name, entries[entry]]}
    lines = entries["Openings"]["properties"]["lines"]["anyOf"][0]
    entries["Openings"] = {"anyOf": [{"const": "none"}, lines, entries["Openings"]]}
    return schema


def _complete(
    entry: dict[str, Any], key: str, names: Iterable[str], parameters: Callable[[str], list[Parameter]]
) -> None:
    """Offer the built-in names and, for each, its parameters."""
    known = list(names)
    plug_in = {"type": "string", "pattern": "^[^:]+:[^:]+$"}
    entry["properties"][key] = {**entry["properties"][key], "anyOf": [{"enum": known}, plug_in]}
    own = entry["properties"]
    entry["allOf"] = [
        {
            "if": {"properties": {key: {"const": name}}, "required": [key]},
            "then": _closed({**dict.fromkeys(own, True), **_properties(parameters(name))}),
        }
        for name in known
    ]


def _closed(properties: dict[str, Any]) -> dict[str, Any]:
    return {"properties": properties, "additionalProperties": False}


def _properties(parameters: Iterable[Parameter]) -> dict[str, Any]:
    return {
        parameter.name: {
            **parameter.json_schema(),
            "description": parameter.description or parameter.allowed,
            **({} if parameter.required else {"default": parameter.default}),
        }
        for parameter in parameters
    }
