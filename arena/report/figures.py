"""Figures as the report writes them, in its templates and in its pictures alike."""

from __future__ import annotations

from arena.results import figures


def signed(value: float, digits: int = 0) -> str:
    """Write a number with its sign, a minus as wide as a plus; nothing is less than zero by rounding."""
    return figures.signed(value, digits).replace("-", "−")
