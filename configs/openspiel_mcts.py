"""OpenSpiel's C++ UCT (`pyspiel.MCTSBot`) as an agent: `type: "openspiel_mcts:MCTS"` in a league file here.

Needs `pip install open-spiel` where Arena is installed. Only the adapter lives here; it plays the games
whose actions have the same numbers on both sides.
"""

from __future__ import annotations

from typing import Annotated, Any

import pyspiel
from pydantic import Field

from agents import Agent, Decision, Limit, View
from agents.base import AgentRefused

RESERVE = 0.001
"""Seconds kept back from the limit: it looks at its clock after every simulation, and then chooses."""
UNLIMITED = 2**31 - 1
"""Simulations that no limit of time reaches."""
GAMES = {
    "TicTacToe": "tic_tac_toe",
    "ConnectFour": "connect_four(rows={r.rows},columns={r.columns},x_in_row={r.connect})",
    "Hex": "hex(num_rows={r.rows},num_cols={r.columns})",
    "Havannah": "havannah(board_size={r.size})",
}
"""What `pyspiel.load_game` takes, by the class of our rules `r`."""


class MCTS(Agent):
    """UCT, one random rollout a leaf; the tree is made anew for every move, as the bot does it."""

    def __init__(
        self,
        rules: Any,
        uct_c: Annotated[float, Field(ge=0, le=1000, description="exploration constant")] = 1.4,
        solve: Annotated[bool, Field(description="whether proven positions are backed up")] = True,
        memory_mb: Annotated[int, Field(ge=1, le=65536, description="memory of the tree in MB")] = 1000,
    ) -> None:
        """Find the game.

        Raises:
            AgentRefused: for a game that OpenSpiel lacks, or whose actions it numbers otherwise.
        """
        super().__init__(rules)
        name = type(rules).__name__
        if name not in GAMES or getattr(rules, "swap", False):
            raise AgentRefused(f"openspiel_mcts plays {', '.join(GAMES)} without swap, not {name}")
        self.game = pyspiel.load_game(GAMES[name].format(r=rules))
        self.options = (uct_c, memory_mb, solve)
        self.seed = 0

    def reset(self, player: int, seed: int) -> None:
        """Begin a game."""
        self.seed = seed % 2**31

    def act(self, view: View, limit: Limit) -> Decision:
        """Search for `limit.time` seconds, `limit.simulations`, or whichever is over first."""
        state = self.game.new_initial_state()
        for action in view.history:
            state.apply_action(action)
        if state.legal_actions() != view.legal_actions.tolist():
            raise RuntimeError("OpenSpiel's rules allow other actions here")
        root = self.bot(limit).mcts_search(state)
        visits = {child.action: child.explore_count for child in root.children}
        counts = [visits.get(action, 0) for action in view.legal_actions.tolist()]
        best = root.best_child()
        value = best.total_reward / max(best.explore_count, 1)
        return Decision(best.action, counts, value, {"simulations": sum(counts)})  # type: ignore[arg-type]

    def bot(self, limit: Limit) -> Any:
        """Make the bot for one move; it has neither a clock that can be reset nor a memory to keep."""
        self.seed = (self.seed + 1) % 2**31
        uct_c, memory_mb, solve = self.options
        return pyspiel.MCTSBot(
            self.game,
            pyspiel.RandomRolloutEvaluator(1, self.seed),
            uct_c,
            limit.simulations or UNLIMITED,
            memory_mb,
            solve,
            self.seed,
            False,
            pyspiel.ChildSelectionPolicy.UCT,
            limit.time - RESERVE if limit.time else -1.0,
        )
