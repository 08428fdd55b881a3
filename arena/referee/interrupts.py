"""How a person, or the system, asks a run to stop: SIGINT and SIGTERM are counted, and kill nobody."""

from __future__ import annotations

import signal
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType


class Interrupts:
    """How often it was asked."""

    count = 0


@contextmanager
def counted_interrupts() -> Iterator[Interrupts]:
    """Count SIGINT and SIGTERM instead of dying of them."""
    interrupts = Interrupts()

    def note(signum: int, frame: FrameType | None) -> None:
        interrupts.count += 1

    before = {number: signal.signal(number, note) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield interrupts
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
