"""Where a referee is: by when it will have got on, and whose move it waits for, in memory it shares.

The supervisor reads it of a referee that is late or dead. Written some times a move, so it costs no
message; what it means is decided in `supervisor`.
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


class Beat:
    """Shared by two processes through a file that has no name.

    Args:
        file: descriptor of the file, from `shared_file`; may be closed afterwards.
    """

    def __init__(self, file: int) -> None:
        self._memory = mmap.mmap(file, mmap.PAGESIZE)
        if hasattr(mmap, "MADV_DONTFORK"):
            self._memory.madvise(mmap.MADV_DONTFORK)  # no agent's process has it

    def expect(self, seconds: float, seat: int = NOBODY, ply: int = 0) -> None:
        """Say that within `seconds` there will be news, and which seat they depend on."""
        _FORM.pack_into(self._memory, 0, time.monotonic() + seconds, seat, ply)

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
    """Return the descriptor of a new nameless file of one page."""
    if hasattr(os, "memfd_create"):
        file = os.memfd_create("arena beat")
    else:
        with tempfile.TemporaryFile() as made:
            file = os.dup(made.fileno())
    os.ftruncate(file, mmap.PAGESIZE)
    return file
