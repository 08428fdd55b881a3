"""The shape of a league file as pydantic models: its keys, their types, bounds, defaults and meaning.

Only what can be said of one value alone. What needs the registries, the machine or two places of
the file is checked in `arena.config`; the JSON Schema made of these models is in `arena.schema`.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator
from pydantic.fields import FieldInfo

from agents.base import Limit
from arena.yaml_lines import Keys
from envs.parameters import allowed_text, did_you_mean, refusal

Label = Annotated[str, Field(min_length=1, max_length=60)]
Cost = Annotated[int, Field(gt=0, le=2**63 - 1)]


class Section(BaseModel):
    """What all parts of a league file share: strict, no unknown keys, frozen."""

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True, allow_inf_nan=False)


class GameEntry(Section):
    """One game; every further key is a parameter of it."""

    model_config = ConfigDict(extra="allow")

    name: Annotated[str, Field(description="a built-in game, or package.module:Class")]
    label: Annotated[
        Label | None, Field(description="what tables call it; needed when two would be equal")
    ] = None

    @model_validator(mode="before")
    @classmethod
    def _from_name(cls, value: Any) -> Any:
        return {"name": value} if isinstance(value, str) else value


class LimitSection(Section):
    """What a move may cost; a search stops at whichever comes first."""

    time: Annotated[float | None, Field(gt=0, le=86_400, description="wall-clock seconds")] = None
    simulations: Annotated[Cost | None, Field(description="select-to-backup passes of all trees")] = None
    nodes: Annotated[Cost | None, Field(description="nodes visited")] = None
    depth: Annotated[Cost | None, Field(description="plies searched")] = None

    @model_validator(mode="after")
    def _limits_something(self) -> LimitSection:
        if not any(value is not None for value in (self.time, self.simulations, self.nodes, self.depth)):
            raise ValueError("gives no limit: give time, simulations, nodes or depth")
        return self

    def as_limit(self) -> Limit:
        """Return what agents are given."""
        return Limit(**self.model_dump())


class AgentEntry(Section):
    """One agent; every further key is a parameter of it."""

    model_config = ConfigDict(extra="allow")

    type: Annotated[str, Field(description="a built-in agent, or package.module:Class")]
    games: Annotated[
        list[Label] | None, Field(min_length=1, description="labels of the games it plays; all when left out")
    ] = None
    limit: Annotated[
        LimitSection | None, Field(description="what its moves may cost, in place of the league's limit")
    ] = None

    @model_validator(mode="before")
    @classmethod
    def _from_type(cls, value: Any) -> Any:
        return {"type": value} if isinstance(value, str) else value


class Schedule(Section):
    """Who meets whom, and how often."""

    type: Annotated[Literal["round_robin"], Field(description="each agent meets every other")] = "round_robin"
    rounds: Annotated[
        int, Field(ge=1, le=100_000, description="a round: each pair plays one opening twice, seats swapped")
    ] = 10


class Openings(Section):
    """How games begin, before the agents take over."""

    random_plies: Annotated[
        int, Field(ge=0, le=1000, description="random plies that open a pair of games")
    ] = 2


class LeagueModel(Section):
    """A league file."""

    name: Annotated[
        str | None,
        Field(
            max_length=60,
            pattern=r"^[A-Za-z0-9][A-Za-z0-9._-]*$",
            description="names the folder of its runs; the file's name when left out",
        ),
    ] = None
    seed: Annotated[int, Field(ge=0, le=2**63 - 1, description="all randomness of the run comes from it")] = 0
    games: Annotated[list[GameEntry], Field(min_length=1, description="the games to play")]
    agents: Annotated[dict[Label, AgentEntry], Field(description="the agents by their labels, at least two")]
    limit: Annotated[
        LimitSection, Field(description="what a move may cost, of agents without an own limit")
    ] = LimitSection(time=0.1)
    margin: Annotated[
        float, Field(ge=0, le=3600, description="seconds past a limit's time before a move loses by timeout")
    ] = 0.05
    schedule: Annotated[Schedule, Field(description="who meets whom, and how often")] = Schedule()
    openings: Annotated[Openings, Field(description="how games begin")] = Openings()
    workers: Annotated[
        Literal["auto"] | Annotated[int, Field(ge=1, le=4096)],
        Field(description="games played at a time; auto: what the cores allow"),
    ] = "auto"
    max_plies: Annotated[int, Field(ge=1, le=1_000_000, description="a longer game is a draw")] = 10_000
    startup: Annotated[
        float, Field(gt=0, le=86_400, description="seconds an agent may take to start, compiling included")
    ] = 120.0
    oversubscribe: Annotated[bool, Field(description="let agents ask for more cores than there are")] = False
    folders: Annotated[
        list[str], Field(description="where plug-ins are looked for, relative to the league file")
    ] = ["."]


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
    model, field = _declared(keys)
    if detail["type"] == "extra_forbidden":
        allowed = list(model.model_fields)
        return keys, f"unknown key{did_you_mean(str(keys[-1]), allowed)}: allowed are {', '.join(allowed)}"
    if detail["type"] == "value_error":
        return keys, str(detail["ctx"]["error"])
    if isinstance(value, float) and not math.isfinite(value):
        return keys, f"{value} is not allowed: it is not finite"
    return keys, refusal(value, _allowed(field, keys))


def _existing(location: Keys, data: Any) -> tuple[Keys, Any]:
    """Cut a location of pydantic's, which names members of unions too, to what the file has."""
    keys: list[str | int] = []
    for key in location:
        in_list = isinstance(data, list) and isinstance(key, int)
        if not in_list and not (isinstance(data, Mapping) and key in data):
            break
        keys.append(key)
        data = data[key]
    return tuple(keys), data


