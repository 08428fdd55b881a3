"""What is wrong with a league file as far as its shape tells, in words for people.

The shape itself is in `arena.league.models`.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Annotated, Any

from pydantic import ValidationError
from pydantic.fields import FieldInfo

from arena.league.models import (
    SCHEDULES,
    AgentEntry,
    ClockSection,
    GameEntry,
    LeagueModel,
    LimitSection,
    Openings,
    Record,
    Section,
    Until,
    schedule_type,
)
from arena.league.yaml_lines import Keys
from envs.parameters import allowed_text, did_you_mean, refusal


def find_problems(data: Any) -> list[tuple[Keys, str]]:
    """Return what is wrong with a league file's data as far as the models tell."""
    try:
        LeagueModel.model_validate(data)
    except ValidationError as error:
        found: dict[tuple[Keys, str], None] = {}
        for detail in error.errors(include_url=False):
            found[_explain(detail, data)] = None  # the members of a union complain one by one
        return list(found)
    return []


def _explain(detail: Any, data: Any) -> tuple[Keys, str]:
    keys, value = _existing(detail["loc"], data)
    if detail["type"] == "missing":
        name = str(detail["loc"][-1])
        return keys, f"{name} is missing{_meant(name, value)}"
    model, field = _declared(keys, data)
    if detail["type"] == "extra_forbidden":
        allowed = list(model.model_fields)
        return keys, f"unknown key{did_you_mean(str(keys[-1]), allowed)}: allowed are {', '.join(allowed)}"
    if detail["type"] == "value_error":
        return keys, str(detail["ctx"]["error"])
    if isinstance(value, float) and not math.isfinite(value):
        return keys, f"{value} is not allowed: it is not finite"
    return keys, refusal(value, _allowed(field, keys))


def _existing(location: Keys, data: Any) -> tuple[Keys, Any]:
    """Keep of a location of pydantic's, which names members of unions too, what the file has."""
    keys: list[str | int] = []
    for key in location:
        in_list = isinstance(data, list) and isinstance(key, int)
        if in_list or (isinstance(data, Mapping) and key in data):
            keys.append(key)
            data = data[key]
    return tuple(keys), data


def _meant(name: str, mapping: Any) -> str:
    if not isinstance(mapping, Mapping):
        return ""
    close = did_you_mean(name, map(str, mapping))
    return close.replace("(did you mean ", "(is it meant by ")


_NESTED: dict[str, type[Section]] = {
    "limit": LimitSection,
    "clock": ClockSection,
    "openings": Openings,
    "until": Until,
    "record": Record,
}
"""Sections that stand in other sections too."""
_SECTIONS: dict[str, type[Section]] = {"games": GameEntry, "agents": AgentEntry, **_NESTED}


def _declared(keys: Keys, data: Any) -> tuple[type[Section], FieldInfo | None]:
    """Return the model that declares the value at `keys`, and its field there."""
    model: type[Section] = LeagueModel
    own = keys
    if len(keys) > 1:
        top = str(keys[0])
        sections = {**_SECTIONS, "schedule": SCHEDULES[schedule_type(data.get("schedule"))]}
        model, own = sections.get(top, LeagueModel), keys[2 if top in ("games", "agents") else 1 :]
    while len(own) > 1 and own[0] in _NESTED and own[0] in model.model_fields:
        model, own = _NESTED[str(own[0])], own[1:]
    return model, model.model_fields.get(str(own[0])) if own else None


_SHAPES: dict[Keys, str] = {
    (): "a league file is a mapping of keys such as games and agents",
    ("games",): "a list of games such as [tic_tac_toe, {name: hex, size: 7}]",
    ("agents",): "a mapping of labels to agents such as {uct: {type: uct, trees: 2}}",
    ("limit",): "a mapping such as {time: 0.1}",
    ("limit", "clock"): "a mapping such as {base: 60, increment: 0.5}",
    ("schedule",): "a mapping such as {type: round_robin, rounds: 50}",
    ("schedule", "type"): f"one of {', '.join(SCHEDULES)}",
    ("schedule", "until"): "a mapping such as {elo_error: 15}",
    ("schedule", "challengers"): "a list of labels of agents",
    (
        "openings",
    ): "none, a mapping such as {random_plies: 2} or {file: lines.txt}, or a list such as [a1 b2, c3]",
    ("record",): "a mapping such as {search: [0, 5]}",
    ("record", "search"): "a list of up to 1000 moves such as [0, 5], or [] for none",
    ("folders",): "a list of folders",
}


def _allowed(field: FieldInfo | None, keys: Keys) -> str:
    if keys in _SHAPES:
        return _SHAPES[keys]
    if len(keys) == 2 and keys[0] == "games":
        return "a game's name, or a mapping such as {name: hex, size: 7}"
    if len(keys) == 2 and keys[0] == "agents":
        return "an agent's type, or a mapping such as {type: uct}, under a label of 1 to 60 characters"
    if keys[-2:-1] == ("games",) or keys[-1] == "games":
        return "a list of labels of games"
    if keys[0] in ("games", "agents") and keys[2:] in _SHAPES:
        return _SHAPES[keys[2:]]
    if keys[:2] == ("record", "search"):
        return "an integer from 0 to 1000000"
    if isinstance(keys[-1], int):
        return "text"
    assert field is not None
    kind = Annotated[(field.annotation, *field.metadata)] if field.metadata else field.annotation
    return allowed_text(kind).removesuffix(" or null")
