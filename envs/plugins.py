"""From a name in a league file to a class: built-in names, and `package.module:Class` for plug-ins.

Shared by the registries of games and of agents. What the class must offer is theirs to check.
"""

from __future__ import annotations

import importlib
import os
import sys
from collections.abc import Iterable, Mapping
from operator import attrgetter
from types import ModuleType
from typing import Any

from envs.parameters import did_you_mean


class UnknownNameError(ValueError):
    """A name that leads to no usable class; the text says why and what would."""


def find_class(kind: str, name: str, built_in: Mapping[str, str]) -> Any:
    """Return the class that `name` stands for.

    Args:
        kind: "game" or "agent", for messages.
        name: a key of `built_in`, or the path of a plug-in, `package.module:Class`.
        built_in: paths of the built-in classes by their names.

    Raises:
        UnknownNameError: for an unknown name, or a plug-in that cannot be imported.
    """
    if name in built_in:
        module, _, attribute = built_in[name].partition(":")
        return getattr(importlib.import_module(module), attribute)
    if ":" not in name:
        raise UnknownNameError(
            f"unknown {kind} {name!r}{did_you_mean(name, built_in)}: "
            f"built in are {', '.join(built_in)}; your own is written package.module:Class"
        )
    return _plug_in(kind, name)


def search_in(folders: Iterable[str | os.PathLike[str]]) -> None:
    """Let plug-ins be imported from `folders`.

    They come last on the path, so that a stray `random.py` there shadows nothing.
    """
    for folder in map(os.path.abspath, folders):
        if folder not in sys.path:
            sys.path.append(folder)


def _plug_in(kind: str, path: str) -> Any:
    module_name, _, attribute = path.partition(":")
    if not all(part.isidentifier() for part in (*module_name.split("."), *attribute.split("."))):
        raise UnknownNameError(f"{kind} {path!r}: a plug-in is written package.module:Class")
    search_in([os.getcwd()])  # a console script does not have the current folder on its path
    module = _import(kind, path, module_name)
    try:
        found = attrgetter(attribute)(module)
    except AttributeError:
        classes = [name for name, value in vars(module).items() if isinstance(value, type)]
        hint = did_you_mean(attribute, classes)
        raise UnknownNameError(f"{kind} {path!r}: {module_name} has no {attribute}{hint}") from None
    if not isinstance(found, type):
        raise UnknownNameError(f"{kind} {path!r}: {attribute} is a {type(found).__name__}, not a class")
    return found


def _import(kind: str, path: str, module_name: str) -> ModuleType:
    try:
        return importlib.import_module(module_name)
    except (Exception, SystemExit) as error:  # a plug-in's module may do anything at all
        reason = f"{type(error).__name__}: {error}".splitlines()[0]
        raise UnknownNameError(f"{kind} {path!r} cannot be imported: {reason}") from error
