"""Words of the command line that stand for parameters, `size=5`: values as league files write them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from ruamel.yaml import YAML
from ruamel.yaml.error import YAMLError

from agents.base import Limit
from envs.parameters import ParameterError, check


def read_params(owner: str, words: Iterable[str]) -> dict[str, Any]:
    """Read `size=5` and the like.

    Args:
        owner: whose parameters they are, for messages.
        words: one a parameter.

    Raises:
        ParameterError: for what is no such thing.
    """
    params = {}
    for word in words:
        name, equals, text = word.partition("=")
        value = _read(text)
        if not equals or not name or value is _UNREADABLE:
            raise ParameterError.single(owner, word, word, "a parameter and its value, as size=5")
        params[name] = value
    return params


def read_choice(owner: str, text: str) -> Mapping[str, Any]:
    """Read `uct` or `{type: uct, trees: 2}`; return the mapping.

    Raises:
        ParameterError: for what is neither.
    """
    value = _read(text)
    choice = {"type": value} if isinstance(value, str) else value
    if not isinstance(choice, Mapping) or not isinstance(choice.get("type"), str):
        raise ParameterError.single(
            owner, "agent", text, "a type, or a mapping such as {type: uct, trees: 2}"
        )
    return choice


def read_limit(words: Iterable[str]) -> Limit:
    """Read `time=1` and the like as what a move may cost.

    Raises:
        ParameterError: for other words, and values that are no limit.
    """
    from arena.league.models import LimitSection

    params = check("--limit", LimitSection, read_params("--limit", words), skip=("clock",))
    if all(value is None for value in params.values()):
        raise ParameterError.single("--limit", "time", None, "a move needs some limit")
    return Limit(**params)


_UNREADABLE = object()


def _read(text: str) -> Any:
    try:
        return YAML(typ="safe", pure=True).load(text)
    except YAMLError:
        return _UNREADABLE
