"""A browser for the tests of the report; without one they are skipped, or fail where one is required."""

from __future__ import annotations

import os
from collections.abc import Iterator

import pytest
from browser import Browser, missing, started


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    """Start the browser that all tests of a process share."""
    why = missing()
    if why and os.environ.get("ARENA_REQUIRE_BROWSER"):
        pytest.fail(f"ARENA_REQUIRE_BROWSER is set, but {why}")
    if why:
        pytest.skip(f"no browser to look at a report with: {why}")
    with started() as browser:
        yield browser