def _meant(name: str, mapping: Any) -> str:
    if not isinstance(mapping, Mapping):
        return ""
    close = did_you_mean(name, map(str, mapping))
    return close.replace("(did you mean ", "(is it meant by ")


_SECTIONS: dict[str, type[Section]] = {
    "games": GameEntry,
    "agents": AgentEntry,
    "limit": LimitSection,
    "schedule": Schedule,
    "openings": Openings,
}


def _declared(keys: Keys) -> tuple[type[Section], FieldInfo | None]:
    """Return the model that declares the value at `keys`, and its field there."""
    if len(keys) < 2:
        return LeagueModel, LeagueModel.model_fields.get(str(keys[0])) if keys else None
    model = _SECTIONS.get(str(keys[0]), LeagueModel)
    own = keys[2:] if model in (GameEntry, AgentEntry) else keys[1:]
    if model is AgentEntry and own[:1] == ("limit",) and len(own) > 1:
        model, own = LimitSection, own[1:]
    return model, model.model_fields.get(str(own[0])) if own else None


_SHAPES: dict[Keys, str] = {
    (): "a league file is a mapping of keys such as games and agents",
    ("games",): "a list of games such as [tic_tac_toe, {name: hex, size: 7}]",
    ("agents",): "a mapping of labels to agents such as {uct: {type: uct, trees: 2}}",
    ("limit",): "a mapping such as {time: 0.1}",
    ("schedule",): "a mapping such as {type: round_robin, rounds: 50}",
    ("openings",): "a mapping such as {random_plies: 2}",
    ("folders",): "a list of folders",
}


def _allowed(field: FieldInfo | None, keys: Keys) -> str:
    if keys in _SHAPES:
        return _SHAPES[keys]
    if len(keys) == 2 and keys[0] == "games":
        return "a game's name, or a mapping such as {name: hex, size: 7}"
    if len(keys) == 2 and keys[0] == "agents":
        return "an agent's type, or a mapping such as {type: uct}, under a label of 1 to 60 characters"
    if len(keys) == 3 and keys[::2] == ("agents", "limit"):
        return _SHAPES["limit",]
    if keys[-2:-1] == ("games",) or keys[-1] == "games":
        return "a list of labels of games"
    if keys[0] == "folders":
        return "text"
    assert field is not None
    kind = Annotated[(field.annotation, *field.metadata)] if field.metadata else field.annotation
    return allowed_text(kind).removesuffix(" or null")
