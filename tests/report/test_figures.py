"""Figures as the report writes them."""

from __future__ import annotations

import pytest

from arena.report.figures import signed
from arena.results import figures


@pytest.mark.parametrize(
    ("value", "digits", "written"),
    [(1.5, 1, "+1.5"), (-1.5, 1, "−1.5"), (-0.04, 1, "+0.0"), (0, 0, "+0"), (-12.4, 0, "−12")],
)
def test_a_signed_figure_has_a_sign_as_wide_as_a_plus(value, digits, written):
    assert signed(value, digits) == written
    assert figures.signed(value, digits) == written.replace("−", "-")
