"""Rollout policies: how a search plays from the tree's edge to an outcome, one class each.

Each is a NamedTuple of its constants whose methods are compiled into the search (`agents.uct`), so what
is not chosen costs nothing. `play` plays `work.state` on and fills `work.returns`, where the policy goes
move by move by what `pick` returns: where in `work.legal` the next one stands.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from agents.mcts.decisive import draw_safe, winning_index
from agents.mcts.tree import MARKED
from envs.kernels import kernel, register_rules
from envs.rules import TERMINAL
from envs.streams import below, uniform


@kernel
def play_by(policy, rules, work, moves):
    """Play up to `moves` moves (negative: to the end), each the one that `policy.pick` says, and judge."""
    state = work.state
    player = rules.current_player(state)
    while player != TERMINAL and moves != 0:
        count = rules.legal_actions(state, work.legal)
        action = work.legal[policy.pick(rules, work, count, player)]
        mark(work, player, action)
        rules.step(state, np.int64(action))
        player = rules.current_player(state)
        moves -= 1
    judge(rules, work, player)


class GameRollout(NamedTuple):
    """The game's own rollout: uniformly random moves, by the game's shortcut where it has one."""

    depth: int = -1  # unused: numba takes no empty tuple

    def play(self, rules, work):
        rules.rollout(work.state, work.legal, work.rng)
        rules.returns(work.state, work.returns)


class Uniform(NamedTuple):
    """Uniformly random moves, one by one, each marked for who keeps count of them (RAVE).

    After `depth` moves the game's `evaluate` judges, for every player; a negative depth is no limit.
    """

    depth: int

    def play(self, rules, work):
        play_by(self, rules, work, self.depth)

    def pick(self, rules, work, count, player):
        return below(work.rng, count)


class Heuristic(NamedTuple):
    """Random moves, each as likely as the game's `prior` weighs it."""

    depth: int = -1

    def play(self, rules, work):
        play_by(self, rules, work, self.depth)

    def pick(self, rules, work, count, player):
        rules.prior(work.state, work.legal, count, work.scores)
        return draw_weighted(work, count)


class Decisive(NamedTuple):
    """A winning move where there is one; else a random move after which the next player has none."""

    depth: int = -1

    def play(self, rules, work):
        play_by(self, rules, work, self.depth)

    def pick(self, rules, work, count, player):
        at = winning_index(rules, work.state, work.ahead, work.legal, count, player, work.returns)
        return at if at >= 0 else draw_safe(rules, work, count, player)


@kernel(forceinline=True)
def mark(work, player, action):
    """Mark that `player` played `action` in this simulation, where anybody asks."""
    if work.played.shape[0] > 0:
        work.played[player, action] = work.counts[MARKED] + 1


@kernel(forceinline=True)
def judge(rules, work, player):
    """Fill `work.returns`: the outcome where the game is over, else what the game's `evaluate` says."""
    if player == TERMINAL:
        rules.returns(work.state, work.returns)
        return
    for i in range(work.returns.shape[0]):
        work.returns[i] = rules.evaluate(work.state, i)


@kernel(forceinline=True)
def draw_weighted(work, count):
    """Return an index below `count`, each as likely as its weight in `work.scores` says.

    Where all weights are 0 each is as likely as another, as in PUCT.
    """
    total = 0.0
    for i in range(count):
        total += work.scores[i]
    if total <= 0.0:
        return below(work.rng, count)
    left = uniform(work.rng) * total
    for i in range(count - 1):
        left -= work.scores[i]
        if left < 0:
            return i
    return count - 1


def make_policy(name: str, depth: int, marks: bool) -> Any:
    """Return the policy of that name; `marks` is whether somebody asks what was played."""
    if name == "random":
        return Uniform(-1) if marks else GameRollout()
    made = {"decisive": Decisive, "heuristic": Heuristic}
    return made[name]() if name in made else Uniform(depth if name == "truncated" else 0)


for _policy in (GameRollout, Uniform, Heuristic, Decisive):
    register_rules(_policy, [name for name in ("play", "pick") if hasattr(_policy, name)])
