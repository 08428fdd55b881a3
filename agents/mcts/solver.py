"""Proven nodes: what they look like in the tree, and how proofs go up it (MCTS-Solver).

M. Winands, Y. Björnsson and J.-T. Saito, "Monte-Carlo Tree Search Solver", CG 2008, which proves wins
and losses of two players; here the exact return of any outcome and any number of players, as J. Nijssen
and M. Winands, "Enhancements for Multi-Player Monte-Carlo Tree Search", CG 2010, ask for.

A node is proven when the game ends in it, when a child is proven to give its mover the best return there
is, or when all of its children are proven. A proven child is an arm whose mean is known: selection
scores it without an exploration term, and a simulation that takes it follows the best line to the
end instead of playing at random. Nothing is searched below it any more. Proven losses, and at the root
all that is proven, come after every open sibling: there is nothing to learn from them.
"""

from __future__ import annotations

import numpy as np

from agents.mcts.tree import ROOT
from envs.kernels import kernel

EXACT = np.float32(2.0**-40)
"""`inverse_root` of a proven node. With `value_sum` = return / EXACT**2, the score of UCB1,
r * (r * value_sum + exploration) with r = `inverse_root`, is the return and next to no exploration: the
loop over siblings needs no exception."""
SCALE = 2.0**80
BEST_RETURN = 1.0
SHELVED = 3.0
"""What is taken off the score of a proven child that is to come after all open ones."""


@kernel(forceinline=True)
def is_proven(tree, node):
    """Return whether the value of `node` is known."""
    return tree.inverse_root[node] == EXACT


@kernel(forceinline=True)
def proven_score(tree, node):
    """Return what a proven node scores: its return, less SHELVED where it is shelved."""
    return tree.value_sum[node] / SCALE


@kernel(forceinline=True)
def proven_value(tree, node):
    """Return the return of a proven node, for the player who moved into it."""
    score: float = proven_score(tree, node)
    return score if score >= -1.0 else score + SHELVED


@kernel(forceinline=True)
def mean_value(tree, node):
    """Return the mean return of a visited node, the exact one where it is proven."""
    if is_proven(tree, node):
        return proven_value(tree, node)
    return tree.value_sum[node] / tree.visits[node]


@kernel(forceinline=True)
def set_proven(tree, node, value, shelve):
    """Mark `node` as worth `value` to the player who moved into it; a loss is shelved in any case."""
    tree.inverse_root[node] = EXACT
    tree.value_sum[node] = SCALE * (value - SHELVED if shelve or value <= -1.0 else value)


@kernel(forceinline=True)
def best_proven(tree, node):
    """Return the child of a proven node that its mover is sure to get most from, the first of equals."""
    first = np.int64(tree.first_child[node])
    best, highest = first, -1e300
    for child in range(first, first + tree.num_children[node]):
        if tree.visits[child] > 0 and is_proven(tree, child) and proven_value(tree, child) > highest:
            best, highest = child, proven_value(tree, child)
    return best


@kernel
def prove(tree, work, depth):
    """Take the exact end of a simulation up the path of `depth` moves; return whether the root is proven.

    A node all of whose children are proven, but whose best child is another one, is left to the next
    simulation that comes by: that one takes the best child, and its returns are the node's for every
    player.
    """
    for i in range(depth, 0, -1):
        value = work.returns[work.movers[i]]
        if i == 1:
            note_chances(tree, work, np.int64(work.path[1]))
        set_proven(tree, np.int64(work.path[i]), value, i == 1)
        if value < BEST_RETURN and not _settles(tree, np.int64(work.path[i - 1]), np.int64(work.path[i])):
            return False
    return True


@kernel(forceinline=True)
def note_chances(tree, work, child):
    """Keep the mean return of a child of the root that is about to be proven: others may err."""
    if abs(tree.value_sum[child]) <= tree.visits[child]:  # a sum of returns, not yet a proven score
        work.chances[child - tree.first_child[ROOT]] = tree.value_sum[child] / tree.visits[child]


@kernel(forceinline=True)
def _settles(tree, parent, child):
    """Return whether all children of `parent` are proven, `child` as good as any of them."""
    first = np.int64(tree.first_child[parent])
    value: float = proven_value(tree, child)
    last = first + tree.num_children[parent] - 1
    if tree.visits[last] == 0:  # the unvisited ones come last
        return False
    for sibling in range(first, last + 1):
        if not is_proven(tree, sibling) or proven_value(tree, sibling) > value:
            return False
    return True


@kernel
def shelve_at_root(tree):
    """Shelve what is proven among the children of a new root."""
    first = np.int64(tree.first_child[ROOT])
    for child in range(first, first + tree.num_children[ROOT]):
        if tree.visits[child] > 0 and is_proven(tree, child):
            set_proven(tree, child, proven_value(tree, child), True)
