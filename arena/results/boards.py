"""The visits of first moves as boards of shares, side by side where the terminal is wide enough."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from rich.cells import cell_len
from rich.columns import Columns
from rich.console import RenderableType
from rich.panel import Panel
from rich.text import Text

import envs
from arena.results.findings import GameSummary
from arena.results.move_stats import SearchUse
from arena.results.replay import action_name, board_text
from envs.boards import NEXT_TO_NOTHING, per_cent

_VISITS = 1_000_000
"""What shares are multiplied by, for a board that takes counts."""
_LISTED = 10
"""Actions named where the board is too wide."""
_FRAME = 4


def first_positions(game: GameSummary, width: int) -> Iterator[RenderableType]:
    """Yield a title and a panel for each agent that searched on its first moves."""
    rules = envs.make_rules(game.name, **game.params)
    searches = [search for search in game.searches if search.first_moves]
    if searches:
        yield Text("First moves, mean share of the visits in %", "bold")
        yield Columns([_panel(rules, search, width) for search in searches])


def _panel(rules: Any, use: SearchUse, width: int) -> Panel:
    state = _position(rules, use)
    text = _drawn(rules, state, use, width - _FRAME) or _list(rules, state, use)
    games = f"{use.first_moves:,} game{'' if use.first_moves == 1 else 's'}"
    openings = "" if use.first_openings == 1 else f", {use.first_openings:,} openings"
    body = Text.assemble(_shaded(text.rstrip(), use), (f"\n{games}{openings}", "dim"))
    return Panel(body, title=Text(use.agent), title_align="left", border_style="dim", expand=False)


def _position(rules: Any, use: SearchUse) -> Any:
    """Return the position that the shares are of, or the initial one where they are of several."""
    state = rules.initial_state()
    for action in use.first_opening or ():
        rules.step(state, action)
    return state


def _drawn(rules: Any, state: Any, use: SearchUse, width: int) -> str:
    """Return the board, or nothing where it is too wide or cannot be drawn."""
    try:
        text = _board(rules, state, use)
    except Exception:  # a game of the user's own, which may not draw visits, or nothing at all
        return ""
    return text if max(map(cell_len, text.splitlines()), default=0) <= width else ""


def _shaded(board: str, use: SearchUse) -> Text:
    """Set off the action that had most, and step back from what had next to nothing."""
    text = Text(board)
    text.highlight_regex(r"(?<!\S)(<1|\.)(?!\S)", "dim")
    most = per_cent(max(use.first_shares.values(), default=0.0))
    if len(most) > 1 and most != NEXT_TO_NOTHING:  # a single digit may be the name of a row
        text.highlight_regex(rf"(?<!\S){most}(?!\S)", "bold green")
    return text


def _board(rules: Any, state: Any, use: SearchUse) -> str:
    visits = np.zeros(rules.num_actions, np.int64)
    for action, share in use.first_shares.items():
        visits[action] = round(_VISITS * share)
    return board_text(rules, state, visits)


def _list(rules: Any, state: Any, use: SearchUse) -> str:
    """Name the actions that had most."""
    best = sorted(use.first_shares.items(), key=lambda item: -item[1])[:_LISTED]
    return "  ".join(f"{action_name(rules, state, action)} {share:.0%}" for action, share in best)
