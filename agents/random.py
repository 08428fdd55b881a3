"""An agent that plays uniformly at random; the shortest example of an agent."""

from __future__ import annotations

import random

from agents.base import Agent, Limit, View


class RandomAgent(Agent):
    """Every legal action with the same probability."""

    def reset(self, player: int, seed: int) -> None:
        """Start the game's own random stream."""
        self.random = random.Random(seed)

    def act(self, view: View, limit: Limit) -> int:
        """Draw an action."""
        return int(self.random.choice(view.legal_actions))
