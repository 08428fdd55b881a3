"""Alpha-beta: negamax by iterative deepening, for two players, exact as soon as the game's end is in reach.

Each depth is searched whole, with what the one before it has left in the transposition table and the
move orderings, until the limit; a depth that is cut short is thrown away (D. Slate and L. Atkin, "CHESS 4.5",
1977; R. Korf, "Depth-first iterative-deepening", Artificial Intelligence 27(1), 1985). How one depth is
searched is said in `agents.depth_first.negamax`.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Annotated, Any

import numpy as np
from pydantic import Field

from agents.base import (
    NEVER,
    Agent,
    AgentRefused,
    Decision,
    Limit,
    View,
    compiling,
    deadline_ns,
    require_perfect_information,
    require_two_players,
)
from agents.depth_first.negamax import MAX_PLIES, NODES, STOPPED, Options, Stack, negamax_kernel
from agents.depth_first.scores import INFINITE, WIN, is_win_or_loss, plies_of, value_of
from agents.depth_first.transposition import NO_ACTION, Table
from agents.evaluations import make_evaluation
from agents.levels import ALPHABETA_LEVELS, LevelName, make_level

NARROW = 16
"""With no more moves than this it is quicker to search the last ply again than to look it up in memory."""


@dataclass(frozen=True)
class Depth:
    """What the search of one depth found.

    Attributes:
        depth: in plies.
        nodes, seconds: what it took.
        action: one of the best, which are all worth the same; None where the depth was not finished.
        score: what it is worth (`agents.depth_first.scores`).
        proven: whether a deeper search would find the same.
        scores: of every action; of those that are worse than the best it may be an upper bound.
    """

    depth: int
    nodes: int
    seconds: float
    action: int | None = None
    score: int = 0
    proven: bool = False
    scores: Mapping[int, int] = field(default_factory=dict)

    @property
    def best(self) -> list[int]:
        """The actions that are worth as much as the best, ascending."""
        return sorted(action for action, score in self.scores.items() if score == self.score)

    @property
    def finished(self) -> bool:
        """Whether the depth was searched whole."""
        return self.action is not None

    def as_info(self) -> dict[str, Any]:
        """Return the row of `Decision.info["depths"]`."""
        return {
            "depth": self.depth,
            "action": self.action,
            "value": value_of(self.score) if self.finished else None,
            "nodes": self.nodes,
            "seconds": self.seconds,
            "finished": self.finished,
        }


class AlphaBeta(Agent):
    """Alpha-beta by iterative deepening; sooner wins and later losses first, of equals a random one.

    The move is the best of the last depth that was finished, or the first legal action where there is none.
    Deepening stops when the game is proven: `Decision.value` is then exact, and `info["proven"]` says so.
    `info["depths"]` has a row for each depth. Equal seeds and limits of nodes or depth give equal decisions.
    """

    needs = ("time", "nodes", "depth")

    def __init__(
        self,
        rules: Any,
        weights: Annotated[
            dict[str, float] | None, Field(description="weights of the game's features, by name")
        ] = None,
        table_mb: Annotated[
            int, Field(ge=0, le=65536, description="memory of the table, in MB; 0: none")
        ] = 64,
        prior: Annotated[bool, Field(description="order moves by the game's prior")] = True,
        killers: Annotated[bool, Field(description="then moves that cut off on the same ply")] = True,
        history: Annotated[bool, Field(description="and by how often they cut off anywhere")] = True,
        pvs: Annotated[bool, Field(description="search all moves but the first with a null window")] = True,
        aspiration: Annotated[
            float, Field(ge=0, le=2, description="half the width of the first window; 0: all values")
        ] = 0.0,
        quiescence: Annotated[
            int, Field(ge=0, le=50, description="plies to go on from positions that are not quiet")
        ] = 0,
        null_move: Annotated[bool, Field(description="cut off where even a pass would do so")] = False,
        temperature: Annotated[
            float, Field(ge=0, le=100, description="moves drawn by exp(value / temperature); 0: the best")
        ] = 0.0,
        level: LevelName = None,
    ) -> None:
        """Allocate the table and compile (or load) the search.

        Raises:
            AgentRefused: for games with chance, hidden information or other than two players, for large
                ones without `evaluate`, with `null_move` for those without `pass_turn`, and for rules that
                do not compile.
            ParameterError: for weights of features that the game does not have.
        """
        super().__init__(rules)
        require_perfect_information("alphabeta", rules)
        require_two_players("alphabeta", rules)
        if rules.num_actions > NO_ACTION:
            raise AgentRefused(f"alphabeta plays games of up to {NO_ACTION} actions, not {rules.num_actions}")
        if null_move and "pass_turn" not in rules.given:
            raise AgentRefused(
                f"alphabeta: null_move needs pass_turn(state), which {type(rules).__name__} does not define"
            )
        self.level = make_level(level, temperature, "alphabeta", ALPHABETA_LEVELS)
        self.aspiration = round(aspiration * WIN)
        self._evaluation = make_evaluation("alphabeta", rules, weights)
        slack = 1 if self.level.temperature == 0 else INFINITE
        ordered = prior and "prior" in rules.given
        table_depth = 2 if rules.max_legal <= NARROW else 1
        self._options = Options(pvs, ordered, killers, history, table_depth, quiescence, null_move, slack)
        self._stack, self._kernel = Stack.allocate(rules), negamax_kernel(rules)
        self._table = Table.allocate(table_mb)
        self._compile()
        self.reset(0, 0)

    def _compile(self) -> None:
        with compiling("alphabeta", self.rules):
            self._stack.begin_move(self.rules.initial_state(), 1, NEVER)
            self._search(1, 0)

    def reset(self, player: int, seed: int) -> None:
        """Start the stream that breaks ties, and forget the game before."""
        self._rng = np.random.default_rng(seed)
        self._table.begin_game()
        self._stack.history[:] = 0.0
        self._stack.peak[0] = 1.0
        self._depths: list[Depth] = []

    def act(self, view: View, limit: Limit) -> Decision:
        """Search from `view.state` and choose a move.

        Raises:
            ValueError: when `limit` has neither time nor nodes nor depth.
        """
        budget = self.level.caps(limit)
        if not budget.has_any(self.needs):
            raise ValueError("alphabeta: no limit: give time, nodes or depth")
        self._stack.begin_move(view.state, budget.nodes or NEVER, deadline_ns(budget))
        self._table.begin_move()
        self._count = len(view.legal_actions)
        self._depths = list(self._deepen(min(budget.depth or MAX_PLIES, MAX_PLIES)))
        return self._decide(view, self._depths)

    def search_record(self) -> dict[str, Any] | None:
        """Return the rows of `info["depths"]` again; that of a depth that was cut short is not `finished`."""
        rows = [found.as_info() for found in self._depths]
        return {"kind": "deepening", "depths": rows} if rows else None

    def _deepen(self, most: int) -> Iterator[Depth]:
        """Yield depth after depth until the game is proven; the last one may be unfinished."""
        score = 0
        for depth in range(1, most + 1):
            found = self._measured(depth, score)
            yield found
            if found.proven or found.action is None:
                return
            score, self._stack.first[0] = found.score, found.action

    def _measured(self, depth: int, expected: int) -> Depth:
        """Search one depth, and choose among the moves that are worth as much as the best."""
        begin, before = time.perf_counter(), int(self._stack.counts[NODES])
        score, certain = self._search(depth, expected)
        taken = depth, int(self._stack.counts[NODES]) - before, time.perf_counter() - begin
        if self._stack.counts[STOPPED]:
            return Depth(*taken)
        rows = self._stack.legal[0, : self._count].tolist(), self._stack.scores[: self._count].tolist()
        proven = certain or (is_win_or_loss(score) and plies_of(score) <= depth)
        found = Depth(*taken, score=score, proven=proven, scores=dict(zip(*rows, strict=True)))
        return replace(found, action=int(self._rng.choice(found.best)))

    def _search(self, depth: int, expected: int) -> tuple[int, bool]:
        """Return the score of the root and whether it is certain, from a window around what is expected."""
        low, high = self._window(depth, expected)
        while True:
            score, certain = self._kernel(
                self.rules, self._stack, self._table, self._evaluation, self._options, 0, depth, low, high
            )
            if low < score < high or self._stack.counts[STOPPED]:
                return int(score), bool(certain)
            low, high = (-INFINITE, high) if score <= low else (low, INFINITE)

    def _window(self, depth: int, expected: int) -> tuple[int, int]:
        if self.aspiration == 0 or depth == 1 or is_win_or_loss(expected) or self.level.temperature > 0:
            return -INFINITE, INFINITE
        return expected - self.aspiration, expected + self.aspiration

    def _decide(self, view: View, depths: list[Depth]) -> Decision:
        last = next((found for found in reversed(depths) if found.finished), None)
        info: dict[str, Any] = {
            "depths": [found.as_info() for found in depths],
            "depth": last.depth if last else 0,
            "nodes": int(self._stack.counts[NODES]),
            "best": last.best if last else [],
            "proven": last is not None and last.proven,
        }
        if last is None or last.action is None:
            return Decision(int(view.legal_actions[0]), info=info)
        if last.proven:
            info["plies_to_end"] = plies_of(last.score)
        action = last.action if self.level.temperature == 0 else self._drawn(last)
        return Decision(action, value=value_of(last.scores[action]), info=info)

    def _drawn(self, last: Depth) -> int:
        """Draw a move by the softmax of the values."""
        actions = sorted(last.scores)
        values = np.array([value_of(last.scores[action]) for action in actions])
        weights = np.exp((values - values.max()) / self.level.temperature)
        return int(self._rng.choice(actions, p=weights / weights.sum()))
