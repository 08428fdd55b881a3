"""Options that several commands have."""

from __future__ import annotations

from pathlib import Path

import click

RUNS_DIR = click.option(
    "--runs-dir",
    type=click.Path(file_okay=False, path_type=Path),
    default=Path("runs"),
    show_default=True,
    help="Where runs are kept, each in a folder NAME-1, NAME-2, …",
)
QUIET = click.option("--quiet", is_flag=True, help="Show no progress.")
