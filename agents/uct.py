"""UCT: Monte Carlo tree search with UCB1 in the tree and random play below it.

L. Kocsis and C. Szepesvári, "Bandit based Monte-Carlo Planning", ECML 2006; the four phases as in
C. Browne et al., "A Survey of Monte Carlo Tree Search Methods", IEEE TCIAIG 4(1), 2012; several
trees over one root as in G. Chaslot, M. Winands and J. van den Herik, "Parallel Monte-Carlo Tree
Search", CG 2008 (root parallelisation). The tree's layout is in `agents.mcts.tree`.

Each node stores value for the player who moved into it, and returns are per player: extra turns,
passes and three players need no sign flip.
"""

from __future__ import annotations

import math
import time
from typing import Annotated, Any, Literal

import numpy as np
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
from agents.levels import LevelName, make_level
from agents.mcts.decisive import make_tree_rule
from agents.mcts.forest import Forest, Settings, ThreadForest, shares
from agents.mcts.process_forest import ProcessForest
from agents.mcts.rollouts import make_policy
from agents.mcts.roots import Root, choose, is_decided, max_child, merge, robust_child, softmax_of_visits
from agents.mcts.selection import make_selection
from agents.mcts.solver import best_proven, is_proven, prove
from agents.mcts.tree import DEPTH_SUM, MAX_DEPTH, MAX_LEAF_DEPTH, PROVEN, ROOT, SIMULATIONS, UNEXPANDED
from agents.mcts.tree_record import tree_record
from envs.kernels import kernel
from envs.parameters import ParameterError
from envs.rules import TERMINAL, list_legal

SLICES = 50
"""Searches that may end early look at what they have so many times at the most."""
SHORTEST_SLICE = 1_000_000
"""Nanoseconds between two looks, of which each takes a tenth of that or more."""
NOMINAL = 0.75
"""The share of its limit after which `robust_max` may end."""


