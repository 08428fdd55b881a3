"""The one PettingZoo environment, `RulesEnv`, which plays any rules; nothing here knows a game.

Searches step rules directly and never come here. The referee always does, so what a league plays
is what a PettingZoo user gets. Drawing is left to the rules, and pixels to `envs.pictures`.
"""

from __future__ import annotations

import copy
from collections.abc import Callable
from typing import Any

import gymnasium
import numpy as np
import numpy.typing as npt
from gymnasium import spaces
from pettingzoo import AECEnv
from pettingzoo.utils.wrappers import OrderEnforcingWrapper

from envs.actions import game_name, illegal
from envs.parameters import ParameterError, check
from envs.pictures import to_pixels
from envs.rules import CHANCE, TERMINAL, Rules
from envs.streams import make_stream

RENDER_MODES = ("human", "ansi", "svg", "rgb_array")
EnvMaker = Callable[..., Any]

# Rules may count on unsigned integers to wrap around, as they do in compiled code; called as plain
# Python on NumPy scalars they would warn each time.
_wrapping = np.errstate(over="ignore")


class RulesEnv(AECEnv):  # type: ignore[misc] # pettingzoo has no types
    """Any rules as a PettingZoo AEC environment; agents are `player_0`, `player_1`, …

    An observation is `{"observation": …, "action_mask": int8[num_actions]}`; the mask is all zero for
    an agent that is not to move. Rewards are 0 until the game ends, then the rules' returns. Chance
    moves by itself, from the seed given to `reset`.

    An illegal action, out of range or not even an integer, ends the game: both terminations and
    truncations are set, as PettingZoo's `TerminateIllegalWrapper` sets them, the offender gets -1, every
    opponent +1, and every info is `{"illegal_action": action, "reason": …}`, the reason in words.

    Copies, deep copies and pickles are games of their own, which go on from where this one stands.

    Attributes:
        rules: the game's rules.
        render_mode: None, or one of `RENDER_MODES`.
    """

    def __init__(self, rules: Rules, name: str, render_mode: str | None = None) -> None:
        """Set up a game of `rules`; `name` is how the environment calls itself."""
        super().__init__()
        if render_mode is not None and render_mode not in RENDER_MODES:
            allowed = "one of " + ", ".join(RENDER_MODES)
            raise ParameterError.single(name, "render_mode", render_mode, allowed)
        self.rules = rules
        self.render_mode = render_mode
        self.metadata = {
            "name": name,
            "render_modes": list(RENDER_MODES),
            "is_parallelizable": False,
            "render_fps": 1,
        }
        self.possible_agents = [f"player_{seat}" for seat in range(rules.num_players)]
        self._seats = {agent: seat for seat, agent in enumerate(self.possible_agents)}
        self._legal = np.zeros(max(1, rules.max_legal), np.int64)
        self._no_actions = np.zeros(rules.num_actions, np.int8)
        self._stream = make_stream(_fresh_entropy())
        self._start()
        self._make_spaces()

    def _make_spaces(self) -> None:
        seen = np.asarray(self.rules.observation(self._state, 0))
        self.state_space = _box(self._state)
        self.action_spaces = {
            agent: spaces.Discrete(self.rules.num_actions) for agent in self.possible_agents
        }
        self.observation_spaces = {
            agent: spaces.Dict(
                {
                    "observation": _box(seen),
                    "action_mask": spaces.Box(0, 1, self._no_actions.shape, np.int8),
                }
            )
            for agent in self.possible_agents
        }

    def observation_space(self, agent: str) -> spaces.Space[Any]:
        """Return what `observe(agent)` lies in; always the same object."""
        return self.observation_spaces[agent]

    def action_space(self, agent: str) -> spaces.Space[Any]:
        """Return the action ids; always the same object."""
        return self.action_spaces[agent]

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> None:
        """Begin a new game.

        Args:
            seed: of the chance moves; without one they go on with the stream of the game before.
            options: PettingZoo asks for it; nothing is read from it.
        """
        if seed is not None:
            self._stream = make_stream(seed)
        self._start()
        self._show()

    @_wrapping
    def _start(self) -> None:
        self.agents = self.possible_agents[:]
        self.rewards = dict.fromkeys(self.agents, 0.0)
        self._cumulative_rewards = dict.fromkeys(self.agents, 0.0)
        self.terminations = dict.fromkeys(self.agents, False)
        self.truncations = dict.fromkeys(self.agents, False)
        self.infos: dict[str, dict[str, Any]] = {agent: {} for agent in self.agents}
        self.agent_selection = self.agents[0]
        self._skip_agent_selection = None
        self._state = self.rules.initial_state()
        self._history: list[int] = []
        self._arrive()

    def _arrive(self) -> None:
        """Let chance move, then give the turn to whoever has it, or end the game."""
        rules, state = self.rules, self._state
        player = int(rules.current_player(state))
        while player == CHANCE:
            action = int(rules.sample_chance(state, self._stream))
            rules.step(state, action)
            self._history.append(action)
            player = int(rules.current_player(state))
        self._mover = player
        self._mask: npt.NDArray[np.int8] | None = None  # with self._legal, filled in when asked for
        self._legal_count = 0
        if player == TERMINAL:
            returns = np.zeros(rules.num_players)
            rules.returns(state, returns)
            self._end(returns.tolist())
        else:
            self.agent_selection = self.possible_agents[player]

    def _end(self, returns: list[float]) -> None:
        self.rewards = dict(zip(self.possible_agents, returns, strict=True))
        self.terminations = dict.fromkeys(self.agents, True)
        self._accumulate_rewards()
        self._deads_step_first()

    @_wrapping
    def step(self, action: Any) -> None:
        """Play `action` for `agent_selection`; a dead agent's only action is None."""
        agent = self.agent_selection
        if self.terminations[agent]:
            self._was_dead_step(action)
            return
        self._cumulative_rewards[agent] = 0.0
        if self._is_legal(action):
            self._play(int(action))
            self._arrive()
        else:
            self._forfeit(action)
        self._show()

    def _play(self, action: int) -> None:
        self.rules.step(self._state, action)
        self._history.append(action)

    def _is_legal(self, action: Any) -> bool:
        if not isinstance(action, (int, np.integer)) or isinstance(action, bool):
            return False
        mask = self._legal_mask()
        return 0 <= action < mask.shape[0] and bool(mask[action])

    def _forfeit(self, action: Any) -> None:
        reason = str(illegal(self.rules, self._state, action))
        offender, self._mover, self._mask, self._legal_count = self._mover, TERMINAL, None, 0
        self.truncations = dict.fromkeys(self.agents, True)
        self.infos = {agent: {"illegal_action": action, "reason": reason} for agent in self.agents}
        self._end([-1.0 if seat == offender else 1.0 for seat in range(self.rules.num_players)])

    def _legal_mask(self) -> npt.NDArray[np.int8]:
        """Return the mover's mask, worked out once a state; not to be handed out."""
        if self._mask is None:
            self._mask = self._no_actions.copy()
            if self._mover != TERMINAL:
                self._legal_count = int(self.rules.legal_actions(self._state, self._legal))
                self._mask[self._legal[: self._legal_count]] = 1
        return self._mask

    @_wrapping
    def observe(self, agent: str) -> dict[str, npt.NDArray[Any]]:
        """Return what `agent` sees, in fresh arrays."""
        seat = self._seats[agent]
        mask = self._legal_mask() if seat == self._mover else self._no_actions
        seen = np.array(self.rules.observation(self._state, seat))  # a copy: it may be a view of the state
        return {"observation": seen, "action_mask": mask.copy()}

    def state(self) -> npt.NDArray[Any]:
        """Return a copy of the whole state, hidden parts included."""
        return self._state.copy()

    @property
    def game_state(self) -> npt.NDArray[Any]:
        """A copy of the whole state, as the rules define it."""
        return self._state.copy()

    @property
    def history(self) -> tuple[int, ...]:
        """Every action of this game, oldest first, those of chance included."""
        return tuple(self._history)

    @_wrapping
    def legal_actions(self) -> npt.NDArray[np.int64]:
        """Return the mover's legal actions, ascending, in a fresh array; none when the game is over."""
        self._legal_mask()
        return self._legal[: self._legal_count].copy()

    def render(self) -> str | npt.NDArray[np.uint8] | None:
        """Return the board in the form that `render_mode` says; `human` prints it."""
        if self.render_mode is None:
            gymnasium.logger.warn("render() was called, but no render_mode was given to the environment")
            return None
        if self.render_mode in ("svg", "rgb_array"):
            last = self._history[-1] if self._history else None
            picture = self.rules.to_svg(self._state, last=last)
            return picture if self.render_mode == "svg" else to_pixels(picture)
        text = self.rules.to_text(self._state)
        if self.render_mode == "ansi":
            return text
        print(text, flush=True)
        return None

    def _show(self) -> None:
        if self.render_mode == "human":
            self.render()

    def close(self) -> None:
        """Do nothing: there is nothing to release."""

    def __copy__(self) -> RulesEnv:
        """Copy deeply: two environments over one board would be no copy of the game."""
        return copy.deepcopy(self)

    def __deepcopy__(self, memo: dict[int, Any]) -> RulesEnv:
        """Copy the game; the rules never change and are shared."""
        twin = type(self).__new__(type(self))
        memo[id(self)] = twin
        memo[id(self.rules)] = self.rules
        twin.__dict__.update(copy.deepcopy(self.__dict__, memo))
        return twin


