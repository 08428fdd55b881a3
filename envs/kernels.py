"""How kernels are compiled, once, and found again in the next process.

`kernel` is the decorator of every hot function, `RulesType` the numba type through which a
kernel sees a game: a kernel calls `rules.step(state, action)` and numba compiles the game's own
Python method into it. The contract those methods fulfil is in `envs.rules`; nothing here knows it.
Where compiled kernels lie on disk is the matter of `envs.caches`.

With `NUMBA_DISABLE_JIT=1` the same functions run as plain Python.
"""

from __future__ import annotations

import contextlib
import functools
import inspect
from collections.abc import Callable, Iterable
from typing import Any, TypeVar

import numba
import numpy as np
from numba import types
from numba.core import cgutils, config
from numba.extending import (
    intrinsic,
    lower_builtin,
    models,
    overload,
    overload_method,
    register_model,
    type_callable,
    typeof_impl,
)
from numba.np.arrayobj import make_array, populate_array

from envs.caches import LinkedSourcesCache
from envs.sources import fingerprint

JIT: bool = not config.DISABLE_JIT
"""Whether kernels are compiled in this process."""

F = TypeVar("F", bound=Callable[..., Any])


def kernel(function: F | None = None, **options: Any) -> F:
    """Compile `function` on first use, without the GIL, and keep the result on disk.

    Args:
        function: a function of arrays, numbers and rules.
        options: passed on to `numba.njit` (`fastmath`, `inline`, …).
    """
    if function is None:
        return functools.partial(kernel, **options)  # type: ignore[return-value] # a decorator with options
    if not JIT:
        return _plain(function)
    compiled = numba.njit(nogil=True, **options)(function)
    # A function typed into an interpreter has no file, and so no place to be kept.
    with contextlib.suppress(RuntimeError):
        compiled._cache = LinkedSourcesCache(function)
    return compiled


def _plain(function: F) -> F:
    """Let unsigned integers wrap around in silence, as they do in compiled code."""

    @functools.wraps(function)
    def run(*args: Any) -> Any:
        with np.errstate(over="ignore"):
            return function(*args)

    return run  # type: ignore[return-value] # the same signature


def was_compiled(compiled: Any) -> tuple[int, int]:
    """Return (loaded from the cache, compiled in this process) for a kernel's specialisations."""
    return sum(compiled.stats.cache_hits.values()), sum(compiled.stats.cache_misses.values())


class RulesType(types.NamedTuple):  # type: ignore[misc] # numba has no types
    """The numba type of a game: its fields' types, and a fingerprint of its source.

    Each game has a subclass, which `register_rules` makes; it is pickled by the game's name.
    """

    cls: type

    def __init__(
        self, name: tuple[str, str], sources: str, fields: tuple[str, ...], field_types: Any
    ) -> None:
        """Describe the game `name` (module and class) whose instances have such fields."""
        self.game, self.sources, self.fields = name, sources, fields
        self.types, self.count = tuple(field_types), len(field_types)
        types.Type.__init__(self, f"{'.'.join(name)}[{sources}]({', '.join(map(str, field_types))})")

    @property
    def key(self) -> tuple[Any, ...]:
        """What makes two types equal: the game, its source and its fields' types."""
        return self.game, self.sources, self.types

    @property
    def instance_class(self) -> type:
        """The game's class."""
        return self.cls

    def __reduce__(self) -> tuple[Any, ...]:
        """Name the game, not its class."""
        return _restore, (self.game, self.sources, self.fields, self.types)


_types: dict[tuple[str, str], type[RulesType]] = {}
_owners: dict[str, tuple[tuple[str, str], str]] = {}
"""Which game, and which source of it, has a class of that name."""


def _restore(name: tuple[str, str], sources: str, fields: tuple[str, ...], field_types: Any) -> RulesType:
    return _types[name](name, sources, fields, field_types)


