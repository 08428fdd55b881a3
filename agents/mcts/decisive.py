"""Decisive moves: those that win at once, and those that let nobody else win at once.

F. Teytaud and O. Teytaud, "On the huge benefit of decisive moves in Monte-Carlo tree search algorithms",
CIG 2010. Here is how they are found, and the rules by which the tree takes moves in: one class each, as
`agents.mcts.selection` has them. `keep` thins out the legal moves of a new node in `work.legal` and returns
how many are left. The rollouts that prefer decisive moves are in `agents.mcts.rollouts`.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from envs.kernels import kernel, register_rules
from envs.rules import TERMINAL
from envs.streams import below


class AllMoves(NamedTuple):
    """Every legal move."""

    only: int = 0  # unused: numba takes no empty tuple

    def keep(self, rules, work, count):
        return count


class DecisiveMoves(NamedTuple):
    """A winning move alone, or else the safe ones where some are.

    Of three players one may lose more, or less, by another's win than by what else there is: then every
    move is kept, and what the solver says is exact.
    """

    only: int = 1

    def keep(self, rules, work, count):
        player = rules.current_player(work.state)
        at = winning_index(rules, work.state, work.ahead, work.legal, count, player, work.returns)
        if at >= 0:
            work.legal[0] = work.legal[at]
            return 1
        if rules.num_players > 2:
            return count
        safe = 0
        for i in range(count):
            if is_safe(rules, work, work.legal[i], player):
                work.scores[safe] = work.legal[i]
                safe += 1
        for i in range(safe):
            work.legal[i] = np.int32(work.scores[i])
        return safe if safe > 0 else count


@kernel
def winning_index(rules, state, trial, actions, count, player, returns):
    """Return where among `actions` one stands that wins at once for `player`, to move; -1 for nowhere."""
    for i in range(count):
        for j in range(state.shape[0]):
            trial[j] = state[j]
        rules.step(trial, np.int64(actions[i]))
        if rules.is_terminal(trial):
            rules.returns(trial, returns)
            if returns[player] >= 1.0:
                return i
    return -1


@kernel
def is_safe(rules, work, action, player):
    """Return whether no other player can win at once after `player` plays `action`."""
    for j in range(work.state.shape[0]):
        work.ahead[j] = work.state[j]
    rules.step(work.ahead, np.int64(action))
    following = rules.current_player(work.ahead)
    if following in (TERMINAL, player):
        return True
    count = rules.legal_actions(work.ahead, work.replies)
    found = winning_index(rules, work.ahead, work.beyond, work.replies, count, following, work.returns)
    return found < 0


@kernel
def draw_safe(rules, work, count, player):
    """Return the index of a random safe action; of any where none is safe."""
    for tried in range(count):
        at = tried + below(work.rng, count - tried)
        work.legal[tried], work.legal[at] = work.legal[at], work.legal[tried]
        if is_safe(rules, work, work.legal[tried], player):
            return tried
    return 0


def make_tree_rule(decisive: bool) -> Any:
    """Return the rule by which a node takes in its children."""
    return DecisiveMoves() if decisive else AllMoves()


for _rule in (AllMoves, DecisiveMoves):
    register_rules(_rule, ["keep"])
