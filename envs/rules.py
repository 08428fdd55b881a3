"""The contract of a game's rules, the decorator that makes a class fulfil it, and its defaults.

A game is a `NamedTuple` of its parameters and lookup tables, with plain Python methods over a
state that is one flat NumPy array. `@rules` fills in what the game leaves out, from defaults that
are themselves written against the contract, and lets compiled kernels call its methods. How that
compiling works is in `envs.kernels`; how people and PettingZoo meet a game is in `envs.aec`.
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Mapping
from typing import Any, ClassVar, Protocol, TypeVar

import numpy as np
import numpy.typing as npt

from envs.actions import illegal, naming, reading
from envs.actions import list_legal as list_legal
from envs.kernels import kernel, register_rules
from envs.streams import below, uniform

CHANCE = -1
"""`current_player` of a state where chance moves."""
TERMINAL = -2
"""`current_player` of a finished game."""

ANYWHERE = np.uint64(0xFFFFFFFFFFFFFFFF)
"""The `zone` of a position whose value may depend on any cell."""

State = npt.NDArray[Any]
_SEED = np.uint64(0x9E3779B97F4A7C15)

REQUIRED = ("initial_state", "current_player", "legal_actions", "step", "returns")
REQUIRED_FIELDS = ("num_players", "num_actions", "max_legal")
PYTHON_ONLY = frozenset(
    ("make", "action_to_string", "string_to_action", "to_text", "to_svg", "observation", "initial_state")
)


class Rules(Protocol):
    """What every game offers, once `@rules` has completed it.

    Action ids are `0..num_actions-1`; players are `0..num_players-1`. A class whose compiled methods make
    arrays or lists says so with the attribute `allocates = True`, and is searched more slowly.
    """

    num_players: int
    num_actions: int
    max_legal: int
    """No state has more legal actions than this."""

    def initial_state(self) -> State:
        """Return the first state, a fresh array."""

    def current_player(self, state: State) -> int:
        """Return the player to move, or CHANCE, or TERMINAL."""

    def legal_actions(self, state: State, out: npt.NDArray[np.integer[Any]]) -> int:
        """Write the legal ids into `out` (at least `max_legal` long), ascending; return how many."""

    def step(self, state: State, action: int) -> None:
        """Play a legal `action`, changing `state` in place; nothing is checked (see `envs.actions`)."""

    def is_terminal(self, state: State) -> bool:
        """Return whether the game is over."""

    def returns(self, state: State, out: npt.NDArray[np.floating[Any]]) -> None:
        """Write each player's utility, in [-1, 1], into `out`; all 0 while the game goes on."""

    def rollout(
        self, state: State, scratch: npt.NDArray[np.integer[Any]], rng: npt.NDArray[np.uint64]
    ) -> None:
        """Play uniformly random moves to the end.

        Afterwards `is_terminal`, `current_player` and `returns` of `state` are those of the finished
        game; a game with a shortcut of its own may leave the rest of the state unfinished.
        `scratch` is at least `max_legal` long; `rng` is a stream (`envs.streams`).
        """

    def evaluate(self, state: State, player: int) -> float:
        """Return a heuristic value in (-1, 1) for `player`, of a game that is not over; 0 by default."""

    FEATURES: ClassVar[Mapping[str, float]]
    """What `features` measures, in order, and the weights in `evaluate`: see `envs.features`, or empty."""

    def features(self, state: State, player: int, out: npt.NDArray[np.float64]) -> None:
        """Write the features for `player`, of a game that is not over, into `out` (float64).

        With two players what one has the other lacks: each feature of the one is minus the other's. A game
        whose `FEATURES` are empty has no such method.
        """

    def is_quiet(self, state: State) -> bool:
        """Return whether `evaluate` may judge: nothing is about to be won or lost; True by default."""

    def pass_turn(self, state: State) -> None:
        """Let the other player move, in place, though the game may know no pass; nothing happens by default.

        For searches that ask whether a position is good even so (null move). It may miscount plies.
        """

    def prior(
        self,
        state: State,
        actions: npt.NDArray[np.integer[Any]],
        count: int,
        out: npt.NDArray[np.floating[Any]],
    ) -> None:
        """Write into `out` a weight, 0 or more, for each of the first `count` of `actions`.

        The better the action looks the more it weighs; only ratios count. All 1 by default.
        """

    def hash_key(self, state: State) -> np.uint64:
        """Return a transposition key: equal states have equal keys, others almost never."""

    def score_bounds(self, state: State, out: npt.NDArray[np.floating[Any]]) -> None:
        """Write into `out` (at least 2 long) the least and the most points the first player can still get.

        For solving positions. Points are what `returns` gives, or whole numbers that tell more (discs ahead);
        above 0 the first player wins, below 0 the second. At the end of the game both bounds are equal.
        """

    def candidates(
        self,
        state: State,
        out: npt.NDArray[np.integer[Any]],
        weights: npt.NDArray[np.floating[Any]],
    ) -> int:
        """Write the legal actions among which a best one is, by points, in any order; return how many.

        The better an action looks the more it weighs. `state` is one whose `score_bounds` differ. By
        default all legal actions, weighed by `prior`.
        """

    def zone(self, state: State) -> np.uint64:
        """Return the empty cells, as bits, that `score_bounds` rests on: the loser might have all others.

        For games without draws in which a piece more is never worse for its owner and stays where it is, and
        each action, below 64, puts one on the empty cell of its number. 0 where the bounds differ or the
        game is over; for other games, and by default, ANYWHERE.
        """

    def sample_chance(self, state: State, rng: npt.NDArray[np.uint64]) -> int:
        """Draw an action for CHANCE."""

    def chance_outcomes(
        self,
        state: State,
        out_actions: npt.NDArray[np.integer[Any]],
        out_probs: npt.NDArray[np.floating[Any]],
    ) -> int:
        """Write the outcomes of CHANCE and their probabilities; return how many."""

    def information_state(self, state: State, player: int, out: State) -> None:
        """Write into `out` what `player` may know: the state, hidden parts overwritten."""

    def determinize(self, information_state: State, player: int, rng: npt.NDArray[np.uint64]) -> None:
        """Fill the hidden parts in, in place, uniformly among what is consistent."""

    def action_to_string(self, state: State, action: int) -> str:
        """Name an action as people of this game do; ActionError for what is none."""

    def string_to_action(self, state: State, text: str) -> int:
        """Read such a name, in any case people write it in.

        `@rules` sees to it that only an action that is legal at `state` is returned.

        Raises:
            ActionError: for anything else, naming the game, the text and what is allowed.
        """

    def to_text(self, state: State, visits: npt.NDArray[np.int64] | None = None) -> str:
        """Draw the state for a terminal; `visits` (int64[num_actions]) become shares in per cent."""

    def to_svg(
        self, state: State, visits: npt.NDArray[np.int64] | None = None, last: int | None = None
    ) -> str:
        """Draw the state as an SVG document; `visits` become shades and numbers.

        `last` is the action played last, which the picture marks; a game whose state knows it does so
        untold. A game may leave `last` out of its signature: `@rules` then lets it be passed all the same.
        """

    def observation(self, state: State, player: int) -> npt.NDArray[Any]:
        """Return what `player` sees, as an array for learners."""


