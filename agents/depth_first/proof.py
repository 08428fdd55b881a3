"""Exact values of positions: a null-window search with a transposition table, on any rules for two.

`test` asks whether a position is worth so many points to the first player, yes or no, depth first; `narrow`
asks until the answers meet (J. Pearl's Test; A. Plaat, J. Schaeffer, W. Pijls and A. de Bruin, "Best-first
Fixed-depth Minimax Algorithms", AIJ 87, 1996). Points are what the game's `score_bounds` says; the
first player maximises and the second minimises them, whoever happens to move, so that extra turns and
passes need no sign flip. A node of the search is one call of `open_node`. Who asks, and with which clock, is
in `agents.depth_first.prover`.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from agents.clock import monotonic_ns, new_clock
from envs.kernels import kernel, register_rules
from envs.rules import ANYWHERE

MAX_PLIES = 512
"""A line longer than this is too deep to finish: the search stops there."""
READING = 1024
"""Nodes searched from one reading of the clock to the next."""
PLY, NODES = 0, 1
"""What the elements of `Stack.counts` are."""
FRESH = -1
"""`Stack.counts[PLY]` where no search has been interrupted."""
LOW, HIGH, GOAL = 0, 1, 2
"""What the elements of `Stack.window` are."""
_0, _1 = np.uint64(0), np.uint64(1)
INFINITE = np.float32(np.inf)

NODE = np.dtype(
    [
        ("key", np.uint64),
        ("zone", np.uint64),  # the empty cells that its value rests on (`zone` in `envs.rules`)
        ("kept", np.uint64),  # the actions that are not yet known to be in vain
        ("low", np.float32),
        ("high", np.float32),  # what the table and the game say of it
        ("value", np.float32),  # the bound that answers for it; before that, the best answer of its children
        ("count", np.int32),  # how many actions are listed
        ("tried", np.int32),  # how many of them have been tried
        ("maximises", np.int32),
        ("has_zone", np.int32),
    ]
)
ENTRY = np.dtype([("key", np.uint64), ("low", np.float32), ("high", np.float32)])
"""16 bytes of the transposition table: least and most points of the position with that key."""


class Stack(NamedTuple):
    """What the search writes on besides its table: one row a ply."""

    states: npt.NDArray[Any]
    """[MAX_PLIES + 2, state]: the state at each ply below the root; the last row is for trying out."""
    nodes: Any
    """NODE[MAX_PLIES + 1]"""
    actions: npt.NDArray[np.int32]
    """int32[MAX_PLIES + 1, max_legal]: actions listed at each ply, those tried first."""
    weights: npt.NDArray[np.float64]
    """float64[MAX_PLIES + 1, max_legal]: how promising they look."""
    bounds: npt.NDArray[np.float32]
    """float32[2]: what `score_bounds` says."""
    window: npt.NDArray[np.float32]
    """float32[3]: least and most points of the position in row 0, and the points that are tested for."""
    counts: npt.NDArray[np.int64]
    """int64[2]: the ply at which a search was interrupted, and the nodes searched ever."""
    clock: npt.NDArray[np.int64]
    """int64[2]: buffer of the clock."""

    @classmethod
    def allocate(cls, rules: Any) -> Stack:
        """Make a stack for searches of this game."""
        state = rules.initial_state()
        return cls(
            np.zeros((MAX_PLIES + 2, len(state)), state.dtype),
            np.zeros(MAX_PLIES + 1, NODE).view(np.recarray),
            np.zeros((MAX_PLIES + 1, rules.max_legal), np.int32),
            np.zeros((MAX_PLIES + 1, rules.max_legal)),
            np.zeros(2, np.float32),
            np.zeros(3, np.float32),
            np.array([FRESH, 0]),
            new_clock(),
        )


class Table(NamedTuple):
    """The transposition table. A new entry takes the place of the old one, but adds to that of its own key.

    Keys are compared whole, so that only two positions of one 64-bit `hash_key` could be mixed up.
    """

    entries: Any
    """ENTRY[2 ** bits]; a position's place is the highest bits of its key, and 0 the key of none."""
    zones: npt.NDArray[np.uint64]
    """uint64[2 ** bits]: the zone of each entry; no memory until used, which only monotone games do."""
    shift: np.uint64
    """64 - bits."""

    @classmethod
    def allocate(cls, memory_mb: int) -> Table:
        """Make a table of at most so many megabytes, zones aside."""
        bits = (memory_mb * 2**20 // ENTRY.itemsize).bit_length() - 1
        entries = np.zeros(2**bits, ENTRY).view(np.recarray)
        return cls(entries, np.zeros(2**bits, np.uint64), np.uint64(64 - bits))


class GameOrder(NamedTuple):
    """The actions that the game calls `candidates`, weighed as it says."""

    unused: int = 0  # numba takes no empty tuple

    def list(self, rules, stack, ply):
        """Write the actions to try at `ply`, and their weights; return how many."""
        return rules.candidates(stack.states[ply], stack.actions[ply], stack.weights[ply])


class PriorOrder(NamedTuple):
    """All actions: those that end the game by the points they bring, others by `prior`."""

    share: float = 0.05
    """What the whole of `prior` weighs, beside points and what `judge` says."""

    def list(self, rules, stack, ply):
        """Write the actions to try at `ply`, and their weights; return how many."""
        return look_ahead(self, rules, stack, ply)

    def judge(self, rules, state, player):
        """Return what a position that is not over looks like to `player`."""
        return 0.0


class EvaluateOrder(NamedTuple):
    """All actions, weighed by what `evaluate` says of the position after each; `prior` tells equals apart."""

    share: float = 0.05

    def list(self, rules, stack, ply):
        """Write the actions to try at `ply`, and their weights; return how many."""
        return look_ahead(self, rules, stack, ply)

    def judge(self, rules, state, player):
        """Return what a position that is not over looks like to `player`."""
        return rules.evaluate(state, player)


@kernel
def look_ahead(order, rules, stack, ply):
    """List all actions at `ply`, each weighed by the position after it; return how many."""
    state, child, weights = stack.states[ply], stack.states[ply + 1], stack.weights[ply]
    player = rules.current_player(state)
    count = rules.legal_actions(state, stack.actions[ply])
    rules.prior(state, stack.actions[ply], count, weights)
    scale = order.share / weights[:count].sum()
    for i in range(count):
        copy(state, child)
        rules.step(child, np.int64(stack.actions[ply, i]))
        weights[i] *= scale
        if rules.is_terminal(child):
            rules.score_bounds(child, stack.bounds)
            weights[i] += stack.bounds[LOW] if player == 0 else -stack.bounds[LOW]
        else:
            weights[i] += order.judge(rules, child, player)
    return count


register_rules(GameOrder, ["list"])
for _order in (PriorOrder, EvaluateOrder):
    register_rules(_order, ["list", "judge"])


def make_order(rules: Any) -> Any:
    """Return the game's own order; or by `evaluate` where zones keep the tree small enough to pay for it."""
    if "candidates" in rules.given:
        return GameOrder()
    return EvaluateOrder() if {"zone", "evaluate"} <= rules.given else PriorOrder()


@kernel(_nrt=False)
def place(rules, stack, state):
    """Make `state` the root of a new search, its window what the game says of it."""
    copy(state, stack.states[0])
    rules.score_bounds(stack.states[0], stack.bounds)
    stack.window[LOW], stack.window[HIGH] = stack.bounds[LOW], stack.bounds[HIGH]
    stack.counts[PLY] = FRESH


@kernel(_nrt=False)
def narrow(rules, stack, table, order, deadline):
    """Narrow the window until the root's worth is known; return False where `deadline` (ns) comes first.

    Called again, it goes on where it stopped.
    """
    window = stack.window
    while window[LOW] < window[HIGH]:
        if stack.counts[PLY] == FRESH:
            window[GOAL] = next_goal(window[LOW], window[HIGH])
        if not test(rules, stack, table, order, window[GOAL], deadline):
            return False
        value = stack.nodes[0].value
        if value >= window[GOAL]:
            window[LOW] = value
        else:
            window[HIGH] = value
    return True


@kernel
def next_goal(low, high):
    """Return points above `low` and up to `high`: a whole number about halfway between.

    As P. Pons does it, one half as far from 0 as the farther end, for what is decided soon is tested fast.
    """
    middle = (low + high) / np.float32(2)
    if middle <= 0:
        middle = min(middle, low / np.float32(2))
    else:
        middle = max(middle, high / np.float32(2))
    return min(np.float32(np.floor(middle) + 1), high)


@kernel
def test(rules, stack, table, order, goal, deadline):
    """Find out whether the root is worth `goal` or more; return False where `deadline` comes first.

    The answer is the root's `value`. At every node it is a bound: with `value >= goal` the position is
    worth that or more, with `value < goal` that or less. The clock is read every READING nodes.
    """
    ply, counts = stack.counts[PLY], stack.counts
    next_reading = counts[NODES] + READING
    entered, opened, late = ply == FRESH, True, False
    ply = max(ply, 0)
    while entered or opened or ply > 0:
        if entered:  # the one place where nodes are opened: that much is compiled into it
            opened, entered = open_node(rules, stack, table, order, ply, goal), False
        elif opened:
            if counts[NODES] >= next_reading:
                next_reading += READING
                late = monotonic_ns(stack.clock) >= deadline
            if late or ply == MAX_PLIES:
                counts[PLY] = ply
                return False
            step_down(rules, stack, ply)
            ply, entered = ply + 1, True
        else:
            ply -= 1
            opened = learn(stack, table, ply, goal)
    counts[PLY] = FRESH
    return True


@kernel(forceinline=True)
def step_down(rules, stack, ply):
    """Play the action that was chosen at `ply`."""
    node = stack.nodes[ply]
    copy(stack.states[ply], stack.states[ply + 1])
    rules.step(stack.states[ply + 1], np.int64(stack.actions[ply, node.tried]))
    node.tried += 1


@kernel(forceinline=True)
def open_node(rules, stack, table, order, ply, goal):
    """Look at the position at `ply`; return whether it has to be searched, its first action chosen.

    If not, its worth is known from the game or from the table.
    """
    stack.counts[NODES] += 1
    state, node = stack.states[ply], stack.nodes[ply]
    rules.score_bounds(state, stack.bounds)
    node.low, node.high = stack.bounds[LOW], stack.bounds[HIGH]
    node.zone = rules.zone(state)
    if is_settled(node, goal):
        return False
    node.has_zone, node.kept = np.int32(node.zone != ANYWHERE), ANYWHERE
    node.key = max(np.uint64(rules.hash_key(state)), _1)  # 0 is the key of an empty entry
    slot = node.key >> table.shift
    entry = table.entries[slot]
    if entry.key == node.key:
        node.low, node.high = max(node.low, entry.low), min(node.high, entry.high)
        if is_settled(node, goal):
            if node.has_zone:
                node.zone = table.zones[slot]
            return False
    node.maximises = np.int32(rules.current_player(state) == 0)
    node.value = -INFINITE if node.maximises else INFINITE
    node.count, node.tried = order.list(rules, stack, ply), 0
    return choose(stack, ply)


@kernel(forceinline=True)
def is_settled(node, goal):
    """Return whether the node's bounds answer for it; its worth is then the bound that does."""
    node.value = node.low if node.low >= goal else node.high
    return node.low >= goal or node.high < goal


@kernel(forceinline=True)
def choose(stack, ply):
    """Bring the most promising action that is neither tried nor in vain to the front; False for none."""
    node, actions, weights = stack.nodes[ply], stack.actions[ply], stack.weights[ply]
    best = -1
    for i in range(node.tried, node.count):
        kept = node.kept == ANYWHERE or node.kept & bit(actions[i]) != _0
        if kept and (best < 0 or weights[i] > weights[best]):
            best = i
    if best < 0:
        return False
    first = node.tried
    actions[first], actions[best] = actions[best], actions[first]
    weights[first], weights[best] = weights[best], weights[first]
    return True


@kernel(forceinline=True)
def bit(action):
    """Return the zone of one cell."""
    return _1 << np.uint64(action)


@kernel(forceinline=True)
def learn(stack, table, ply, goal):
    """Take in the worth of the child last tried; return whether another has to be, or keep the node's worth.

    Where a piece more is never worse, an action that leaves the opponent's proof untouched is refuted by the
    same proof. What a refutation rests on is its zone, and only actions within every zone so far are
    kept (the must-play region of R. Hayward et al., "Solving 7x7 Hex with domination, fill-in, and virtual
    connections", TCS 349, 2005).
    """
    node, child = stack.nodes[ply], stack.nodes[ply + 1]
    if (child.value >= goal) == (node.maximises != 0):  # the mover has what it wants
        node.value = child.value
        if node.has_zone:
            node.zone = child.zone | bit(stack.actions[ply, node.tried - 1])
        keep(table, node, goal)
        return False
    node.value = max(node.value, child.value) if node.maximises else min(node.value, child.value)
    if node.has_zone:
        node.zone |= child.zone
        node.kept &= child.zone
    if choose(stack, ply):
        return True
    keep(table, node, goal)
    return False


@kernel(forceinline=True)
def keep(table, node, goal):
    """Write what was found of the node into the table."""
    slot = node.key >> table.shift
    entry = table.entries[slot]
    entry.key = node.key
    if node.value >= goal:
        entry.low, entry.high = node.value, node.high
    else:
        entry.low, entry.high = node.low, node.value
    if node.has_zone:
        table.zones[slot] = node.zone


@kernel(forceinline=True)
def copy(source, target):
    """Copy a state."""
    for i in range(source.shape[0]):
        target[i] = source[i]
