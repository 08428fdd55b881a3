"""The folders that runs are kept in: `runs/NAME-N`, made so that two runs never share one.

What is in such a folder is its maker's business; the database is in `arena.store`.
"""

from __future__ import annotations

import re
from pathlib import Path

_LONGEST = 60
"""Characters of a name that are kept; systems allow 255 bytes."""


def new_run_folder(parent: Path, name: str) -> Path:
    """Make and return the folder `NAME-N` of `parent`, N the first number above those there are.

    Characters that folders had better not have become `-`. `parent` is made where it is missing.

    Raises:
        OSError: when the system does not let it be made.
    """
    stem = re.sub(r"[^\w.-]+", "-", name).strip(".-")[:_LONGEST] or "run"
    parent.mkdir(parents=True, exist_ok=True)
    number = max(_taken(parent, stem), default=0) + 1
    while True:
        try:
            folder = parent / f"{stem}-{number}"
            folder.mkdir()  # fails where it exists: the system lets only one of two runs have it
        except FileExistsError:
            number += 1
        else:
            return folder


def _taken(parent: Path, stem: str) -> list[int]:
    pattern = re.compile(rf"{re.escape(stem)}-([0-9]+)")
    return [int(match[1]) for path in parent.iterdir() if (match := pattern.fullmatch(path.name))]
