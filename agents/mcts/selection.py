"""Selections: how a search chooses among the children of a node, one class each.

Each is a NamedTuple of its constants whose methods are compiled into the search (`agents.uct`), so what
is not chosen costs nothing. `prepare` is told of new children, `choose` returns the child to go to,
and `learn` is told of the end of a simulation.

A child never visited is taken for its first-play urgency `fpu` (S. Gelly and Y. Wang, "Exploration
exploitation in Go", 2006): infinite, unless told otherwise, so that each is tried once before any
twice, in an order drawn at random. `bias` is the weight of progressive bias (G. Chaslot et al.,
"Progressive strategies for Monte-Carlo tree search", 2008): bias * evaluate(child) / (N + 1) is added.
What a proven child scores is the matter of `agents.mcts.solver`.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from agents.mcts.solver import is_proven, mean_value, proven_score
from agents.mcts.tree import MARKED, ROOT, ROOT_LOGS
from envs.kernels import kernel, register_rules
from envs.parameters import ParameterError
from envs.streams import below

WIDE = 24
"""So many siblings are scored first and compared then."""
_METHODS = ["prepare", "choose", "learn", "score"]


class UCB1(NamedTuple):
    """score = W/N + uct_c * sqrt(ln N_parent / N).

    UCB1 of P. Auer, N. Cesa-Bianchi and P. Fischer (2002), as Kocsis and Szepesvári apply it to trees.
    """

    uct_c: float
    fpu: float

    def prepare(self, rules, tree, work, node):
        pass

    def learn(self, tree, work, depth):
        pass

    def choose(self, tree, work, node):
        first = np.int64(tree.first_child[node])
        count = np.int64(tree.num_children[node])
        exploration = self.uct_c * root_log(work, tree.visits[node])
        tried: int = count_visited(tree, node, first, count)
        if tried == count:
            return best_by_ucb1(tree, work, first, count, exploration)
        if tried > 0 and self.fpu < np.inf:
            best: int = best_by_ucb1(tree, work, first, tried, exploration)
            r = np.float64(tree.inverse_root[best])
            if r * (r * tree.value_sum[best] + exploration) >= self.fpu:
                return best
        return draw_unvisited(tree, work, first, tried, count)


class BiasedUCB1(NamedTuple):
    """UCB1 with progressive bias."""

    uct_c: float
    fpu: float
    bias: float

    def prepare(self, rules, tree, work, node):
        evaluate_children(self.bias, rules, tree, work, node)

    def choose(self, tree, work, node):
        return best_by_score(self, tree, work, node)

    def learn(self, tree, work, depth):
        pass

    def score(self, tree, work, node, child):
        n = tree.visits[child]
        if n == 0:
            return self.fpu
        exploration = self.uct_c * root_log(work, tree.visits[node]) / math.sqrt(n)
        return mean_value(tree, child) + exploration + bonus(self.bias, tree, child)


class UCB1Tuned(NamedTuple):
    """score = W/N + uct_c * sqrt(ln N_parent / N * min(1, variance + 4 * sqrt(2 ln N_parent / N))).

    UCB1-Tuned of Auer, Cesa-Bianchi and Fischer (2002), section 4, where rewards lie in [0, 1]; ours are
    twice as wide, and so variances four times. With uct_c = 1 it is theirs.
    """

    uct_c: float
    fpu: float
    bias: float

    def choose(self, tree, work, node):
        return best_by_score(self, tree, work, node)

    def prepare(self, rules, tree, work, node):
        first = np.int64(tree.first_child[node])
        for child in range(first, first + tree.num_children[node]):
            tree.square_sum[child] = 0.0
        evaluate_children(self.bias, rules, tree, work, node)

    def score(self, tree, work, node, child):
        n = tree.visits[child]
        if n == 0:
            return self.fpu
        mean: float = mean_value(tree, child)
        ratio = root_log(work, tree.visits[node]) ** 2 / n
        variance = max(0.0, tree.square_sum[child] / n - mean * mean) + 4.0 * math.sqrt(2.0 * ratio)
        exploration = self.uct_c * math.sqrt(ratio * min(1.0, variance))
        return mean + exploration + bonus(self.bias, tree, child)

    def learn(self, tree, work, depth):
        for i in range(1, depth + 1):
            value = work.returns[work.movers[i]]
            tree.square_sum[work.path[i]] += value * value


class PUCT(NamedTuple):
    """score = W/N + uct_c * prior * sqrt(N_parent) / (N + 1).

    As in D. Silver et al., "Mastering the game of Go without human knowledge" (2017), after C. Rosin
    (2011). Priors are the game's (`prior`), scaled to a sum of 1. A child never visited has the value
    `fpu`, or 0 where that is infinite. It explores less than UCB1 with the same `uct_c`: 2.5 is one to begin
    with.
    """

    uct_c: float
    fpu: float

    def choose(self, tree, work, node):
        return best_by_score(self, tree, work, node)

    def learn(self, tree, work, depth):
        pass

    def prepare(self, rules, tree, work, node):
        first = np.int64(tree.first_child[node])
        count = np.int64(tree.num_children[node])
        for i in range(count):
            work.legal[i] = tree.action[first + i]
        rules.prior(work.state, work.legal, count, work.scores)
        total = 0.0
        for i in range(count):
            total += work.scores[i]
        for i in range(count):
            tree.prior[first + i] = work.scores[i] / total if total > 0 else 1.0 / count

    def score(self, tree, work, node, child):
        n = tree.visits[child]
        unvisited = self.fpu if self.fpu < np.inf else 0.0
        value = mean_value(tree, child) if n > 0 else unvisited
        return value + self.uct_c * np.float64(tree.prior[child]) * math.sqrt(tree.visits[node]) / (n + 1)


class RAVE(NamedTuple):
    """UCB1 whose mean is (1 - beta) * W/N + beta * AMAF mean, with beta = sqrt(k / (3 N_parent + k)).

    The hand-selected schedule of S. Gelly and D. Silver, "Monte-Carlo tree search and rapid action value
    estimation in computer Go" (2011): `rave_k` simulations of the parent give both means the same weight.
    A child's AMAF mean is over the simulations in which its mover played the action later on. A
    child never visited has its AMAF mean for a mean, or where there is none yet its first-play urgency.

    It is for games where a move is worth much the same whenever it is played, and needs little exploration:
    with uct_c = 0.3 and rave_k = 2,000 it beat plain UCT, each at 1,000 simulations, in 85 of 100 games of
    Havannah base 5, 79 of Hex 7x7 and 98 of Hex 9x9 (`arena run configs/rave.yaml`). In Connect Four it
    gained nothing.
    """

    uct_c: float
    fpu: float
    bias: float
    rave_k: float

    def choose(self, tree, work, node):
        return best_by_score(self, tree, work, node)

    def prepare(self, rules, tree, work, node):
        first = np.int64(tree.first_child[node])
        for child in range(first, first + tree.num_children[node]):
            tree.amaf_visits[child] = 0.0
            tree.amaf_sum[child] = 0.0
        evaluate_children(self.bias, rules, tree, work, node)

    def score(self, tree, work, node, child):
        n = tree.visits[child]
        m = np.float64(tree.amaf_visits[child])  # a float32 would make all of the score one in plain Python
        if n == 0 and m == 0:
            return self.fpu
        beta = math.sqrt(self.rave_k / (3.0 * tree.visits[node] + self.rave_k)) if m > 0 else 0.0
        if n == 0:
            beta = 1.0
        value = (1.0 - beta) * mean_value(tree, child) if n > 0 else 0.0
        if m > 0:
            value += beta * np.float64(tree.amaf_sum[child]) / m
        exploration = self.uct_c * root_log(work, tree.visits[node]) / math.sqrt(n + 1)
        return value + exploration + bonus(self.bias, tree, child)

    def learn(self, tree, work, depth):
        stamp = work.counts[MARKED] + 1
        for i in range(depth, 0, -1):
            mover = work.movers[i]
            work.played[mover, tree.action[work.path[i]]] = stamp
            first = np.int64(tree.first_child[work.path[i - 1]])
            for child in range(first, first + tree.num_children[work.path[i - 1]]):
                if work.played[mover, tree.action[child]] == stamp:
                    tree.amaf_visits[child] += 1.0
                    tree.amaf_sum[child] += work.returns[mover]
        work.counts[MARKED] = stamp


USES: dict[type, tuple[str, ...]] = {
    UCB1: (),
    BiasedUCB1: ("prior",),
    UCB1Tuned: ("prior", "square_sum"),
    PUCT: ("prior",),
    RAVE: ("prior", "amaf_visits", "amaf_sum"),
}
"""The arrays of `agents.mcts.tree.OPTIONS` that each selection keeps."""


@kernel(forceinline=True)
def root_log(work, n):
    """Return sqrt(ln n)."""
    return work.root_log[n] if n < ROOT_LOGS else math.sqrt(math.log(n))


@kernel(forceinline=True)
def bonus(bias, tree, child):
    """Return what progressive bias adds to the score of a visited child."""
    return bias * np.float64(tree.prior[child]) / (tree.visits[child] + 1) if bias > 0 else 0.0


@kernel(forceinline=True)
def count_visited(tree, node, first, count):
    """Return how many children of `node` have been visited: they come before the others.

    Where each child is tried before any twice, that is one a visit, but for the first, when the node was
    a leaf. This guess is looked at before the rest of a tree that may be far from any cache.
    """
    guess = np.int64(tree.visits[node]) - (node != ROOT)
    if guess < count:
        if tree.visits[first + guess] == 0 and (guess == 0 or tree.visits[first + guess - 1] > 0):
            return guess
    elif tree.visits[first + count - 1] > 0:
        return count
    low, high = 0, count
    while low < high:
        middle = (low + high) // 2
        if tree.visits[first + middle] > 0:
            low = middle + 1
        else:
            high = middle
    return low


@kernel(forceinline=True)
def draw_unvisited(tree, work, first, tried, count):
    """Bring a random child among those after the first `tried` to their front, and return it."""
    chosen = first + tried + below(work.rng, count - tried)
    action = tree.action[chosen]
    tree.action[chosen] = tree.action[first + tried]
    tree.action[first + tried] = action
    return first + tried


@kernel(forceinline=True, fastmath={"nnan", "nsz", "arcp"})
def best_by_ucb1(tree, work, first, count, exploration):
    """Return the child of the highest UCB1 score among `count` siblings, the first of equals.

    With r = 1/sqrt(N) the score is r * (r * W + exploration), exploration = uct_c * sqrt(ln N_parent).
    """
    value_sum = tree.value_sum[first : first + count]
    inverse_root = tree.inverse_root[first : first + count]
    scores = work.scores
    if count >= WIDE:
        for i in range(count):
            r = np.float64(inverse_root[i])
            scores[i] = r * (r * value_sum[i] + exploration)
        highest: float = highest_of(scores, count)
    else:
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


@kernel(fastmath={"nnan", "nsz"})
def highest_of(scores, count):
    """Return the highest of the first `count` scores.

    Four maxima at a time: one alone would wait for the last comparison before the next, 4 cycles a score.
    """
    a = b = c = d = -1e300
    fours = count & ~3
    for i in range(0, fours, 4):
        a, b = max(a, scores[i]), max(b, scores[i + 1])
        c, d = max(c, scores[i + 2]), max(d, scores[i + 3])
    for i in range(fours, count):
        a = max(a, scores[i])
    return max(max(a, b), max(c, d))


@kernel
def best_by_score(selection, tree, work, node):
    """Return the child of the highest `selection.score`, drawn uniformly among equals."""
    first = np.int64(tree.first_child[node])
    count = np.int64(tree.num_children[node])
    highest, equals = -np.inf, 0
    for i in range(count):
        child = first + i
        if tree.visits[child] > 0 and is_proven(tree, child):
            score = proven_score(tree, child)
            if score < -1.0:  # shelved: after any open one, however low a bias or urgency makes it
                score *= 1e6
        else:
            score = selection.score(tree, work, node, child)
        work.scores[i] = score
        if score > highest:
            highest, equals = score, 1
        elif score == highest:
            equals += 1
    skip = below(work.rng, equals) if equals > 1 else 0
    for i in range(count):
        if work.scores[i] == highest:
            if skip == 0:
                return first_in_line(tree, node, first, count, first + i)
            skip -= 1
    return first


@kernel
def first_in_line(tree, node, first, count, child):
    """Bring `child` to the front of the unvisited ones, if it is one; return where it is."""
    if tree.visits[child] > 0:
        return child
    front = first + count_visited(tree, node, first, count)
    tree.action[front], tree.action[child] = tree.action[child], tree.action[front]
    if tree.prior.shape[0] > 0:
        tree.prior[front], tree.prior[child] = tree.prior[child], tree.prior[front]
    if tree.amaf_visits.shape[0] > 0:
        visits, total = tree.amaf_visits[front], tree.amaf_sum[front]
        tree.amaf_visits[front], tree.amaf_sum[front] = tree.amaf_visits[child], tree.amaf_sum[child]
        tree.amaf_visits[child], tree.amaf_sum[child] = visits, total
    return front


@kernel
def evaluate_children(bias, rules, tree, work, node):
    """Write into `prior`, where there is a bias, what `evaluate` says of each new child for the mover."""
    if bias <= 0:
        return
    player = rules.current_player(work.state)
    first = np.int64(tree.first_child[node])
    for child in range(first, first + tree.num_children[node]):
        for i in range(work.state.shape[0]):
            work.ahead[i] = work.state[i]
        rules.step(work.ahead, np.int64(tree.action[child]))
        if rules.is_terminal(work.ahead):
            rules.returns(work.ahead, work.returns)
            tree.prior[child] = work.returns[player]
        else:
            tree.prior[child] = rules.evaluate(work.ahead, player)


def make_selection(name: str, uct_c: float, fpu: float, bias: float, rave_k: float) -> Any:
    """Return the selection of that name; `rave_k` above 0 makes UCB1 into RAVE.

    Raises:
        ParameterError: for options that exclude each other.
    """
    if rave_k > 0 and name != "ucb1":
        raise ParameterError.single("uct", "rave_k", rave_k, f"0 with selection: {name}; RAVE goes with ucb1")
    if bias > 0 and name == "puct":
        raise ParameterError.single(
            "uct", "progressive_bias", bias, "0 with selection: puct, which asks the game's prior instead"
        )
    if rave_k > 0:
        return RAVE(uct_c, fpu, bias, rave_k)
    if name == "ucb1_tuned":
        return UCB1Tuned(uct_c, fpu, bias)
    if name == "puct":
        return PUCT(uct_c, fpu)
    return BiasedUCB1(uct_c, fpu, bias) if bias > 0 else UCB1(uct_c, fpu)


for _selection in USES:
    register_rules(_selection, [name for name in _METHODS if hasattr(_selection, name)])
