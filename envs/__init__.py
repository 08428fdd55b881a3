"""The games of the distribution game-ai-arena, by name.

This file finds games and checks their parameters; each game's rules live in a file of their own.
Importing it loads no game and no library: numba, NumPy and PettingZoo come with the first game.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from envs.parameters import Parameter, ParameterError, check, list_parameters
from envs.plugins import UnknownNameError, find_class

if TYPE_CHECKING:
    from envs.aec import RulesEnv

__all__ = [
    "ParameterError",
    "UnknownNameError",
    "check_game",
    "game_class",
    "game_names",
    "game_parameters",
    "make_env",
    "make_rules",
]

_GAMES = {
    "tic_tac_toe": "envs.tic_tac_toe:TicTacToe",
    "connect_four": "envs.connect_four:ConnectFour",
    "hex": "envs.hex:Hex",
    "havannah": "envs.havannah:Havannah",
    "y": "envs.y:Y",
    "gomoku": "envs.gomoku:Gomoku",
    "othello": "envs.othello:Othello",
    "go": "envs.go:Go",
    "breakthrough": "envs.breakthrough:Breakthrough",
    "nim": "envs.nim:Nim",
}


def game_names() -> list[str]:
    """Return the names of the built-in games."""
    return list(_GAMES)


def game_class(name: str) -> Any:
    """Return the class of a game's rules; the signature of its `make` declares its parameters.

    Raises:
        UnknownNameError: for a name that leads to no game.
    """
    found = find_class("game", name, _GAMES)
    lacking = [member for member in ("make", "initial_state", "step") if not hasattr(found, member)]
    if lacking:
        raise UnknownNameError(
            f"game {name!r}: {found.__name__} has no {lacking[0]}, so it is no game (see envs/rules.py)"
        )
    return found


def game_parameters(name: str) -> list[Parameter]:
    """Return what a game takes."""
    return list_parameters(game_class(name).make)


def check_game(name: str, params: Mapping[str, Any]) -> dict[str, Any]:
    """Return `params` as the game's `make` may take them, without building anything.

    Raises:
        UnknownNameError: for a name that leads to no game.
        ParameterError: naming every parameter that is unknown, missing or refused.
    """
    return check(name, game_class(name).make, params)


def make_rules(name: str, **params: Any) -> Any:
    """Build the rules of a game, by its name or `package.module:Class`.

    Raises:
        UnknownNameError: for a name that leads to no game.
        ParameterError: naming every parameter that is unknown, missing or refused.
    """
    return game_class(name).make(**check_game(name, params))


def make_env(name: str, *, render_mode: str | None = None, **params: Any) -> RulesEnv:
    """Build a game as a PettingZoo AEC environment; the errors are those of `make_rules`."""
    from envs.aec import RulesEnv

    return RulesEnv(make_rules(name, **params), name=name, render_mode=render_mode)