class OrderedEnv(OrderEnforcingWrapper):  # type: ignore[misc] # pettingzoo has no types
    """PettingZoo's order-enforcing wrapper, whose copies are games of their own as well."""

    def __copy__(self) -> OrderedEnv:
        """Copy deeply: a shallow copy of a wrapper would share the game."""
        return copy.deepcopy(self)

    def __setstate__(self, state: dict[str, Any]) -> None:
        """Let a copy made inside an `agent_iter` loop begin a loop of its own."""
        self.__dict__.update(state)
        self._has_updated = True

    def __str__(self) -> str:
        """Return the name of the environment inside."""
        return str(self.env)


def environments(game: Any) -> tuple[EnvMaker, EnvMaker]:
    """Make PettingZoo's `env` and `raw_env` for a game module, from its class of rules.

    Both take `render_mode` and the game's parameters. `raw_env` is a `RulesEnv`; `env` wraps it so that
    calls in a wrong order are refused with words.
    """
    name = game_name(game)

    def raw_env(render_mode: str | None = None, **params: Any) -> RulesEnv:
        """Return the environment itself; takes the game's parameters."""
        return RulesEnv(game.make(**check(name, game.make, params)), name, render_mode)

    def env(render_mode: str | None = None, **params: Any) -> OrderedEnv:
        """Return the environment, guarded against calls in a wrong order; takes the game's parameters."""
        return OrderedEnv(raw_env(render_mode, **params))

    for maker in (env, raw_env):  # a pickle finds them where the game's module has them
        maker.__module__, maker.__qualname__ = game.__module__, maker.__name__
    return env, raw_env


def _box(example: npt.NDArray[Any]) -> spaces.Box:
    """Return the space of arrays like `example`: planes of 0 and 1, or all that the dtype can hold."""
    kind = example.dtype
    if kind == np.bool_ or (kind == np.int8 and example.ndim == 3):
        return spaces.Box(0, 1, example.shape, kind)
    limits: Any = np.finfo(kind) if kind.kind == "f" else np.iinfo(kind)
    low, high = np.full(example.shape, limits.min, kind), np.full(example.shape, limits.max, kind)
    return spaces.Box(low, high, example.shape, kind)


def _fresh_entropy() -> int:
    entropy = np.random.SeedSequence().entropy
    assert isinstance(entropy, int)  # without arguments it is one large integer
    return entropy
