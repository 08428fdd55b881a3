"""What a person sees while a league runs: one tqdm line, or plain lines where there is no terminal."""

from __future__ import annotations

import sys
import time
from collections import Counter, defaultdict
from collections.abc import Sequence
from typing import NoReturn, TextIO

from tqdm import tqdm

from arena.records import GameRecord, MatchSpec, Termination

_EVERY = 5.0
"""Seconds between plain lines."""
_LAYOUT = "{percentage:3.0f}% {bar} {n_fmt}/{total_fmt} games {rate_fmt}, {remaining} left{postfix}"
_LAYOUT_WITHOUT_END = "{n_fmt} games {rate_fmt}, {elapsed} so far{postfix}"


class Progress:
    """Counts finished games, names them as they finish, and says who leads.

    Args:
        total: games to be played; None where the results decide that.
        quiet: show nothing.
        stream: where to write; stderr unless told otherwise.
    """

    def __init__(self, total: int | None, quiet: bool = False, stream: TextIO | None = None) -> None:
        self._stream = stream or sys.stderr
        self._quiet, self._total, self._done, self._told, self._before = quiet, total, 0, 0, 0
        self._points: defaultdict[str, float] = defaultdict(float)
        self._games: Counter[str] = Counter()
        self._started = self._last_line = time.monotonic()
        self._bar: tqdm[NoReturn] | None = None

    def start(self) -> None:
        """Begin to count time: what came before was getting ready."""
        self._started = self._last_line = time.monotonic()
        if not self._quiet and self._stream.isatty():
            layout = _LAYOUT if self._total is not None else _LAYOUT_WITHOUT_END
            self._bar = tqdm(
                total=self._total, file=self._stream, unit="game", bar_format=layout, dynamic_ncols=True
            )

    def __enter__(self) -> Progress:
        """Return itself."""
        return self

    def __exit__(self, *error: object) -> None:
        """Leave the last line standing."""
        if self._bar is not None:
            self._bar.close()
        elif self._done > self._told:
            self._plain_line()

    def message(self, text: str) -> None:
        """Say something beside the line."""
        if self._bar is not None:
            self._bar.write(text, file=self._stream)
        elif not self._quiet:
            print(text, file=self._stream, flush=True)

    def kept(self, spec: MatchSpec, returns: Sequence[float]) -> None:
        """Count a game that was finished before this run was taken up; it took no time."""
        self._count(spec, returns)
        self._before, self._told = self._before + 1, self._told + 1
        if self._bar is not None:
            self._bar.initial += 1
            self._bar.update()

    def _count(self, spec: MatchSpec, returns: Sequence[float]) -> None:
        self._done += 1
        for agent, points in zip(spec.players, returns, strict=True):
            self._points[agent.label] += (points + 1) / 2
            self._games[agent.label] += 1

    def finished(self, record: GameRecord) -> None:
        """Count a game."""
        self._count(record.spec, record.returns)
        if self._bar is not None:
            self._bar.write(describe(record), file=self._stream)
            self._bar.set_postfix_str(self._leader(), refresh=False)
            self._bar.update()
        elif not self._quiet and time.monotonic() - self._last_line >= _EVERY:
            self._plain_line()

    def _leader(self) -> str:
        score = {label: self._points[label] / games for label, games in self._games.items()}
        best = max(score, key=lambda label: score[label])
        return f"{best} leads with {score[best]:.0%}"

    def _plain_line(self) -> None:
        if self._quiet:
            return
        self._last_line, self._told = time.monotonic(), self._done
        rate = (self._done - self._before) / max(self._last_line - self._started, 1e-9)
        of_all = left = ""
        if self._total is not None:
            of_all, left = f"/{self._total}", f" {(self._total - self._done) / rate:.0f} s left,"
        text = f"{self._done}{of_all} games, {rate:.1f} a second,{left} {self._leader()}"
        print(text, file=self._stream, flush=True)


def describe(record: GameRecord) -> str:
    """Return one line on a finished game: its number, who played whom, how it ended."""
    labels = " v ".join(player.label for player in record.spec.players)
    return printable(f"game {record.spec.number} {record.spec.game.label}: {labels}: {outcome(record)}")


def outcome(record: GameRecord) -> str:
    """Return who won a finished game, and by what, where it is not by the rules."""
    labels = [player.label for player in record.spec.players]
    best = max(record.returns)
    winners = [label for label, points in zip(labels, record.returns, strict=True) if points == best]
    result = "drawn" if len(winners) == len(labels) else f"{' and '.join(winners)} won"
    why = "" if record.termination is Termination.NORMAL else f" by {record.termination}"
    if record.fault is not None and record.fault.seat >= 0:
        why += f" of {labels[record.fault.seat]} at ply {record.fault.ply}: {record.fault.reason}"
    return result + why


def printable(text: str) -> str:
    """Return `text` on one line, without the control characters that would steer a terminal."""
    return "".join(
        character if character.isprintable() else "\N{REPLACEMENT CHARACTER}" for character in text
    )
