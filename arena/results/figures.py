"""Figures as a terminal and files have them; the report's have another minus (`arena.report.figures`)."""

from __future__ import annotations


def signed(value: float, digits: int = 0) -> str:
    """Write a number with its sign; nothing is less than zero by rounding."""
    return f"{round(value, digits) + 0.0:+.{digits}f}"
