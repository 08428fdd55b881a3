"""Move ordering: which move alpha-beta tries first, so that it needs to try few.

The best move known comes first, then killers, then the others by the game's `prior` and by how often they
cut off before. S. Akl and M. Newborn, "The principal continuation and the killer heuristic", ACM 1977;
J. Schaeffer, "The history heuristic", ICCA Journal 6(3), 1983. The search itself is in `agents.negamax`.
"""

from __future__ import annotations

import numpy as np

from envs.kernels import kernel

_FIRST = 1e300
HISTORY, KILLER = 8.0, 4.0
_SORTED = 12
"""Where so many moves have not cut off, none will: the others come as they stand."""


@kernel(forceinline=True)
def list_moves(rules, stack, options, ply, player, first):
    """Write the legal actions in row `ply` of the stack, and how soon to try each; return how many."""
    legal, order = stack.legal[ply], stack.order[ply]
    count = np.int64(rules.legal_actions(stack.states[ply], legal))
    if options.prior:
        rules.prior(stack.states[ply], legal, count, order)
    for i in range(count):
        action = np.int64(legal[i])
        if not options.prior:
            order[i] = 1.0
        if options.history:
            order[i] *= 1.0 + HISTORY * stack.history[player, action] / stack.peak[0]
        if options.killers and action in (stack.killers[ply, 0], stack.killers[ply, 1]):
            order[i] *= KILLER
        if action == first:
            order[i] = _FIRST
    return count


@kernel(forceinline=True)
def pick(stack, ply, tried, count):
    """Return the move to try after `tried` others, and put it in their row behind them."""
    legal, order = stack.legal[ply], stack.order[ply]
    if tried < _SORTED:
        best = tried
        for i in range(tried + 1, count):
            if order[i] > order[best]:
                best = i
        legal[tried], legal[best] = legal[best], legal[tried]
        order[tried], order[best] = order[best], order[tried]
    return np.int64(legal[tried])


@kernel(forceinline=True)
def learn(stack, options, ply, depth, player, action):
    """Remember that `action` cut off."""
    if options.history and depth > 0:
        stack.history[player, action] += depth * depth
        stack.peak[0] = max(stack.peak[0], stack.history[player, action])
    if options.killers and action != stack.killers[ply, 0]:
        stack.killers[ply, 1] = stack.killers[ply, 0]
        stack.killers[ply, 0] = action
