"""Greedy: looks one ply ahead and plays what looks best. A baseline, and a template for other agents."""

from __future__ import annotations

from typing import Annotated, Any

import numpy as np
from pydantic import Field

from agents.base import Agent, Decision, Limit, View, require_perfect_information
from agents.evaluations import make_evaluation
from envs.kernels import kernel
from envs.rules import list_legal


class Greedy(Agent):
    """The move after which the game's `evaluate`, or the outcome, is best; of equals a random one."""

    def __init__(
        self,
        rules: Any,
        weights: Annotated[
            dict[str, float] | None, Field(description="weights of the game's features, by name")
        ] = None,
    ) -> None:
        """Compile (or load) the kernel below.

        Raises:
            AgentRefused: for games with chance or hidden information, and large ones without `evaluate`.
            ParameterError: for weights of features that the game does not have.
        """
        super().__init__(rules)
        require_perfect_information("greedy", rules)
        self.evaluation = make_evaluation("greedy", rules, weights)
        self.reset(0, 0)
        state = rules.initial_state()
        self.act(View(state, list_legal(rules, state), int(rules.current_player(state))), Limit())

    def reset(self, player: int, seed: int) -> None:
        """Start the stream that breaks ties."""
        self.random = np.random.default_rng(seed)

    def act(self, view: View, limit: Limit) -> Decision:
        """Judge every move; the limit plays no part."""
        actions = view.legal_actions.copy()  # what may be written is another type to the compiler
        values = np.zeros(len(actions))
        judge(self.rules, self.evaluation, view.state, view.player, actions, values)
        best = int(self.random.choice(np.flatnonzero(values == values.max())))
        return Decision(int(view.legal_actions[best]), value=float(values[best]))


@kernel
def judge(rules, evaluation, state, player, actions, values):
    """Write into `values` what each action leads to: the outcome for `player`, or else what it looks like."""
    returns = np.zeros(rules.num_players)
    for i in range(actions.shape[0]):
        child = state.copy()
        rules.step(child, np.int64(actions[i]))
        if rules.is_terminal(child):
            rules.returns(child, returns)
            values[i] = returns[player]
        else:
            values[i] = evaluation.value(rules, child, player)
