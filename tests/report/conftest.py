"""A browser for the tests of the report; without one they are skipped, or fail where one is required."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from browser import Browser, missing, started

ROOT = Path(__file__).parents[2]


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


@pytest.fixture(scope="session")
def motley(browser: Browser, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Play the league of `motley.yaml`, and return its report."""
    runs = tmp_path_factory.mktemp("runs")
    league = Path(__file__).with_name("motley.yaml")
    words = ["-m", "arena", "run", str(league), "--runs-dir", str(runs), "--quiet"]
    subprocess.run([sys.executable, *words], cwd=ROOT, capture_output=True, timeout=600, check=True)
    return runs / "motley-1" / "report.html"
