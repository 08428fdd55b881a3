"""Negamax with alpha-beta: the search of `agents.alphabeta`, one depth at a time, and what it writes on.

D. Knuth and R. Moore, "An analysis of alpha-beta pruning", Artificial Intelligence 6(4), 1975, in the form
that returns values outside the window (J. Fishburn, 1983), with the null windows of principal variation
search (A. Reinefeld, "An improvement to the Scout tree-search algorithm", ICCA Journal 6(4), 1983) and null
moves (D. Beal, "Experiments with the null move", 1989). Deepening, aspiration and the choice among equals
are the agent's.
"""

from __future__ import annotations

import functools
from types import FunctionType
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from agents.clock import monotonic_ns, new_clock
from agents.depth_first.ordering import learn, list_moves, pick
from agents.depth_first.scores import INFINITE, PLIES, WIN, exact_score, judged_score
from agents.depth_first.transposition import COMPLETE, EXACT, LOWER, NO_ACTION, UPPER, find, recall, store
from envs.kernels import JIT, kernel
from envs.rules import TERMINAL

MAX_PLIES = 250
"""No line is searched further than this."""
LONGEST_STRIDE = 1024
"""Nodes between two looks at the clock, at the most."""
NULL_REDUCTION = 2
"""Plies by which the search after a null move is shallower than after a move."""

NODES, NEXT_LOOK, STRIDE, LAST_LOOK, MAX_NODES, DEADLINE, STOPPED, PASSED = range(8)
"""What the elements of `Stack.counts` are."""


class Options(NamedTuple):
    """What the search does besides alpha-beta."""

    pvs: bool
    """Whether moves after the first are first searched with a null window."""
    prior: bool
    """Whether moves are ordered by the game's `prior`."""
    killers: bool
    history: bool
    table_depth: int
    """Positions searched less deep than this, 1 or more, are not looked up in the table, nor stored."""
    quiescence: int
    """Plies that a line which is not quiet at its end is searched on at the most."""
    null_move: bool
    slack: int
    """By how much a root move may be worse than the best and still get its exact score: 1 finds all
    moves that are equal to the best, INFINITE the score of every move."""


class Stack(NamedTuple):
    """What the search writes on, where it can be one row a ply; the root is row 0."""

    states: npt.NDArray[Any]
    """[MAX_PLIES + 2, state]"""
    legal: npt.NDArray[np.int32]
    """int32[MAX_PLIES + 1, max_legal]: legal actions, those already tried first."""
    order: npt.NDArray[np.float64]
    """float64[MAX_PLIES + 1, max_legal]: the higher, the sooner each is tried."""
    scores: npt.NDArray[np.int64]
    """int64[max_legal]: of the root's moves, as they stand in row 0 of `legal`. Those no better than the best
    less `Options.slack` are upper bounds."""
    first: npt.NDArray[np.int64]
    """int64[1]: the root's move to try first, or NO_ACTION."""
    killers: npt.NDArray[np.int64]
    """int64[MAX_PLIES + 1, 2]: the last two moves that cut off, the newer first, or NO_ACTION."""
    history: npt.NDArray[np.float64]
    """float64[num_players, num_actions]: sum over cut-offs of depth squared."""
    peak: npt.NDArray[np.float64]
    """float64[1]: the highest that `history` has been, at least 1."""
    returns: npt.NDArray[np.float64]
    """float64[num_players]"""
    clock: npt.NDArray[np.int64]
    """int64[2]: buffer of the clock."""
    counts: npt.NDArray[np.int64]
    """int64[8]: nodes since the move began; the nodes at which to look at the clock, how many lie between
    two looks, when the last one was (ns); the nodes and the time (ns) at which to stop, and whether to;
    the row that the last null move led into."""

    @classmethod
    def allocate(cls, rules: Any) -> Stack:
        """Make a stack for searches of this game."""
        state = rules.initial_state()
        return cls(
            states=np.zeros((MAX_PLIES + 2, len(state)), state.dtype),
            legal=np.zeros((MAX_PLIES + 1, rules.max_legal), np.int32),
            order=np.zeros((MAX_PLIES + 1, rules.max_legal)),
            scores=np.zeros(rules.max_legal, np.int64),
            first=np.full(1, NO_ACTION),
            killers=np.full((MAX_PLIES + 1, 2), NO_ACTION),
            history=np.zeros((rules.num_players, rules.num_actions)),
            peak=np.ones(1),
            returns=np.zeros(rules.num_players),
            clock=new_clock(),
            counts=np.zeros(8, np.int64),
        )

    def begin_move(self, state: npt.NDArray[Any], max_nodes: int, deadline: int) -> None:
        """Put `state` at the root, to be searched up to so many nodes and till that time (ns) at the most."""
        self.states[0] = state
        self.first[0] = NO_ACTION
        self.killers[:] = NO_ACTION
        self.history[:] /= 2
        self.peak[0] = max(1.0, self.peak[0] / 2)  # what was learnt on another position counts for less
        self.counts[:] = 0
        self.counts[[STRIDE, MAX_NODES, DEADLINE]] = 1, max_nodes, deadline
        self.counts[LAST_LOOK] = monotonic_ns(self.clock)


