"""What an agent prints: a pipe that the referee empties while it waits, of which the last part is kept.

An agent that prints more than the pipe holds waits, on its own clock, until the referee waits for it;
so no agent can fill the disk or the referee's memory.
"""

from __future__ import annotations

import multiprocessing
import os
from contextlib import suppress

KEPT = 64 * 1024
"""Bytes kept of what an agent prints in a game: the last ones."""
_AT_ONCE = 64 * 1024
_LAST_READS = 32
"""Reads after which the last words have an end, though a child of the agent's may go on printing."""


class Output:
    """Both ends of the pipe; `reader` stays with the referee, `writer` becomes stdout and stderr."""

    def __init__(self) -> None:
        self.reader, self.writer = multiprocessing.Pipe(duplex=False)
        os.set_blocking(self.reader.fileno(), False)
        self._kept = bytearray()
        self._dropped = 0

    def drain(self) -> bool:
        """Take what is in the pipe, without waiting; return False where nothing will ever come again."""
        with suppress(BlockingIOError):
            data = os.read(self.reader.fileno(), _AT_ONCE)
            self._kept += data
            excess = max(0, len(self._kept) - KEPT)
            del self._kept[:excess]
            self._dropped += excess
            return bool(data)
        return True

    def forget(self) -> None:
        """Begin anew: what comes from here on is of the next game."""
        self._empty()
        self._kept.clear()
        self._dropped = 0

    def text(self) -> str:
        """Return the last of what was printed, and say so where that is not all."""
        self._empty()
        cut = f"[{self._dropped:,} bytes printed before this are not kept]\n" if self._dropped else ""
        return cut + self._kept.decode(errors="replace")

    def _empty(self) -> None:
        before, reads = -1, 0
        while self._taken > before and reads < _LAST_READS:
            before, reads = self._taken, reads + 1
            self.drain()

    @property
    def _taken(self) -> int:
        return self._dropped + len(self._kept)

    def close(self) -> None:
        """Close the referee's end."""
        self.reader.close()
