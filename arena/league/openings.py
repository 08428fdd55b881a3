"""Openings that people write down: a line of action names each, in the league file or in a file beside it.

Read and checked against the rules here, before anything runs; played by `arena.referee.match`.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from arena.league.models import Openings
from envs.actions import ActionError
from envs.rules import CHANCE, TERMINAL


def with_lines(openings: Openings, league_file: Path) -> Openings:
    """Return `openings` with the lines of their file in its place.

    Raises:
        OSError, UnicodeDecodeError: when the file cannot be read.
    """
    if openings.file is None:
        return openings
    return Openings(lines=[line for _, line in read_lines(league_file.parent / openings.file)])


def read_lines(file: Path) -> list[tuple[int, str]]:
    """Read a file of openings: (number from 1, line), comments and empty lines left out.

    Raises:
        OSError, UnicodeDecodeError: when the file cannot be read.
    """
    lines = file.read_text(encoding="utf-8").splitlines()
    openings = ((number, line.partition("#")[0].strip()) for number, line in enumerate(lines, 1))
    return [(number, line) for number, line in openings if line]


def complaints(openings: Openings, rules: Any, league_file: Path) -> Iterator[tuple[int | None, str]]:
    """Say what is wrong with openings for a game: (index of the line in the league file or None, what)."""
    for index, line in enumerate(openings.lines or ()):
        if wrong := _complaint(rules, line):
            yield index, wrong
    if openings.file is not None:
        yield from ((None, text) for text in _file_complaints(league_file.parent / openings.file, rules))


def _file_complaints(file: Path, rules: Any) -> Iterator[str]:
    try:
        lines = read_lines(file)
    except OSError as error:
        yield f"{file}: cannot be read: {error.strerror or error}"
        return
    except UnicodeDecodeError:
        yield f"{file}: is not text in UTF-8"
        return
    if not lines:
        yield f"{file}: has no openings"
    for number, line in lines:
        if wrong := _complaint(rules, line):
            yield f"{file}:{number}: {wrong}"


def _complaint(rules: Any, line: str) -> str | None:
    """Return why a game cannot open with `line`, or None."""
    state = rules.initial_state()
    for name in line.split():
        if rules.current_player(state) == CHANCE:
            return "a game of chance has no openings that could be written down"
        try:
            action = rules.string_to_action(state, name)
        except ActionError as error:
            return str(error)
        rules.step(state, action)
        if rules.current_player(state) == TERMINAL:
            return f"{line!r} decides the game: {name} ends it"
    return None