@kernel(_nrt=False)
def negamax(rules, stack, table, evaluation, options, ply, depth, alpha, beta):
    """Return (score, whether it is certain) of row `ply` of the stack, for its player to move.

    A score (`agents.depth_first.scores`) counts plies from the root. With s the score of a search without
    bounds, what is returned is s if it is between `alpha` and `beta`, at most `alpha` and no less than s if
    s is at most `alpha`, at least `beta` and no more than s if s is at least `beta`. It is certain if it
    holds however deep one searches: none of the leaves it follows from was judged by the evaluation.

    `depth`, above -`options.quiescence`, counts the plies to the horizon, where positions are judged; from 0
    on only those that are quiet. The state is not terminal. The sign turns only where the player to move
    changes, so extra moves are right. When `stack.counts[STOPPED]` is set the answer means nothing.
    """
    player = rules.current_player(stack.states[ply])
    first, key = np.int64(NO_ACTION), np.uint64(0)
    if depth >= options.table_depth:
        key = np.uint64(rules.hash_key(stack.states[ply]))
        at: int = find(table, key)
        if at >= 0:
            first = np.int64(table.entries[at]["action"])
            settled: bool
            known: int
            settled, known = recall(table, at, ply, depth, alpha, beta)
            if settled and ply > 0:
                return known, table.entries[at]["depth"] == COMPLETE
    slack = 0
    if ply == 0:
        first, slack = stack.first[0], options.slack
    else:  # nobody wins sooner than by the next move
        alpha, beta = max(alpha, ply + 1 - WIN), min(beta, WIN - ply - 1)
        if alpha >= beta:
            return alpha, True
    if options.null_move and can_pass(rules, stack, ply, depth, alpha, beta, player):
        known, sure = negamax(
            rules, stack, table, evaluation, options, ply + 1, depth - 1 - NULL_REDUCTION, -beta, 1 - beta
        )
        stack.counts[PASSED] = 0
        if -known >= beta or stack.counts[STOPPED] != 0:
            return beta, False
    best, best_action, certain, lower = np.int64(-INFINITE), np.int64(NO_ACTION), True, alpha
    count: int = list_moves(rules, stack, options, ply, player, first)
    for i in range(count):
        action: int = pick(stack, ply, i, count)
        if must_stop(stack):
            return best, False
        mover = advance(rules, stack, ply, action)
        leaf, score, sure = at_leaf(rules, stack, evaluation, options, ply + 1, depth - 1, player, mover)
        if not leaf:
            sign = 1 if mover == player else -1
            upper = min(lower + 1, beta) if options.pvs and i > 0 else beta
            while True:
                low, high = (lower, upper) if sign == 1 else (-upper, -lower)
                score, sure = negamax(rules, stack, table, evaluation, options, ply + 1, depth - 1, low, high)
                score *= sign
                if score <= lower or upper == beta or score >= beta:
                    break
                upper = beta  # the null window has shown that it is better, not by how much
            if stack.counts[STOPPED] != 0:
                return best, False
        if ply == 0:
            stack.scores[i] = score
        if score > best:
            best, best_action = score, action
        if best >= beta:
            learn(stack, options, ply, depth, player, action)
            remember(table, options, key, ply, depth, best, action, LOWER, sure)
            return best, sure
        certain = certain and sure
        lower = max(lower, best - slack)
    remember(table, options, key, ply, depth, best, best_action, EXACT if best > alpha else UPPER, certain)
    return best, certain


