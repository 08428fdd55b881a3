"""Games as text in the formats of other programs: SGF for games of stones, PGN for any game of two.

SGF is FF[4] (red-bean.com/sgf), one game tree a game: Go, Othello and Gomoku with points as that page writes
them, Hex and Havannah with the names that players use, as HexGui and Little Golem do. The first player is
Black. What files are made of them is in `arena.results.export`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from arena.records import GameRecord, Termination
from arena.results.figures import signed
from arena.results.replay import Step, steps

PASS = "pass"


def _point(rules: Any, step: Step) -> str:
    """Return column and row as letters, from the top left; nothing for a pass."""
    columns = getattr(rules, "columns", None) or rules.size
    row, column = divmod(step.action, columns)
    return "" if step.name == PASS else _letter(column) + _letter(row)


def _letter(index: int) -> str:
    return "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"[index]


def _name(rules: Any, step: Step) -> str:
    return "swap-pieces" if step.name == "swap" else step.name


_KINDS: dict[str, tuple[str, Callable[[Any, Step], str]]] = {
    "go": ("1", _point),
    "othello": ("2", _point),
    "gomoku": ("4", _point),
    "hex": ("11", _name),
    "havannah": ("havannah", _name),
}
"""By the name of the game: the property GM, and how a move is written."""


def has_sgf(game: str) -> bool:
    """Return whether games of this name can be written as SGF."""
    return game in _KINDS


def to_sgf(rules: Any, record: GameRecord, event: str) -> str:
    """Return a game as an SGF game tree.

    Args:
        rules: of the game, one of those for which `has_sgf`.
        record: what was played.
        event: the name of the league.
    """
    spec = record.spec
    kind, write = _KINDS[spec.game.name]
    rows, columns = (getattr(rules, name, None) or rules.size for name in ("rows", "columns"))
    root = {
        "FF": "4",
        "CA": "UTF-8",
        "AP": "Arena",
        "GM": kind,
        "EV": event,
        "GN": f"{event} {spec.number}",
        "PB": spec.players[0].label,
        "PW": spec.players[1].label,
        "RE": _result(record),
    }
    if spec.game.name == "go":
        root["KM"] = f"{rules.komi:g}"
    size = str(rows) if rows == columns else f"{columns}:{rows}"  # a colon that is meant
    moves = [_node(step, write(rules, step)) for step in steps(rules, record)]
    properties = "".join(f"{name}[{_escaped(text)}]" for name, text in root.items())
    return "\n".join([f"(;{properties}SZ[{size}]", *moves]) + ")\n"


def _node(step: Step, move: str) -> str:
    told = _remarks(step)
    return f";{'BW'[step.seat]}[{move}]" + (f"C[{_escaped(told)}]" if told else "")


def _remarks(step: Step) -> str:
    """Say what is known of a move, as engines do in comments."""
    if step.move is None:
        return step.by
    said = [f"{step.move.time:.3f} s"]
    if step.move.value is not None:
        said.insert(0, signed(step.move.value, 2))
    if step.chosen_share is not None:
        said.append(f"{step.chosen_share:.0%} of the visits")
    return ", ".join(said)


def _result(record: GameRecord) -> str:
    if record.returns[0] == record.returns[1]:
        return "0"
    won = "B+" if record.returns[0] > record.returns[1] else "W+"
    return won + {Termination.TIMEOUT: "T", Termination.NORMAL: ""}.get(record.termination, "F")


def _escaped(text: str) -> str:
    return text.replace("\\", "\\\\").replace("]", "\\]").replace(":", "\\:")


def to_pgn(rules: Any, record: GameRecord, event: str) -> str:
    """Return a game of two players as PGN, with moves by the game's own names.

    Args:
        rules: of the game.
        record: what was played.
        event: the name of the league.
    """
    spec = record.spec
    result = {1: "1-0", 0: "1/2-1/2", -1: "0-1"}[
        (record.returns[0] > record.returns[1]) - (record.returns[0] < record.returns[1])
    ]
    tags = {
        "Event": event,
        "Site": "?",
        "Date": "????.??.??",
        "Round": str(spec.number),
        "White": spec.players[0].label,
        "Black": spec.players[1].label,
        "Result": result,
        "Variant": " ".join(
            [spec.game.name, *(f"{name}={value}" for name, value in spec.game.params.items())]
        ),
        "Termination": str(record.termination),
    }
    head = "".join(f'[{name} "{_quoted(text)}"]\n' for name, text in tags.items())
    moves = [_pgn_move(step) for step in steps(rules, record)]
    return f"{head}\n{chr(10).join([*moves, result])}\n\n"


def _pgn_move(step: Step) -> str:
    number = f"{step.ply // 2 + 1}." + ("" if step.ply % 2 == 0 else "..")
    return f"{number} {step.name} {{{_remarks(step)}}}"


def _quoted(text: str) -> str:
    return text.replace("\\", "\\\\").replace('"', '\\"')
