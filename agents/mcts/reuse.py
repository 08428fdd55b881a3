"""Keeping a subtree: what was searched below the moves just played becomes the next search's tree.

The copy is C. Cheney's ("A nonrecursive list compacting algorithm", 1970): the target is its own queue,
siblings stay side by side, and all that the subtree does not hold is free again.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from agents.mcts.solver import shelve_at_root
from agents.mcts.tree import ROOT, UNEXPANDED, Tree
from envs.kernels import kernel


def keep_subtree(tree: Tree, spare: Tree, actions: Sequence[int]) -> bool:
    """Copy the subtree below `actions` into `spare`; return False, copying nothing, where there is none."""
    node = tree.find(actions)
    if node is None or int(tree.first_child[node]) == UNEXPANDED:
        return False
    copy_subtree(tree, spare, node)
    shelve_at_root(spare)
    return True


@kernel
def copy_subtree(source, target, node):
    """Write the subtree of `node` into `target`, whose root it becomes."""
    copy_nodes(source, node, target, ROOT, 1)
    scanned, free = np.int64(0), np.int64(1)
    while scanned < free:
        first = np.int64(target.first_child[scanned])
        if target.visits[scanned] > 0 and first != UNEXPANDED:
            count = np.int64(target.num_children[scanned])
            copy_nodes(source, first, target, free, count)
            target.first_child[scanned] = free
            free += count
        scanned += 1
    target.size[0] = free


@kernel
def copy_nodes(source, start, target, place, count):
    """Copy `count` siblings, whose first is node `start`, to node `place` and after."""
    for i in range(count):
        target.visits[place + i] = source.visits[start + i]
        target.value_sum[place + i] = source.value_sum[start + i]
        target.inverse_root[place + i] = source.inverse_root[start + i]
        target.first_child[place + i] = source.first_child[start + i]
        target.num_children[place + i] = source.num_children[start + i]
        target.action[place + i] = source.action[start + i]
    if source.prior.shape[0] > 0:
        for i in range(count):
            target.prior[place + i] = source.prior[start + i]
    if source.square_sum.shape[0] > 0:
        for i in range(count):
            target.square_sum[place + i] = source.square_sum[start + i]
    if source.amaf_visits.shape[0] > 0:
        for i in range(count):
            target.amaf_visits[place + i] = source.amaf_visits[start + i]
            target.amaf_sum[place + i] = source.amaf_sum[start + i]