@kernel(forceinline=True)
def remember(table, options, key, ply, depth, score, action, bound, certain):
    """Store what a search found out at `ply`, unless it was too shallow."""
    if depth >= options.table_depth:
        store(table, key, ply, COMPLETE if certain else depth, score, action, bound)


@kernel(forceinline=True)
def advance(rules, stack, ply, action):
    """Play `action` from row `ply` of the stack into the next row; return who moves there."""
    state, child = stack.states[ply], stack.states[ply + 1]
    for i in range(state.shape[0]):
        child[i] = state[i]
    rules.step(child, np.int64(action))
    stack.counts[NODES] += 1
    return rules.current_player(child)


@kernel(forceinline=True)
def can_pass(rules, stack, ply, depth, alpha, beta, player):
    """Let the other player move in the next row, where a null move may be tried; return whether it may.

    Not at the root, in an open window, at once after another null move, or near the horizon; nor where it
    could seem to show that the game is won or lost.
    """
    if ply == 0 or beta - alpha > 1 or depth <= 1 + NULL_REDUCTION or stack.counts[PASSED] == ply:
        return False
    if abs(beta) > WIN - PLIES:
        return False
    state, child = stack.states[ply], stack.states[ply + 1]
    for i in range(state.shape[0]):
        child[i] = state[i]
    rules.pass_turn(child)
    stack.counts[PASSED] = ply + 1
    return rules.current_player(child) == 1 - player


@kernel(forceinline=True)
def at_leaf(rules, stack, evaluation, options, ply, depth, player, mover):
    """Return (whether the search goes no further, the score for `player`, whether it is certain)."""
    state = stack.states[ply]
    if mover == TERMINAL:
        rules.returns(state, stack.returns)
        return True, exact_score(stack.returns[player], ply), True
    if ply > MAX_PLIES or (depth <= 0 and (depth <= -options.quiescence or rules.is_quiet(state))):
        return True, judged_score(evaluation.value(rules, state, player), ply), False
    return False, np.int64(0), False


@kernel(forceinline=True)
def must_stop(stack):
    """Return whether nodes or time are used up; the clock is read every 25 to 100 microseconds or so."""
    if stack.counts[NODES] >= stack.counts[NEXT_LOOK]:
        look_at_clock(stack)
    return stack.counts[STOPPED] != 0


@kernel
def look_at_clock(stack):
    """Say whether to stop, and when to look again."""
    counts = stack.counts
    now = monotonic_ns(stack.clock)
    if now >= counts[DEADLINE] or counts[NODES] >= counts[MAX_NODES]:
        counts[STOPPED] = 1
    if now - counts[LAST_LOOK] < 25_000:
        counts[STRIDE] = min(2 * counts[STRIDE], LONGEST_STRIDE)
    elif now - counts[LAST_LOOK] > 100_000:
        counts[STRIDE] = max(counts[STRIDE] // 2, 1)
    counts[LAST_LOOK] = now
    counts[NEXT_LOOK] = min(counts[NODES] + counts[STRIDE], counts[MAX_NODES])


def negamax_kernel(rules: Any) -> Any:
    """Return `negamax`, or for games whose methods make arrays the same compiled to allow for that."""
    return _allocating() if getattr(rules, "allocates", False) and JIT else negamax


@functools.cache
def _allocating() -> Any:
    """Compile `negamax` with numba's runtime: a copy, which calls itself and not the original."""
    original: Any = negamax.py_func
    copy = FunctionType(original.__code__, dict(original.__globals__), negamax.__name__)
    copy.__module__, copy.__doc__ = negamax.__module__, negamax.__doc__
    made = copy.__globals__[negamax.__name__] = kernel(copy)
    return made
