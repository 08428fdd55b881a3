"""Options that several commands have, and the check of those that name a place to write to."""

from __future__ import annotations

import os
from pathlib import Path

import click

from arena.commands.exits import refuse

RUNS_DIR = click.option(
    "--runs-dir",
    type=click.Path(file_okay=False, path_type=Path),
    default=Path("runs"),
    show_default=True,
    help="Where runs are kept, each in a folder NAME-1, NAME-2, …",
)
QUIET = click.option("--quiet", is_flag=True, help="Show no progress.")


def check_writable(option: str, place: Path, folder: Path) -> None:
    """Refuse a place that cannot be written, before work is done for it; make nothing yet.

    Args:
        option: that names the place, for the message.
        place: what it names.
        folder: what has to be there, and writable.
    """
    if not folder.is_dir() or not os.access(folder, os.W_OK | os.X_OK):
        refuse([f"arena: {option} {place}: {folder} is not a folder that can be written"])


def existing(folder: Path) -> Path:
    """Return the folder, or the nearest above it that is there, in which it can be made."""
    return next(place for place in (folder, *folder.absolute().parents) if place.exists())
