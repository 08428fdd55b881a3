"""Move ordering: which move alpha-beta tries first, so that it needs to try few.

The best move known comes first, then the others by the game's `prior`, which counts for more where a move
cut off on the same ply (killers) or often anywhere (history). S. Akl and M. Newborn, "The principal
continuation and the killer heuristic", ACM 1977; J. Schaeffer, "The history heuristic", ICCA Journal 6(3),
1983. The search itself is in `agents.depth_first.negamax`.
"""

from __future__ import annotations

import numpy as np

from envs.kernels import kernel

HISTORY, KILLER = 8.0, 4.0
"""By how much what cut off most often, and what cut off on this ply, weighs more than the game says."""
_FIRST = 1e300
_SORTED = 12
"""Where so many moves have not cut off, none will: the others come as they stand."""


@kernel(forceinline=True)
def list_moves(rules, stack, options, ply, player, first):
    """Write the legal actions in row `ply` of the stack, and how soon to try each; return how many."""
    legal, order = stack.legal[ply], stack.order[ply]
    count = np.int64(rules.legal_actions(stack.states[ply], legal))
    if options.prior:
        rules.prior(stack.states[ply], legal, count, order)
    newer, older = stack.killers[ply, 0], stack.killers[ply, 1]
    share = HISTORY / stack.peak[0]
    for i in range(count):
        action = np.int64(legal[i])
        weight = order[i] if options.prior else 1.0
        weight *= 1.0 + share * stack.history[player, action]
        if action in (newer, older):
            weight *= KILLER
        order[i] = _FIRST if action == first else weight
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
