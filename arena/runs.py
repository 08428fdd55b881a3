"""The folders that runs are kept in: `runs/NAME-N`, made so that two runs never share one."""

from __future__ import annotations

import re
from pathlib import Path


def new_run_folder(parent: Path, name: str) -> Path:
    """Make and return the folder `NAME-N` of `parent`, N the first number above those there are.

    Characters that folders had better not have become `-`.
    """
    stem = re.sub(r"[^\w.-]+", "-", name).strip(".-") or "run"
    parent.mkdir(parents=True, exist_ok=True)
    taken = [int(match[1]) for path in parent.iterdir() if (match := re.fullmatch(rf"{re.escape(stem)}-(\d+)", path.name))]
    number = max(taken, default=0) + 1
    while True:
        try:
            folder = parent / f"{stem}-{number}"
            folder.mkdir()
        except FileExistsError:  # another run was faster
            number += 1
        else:
            return folder
