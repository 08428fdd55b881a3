"""Parameters of games and agents: read from a signature, listed for people, checked for mistakes.

A game's `make` and an agent's `__init__` say what they take by their annotations, with pydantic's
`Field` for bounds and a description. Nothing here knows of a particular game or agent, or of the
league file; pydantic is only loaded when a value is checked.
"""

from __future__ import annotations

import difflib
import inspect
import json
import sys
import types
import typing
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

SKIPPED = ("self", "cls", "rules")
MISSING = inspect.Parameter.empty
"""The default of a parameter that must be given, and the annotation of one that takes anything."""

_NAMES = {int: "an integer", float: "a number", bool: "true or false", str: "text", type(None): "null"}


class ParameterError(ValueError):
    """Parameters that cannot be used; all of them, not only the first.

    Attributes:
        owner: the game or agent they were meant for.
        problems: pairs of the parameter's name and what is wrong with its value.
    """

    def __init__(self, owner: str, problems: Iterable[tuple[str, str]]) -> None:
        """Keep the problems; the text has a line for each."""
        self.owner = owner
        self.problems = list(problems)
        super().__init__(owner, self.problems)

    @classmethod
    def single(cls, owner: str, name: str, value: object, allowed: str) -> ParameterError:
        """Refuse one `value`, saying what is `allowed`."""
        return cls(owner, [(name, refusal(value, allowed))])

    def __str__(self) -> str:
        """Return a line for each problem."""
        return "\n".join(f"{self.owner}: {name}: {message}" for name, message in self.problems)


@dataclass(frozen=True)
class Parameter:
    """One parameter as it is declared.

    Attributes:
        name: as it is written in a league file.
        annotation: its type as text, "" where it has none.
        default: what it is when left out; `MISSING` when it must be given.
        description: one line for people, or "".
        allowed: what may be given, as text.
        declared: the annotation itself, `MISSING` where there is none.
    """

    name: str
    annotation: str
    default: Any
    description: str
    allowed: str
    declared: Any = field(default=MISSING, repr=False, compare=False)

    @property
    def required(self) -> bool:
        """Whether it must be given."""
        return self.default is MISSING

    def json_schema(self) -> dict[str, Any]:
        """Return the JSON Schema of its values; {} (anything) where JSON has no such thing."""
        from pydantic import PydanticUserError

        try:
            return {} if self.declared is MISSING else _adapter(self.declared).json_schema()
        except PydanticUserError:
            return {}


def list_parameters(signature_owner: Callable[..., Any], skip: tuple[str, ...] = SKIPPED) -> list[Parameter]:
    """Return the parameters of a callable in the order of its signature."""
    return [_describe(parameter) for parameter in _named(signature_owner, skip)[0].values()]


def check(
    owner: str,
    signature_owner: Callable[..., Any],
    params: Mapping[str, Any],
    skip: tuple[str, ...] = SKIPPED,
) -> dict[str, Any]:
    """Return `params` as the callable may take them: strict, `True` is no int, `"5"` is no int.

    A callable with `**kwargs` takes any name; a parameter without annotation takes any value.

    Raises:
        ParameterError: naming every unknown, missing or refused parameter.
    """
    declared, takes_any = _named(signature_owner, skip)
    problems, accepted = [], {}
    for name, value in params.items():
        if name in declared:
            try:
                accepted[name] = _validated(declared[name], value)
            except _RefusedError as refused:
                problems.append((name, str(refused)))
        elif takes_any:
            accepted[name] = value
        else:
            problems.append((name, _unknown(owner, name, list(declared))))
    for name, parameter in declared.items():
        if parameter.default is MISSING and name not in params:
            problems.append((name, f"missing: {owner} needs {allowed_text(parameter.annotation)}"))
    if problems:
        raise ParameterError(owner, problems)
    return accepted


def did_you_mean(word: str, names: Iterable[str]) -> str:
    """Return " (did you mean …?)" for the name closest to `word`, or ""."""
    by_lower = {name.lower(): name for name in names}
    close = difflib.get_close_matches(word.lower(), by_lower, n=1)
    return f" (did you mean {by_lower[close[0]]}?)" if close else ""


def refusal(value: object, allowed: str) -> str:
    """Return the sentence that refuses `value`."""
    return f"{shown(value)} is not allowed: {allowed}"


def shown(value: object) -> str:
    """Return `value` as a message quotes it, cut short where it is long."""
    text = repr(value)
    return text if len(text) <= 60 else text[:59] + "…"


def allowed_text(annotation: Any) -> str:
    """Say in words what an annotation, with its bounds, takes."""
    kind, metadata = split_annotation(annotation)
    origin = typing.get_origin(kind)
    if kind is MISSING or kind is Any:
        return "anything"
    if origin is typing.Literal:
        values = typing.get_args(kind)
        return ("one of " if len(values) > 1 else "") + ", ".join(map(repr, values))
    if origin in (typing.Union, types.UnionType):
        # The bounds of `Annotated[int | None, Field(ge=1)]` belong to the members.
        members = (_bounded(member, metadata) for member in typing.get_args(kind))
        return " or ".join(map(allowed_text, members))
    if origin is list or (origin is tuple and typing.get_args(kind)[-1] is ...):
        return f"a list{_bounds_text(metadata)}, each {allowed_text(typing.get_args(kind)[0])}"
    return _NAMES.get(kind, _type_text(kind)) + _bounds_text(metadata)


