"""`arena play`: a person against an agent, in the terminal.

One game by the rules, without clocks, processes or database: those are the league's. The person types
moves by their names, and may ask for a hint, take moves back, and see where the agent's searches went.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

import agents
import envs
from agents.base import Decision, Limit, View
from arena.results.figures import signed
from arena.results.replay import action_name, board_text
from envs.actions import ActionError
from envs.boards import SYMBOLS
from envs.rules import CHANCE, TERMINAL, list_legal
from envs.streams import make_stream

HELP = """A move is typed by its name, such as {example}. Besides:
  hint      what the agent would play in your place
  undo      take back your last move, and the answer to it
  moves     the legal moves
  visits    show, or no longer, where the agent's searches went, in per cent
  quit      leave"""
_PLACES = ("first", "second", "third", "fourth")


class Duel:
    """A game between a person and an agent, as far as it has got.

    Args:
        game: its name.
        params: of the game.
        agent: `type` and parameters, as in a league file.
        limit: what a move of the agent may cost.
        seat: the person's, 0-based; the agent has all others.
        seed: of the agent.

    Attributes:
        states: every position so far, the first one first.
        actions: what led from each to the next.
        shows_visits: whether boards have them.

    Raises:
        UnknownNameError: for a name that leads to no game or agent.
        ParameterError: for parameters that they do not take.
        AgentRefused: where the agent cannot play the game.
    """

    def __init__(
        self,
        game: str,
        params: Mapping[str, Any],
        agent: Mapping[str, Any],
        limit: Limit,
        seat: int = 0,
        seed: int = 0,
    ) -> None:
        self.rules = envs.make_rules(game, **params)
        options = {name: value for name, value in agent.items() if name != "type"}
        # One in every seat, for they may remember their game; the one in the person's gives hints.
        self._agents = [
            agents.make_agent(agent["type"], self.rules, **options) for _ in range(self.rules.num_players)
        ]
        self._limit, self.seat, self._seed = limit, seat, seed
        self.states, self.actions = [self.rules.initial_state()], list[int]()
        self._stream = make_stream(seed)
        self.shows_visits = False
        self._reset()

    def _reset(self) -> None:
        for seat, agent in enumerate(self._agents):
            agent.reset(seat, self._seed)

    @property
    def mover(self) -> int:
        """The player to move, CHANCE, or TERMINAL."""
        return int(self.rules.current_player(self.states[-1]))

    def push(self, action: int) -> None:
        """Play an action."""
        state = self.states[-1].copy()
        self.rules.step(state, action)
        self.states.append(state)
        self.actions.append(action)

    def undo(self) -> bool:
        """Go back to where the person last had the move; return whether there is such a place."""
        turns = [
            ply for ply, state in enumerate(self.states) if self.rules.current_player(state) == self.seat
        ]
        earlier = [ply for ply in turns if ply < len(self.actions)]
        if not earlier:
            return False
        del self.states[earlier[-1] + 1 :], self.actions[earlier[-1] :]
        self._reset()
        return True

    def chance(self) -> str:
        """Let chance move; return what there is to say of it."""
        action = int(self.rules.sample_chance(self.states[-1], self._stream))
        name = action_name(self.rules, self.states[-1], action)
        self.push(action)
        return f"Chance: {name}"

    def answer(self) -> str:
        """Let an agent move; return what there is to say of it."""
        decision = self._ask()
        said = f"{SYMBOLS[self.mover]} plays {self._told(decision)}"
        self.push(decision.action)
        return said

    def hint(self) -> str:
        """Return what an agent would play in the person's place."""
        return f"Try {self._told(self._ask())}"

    def _ask(self) -> Decision:
        state = self.states[-1]
        legal = list_legal(self.rules, state)
        view = View(state.copy(), legal, self.mover, history=tuple(self.actions))
        answer = self._agents[self.mover].act(view, self._limit)
        return answer if isinstance(answer, Decision) else Decision(answer)

    def _told(self, decision: Decision) -> str:
        """Return a move's name, what the search made of it, and the board with its visits where wanted."""
        said = []
        if decision.value is not None:
            proven = ", proven" if decision.info.get("proven") else ""
            said.append(f"value {signed(decision.value, 2)}{proven}")
        if isinstance(count := decision.info.get("simulations"), int):
            said.append(f"{count:,} simulations")
        remarks = f" ({', '.join(said)})" if said else ""
        name = action_name(self.rules, self.states[-1], decision.action)
        if not self.shows_visits or decision.visits is None:
            return name + remarks
        visits = np.zeros(self.rules.num_actions, np.int64)
        visits[list_legal(self.rules, self.states[-1])] = decision.visits
        return f"{name}{remarks}; its visits, in per cent:\n{self.board(visits)}"

    def board(self, visits: Any = None) -> str:
        """Draw the position."""
        return board_text(self.rules, self.states[-1], visits)

    def moves(self) -> list[str]:
        """Return the names of the legal moves."""
        state = self.states[-1]
        return [self.rules.action_to_string(state, int(action)) for action in list_legal(self.rules, state)]

    def result(self) -> str:
        """Say how a finished game ended for the person."""
        returns = np.zeros(self.rules.num_players)
        self.rules.returns(self.states[-1], returns)
        return {1: "You win.", 0: "A draw.", -1: "You lose."}[int(np.sign(returns[self.seat]))]


def play(duel: Duel, read: Callable[[], str], write: Callable[[str], None]) -> None:
    """Play until the game is over, or the person leaves.

    Args:
        duel: the game.
        read: returns the person's next line; raises EOFError when there is none.
        write: shows text.
    """
    write(f"You are {SYMBOLS[duel.seat]} and move {_PLACES[duel.seat]}. `help` says what you can type.")
    shown = -1
    while duel.mover != TERMINAL:
        if duel.mover != duel.seat:
            write(duel.chance() if duel.mover == CHANCE else duel.answer())
            continue
        if shown != len(duel.actions):
            write(f"\n{duel.board()}\n")
            shown = len(duel.actions)
        try:
            word = read().strip()
        except EOFError:
            return
        if word == "quit":
            return
        if said := _obey(duel, word):
            write(said)
    write(f"\n{duel.board()}\n\n{duel.result()}")


def _obey(duel: Duel, word: str) -> str:
    """Do what the person asks for; return what there is to say."""
    match word:
        case "":
            return ""
        case "help":
            return HELP.format(example=duel.moves()[0])
        case "hint":
            return duel.hint()
        case "moves":
            return " ".join(duel.moves())
        case "undo":
            return "" if duel.undo() else "There is nothing to take back."
        case "visits":
            duel.shows_visits = not duel.shows_visits
            return f"Visits are {'shown' if duel.shows_visits else 'not shown'} from now on."
    try:
        duel.push(int(duel.rules.string_to_action(duel.states[-1], word)))
    except ActionError as error:
        return f"{error}; `help` says what else you can type"
    return ""