C = TypeVar("C", bound=type)


def rules(cls: C) -> C:
    """Complete a game's NamedTuple class, and let kernels take its instances.

    Raises:
        TypeError: for a class that lacks a required member, naming it.
    """
    _check(cls)
    optional = [name for name in vars(_Defaults) if not name.startswith("__")]
    given = frozenset(name for name in optional if not _is_left_out(cls, name))
    defaults = _ChanceDefaults if given & {"sample_chance", "chance_outcomes"} else _Defaults
    for name in optional:
        if name not in given:
            setattr(cls, name, getattr(defaults, name))
    cls.given = given  # type: ignore[attr-defined] # which optional parts the game has
    game: Any = cls
    game.FEATURES = getattr(cls, "FEATURES", {})
    game.to_svg = _taking_last(game.to_svg)
    game.action_to_string = naming(game.action_to_string)
    game.string_to_action = reading(game.string_to_action)
    register_rules(cls, _methods(cls))
    return cls


def _taking_last(to_svg: Callable[..., str]) -> Callable[..., str]:
    """Return a `to_svg` that takes `last`, whether or not the game wrote one that does."""
    named = inspect.signature(to_svg).parameters.values()
    if any(each.name == "last" or each.kind is each.VAR_KEYWORD for each in named):
        return to_svg

    @functools.wraps(to_svg)
    def draw(self: Any, state: State, visits: Any = None, last: Any = None) -> str:
        return to_svg(self, state, visits)

    return draw


def _check(cls: type) -> None:
    fields = getattr(cls, "_fields", None)
    if fields is None:
        raise TypeError(f"{cls.__name__}: rules are a NamedTuple: write class {cls.__name__}(NamedTuple)")
    missing = [name for name in REQUIRED if not hasattr(cls, name)]
    missing += [name for name in REQUIRED_FIELDS if name not in fields]
    if missing:
        raise TypeError(f"{cls.__name__}: rules lack {', '.join(missing)}")