def split_annotation(annotation: Any) -> tuple[Any, list[Any]]:
    """Return the type inside `Annotated` and its metadata, pydantic's `Field`s unpacked after themselves."""
    if typing.get_origin(annotation) is not typing.Annotated:
        return annotation, []
    kind, *items = typing.get_args(annotation)
    return kind, [part for item in items for part in (item, *getattr(item, "metadata", ()))]


class _RefusedError(Exception):
    """A value that does not fit its annotation; the text says why."""


def _named(
    signature_owner: Callable[..., Any], skip: tuple[str, ...]
) -> tuple[dict[str, inspect.Parameter], bool]:
    """Return what may be given by name, annotations evaluated, and whether any other name may be too."""
    try:
        signature = inspect.signature(signature_owner)
    except (TypeError, ValueError):
        return {}, True  # a class written in C keeps its signature to itself
    parameters = signature.parameters.values()
    by_name = (inspect.Parameter.POSITIONAL_OR_KEYWORD, inspect.Parameter.KEYWORD_ONLY)
    named = {
        parameter.name: parameter.replace(annotation=_evaluated(parameter.annotation, signature_owner))
        for parameter in parameters
        if parameter.kind in by_name and parameter.name not in skip
    }
    return named, any(parameter.kind is inspect.Parameter.VAR_KEYWORD for parameter in parameters)


def _evaluated(annotation: Any, signature_owner: Callable[..., Any]) -> Any:
    """Evaluate one annotation kept as text; one that cannot be evaluated takes anything."""
    if not isinstance(annotation, str):
        return annotation
    function = inspect.unwrap(getattr(signature_owner, "__func__", signature_owner))
    module = sys.modules.get(getattr(function, "__module__", ""))
    try:
        return eval(annotation, getattr(function, "__globals__", vars(module) if module else {}))
    except Exception:
        return MISSING


def _describe(parameter: inspect.Parameter) -> Parameter:
    kind, metadata = split_annotation(parameter.annotation)
    descriptions = [item.description for item in metadata if getattr(item, "description", None)]
    return Parameter(
        name=parameter.name,
        annotation="" if kind is MISSING else _type_text(kind),
        default=parameter.default,
        description=descriptions[-1] if descriptions else "",
        allowed=allowed_text(parameter.annotation),
        declared=parameter.annotation,
    )


def _validated(parameter: inspect.Parameter, value: Any) -> Any:
    if parameter.annotation is MISSING or (value is None and parameter.default is None):
        return value
    from pydantic import ValidationError

    adapter = _adapter(parameter.annotation)
    try:
        return adapter.validate_python(value, strict=True)
    except ValidationError as error:
        detail = error.errors(include_url=False)[0]
    try:
        # YAML has no tuples, sets or enums; JSON's strictness allows for that and for nothing else.
        return adapter.validate_json(json.dumps(value), strict=True)
    except (ValidationError, TypeError, ValueError):
        raise _RefusedError(_reason(parameter.annotation, value, detail)) from None


def _adapter(annotation: Any) -> Any:
    from pydantic import ConfigDict, PydanticUserError, TypeAdapter

    try:
        config = ConfigDict(arbitrary_types_allowed=True, allow_inf_nan=False)
        return TypeAdapter(annotation, config=config)
    except PydanticUserError:
        return TypeAdapter(annotation)  # a model or dataclass has a configuration of its own


def _reason(annotation: Any, value: Any, detail: Mapping[str, Any]) -> str:
    if detail["type"] in ("value_error", "assertion_error"):
        return refusal(value, str(detail["msg"]))  # a validator of the author's, in the author's words
    return refusal(value, allowed_text(annotation))


def _unknown(owner: str, name: str, declared: list[str]) -> str:
    takes = f"{owner} takes {', '.join(declared)}" if declared else f"{owner} takes no parameters"
    return f"unknown parameter{did_you_mean(name, declared)}: {takes}"


def _bounded(member: Any, metadata: list[Any]) -> Any:
    own = member in (int, float, str) and metadata
    return typing.Annotated[(member, *metadata)] if own else member


def _bounds_text(metadata: list[Any]) -> str:
    bounds = {
        key: getattr(item, key)
        for item in metadata
        for key in ("ge", "gt", "le", "lt", "multiple_of", "min_length", "max_length", "pattern")
        if getattr(item, key, None) is not None
    }
    if {"ge", "le"} <= bounds.keys():
        range_text = f" from {bounds.pop('ge')} to {bounds.pop('le')}"
        return range_text + _bounds_words(bounds)
    return _bounds_words(bounds)


def _bounds_words(bounds: Mapping[str, Any]) -> str:
    words = {
        "ge": "of at least {}",
        "gt": "above {}",
        "le": "of at most {}",
        "lt": "below {}",
        "multiple_of": "divisible by {}",
        "min_length": "at least {} long",
        "max_length": "at most {} long",
        "pattern": "matching {}",
    }
    parts = [words[key].format(value) for key, value in bounds.items()]
    return " " + " and ".join(parts) if parts else ""


def _type_text(kind: Any) -> str:
    if isinstance(kind, type) and not typing.get_args(kind):
        return kind.__name__
    if typing.get_origin(kind) in (list, tuple):
        plain = tuple(split_annotation(member)[0] for member in typing.get_args(kind))
        kind = typing.get_origin(kind)[plain]
    return str(kind).replace("typing.", "")