@kernel(_nrt=False)
def search(rules, root, tree, work, selection, tree_rule, policy, solver, simulations, deadline):
    """Run simulations from `root` until there are `simulations` or the clock passes `deadline` (ns).

    Goes on with what the tree holds. At least one is run, unless the root is proven (`solver`), which ends
    the search, and where only time limits it that of the other trees too. The clock is read every 25 to
    100 microseconds. Adds to `work.counts`.

    Compiled without numba's runtime (`_nrt=False`, which the kernels it calls inherit): nothing in
    it can allocate, and no array is reference-counted, which more than doubles its speed.
    """
    stride = 1
    last_reading = monotonic_ns(work.clock)
    next_reading = stride
    done = 0
    while done < simulations and work.counts[PROVEN] == 0:
        simulate(rules, root, tree, work, selection, tree_rule, policy, solver)
        done += 1
        if done == next_reading:
            now = monotonic_ns(work.clock)
            if now >= deadline or work.stop[0] != 0:
                break
            if now - last_reading < 25_000:
                stride = min(2 * stride, 1024)
            elif now - last_reading > 100_000:
                stride = max(stride // 2, 1)
            last_reading = now
            next_reading = done + stride
    work.counts[SIMULATIONS] += done
    if work.counts[PROVEN] != 0 and simulations == NEVER:
        work.stop[0] = 1


search_allocating = kernel(getattr(search, "py_func", search))
"""The same for a game whose methods make arrays, which `search` cannot be compiled for."""


@kernel(forceinline=True)
def simulate(rules, root, tree, work, selection, tree_rule, policy, solver):
    """Run one simulation: select and expand down to a leaf, play to the end, back the outcome up."""
    state = work.state
    for i in range(root.shape[0]):
        state[i] = root[i]
    depth: int
    over: bool
    depth, over = descend(rules, tree, work, selection, tree_rule, solver)
    if over:
        rules.returns(state, work.returns)
    else:
        policy.play(rules, work)
    backup(tree, work, depth)
    selection.learn(tree, work, depth)
    if over and solver and prove(tree, work, depth):
        work.counts[PROVEN] = 1
    work.counts[DEPTH_SUM] += depth
    work.counts[MAX_LEAF_DEPTH] = max(work.counts[MAX_LEAF_DEPTH], depth)


@kernel(forceinline=True)
def descend(rules, tree, work, selection, tree_rule, solver):
    """Follow the tree from the root to a node not visited before, or to the end of the game.

    Plays the path's actions on `work.state` and records its nodes and movers; returns its depth, and
    whether the game is over there. Where the tree is full, the deepest node it holds is the leaf.
    """
    node = ROOT
    depth = 0
    player = rules.current_player(work.state)
    work.path[0] = ROOT
    while player != TERMINAL and depth < MAX_DEPTH and (node == ROOT or tree.visits[node] > 0):
        if tree.first_child[node] == UNEXPANDED:
            if not expand(rules, tree, work, tree_rule, node):
                break
            selection.prepare(rules, tree, work, node)
        node = (
            best_proven(tree, node)
            if solver and is_proven(tree, node)
            else selection.choose(tree, work, node)
        )
        if tree.visits[node] == 0:
            tree.value_sum[node] = 0.0
            tree.first_child[node] = UNEXPANDED
        rules.step(work.state, np.int64(tree.action[node]))
        depth += 1
        work.path[depth] = node
        work.movers[depth] = player
        player = rules.current_player(work.state)
    return depth, player == TERMINAL


@kernel(forceinline=True)
def expand(rules, tree, work, tree_rule, node):
    """Give `node` its children, none of them visited; return False when the tree has no room.

    A child's other fields are set when it is first visited: most never are, and memory is what
    wide trees wait for.
    """
    count = tree_rule.keep(rules, work, rules.legal_actions(work.state, work.legal))
    first = tree.size[0]
    if first + count > tree.visits.shape[0]:
        return False
    for i in range(count):
        tree.visits[first + i] = 0
        tree.action[first + i] = work.legal[i]
    tree.first_child[node] = first
    tree.num_children[node] = count
    tree.size[0] = first + count
    return True


@kernel(forceinline=True)
def backup(tree, work, depth):
    """Count the simulation in every node of the path, with the return of whoever moved into it.

    Nodes that are proven are marked so again by `prove`, which follows.
    """
    tree.visits[ROOT] += 1
    for i in range(1, depth + 1):
        node = work.path[i]
        tree.visits[node] += 1
        tree.value_sum[node] += work.returns[work.movers[i]]
        tree.inverse_root[node] = 1.0 / math.sqrt(tree.visits[node])


def search_kernel(rules: Any) -> Any:
    """Return `search`, or for games whose methods make arrays `search_allocating`.

    A game whose methods make arrays or lists says so with the class attribute `allocates = True`. To try
    and see would not do: numba keeps a kernel that failed, and its failure, for the life of the process.
    """
    return search_allocating if getattr(rules, "allocates", False) else search


class UCT(Agent):
    """UCT over one or several root-parallel trees, by default merged by summing their visits.

    The move is by default the robust child: most visits, ties by value. A proven loss is never
    preferred, and a proven move worth no less than the robust child is played instead; of several proven
    wins one that ends the game at once, if there is one. Where the root is proven the search ends early,
    `Decision.value` is exact, and `info["proven"]` says so. `limit.simulations` counts all trees
    together. Equal seeds and simulation limits give equal decisions.
    """

    needs = ("time", "simulations")

    def __init__(
        self,
        rules: Any,
        uct_c: Annotated[float, Field(ge=0, le=1000, description="exploration constant")] = 1.2,
        selection: Annotated[
            Literal["ucb1", "ucb1_tuned", "puct"], Field(description="how children are chosen in the tree")
        ] = "ucb1",
        fpu: Annotated[
            float | None,
            Field(ge=-1, le=1000, description="score of a child never visited; null: each is tried first"),
        ] = None,
        rave_k: Annotated[
            float,
            Field(
                ge=0,
                le=1_000_000,
                description="simulations after which RAVE counts half (try 2000, uct_c 0.3); 0: none",
            ),
        ] = 0.0,
        progressive_bias: Annotated[
            float, Field(ge=0, le=1000, description="weight of the game's evaluate in the tree, over visits")
        ] = 0.0,
        rollout: Annotated[
            Literal["random", "decisive", "heuristic", "truncated", "evaluate"],
            Field(description="how simulations go on below the tree"),
        ] = "random",
        rollout_depth: Annotated[
            int, Field(ge=1, le=10_000, description="moves before a truncated rollout is evaluated")
        ] = 8,
        decisive_tree: Annotated[
            bool,
            Field(description="only winning or safe moves in the tree, as rollout: decisive has there too"),
        ] = False,
        solver: Annotated[bool, Field(description="prove wins, losses and draws in the tree")] = True,
        final_move: Annotated[
            Literal["robust", "max", "robust_max"], Field(description="the move that is played in the end")
        ] = "robust",
        reuse_tree: Annotated[bool, Field(description="keep the subtree of the moves played")] = False,
        early_stop: Annotated[
            bool, Field(description="stop when the most visited move cannot be overtaken any more")
        ] = False,
        trees: Annotated[int, Field(ge=1, le=256, description="root-parallel trees, a core each")] = 1,
        merge: Annotated[
            Literal["sum", "majority", "mean"], Field(description="how the trees become one answer")
        ] = "sum",
        parallel: Annotated[
            Literal["thread", "process"], Field(description="where the trees live")
        ] = "thread",
        memory_mb: Annotated[
            int, Field(ge=1, le=65536, description="memory of each tree in MB; a full tree stops growing")
        ] = 64,
        temperature: Annotated[
            float, Field(ge=0, le=100, description="moves drawn by visits ** (1/temperature); 0: the best")
        ] = 0.0,
        level: LevelName = None,
    ) -> None:
        """Allocate the trees and compile (or load) the search.

        Raises:
            AgentRefused: for games with chance or hidden information, or whose rules do not compile, and
                for options that ask for an `evaluate` which the game does not have.
            ParameterError: for options that exclude each other.
        """
        super().__init__(rules)
        require_perfect_information("uct", rules)
        _need_evaluate(rules, rollout, progressive_bias)
        self.level = make_level(level, temperature)
        if early_stop:
            _need_most_visits(merge, final_move, self.level.temperature)
        urgency = math.inf if fpu is None else float(fpu)
        settings = Settings(
            search_kernel,
            make_selection(selection, float(uct_c), urgency, float(progressive_bias), float(rave_k)),
            make_tree_rule(decisive_tree or rollout == "decisive"),
            make_policy(rollout, rollout_depth, marks=rave_k > 0),
            solver,
            memory_mb,
            reuse_tree,
        )
        self.final_move, self.early_stop, self.merging, self.trees = final_move, early_stop, merge, trees
        self._reuse = reuse_tree
        made = ProcessForest if parallel == "process" else ThreadForest
        self._forest: Forest = made(rules, settings, range(trees))
        self.reset(0, 0)

    def reset(self, player: int, seed: int) -> None:
        """Give every tree a stream of its own, and forget the game before."""
        self._forest.reset(seed)
        self._rng = np.random.default_rng(seed)
        self._last: View | None = None

    def act(self, view: View, limit: Limit) -> Decision:
        """Search from `view.state` and choose a move.

        Raises:
            ValueError: when `limit` has neither time nor simulations.
        """
        budget = self.level.caps(limit)
        if not budget.has_any(self.needs):
            raise ValueError("uct: no limit: give time or simulations")
        begin, deadline = time.monotonic_ns(), deadline_ns(budget)
        self._forest.plant(self._played_since(view))
        if self.early_stop or self.final_move == "robust_max":
            stopped = self._search_in_slices(view, budget.simulations or NEVER, begin, deadline)
        else:
            self._forest.search(view.state, shares(budget.simulations, self.trees), deadline)
            stopped = "limit"
        return self._decide(view, stopped)

    def search_record(self) -> dict[str, Any] | None:
        """Return the first levels of the trees that the last move came from, merged."""
        return None if self._last is None else tree_record(self.rules, self._last.state, self._forest)

    def _played_since(self, view: View) -> tuple[int, ...] | None:
        """Return the actions from the last position searched to this one, or None to start afresh."""
        last, self._last = self._last, view
        if not self._reuse or last is None or view.history[: len(last.history)] != last.history:
            return None
        played, state = view.history[len(last.history) :], last.state.copy()
        for action in played:
            if action not in list_legal(self.rules, state):
                return None  # another game's history
            self.rules.step(state, action)
        return played if np.array_equal(state, view.state) else None

    def _search_in_slices(self, view: View, simulations: int, begin: int, deadline: int) -> str:
        """Search until the limit, or until there is nothing left to decide; return why it stopped."""
        slice_ns, endless = max((deadline - begin) // SLICES, SHORTEST_SLICE), simulations == NEVER
        each, now = [0] * self.trees, begin
        while (done := sum(each)) < simulations and (now < deadline or done == 0):
            goal = shares(min(done + max(simulations // SLICES, self.trees), simulations), self.trees)
            more = [NEVER if endless else max(0, share - had) for share, had in zip(goal, each, strict=True)]
            self._forest.search(view.state, more, min(deadline, time.monotonic_ns() + slice_ns))
            counts, now = self._forest.counts(), time.monotonic_ns()
            each = counts[:, SIMULATIONS].tolist()
            root = merge(self._forest.roots(view.legal_actions))
            if root.is_solved:
                break
            done = sum(each)
            spent = max(done / simulations, (now - begin) / (deadline - begin))
            if self.early_stop and is_decided(root, done * (1 - spent) / spent):
                return "decided"
            if self.final_move == "robust_max" and spent >= NOMINAL and robust_child(root) == max_child(root):
                return "agreed"
        return "limit"

    def _decide(self, view: View, stopped: str) -> Decision:
        roots = self._forest.roots(view.legal_actions)
        root = merge(roots)
        best = self._immediate(view, root, choose(roots, self.merging, self.final_move))
        info = self._info(roots, "proven" if root.is_solved else stopped)
        if self.level.temperature > 0:
            best = int(self._rng.choice(len(root.visits), p=softmax_of_visits(root, self.level.temperature)))
        value = float(root.values[best]) if root.visits[best] > 0 else None
        return Decision(int(view.legal_actions[best]), root.visits, value, info)

    def _immediate(self, view: View, root: Root, best: int) -> int:
        """Return another move that wins for sure, and at once, where `best` does not."""
        if root.values[best] < 1.0:
            return best
        sure = [best, *(int(i) for i in np.argsort(-root.visits, kind="stable") if root.values[i] == 1.0)]
        return next((i for i in sure if self._ends(view, int(view.legal_actions[i]))), best)

    def _ends(self, view: View, action: int) -> bool:
        state = view.state.copy()
        self.rules.step(state, action)
        return bool(self.rules.is_terminal(state))

    def _info(self, roots: list[Root], stopped: str) -> dict[str, Any]:
        counts = self._forest.counts()
        done = int(counts[:, SIMULATIONS].sum())
        several = {"tree_visits": [root.visits.tolist() for root in roots]} if len(roots) > 1 else {}
        return {
            "simulations": done,
            **several,
            "nodes": int(counts[:, -1].sum()),
            "mean_depth": float(counts[:, DEPTH_SUM].sum() / max(done, 1)),
            "max_depth": int(counts[:, MAX_LEAF_DEPTH].max()),
            "proven": stopped == "proven",
            "stopped": stopped,
        }


def _need_evaluate(rules: Any, rollout: str, progressive_bias: float) -> None:
    if "evaluate" not in rules.given and (rollout in ("truncated", "evaluate") or progressive_bias > 0):
        option = "progressive_bias" if progressive_bias > 0 else f"rollout: {rollout}"
        raise AgentRefused(
            f"uct: {option} needs evaluate(state, player), which {type(rules).__name__} does not define"
        )


def _need_most_visits(merge: str, final_move: str, temperature: float) -> None:
    """Refuse `early_stop` where the move is another than the one with most visits in all."""
    if merge != "sum" or final_move == "max" or temperature > 0:
        allowed = "false with final_move: max, a temperature (levels have one) or another merge than sum"
        raise ParameterError.single("uct", "early_stop", True, allowed)
