"""Lets tests of every folder import the toys that stand beside this file."""

from __future__ import annotations

import os
from pathlib import Path

import pytest


@pytest.fixture(scope="session")
def truth() -> Path:
    """The folder with the larger sets of truth that this project did not make."""
    folder = os.environ.get("ARENA_TRUTH_DIR")
    if not folder:
        pytest.skip("ARENA_TRUTH_DIR is not set: the larger sets of outside truth are not here")
    return Path(folder)
