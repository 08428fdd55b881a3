"""UCT: Monte Carlo tree search with UCB1 in the tree and random play below it.

L. Kocsis and C. Szepesvári, "Bandit based Monte-Carlo Planning", ECML 2006; the four phases as in
C. Browne et al., "A Survey of Monte Carlo Tree Search Methods", IEEE TCIAIG 4(1), 2012; several
trees over one root as in G. Chaslot, M. Winands and J. van den Herik, "Parallel Monte-Carlo Tree
Search", CG 2008 (root parallelisation). The tree's layout is in `agents.tree`.

Each node stores value for the player who moved into it, and returns are per player: extra turns,
passes and three players need no sign flip.
"""

from __future__ import annotations

import math
from concurrent.futures import ThreadPoolExecutor
from typing import Annotated, Any

import numpy as np
import numpy.typing as npt
from numba.core.errors import NumbaError
from pydantic import Field

from agents.base import (
    NEVER,
    Agent,
    AgentRefused,
    Decision,
    Limit,
    View,
    deadline_ns,
    require_perfect_information,
)
from agents.clock import monotonic_ns
from agents.tree import BYTES_PER_NODE, MAX_DEPTH, ROOT, ROOT_LOGS, UNEXPANDED, Tree, Workspace
from envs.kernels import kernel
from envs.rules import TERMINAL
from envs.streams import below, make_stream


