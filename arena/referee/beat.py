"""Where a referee is: by when it will get on, whose move it waits for, and its game, in memory it shares.

The supervisor reads it of a referee that is late or dead, and for those who watch. Written some times a
move, so it costs no message; what it means is decided in `supervisor`.
"""

from __future__ import annotations

import mmap
import os
import struct
import tempfile
import time

NOBODY = -1
"""The seat of no agent: the game's own code, or ours, is at work."""
_FORM = struct.Struct("=dqq")
_GAME, _GAME_AT = struct.Struct("=qq"), _FORM.size
_ACTION, _ACTIONS_AT = struct.Struct("=i"), _GAME_AT + _GAME.size
KEPT = 10_000
"""Actions of a game that are told, from its beginning; of those beyond, only how many there are."""
_SIZE = _ACTIONS_AT + KEPT * _ACTION.size


class Witness:
    """Who is told where a referee is; this one pays no heed."""

    def expect(self, seconds: float, seat: int = NOBODY, ply: int = 0) -> None:
        """Within `seconds` there will be news; on which seat they depend, and at which ply."""

    def begin(self, number: int) -> None:
        """The game of this number begins."""

    def play(self, action: int) -> None:
        """An action is played."""


class Beat(Witness):
    """Shared by two processes through a file that has no name.

    Args:
        file: descriptor of the file, from `shared_file`; may be closed afterwards.
    """

    def __init__(self, file: int) -> None:
        self._memory = mmap.mmap(file, _SIZE)
        if hasattr(mmap, "MADV_DONTFORK"):
            self._memory.madvise(mmap.MADV_DONTFORK)  # no agent's process has it

    def expect(self, seconds: float, seat: int = NOBODY, ply: int = 0) -> None:
        """Write it down."""
        _FORM.pack_into(self._memory, 0, time.monotonic() + seconds, seat, ply)

    def begin(self, number: int) -> None:
        """Write it down."""
        _GAME.pack_into(self._memory, _GAME_AT, number, 0)

    def play(self, action: int) -> None:
        """Write it down."""
        number, plies = _GAME.unpack_from(self._memory, _GAME_AT)
        if plies < KEPT:
            _ACTION.pack_into(self._memory, _ACTIONS_AT + plies * _ACTION.size, action)
        _GAME.pack_into(self._memory, _GAME_AT, number, plies + 1)

    @property
    def game(self) -> tuple[int, int, tuple[int, ...]]:
        """The number of the game that was begun last, its plies, and its actions as far as they are told."""
        number, plies = _GAME.unpack_from(self._memory, _GAME_AT)
        actions = struct.unpack_from(f"={min(plies, KEPT)}i", self._memory, _ACTIONS_AT)
        return number, plies, actions

    @property
    def late(self) -> float:
        """Seconds since there should have been news; negative before that."""
        until: float = _FORM.unpack_from(self._memory)[0]
        return time.monotonic() - until

    @property
    def place(self) -> tuple[int, int]:
        """The seat that is waited for, and the ply."""
        _, seat, ply = _FORM.unpack_from(self._memory)
        return seat, ply


def shared_file() -> int:
    """Return the descriptor of a new nameless file, which takes memory only where it is written."""
    if hasattr(os, "memfd_create"):
        file = os.memfd_create("arena beat")
    else:
        with tempfile.TemporaryFile() as made:
            file = os.dup(made.fileno())
    os.ftruncate(file, _SIZE)
    return file
