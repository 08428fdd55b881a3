"""Figures as the report writes them, in its templates and in its pictures alike."""

from __future__ import annotations


def signed(value: float, digits: int = 0) -> str:
    """Write a number with its sign, a minus as wide as a plus; nothing is less than zero by rounding."""
    return f"{round(value, digits) + 0.0:+.{digits}f}".replace("-", "−")
