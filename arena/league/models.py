"""The shape of a league file as pydantic models: its keys, their types, bounds, defaults and meaning.

Only what can be said of one value alone. How mistakes are told is in `arena.league.problems`; what needs
the registries, the machine or two places of the file is checked in `arena.league.checks`; the JSON Schema
made of these models is in `arena.league.schema`.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, BaseModel, ConfigDict, Discriminator, Field, Tag, model_validator

from agents.base import Clock, Limit

_STEERING = re.compile("[\x00-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")
"""Characters that steer a terminal, or turn the text around them."""


def _steady(label: str) -> str:
    if found := _STEERING.search(label):
        raise ValueError(
            f"{label!r} is not allowed: a label without {found[0]!r}, which steers what is around it"
        )
    return label


Label = Annotated[str, Field(min_length=1, max_length=60), AfterValidator(_steady)]
Opening = Annotated[str, Field(max_length=10_000)]
Cost = Annotated[int, Field(gt=0, le=2**63 - 1)]


class Section(BaseModel):
    """What all parts of a league file share: strict, no unknown keys, frozen."""

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True, allow_inf_nan=False)


Pairs = Annotated[
    int, Field(ge=1, le=1000, description="openings a meeting, each played twice, seats swapped")
]
Elo = Annotated[float, Field(ge=-1000, le=1000)]
Risk = Annotated[float, Field(gt=0, lt=0.5)]


class Until(Section):
    """When enough of a game was played: no further round of it begins then."""

    elo_error: Annotated[float, Field(gt=0, le=1000, description="every rating is known within ± this")]


class _Rounds(Section):
    rounds: Annotated[
        int, Field(ge=1, le=100_000, description="a round: each pair plays one opening twice, seats swapped")
    ] = 10
    until: Annotated[Until | None, Field(description="stops a game before that, once enough is known")] = None


class RoundRobin(_Rounds):
    """Each agent meets every other."""

    type: Literal["round_robin"] = "round_robin"


class Gauntlet(_Rounds):
    """Some agents meet all the others, who do not meet each other."""

    type: Literal["gauntlet"]
    challengers: Annotated[
        list[Label], Field(min_length=1, description="labels of the agents that meet all the others")
    ]


class Swiss(Section):
    """In each round, agents with about as many points meet, and none twice where that can be."""

    type: Literal["swiss"]
    rounds: Annotated[int, Field(ge=1, le=1000, description="meetings of each agent")] = 5
    pairs: Pairs = 1


class Knockout(Section):
    """Who loses a meeting is out; agents that the file names first meet those it names last."""

    type: Literal["knockout"]
    pairs: Pairs = 1


class Sprt(Section):
    """Two agents play until it is clear whether the first is `elo1` stronger rather than `elo0`."""

    type: Literal["sprt"]
    elo0: Annotated[Elo, Field(description="the first agent's advantage that is not worth having")] = 0.0
    elo1: Annotated[Elo, Field(description="the advantage that is, above elo0")] = 10.0
    alpha: Annotated[Risk, Field(description="probability to accept elo1 where elo0 is true")] = 0.05
    beta: Annotated[Risk, Field(description="probability to accept elo0 where elo1 is true")] = 0.05
    rounds: Annotated[
        int, Field(ge=1, le=500_000, description="pairs of games after which it stops undecided")
    ] = 100_000

    @model_validator(mode="after")
    def _elo1_is_more(self) -> Sprt:
        if self.elo0 >= self.elo1:
            raise ValueError(f"elo0 is {self.elo0:g} and elo1 {self.elo1:g}: elo1 must be the larger one")
        return self


Schedule = RoundRobin | Gauntlet | Swiss | Knockout | Sprt
SCHEDULES: dict[str, type[Schedule]] = {
    "round_robin": RoundRobin,
    "gauntlet": Gauntlet,
    "swiss": Swiss,
    "knockout": Knockout,
    "sprt": Sprt,
}


def schedule_type(section: Any) -> str:
    """Return by which of `SCHEDULES` a section is read: the one it names, or a round robin."""
    named = section.get("type") if isinstance(section, Mapping) else getattr(section, "type", None)
    return named if isinstance(named, str) and named in SCHEDULES else "round_robin"


class Openings(Section):
    """How games begin, before the agents take over: by random plies, or as written down."""

    random_plies: Annotated[
        int, Field(ge=0, le=1000, description="random plies that open a pair of games; 0: none")
    ] = 2
    lines: Annotated[
        list[Opening] | None,
        Field(min_length=1, description="openings, each the names of its actions: [a1 b2, c3]; in turn"),
    ] = None
    file: Annotated[
        str | None,
        Field(
            min_length=1, description="such openings, one a line, # begins a comment; beside the league file"
        ),
    ] = None

    @model_validator(mode="before")
    @classmethod
    def _from_short(cls, value: Any) -> Any:
        if value == "none":
            return {"random_plies": 0}
        return {"lines": value} if isinstance(value, list) else value

    @model_validator(mode="after")
    def _only_one(self) -> Openings:
        if len(self.model_fields_set) > 1:
            raise ValueError(f"gives {' and '.join(sorted(self.model_fields_set))}: give one of them")
        return self

    def line(self, index: int) -> str | None:
        """Return which line opens games, in turn; None for random plies."""
        return None if self.lines is None else self.lines[index % len(self.lines)]

    def as_data(self) -> dict[str, Any]:
        """Return the section as a file has it."""
        return {"random_plies": self.random_plies} if self.lines is None else {"lines": list(self.lines)}


class GameEntry(Section):
    """One game; every further key is a parameter of it."""

    model_config = ConfigDict(extra="allow")

    name: Annotated[str, Field(description="a built-in game, or package.module:Class")]
    label: Annotated[
        Label | None, Field(description="what tables call it; needed when two would be equal")
    ] = None
    openings: Annotated[
        Openings | None, Field(description="how this game begins, in place of the league's openings")
    ] = None

    @model_validator(mode="before")
    @classmethod
    def _from_name(cls, value: Any) -> Any:
        return {"name": value} if isinstance(value, str) else value


class ClockSection(Section):
    """What a player has for all its moves of a game."""

    base: Annotated[float, Field(gt=0, le=86_400, description="seconds at the start of the game")]
    increment: Annotated[float, Field(ge=0, le=86_400, description="seconds that every move adds")] = 0.0

    def as_clock(self) -> Clock:
        """Return what stands on the clock at the start."""
        return Clock(self.base, self.increment)


class LimitSection(Section):
    """What a move may cost; a search stops at whichever comes first."""

    time: Annotated[float | None, Field(gt=0, le=86_400, description="wall-clock seconds")] = None
    simulations: Annotated[Cost | None, Field(description="select-to-backup passes of all trees")] = None
    nodes: Annotated[Cost | None, Field(description="nodes visited")] = None
    depth: Annotated[Cost | None, Field(description="plies searched")] = None
    clock: Annotated[
        ClockSection | None, Field(description="wall-clock seconds for all moves of a game together")
    ] = None

    @model_validator(mode="after")
    def _limits_something(self) -> LimitSection:
        limits = (self.time, self.simulations, self.nodes, self.depth, self.clock)
        if not any(value is not None for value in limits):
            raise ValueError("gives no limit: give time, simulations, nodes, depth or clock")
        return self

    def as_limit(self) -> Limit:
        """Return what agents are given."""
        clock = None if self.clock is None else self.clock.as_clock()
        return Limit(self.time, self.simulations, self.nodes, self.depth, clock)


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


class Record(Section):
    """What the database keeps of a few moves, beside what it keeps of all."""

    search: Annotated[
        list[Annotated[int, Field(ge=0, le=1_000_000)]],
        Field(max_length=1000, description="moves whose search is kept, from 0 for the first by an agent"),
    ] = [0, 5]


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
    schedule: Annotated[
        Annotated[RoundRobin, Tag("round_robin")]
        | Annotated[Gauntlet, Tag("gauntlet")]
        | Annotated[Swiss, Tag("swiss")]
        | Annotated[Knockout, Tag("knockout")]
        | Annotated[Sprt, Tag("sprt")],
        Discriminator(schedule_type),
        Field(description="who meets whom, and how often"),
    ] = RoundRobin()
    openings: Annotated[Openings, Field(description="how games begin")] = Openings()
    record: Annotated[Record, Field(description="what is kept of a few moves, to be shown")] = Record()
    workers: Annotated[
        Literal["auto"] | Annotated[int, Field(ge=1, le=4096)],
        Field(description="games played at a time; auto: what the cores allow"),
    ] = "auto"
    max_plies: Annotated[int, Field(ge=1, le=1_000_000, description="a longer game is a draw")] = 10_000
    cap: Annotated[
        float,
        Field(gt=0, le=86_400, description="seconds a move may take without a limit of time or clock"),
    ] = 60.0
    startup: Annotated[
        float, Field(gt=0, le=86_400, description="seconds an agent may take to start, compiling included")
    ] = 120.0
    memory_mb: Annotated[
        int | None,
        Field(ge=1, le=2**40, description="megabytes that an agent's processes may hold; null for any"),
    ] = None
    freeze: Annotated[bool, Field(description="stop agents while it is not their turn")] = False
    max_faults: Annotated[
        int, Field(ge=1, le=2**31, description="faults in a row by which an agent is withdrawn from a game")
    ] = 10
    withdrawn: Annotated[
        Literal["loss", "unplayed"], Field(description="what becomes of the games of a withdrawn agent")
    ] = "loss"
    strict: Annotated[bool, Field(description="end with exit code 1 where an agent was at fault")] = False
    grace: Annotated[
        float, Field(ge=0, le=86_400, description="seconds that games in play may go on after Ctrl-C")
    ] = 30.0
    oversubscribe: Annotated[bool, Field(description="let agents ask for more cores than there are")] = False
    folders: Annotated[
        list[str], Field(description="where plug-ins are looked for, relative to the league file")
    ] = ["."]
