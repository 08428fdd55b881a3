"""Players and a game whose every word is markup, to see that a report shows words as words."""

from __future__ import annotations

from typing import Any, NamedTuple, NoReturn

import numpy as np
import numpy.typing as npt

from agents.base import Agent, Decision, Limit, View
from envs.aec import environments
from envs.rules import TERMINAL, rules

MARKUP = "<script>alert(1)</script>"
BREAKOUT = "</script></title><img/src='x'/onerror=alert(2)>"


@rules
class Dare(NamedTuple):
    """Two players say one of two words in turn, three each; who says the second more often wins.

    It has no picture. State: int8[3]: the words said, and how often each player said the second.
    """

    num_players: int = 2
    num_actions: int = 2
    max_legal: int = 2

    @classmethod
    def make(cls) -> Dare:
        return cls()

    def initial_state(self) -> npt.NDArray[np.int8]:
        return np.zeros(3, np.int8)

    def current_player(self, state: Any) -> int:
        return TERMINAL if state[0] == 6 else int(state[0] % 2)

    def legal_actions(self, state: Any, out: Any) -> int:
        out[:2] = 0, 1
        return 2

    def step(self, state: Any, action: int) -> None:
        state[1 + state[0] % 2] += action
        state[0] += 1

    def returns(self, state: Any, out: Any) -> None:
        out[0] = np.sign(int(state[1]) - int(state[2])) if state[0] == 6 else 0
        out[1] = -out[0]

    def action_to_string(self, state: Any, action: int) -> str:
        return (MARKUP, BREAKOUT)[action]

    def to_text(self, state: Any, visits: Any = None) -> str:
        return f"{MARKUP} {state[1]} : {state[2]} {BREAKOUT}"

    def to_svg(self, state: Any, visits: Any = None) -> str:
        raise NotImplementedError(MARKUP)


env, raw_env = environments(Dare)


class Boaster(Agent):
    """Plays the last action that is allowed; all it has to say of its search is markup."""

    def act(self, view: View, limit: Limit) -> Decision:
        visits = np.arange(1, 1 + len(view.legal_actions))
        return Decision(int(view.legal_actions[-1]), visits, 0.5, {"plan": MARKUP, BREAKOUT: 1})

    def search_record(self) -> NoReturn:
        raise ValueError(BREAKOUT)


class Ranter(Agent):
    """Prints markup and raises it, in the second move of its every game."""

    def act(self, view: View, limit: Limit) -> int:
        if len(view.history) > 1:
            print(BREAKOUT)
            raise RuntimeError(f"{MARKUP}{BREAKOUT}")
        return int(view.legal_actions[0])