@kernel(_nrt=False)
def search(rules, root, tree, work, uct_c, simulations, deadline):
    """Run simulations from `root` until there are `simulations` or the clock passes `deadline` (ns).

    At least one is run. The clock is read every 25 to 100 microseconds. Fills `work.counts`.

    Compiled without numba's runtime (`_nrt=False`, which the kernels it calls inherit): nothing in
    it can allocate, and no array is reference-counted, which more than doubles its speed.
    """
    plant(tree)
    work.counts[:] = 0
    stride = 1
    last_reading = monotonic_ns(work.clock)
    next_reading = stride
    done = 0
    while done < simulations:
        simulate(rules, root, tree, work, uct_c)
        done += 1
        if done == next_reading:
            now = monotonic_ns(work.clock)
            if now >= deadline:
                break
            if now - last_reading < 25_000:
                stride = min(2 * stride, 1024)
            elif now - last_reading > 100_000:
                stride = max(stride // 2, 1)
            last_reading = now
            next_reading = done + stride
    work.counts[0] = done


search_allocating = kernel(getattr(search, "py_func", search))
"""The same for a game whose methods make arrays, which `search` cannot be compiled for."""


@kernel(forceinline=True)
def plant(tree):
    """Start afresh: a root without children."""
    tree.size[0] = 1
    tree.visits[ROOT] = 0
    tree.value_sum[ROOT] = 0.0
    tree.first_child[ROOT] = UNEXPANDED


@kernel(forceinline=True)
def simulate(rules, root, tree, work, uct_c):
    """Run one simulation: select and expand down to a leaf, play to the end, back the outcome up."""
    state = work.state
    for i in range(root.shape[0]):
        state[i] = root[i]
    depth: int = descend(rules, tree, work, uct_c)
    rules.rollout(state, work.legal, work.rng)
    rules.returns(state, work.returns)
    backup(tree, work, depth)
    work.counts[1] += depth
    work.counts[2] = max(work.counts[2], depth)


@kernel(forceinline=True)
def descend(rules, tree, work, uct_c):
    """Follow the tree from the root to a node not visited before, or to the end of the game.

    Plays the path's actions on `work.state` and records its nodes and movers; returns its depth.
    Where the tree is full, the deepest node it holds is the leaf.
    """
    node = ROOT
    depth = 0
    player = rules.current_player(work.state)
    work.path[0] = ROOT
    while player != TERMINAL and depth < MAX_DEPTH and (node == ROOT or tree.visits[node] > 0):
        if tree.first_child[node] == UNEXPANDED and not expand(rules, tree, work, node):
            break
        node = select(tree, work, node, uct_c)
        rules.step(work.state, np.int64(tree.action[node]))
        depth += 1
        work.path[depth] = node
        work.movers[depth] = player
        player = rules.current_player(work.state)
    return depth


@kernel(forceinline=True)
def expand(rules, tree, work, node):
    """Give `node` its children, none of them visited; return False when the tree has no room."""
    count = rules.legal_actions(work.state, work.legal)
    first = tree.size[0]
    if first + count > tree.visits.shape[0]:
        return False
    for i in range(count):
        tree.visits[first + i] = 0
        tree.value_sum[first + i] = 0.0
        tree.first_child[first + i] = UNEXPANDED
        tree.action[first + i] = work.legal[i]
    tree.first_child[node] = first
    tree.num_children[node] = count
    tree.size[0] = first + count
    return True


@kernel(forceinline=True)
def select(tree, work, node, uct_c):
    """Return an unvisited child, drawn uniformly, or the child of the highest UCB1 score."""
    first = np.int64(tree.first_child[node])
    count = np.int64(tree.num_children[node])
    if tree.visits[first + count - 1] == 0:
        return draw_unvisited(tree, work, first, count)
    return best_by_ucb1(tree, work, first, count, uct_c * root_log(work, tree.visits[node]))


@kernel(forceinline=True)
def root_log(work, n):
    """Return sqrt(ln n)."""
    return work.root_log[n] if n < ROOT_LOGS else math.sqrt(math.log(n))


@kernel(forceinline=True)
def draw_unvisited(tree, work, first, count):
    """Swap a random unvisited child to the front of the unvisited ones, and return it."""
    low, high = 0, count - 1  # the first unvisited child, by bisection: the visited come before it
    while low < high:
        middle = (low + high) // 2
        if tree.visits[first + middle] > 0:
            low = middle + 1
        else:
            high = middle
    chosen = first + low + below(work.rng, count - low)
    action = tree.action[chosen]
    tree.action[chosen] = tree.action[first + low]
    tree.action[first + low] = action
    return first + low


@kernel(forceinline=True, fastmath={"nnan", "nsz", "arcp"})
def best_by_ucb1(tree, work, first, count, exploration):
    """Return the child with the highest score = W/N + uct_c * sqrt(ln N_parent / N), the first of equals.

    UCB1 of P. Auer, N. Cesa-Bianchi and P. Fischer (2002), as Kocsis and Szepesvári apply it to trees.
    With r = 1/sqrt(N) it is r * (r * W + exploration), exploration = uct_c * sqrt(ln N_parent).
    """
    value_sum = tree.value_sum[first : first + count]
    inverse_root = tree.inverse_root[first : first + count]
    scores = work.scores
    highest = -1e300
    for i in range(count):
        r = np.float64(inverse_root[i])
        score = r * (r * value_sum[i] + exploration)
        scores[i] = score
        highest = max(highest, score)
    for i in range(count):
        if scores[i] == highest:
            return first + i
    return first


@kernel(forceinline=True)
def backup(tree, work, depth):
    """Count the simulation in every node of the path, with the return of whoever moved into it."""
    tree.visits[ROOT] += 1
    for i in range(1, depth + 1):
        node = work.path[i]
        tree.visits[node] += 1
        tree.value_sum[node] += work.returns[work.movers[i]]
        tree.inverse_root[node] = 1.0 / math.sqrt(tree.visits[node])


class UCT(Agent):
    """UCT over one or several root-parallel trees, merged by summing their visits.

    The move is the robust child: most visits, ties by value; where that child won every simulation,
    a move that wins at once if there is one. `limit.simulations` counts all trees together. Equal
    seeds and simulation limits give equal decisions. A game whose methods make arrays is searched as
    well (see `_never_allocates`), at about half the speed.

    The default of `uct_c` errs least, of 0.5 to 2, in the openings of tic-tac-toe at 700 simulations.
    """

    def __init__(
        self,
        rules: Any,
        uct_c: Annotated[float, Field(ge=0, le=1000, description="exploration constant of UCB1")] = 1.2,
        trees: Annotated[int, Field(ge=1, le=256, description="root-parallel trees, a core each")] = 1,
        memory_mb: Annotated[
            int, Field(ge=1, le=65536, description="memory of each tree in MB; a full tree stops growing")
        ] = 64,
    ) -> None:
        """Allocate the trees and compile (or load) the search.

        Raises:
            AgentRefused: for games with chance or hidden information, or whose rules do not compile.
        """
        super().__init__(rules)
        require_perfect_information("uct", rules)
        self.uct_c = float(uct_c)
        max_nodes = max(memory_mb * 2**20 // BYTES_PER_NODE, rules.max_legal + 1)
        self._trees = [Tree.allocate(max_nodes) for _ in range(trees)]
        self._work = [Workspace.allocate(rules) for _ in range(trees)]
        self._threads = ThreadPoolExecutor(trees - 1) if trees > 1 else None
        self.reset(0, 0)
        self._kernel = search if _never_allocates(rules) else search_allocating
        try:
            self._search(0, rules.initial_state(), 1, NEVER)
        except NumbaError as error:
            raise AgentRefused(
                f"uct cannot compile {type(rules).__name__}; if its methods make arrays or lists, give the "
                f"class `allocates = True`. {error}"
            ) from error

    def reset(self, player: int, seed: int) -> None:
        """Give every tree a stream of its own."""
        for index, work in enumerate(self._work):
            work.rng[:] = make_stream(seed, index)

    def act(self, view: View, limit: Limit) -> Decision:
        """Search from `view.state` and play the robust child.

        Raises:
            ValueError: when `limit` has neither time nor simulations.
        """
        if limit.time is None and limit.simulations is None:
            raise ValueError("uct: no limit: give time or simulations")
        self._search_all(view.state, _shares(limit.simulations, len(self._trees)), deadline_ns(limit))
        return self._decide(view)

    def _search_all(self, root: npt.NDArray[Any], shares: list[int], deadline: int) -> None:
        others = [
            self._threads.submit(self._search, i, root, shares[i], deadline)
            for i in range(1, len(shares))
            if self._threads
        ]
        self._search(0, root, shares[0], deadline)
        for other in others:
            other.result()

    def _search(self, index: int, root: npt.NDArray[Any], simulations: int, deadline: int) -> None:
        tree, work = self._trees[index], self._work[index]
        self._kernel(self.rules, root, tree, work, self.uct_c, simulations, deadline)

    def _decide(self, view: View) -> Decision:
        legal = view.legal_actions
        per_tree = [root_statistics(tree, legal) for tree in self._trees]
        visits: npt.NDArray[np.int64] = np.sum([visits for visits, _ in per_tree], axis=0)
        value_sum = np.sum([value for _, value in per_tree], axis=0)
        values = np.divide(value_sum, visits, out=np.full(len(legal), -2.0), where=visits > 0)
        ranked = np.lexsort((values, visits))
        best = int(ranked[-1])
        if values[best] == 1.0:  # several moves may win for sure, and as many visits be a matter of luck
            sure = [int(i) for i in reversed(ranked) if values[i] == 1.0]
            best = next((i for i in sure if self._ends(view, legal[i])), best)
        return Decision(int(legal[best]), visits, float(values[best]), self._info([v for v, _ in per_tree]))

    def _ends(self, view: View, action: np.int64) -> bool:
        state = view.state.copy()
        self.rules.step(state, int(action))
        return bool(self.rules.is_terminal(state))

    def _info(self, tree_visits: list[npt.NDArray[np.int64]]) -> dict[str, Any]:
        counts = np.array([work.counts for work in self._work])
        nodes = [int(tree.size[0]) for tree in self._trees]
        return {
            "simulations": int(counts[:, 0].sum()),
            "tree_visits": [visits.tolist() for visits in tree_visits],
            "nodes": sum(nodes),
            "mean_depth": float(counts[:, 1].sum() / max(counts[:, 0].sum(), 1)),
            "max_depth": int(counts[:, 2].max()),
        }


def root_statistics(
    tree: Tree, legal: npt.NDArray[np.int64]
) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.float64]]:
    """Return visits (int64) and value sums (float64) of the root's children in the order of `legal`."""
    visits, value_sum = np.zeros(len(legal), np.int64), np.zeros(len(legal))
    first = int(tree.first_child[ROOT])
    if first != UNEXPANDED:
        children = slice(first, first + int(tree.num_children[ROOT]))
        order = np.searchsorted(legal, tree.action[children])
        visits[order], value_sum[order] = tree.visits[children], tree.value_sum[children]
    return visits, value_sum


def _never_allocates(rules: Any) -> bool:
    """Return whether `search` can be compiled for these rules.

    A game whose methods make arrays or lists says so with the class attribute `allocates = True`. To try
    and see would not do: numba keeps a kernel that failed, and its failure, for the life of the process.
    """
    return not getattr(rules, "allocates", False)


def _shares(simulations: int | None, trees: int) -> list[int]:
    if simulations is None:
        return [NEVER] * trees
    return [simulations // trees + (index < simulations % trees) for index in range(trees)]
