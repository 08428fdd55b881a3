"""What searches found out about the root's moves: reading it, merging several trees, choosing a move.

How the trees came about is the matter of `agents.mcts.forest`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt

from agents.mcts.solver import EXACT, SCALE, SHELVED
from agents.mcts.tree import UNEXPANDED, Tree, Workspace

UNVISITED = -2.0
"""The value of a move that no simulation took: below every other."""


@dataclass(frozen=True)
class Root:
    """The root's moves, in the order of the legal actions.

    Attributes:
        visits: int64.
        value_sum: float64, sums of returns for the mover; visits times the exact return where proven.
        proven: bool, whether the exact return is known.
        chances: float64, mean returns of simulations, of proven moves from before they were proven.
        kept: bool, whether the search looks at the move; `decisive` leaves out what loses at once.
    """

    visits: npt.NDArray[np.int64]
    value_sum: npt.NDArray[np.float64]
    proven: npt.NDArray[np.bool_]
    chances: npt.NDArray[np.float64]
    kept: npt.NDArray[np.bool_]

    @cached_property
    def values(self) -> npt.NDArray[np.float64]:
        """float64: mean or exact returns, UNVISITED where there are no visits."""
        empty = np.full(len(self.visits), UNVISITED)
        values: npt.NDArray[np.float64] = np.divide(
            self.value_sum, self.visits, out=empty, where=self.visits > 0
        )
        return values

    @cached_property
    def is_solved(self) -> bool:
        """Whether the root's value is known: a sure win, or every move proven that is looked at."""
        known = self.values[self.proven]
        return bool((self.kept.any() and self.proven[self.kept].all()) or (known >= 1.0).any())

    @cached_property
    def lost(self) -> npt.NDArray[np.bool_]:
        """bool: proven losses, and moves that are not looked at while others are."""
        return (self.proven & (self.values <= -1.0)) | (~self.kept & self.kept.any())


def read_root(tree: Tree, work: Workspace, legal: npt.NDArray[np.int64], path: Sequence[int] = ()) -> Root:
    """Read the root's children, or those of the node that `path` leads to, as if it were the root.

    Actions that the tree does not look at have no visits. `chances` mean something at the true root alone.
    """
    size = len(legal)
    none, nothing = np.zeros(size, np.bool_), np.zeros(size)
    root = Root(np.zeros(size, np.int64), nothing, none, np.full(size, UNVISITED), none.copy())
    node = tree.find(path)
    if node is None or (first := int(tree.first_child[node])) == UNEXPANDED:
        return root
    children = slice(first, first + int(tree.num_children[node]))
    order = np.searchsorted(legal, tree.action[children])
    visits = tree.visits[children]
    value_sum = np.where(visits > 0, tree.value_sum[children], 0.0)
    proven = (visits > 0) & (tree.inverse_root[children] == EXACT)
    score = value_sum / SCALE
    exact = np.where(score < -1.0, score + SHELVED, score)
    root.visits[order], root.proven[order], root.kept[order] = visits, proven, True
    root.value_sum[order] = np.where(proven, visits * exact, value_sum)
    root.chances[order] = np.where(proven, work.chances[: len(order)], root.values[order])
    return root


def merge(roots: Sequence[Root]) -> Root:
    """Sum visits and values over the trees; what one tree proved is proven."""
    if len(roots) == 1:
        return roots[0]
    visits = np.sum([root.visits for root in roots], axis=0)
    value_sum = np.sum([root.value_sum for root in roots], axis=0)
    for root in roots:
        value_sum = np.where(root.proven, root.values * visits, value_sum)
    chances = sum(root.chances * root.visits for root in roots) / np.maximum(visits, 1)
    proven, kept = (np.any([getattr(root, name) for root in roots], axis=0) for name in ("proven", "kept"))
    return Root(visits, value_sum, proven, np.asarray(chances), kept)


def robust_child(root: Root) -> int:
    """Return the index of the most visited move, ties by value; see `choose` for proven ones."""
    return _best(root, np.lexsort((root.values, root.visits)))


def max_child(root: Root) -> int:
    """Return the index of the move of the highest value, ties by visits; see `choose` for proven ones."""
    return _best(root, np.lexsort((root.visits, root.values)))


def _best(root: Root, ranked: npt.NDArray[np.intp]) -> int:
    """Return the last of `ranked` that is no proven loss, or a proven move that is worth no less.

    Of proven moves worth the same the one with the best chances is taken, for opponents err.
    """
    values, lost = root.values, root.lost
    if lost.all():
        return int(np.argmax(root.visits))  # what took longest to refute
    best = int(ranked[~lost[ranked]][-1])
    exact = np.where(root.proven & ~lost, values, -np.inf)
    surest = int(np.lexsort((root.chances, exact))[-1])
    return surest if exact[surest] >= values[best] else best


def choose(roots: Sequence[Root], merging: str, final_move: str) -> int:
    """Return the index of the move to play.

    Args:
        roots: one per tree.
        merging: `sum` of visits; `majority` of the trees' own choices, ties by the sum of visits; `mean`
            of the trees' values, each tree counting the same.
        final_move: `robust`, `max`, or `robust_max`, which is the robust child of what was searched.
    """
    whole, pick = merge(roots), max_child if final_move == "max" else robust_child
    if merging == "majority":
        votes = np.bincount([pick(root) for root in roots if root.visits.any()], minlength=len(whole.visits))
        return _best(whole, np.lexsort((whole.visits, votes)))
    if merging == "mean":
        return _best(whole, np.lexsort((whole.visits, _mean_values(roots))))
    return pick(whole)


def _mean_values(roots: Sequence[Root]) -> npt.NDArray[np.float64]:
    """Return the mean over the trees that visited a move of its value there; UNVISITED for none."""
    seen = np.array([root.visits > 0 for root in roots])
    total = np.where(seen, [root.values for root in roots], 0.0).sum(axis=0)
    means: npt.NDArray[np.float64] = np.where(seen.any(axis=0), total, UNVISITED) / np.maximum(
        seen.sum(axis=0), 1
    )
    return means


def softmax_of_visits(root: Root, temperature: float) -> npt.NDArray[np.float64]:
    """Return the probability of each move: proportional to visits ** (1 / temperature)."""
    with np.errstate(divide="ignore"):  # no visits, no chance
        logs = np.log(root.visits)
    with np.errstate(over="ignore"):  # as cold as can be: the most visited alone
        weights = np.exp((logs - logs.max()) / temperature)
    return np.asarray(weights / weights.sum())


def is_decided(root: Root, left: float) -> bool:
    """Return whether `left` more simulations cannot take the lead from the move that would be played.

    Proven losses are no rivals. A proof that is still to come may change the move all the same.
    """
    rivals, best = ~root.lost, robust_child(root)
    rivals[best] = False
    return bool((root.visits[best] - root.visits[rivals] > left).all())
