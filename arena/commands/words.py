"""Words of the command line that stand for parameters, `size=5`: values as league files write them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import fields
from typing import Any

from ruamel.yaml import YAML
from ruamel.yaml.error import YAMLError

from agents.base import Limit
from envs.parameters import ParameterError


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
    params, kinds = read_params("--limit", words), [kind.name for kind in fields(Limit)]
    for name, value in params.items():
        if name not in kinds:
            raise ParameterError.single("--limit", name, value, f"one of {', '.join(kinds)}")
    try:
        return Limit(**params)
    except (TypeError, ValueError) as error:
        raise ParameterError.single("--limit", *next(iter(params.items())), f"above 0: {error}") from None


_UNREADABLE = object()


def _read(text: str) -> Any:
    try:
        return YAML(typ="safe", pure=True).load(text)
    except YAMLError:
        return _UNREADABLE