def register_rules(cls: type, methods: Iterable[str]) -> None:
    """Let kernels take instances of the NamedTuple `cls` and call its `methods`."""
    if not JIT:
        return
    name, sources = (cls.__module__, cls.__qualname__), fingerprint(cls.__module__)
    fields: tuple[str, ...] = cls._fields  # type: ignore[attr-defined] # a NamedTuple class
    _name_apart(cls, (name, sources))
    rules_type = type(f"{cls.__name__}Type", (RulesType,), {"cls": cls})
    _types[name] = rules_type
    register_model(rules_type)(models.TupleModel)

    @typeof_impl.register(cls)
    def typeof_rules(value: Any, context: Any) -> RulesType:
        return rules_type(name, sources, fields, tuple(numba.typeof(field) for field in value))

    for method in methods:
        _overload(rules_type, method, getattr(cls, method))


def _name_apart(cls: type, owner: tuple[tuple[str, str], str]) -> None:
    """Give a class a `__name__` of its own, such as `Hex#2`, where another game's has its name.

    A compiled kernel is chosen by that name and the fields' names and types alone: it would take a copy of
    a game, or the game as it was before its cell of a notebook was edited, for the game itself.
    """
    plain, number = cls.__name__, 1
    while _owners.setdefault(cls.__name__, owner) != owner:
        number += 1
        cls.__name__ = f"{plain}#{number}"


def _overload(rules_type: type[RulesType], name: str, method: Callable[..., Any]) -> None:
    def choose(*types: Any) -> Callable[..., Any]:
        return method

    choose.__signature__ = inspect.signature(method)  # type: ignore[attr-defined] # numba checks and folds by it
    overload_method(rules_type, name)(choose)


def popcount(word: Any) -> int:
    """Count the bits set in an unsigned integer."""
    return int(word).bit_count()


def lowest_bit(word: Any) -> int:
    """Return the index of the lowest bit set in an unsigned integer that is not 0."""
    return (int(word) & -int(word)).bit_length() - 1


@intrinsic
def _ctpop(context: Any, word: Any) -> Any:
    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        return context.cast(builder, builder.ctpop(args[0]), word, types.int64)

    return types.int64(word), generate


@intrinsic
def _cttz(context: Any, word: Any) -> Any:
    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        false = context.get_constant(types.boolean, 0)
        return context.cast(builder, builder.cttz(args[0], false), word, types.int64)

    return types.int64(word), generate


@overload(popcount)
def _popcount(word):  # numba compares this signature with the one below
    return lambda word: _ctpop(word)


@overload(lowest_bit)
def _lowest_bit(word):  # likewise
    return lambda word: _cttz(word)


def room(size: int) -> Any:
    """Return float64[size] of any values, on the stack of the kernel that asks; `size` is a constant."""
    return np.empty(size)


_ROOM = types.Array(types.float64, 1, "C")


@type_callable(room)
def _type_room(context: Any) -> Any:
    return lambda size: _ROOM if isinstance(size, types.IntegerLiteral) else None


@lower_builtin(room, types.IntegerLiteral)
def _make_room(context: Any, builder: Any, signature: Any, args: Any) -> Any:
    size, bytes_each = signature.args[0].literal_value, 8
    place = cgutils.alloca_once(builder, context.get_data_type(types.float64), size=size)
    array = make_array(_ROOM)(context, builder)
    populate_array(
        array,
        data=place,
        shape=[context.get_constant(types.intp, size)],
        strides=[context.get_constant(types.intp, bytes_each)],
        itemsize=context.get_constant(types.intp, bytes_each),
        meminfo=None,
    )
    return array._getvalue()


@kernel(inline="always")
def list_bits(word, first, out, count):
    """Write `first` plus the index of each bit of a uint32 into `out` from `count` on; return the count."""
    while word:
        out[count] = first + lowest_bit(word)
        count += 1
        word &= word - np.uint32(1)
    return count