def _is_left_out(cls: type, name: str) -> bool:
    """Return whether a class lacks an optional part; one inherited from a game that lacks it is a default."""
    part = inspect.unwrap(getattr(cls, name, None))  # type: ignore[arg-type] # None stays None
    return part in (None, getattr(_Defaults, name), getattr(_ChanceDefaults, name))


def _methods(cls: type) -> list[str]:
    inherited = {name for name in dir(tuple) if getattr(cls, name) is getattr(tuple, name)}
    inherited |= {"_make", "_replace", "_asdict", *cls._fields}  # type: ignore[attr-defined] # a NamedTuple
    names = sorted(set(dir(cls)) - inherited - PYTHON_ONLY)
    return [name for name in names if not name.startswith("__") and callable(getattr(cls, name))]


class _Defaults:
    """The optional members, written against the required ones."""

    def is_terminal(self: Any, state: State) -> bool:
        return self.current_player(state) == TERMINAL

    def rollout(self: Any, state: State, scratch: Any, rng: Any) -> None:
        while not self.is_terminal(state):
            self.step(state, scratch[below(rng, self.legal_actions(state, scratch))])

    def evaluate(self: Any, state: State, player: int) -> float:
        return 0.0

    def is_quiet(self: Any, state: State) -> bool:
        return True

    def pass_turn(self: Any, state: State) -> None:
        pass

    def prior(self: Any, state: State, actions: Any, count: int, out: Any) -> None:
        for i in range(count):
            out[i] = 1.0

    def hash_key(self: Any, state: State) -> np.uint64:
        return hash_words(state)

    def score_bounds(self: Any, state: State, out: Any) -> None:
        out[0], out[1] = -1.0, 1.0
        if self.is_terminal(state):
            self.returns(state, out)
            out[1] = out[0]

    def candidates(self: Any, state: State, out: Any, weights: Any) -> int:
        count = self.legal_actions(state, out)
        self.prior(state, out, count, weights)
        return count

    def zone(self: Any, state: State) -> np.uint64:
        return ANYWHERE

    def chance_outcomes(self: Any, state: State, out_actions: Any, out_probs: Any) -> int:
        return 0

    def sample_chance(self: Any, state: State, rng: Any) -> int:
        actions = np.empty(self.num_actions, np.int64)
        probs = np.empty(self.num_actions, np.float64)
        count = self.chance_outcomes(state, actions, probs)
        left = uniform(rng)
        for i in range(count - 1):
            left -= probs[i]
            if left < 0:
                return actions[i]
        return actions[count - 1]

    def information_state(self: Any, state: State, player: int, out: State) -> None:
        for i in range(state.shape[0]):
            out[i] = state[i]

    def determinize(self: Any, information_state: State, player: int, rng: Any) -> None:
        pass

    def action_to_string(self: Any, state: State, action: int) -> str:
        return str(int(action))

    def string_to_action(self: Any, state: State, text: str) -> int:
        for action in list_legal(self, state).tolist():
            if self.action_to_string(state, action) == text.strip():
                return action
        raise illegal(self, state, text, by_name=True)

    def to_text(self: Any, state: State, visits: Any = None) -> str:
        return " ".join(str(cell) for cell in state)

    def to_svg(self: Any, state: State, visits: Any = None, last: Any = None) -> str:
        from envs.pictures import text_picture  # pictures are only loaded where one is drawn

        return text_picture(self.to_text(state, visits))

    def observation(self: Any, state: State, player: int) -> State:
        seen = state.copy()
        self.information_state(state, player, seen)
        return seen


class _ChanceDefaults(_Defaults):
    """Those of a game with chance.

    They are apart because the default `sample_chance` makes arrays: a rollout that holds it could not be
    compiled for searches that must not.
    """

    def rollout(self: Any, state: State, scratch: Any, rng: Any) -> None:
        player = self.current_player(state)
        while player != TERMINAL:
            if player == CHANCE:
                action = self.sample_chance(state, rng)
            else:
                action = scratch[below(rng, self.legal_actions(state, scratch))]
            self.step(state, action)
            player = self.current_player(state)


@kernel
def hash_words(words):
    """Hash an array of integers to a uint64."""
    key = _SEED
    for i in range(words.shape[0]):
        key = _mixed(key ^ np.uint64(words[i]))
    return key


@kernel
def hash_word(word):
    """Hash a uint64 to a uint64; no two words have the same hash."""
    return _mixed(_SEED ^ word)


@kernel(forceinline=True)
def _mixed(key):
    """Return a round of the finaliser of SplitMix64 (Steele, Lea and Flood 2014)."""
    key *= np.uint64(0xBF58476D1CE4E5B9)
    return key ^ (key >> np.uint64(31))
