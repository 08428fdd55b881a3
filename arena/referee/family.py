"""What an agent's process and all that it started use: processor time and memory, looked up now and then."""

from __future__ import annotations

import time

from arena.machine.processes import cpu_seconds, descendants, memory, send_signal


class Family:
    """A process with all below it.

    Args:
        pid: of the process.
    """

    EVERY = 0.05
    """Seconds between two looks at who belongs to it: a look costs some 20 µs a process."""

    def __init__(self, pid: int) -> None:
        self._pid, self._members = pid, [pid]
        self._looked = 0.0
        self._marks = {pid: 0.0}

    def look(self) -> bool:
        """Find out who belongs to it, where the last look is too old; return whether it was."""
        if time.monotonic() < self._looked + self.EVERY:
            return False
        self._looked = time.monotonic()
        self._members = [self._pid, *descendants(self._pid)]
        return True

    def memory(self) -> int:
        """Return the bytes of memory that they hold."""
        return memory(self._members)

    def mark(self) -> None:
        """Remember the processor time used by now, of everyone there at the last look."""
        self.look()
        self._marks = {pid: cpu_seconds(pid) for pid in self._members}

    def cpu_since(self) -> float:
        """Return the seconds of processor time used since `mark`, by those that are still there."""
        return sum(max(0.0, cpu_seconds(pid) - before) for pid, before in self._marks.items())

    def signal(self, number: int) -> None:
        """Send a signal to everyone there now."""
        send_signal([self._pid, *descendants(self._pid)], number)
