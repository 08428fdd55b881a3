"""The agents of the distribution game-ai-arena, by name.

This file finds agents and checks their parameters; each agent lives in a file of its own, and what
an agent is in `agents.base`. Importing it loads no agent and no library.
"""

from __future__ import annotations

import importlib
import inspect
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from envs.parameters import Parameter, ParameterError, check, list_parameters
from envs.plugins import UnknownNameError, find_class

if TYPE_CHECKING:
    from agents.base import Agent, Clock, Decision, Limit, View

__all__ = [
    "Agent",
    "Clock",
    "Decision",
    "Limit",
    "ParameterError",
    "UnknownNameError",
    "View",
    "agent_class",
    "agent_names",
    "agent_parameters",
    "check_agent",
    "make_agent",
]

_AGENTS = {
    "random": "agents.random:RandomAgent",
    "uct": "agents.uct:UCT",
    "minimax": "agents.minimax:Minimax",
    "alphabeta": "agents.alphabeta:AlphaBeta",
    "greedy": "agents.greedy:Greedy",
}


def __getattr__(name: str) -> Any:
    """Load the records of `agents.base` when they are first asked for."""
    if name in ("Agent", "Clock", "Decision", "Limit", "View"):
        return getattr(importlib.import_module("agents.base"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def agent_names() -> list[str]:
    """Return the names of the built-in agents."""
    return list(_AGENTS)


def agent_class(name: str) -> Any:
    """Return the class of an agent; the signature of its `__init__` declares its parameters.

    Raises:
        UnknownNameError: for a name that leads to no agent.
    """
    found = find_class("agent", name, _AGENTS)
    if not callable(getattr(found, "act", None)):
        raise UnknownNameError(f"agent {name!r}: {found.__name__} has no act(view, limit), so it cannot move")
    if found.__init__ is object.__init__:
        raise UnknownNameError(
            f"agent {name!r}: {found.__name__} has no __init__(self, rules): "
            "define it, or subclass agents.Agent"
        )
    return found


def agent_parameters(name: str) -> list[Parameter]:
    """Return what an agent takes besides the rules."""
    constructor = agent_class(name).__init__
    return list_parameters(constructor, _self_and_rules(constructor))


def check_agent(name: str, params: Mapping[str, Any]) -> dict[str, Any]:
    """Return `params` as the agent may take them, without building anything.

    Raises:
        UnknownNameError: for a name that leads to no agent.
        ParameterError: naming every parameter that is unknown, missing or refused.
    """
    constructor = agent_class(name).__init__
    return check(name, constructor, params, _self_and_rules(constructor))


def make_agent(name: str, rules: Any, **params: Any) -> Agent:
    """Build an agent for `rules`, by its name or `package.module:Class`.

    Raises:
        UnknownNameError: for a name that leads to no agent.
        ParameterError: naming every parameter that is unknown, missing or refused.
        AgentRefused: from an agent that cannot play this game (`agents.base`).
    """
    checked = check_agent(name, params)
    return agent_class(name)(rules, **checked)  # type: ignore[no-any-return] # a plug-in's class is Any


def _self_and_rules(constructor: Any) -> tuple[str, ...]:
    """Name the first two positional parameters: a plug-in may call the rules what it likes."""
    positional = [
        parameter.name
        for parameter in inspect.signature(constructor).parameters.values()
        if parameter.kind in (parameter.POSITIONAL_ONLY, parameter.POSITIONAL_OR_KEYWORD)
    ]
    return tuple(positional[:2])
