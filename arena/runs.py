"""The folders that runs are kept in: `runs/NAME-N`, made so that two runs never share one.

And how a run is found again by what a person calls it. What is in such a folder is its maker's business; the
database is in `arena.store`.
"""

from __future__ import annotations

import os
import re
import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from envs.parameters import did_you_mean

DATABASE = "league.sqlite"
"""What the database in a run's folder is called."""
_LONGEST = 60
"""Characters of a name that are kept; systems allow 255 bytes."""
_TRIES, _PAUSE = 10, 0.02
"""How often a folder that is kept is tried again, and seconds between."""
_NAMED = 12
"""Runs that are named where another was asked for."""


def new_run_folder(parent: Path, name: str) -> Path:
    """Make and return the folder `NAME-N` of `parent`, N the first number above those there are.

    Characters that folders had better not have become `-`. `parent` is made where it is missing.

    Raises:
        OSError: when the system does not let it be made.
    """
    stem = file_stem(name)
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


def file_stem(name: str) -> str:
    """Return what a file or folder for something of this name may be called everywhere."""
    return re.sub(r"[^\w.-]+", "-", name).strip(".-")[:_LONGEST] or "run"


def distinct(stems: Iterable[str]) -> list[str]:
    """Return the names, some of them with -2, -3, … at their end, so that no two are alike, case aside."""
    made: dict[str, str] = {}
    for stem in stems:
        name, number = stem, 2
        while name.casefold() in made:
            name, number = f"{stem}-{number}", number + 1
        made[name.casefold()] = name
    return list(made.values())


@contextmanager
def reserved(folder: Path) -> Iterator[None]:
    """Keep a run's folder for this process, until it lets go or ends, however that comes.

    Raises:
        BlockingIOError: when another process keeps it.
        OSError: when the system does not let it be opened.
    """
    import fcntl  # which Windows does not have

    handle = os.open(folder, os.O_RDONLY)
    try:
        for _ in range(_TRIES):
            with suppress(BlockingIOError):
                fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
                break
            time.sleep(_PAUSE)  # it may be one who only asks, below
        else:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        yield
    finally:
        os.close(handle)


def is_reserved(folder: Path) -> bool:
    """Return whether a process keeps a run's folder; who asks keeps others from it for an instant.

    Raises:
        OSError: when the system does not let it be opened.
    """
    import fcntl

    handle = os.open(folder, os.O_RDONLY)
    try:
        fcntl.flock(handle, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except BlockingIOError:
        return True
    finally:
        os.close(handle)
    return False


def _taken(parent: Path, stem: str) -> list[int]:
    pattern = re.compile(rf"{re.escape(stem)}-([0-9]+)")
    return [int(match[1]) for path in parent.iterdir() if (match := pattern.fullmatch(path.name))]


class UnknownRunError(ValueError):
    """A name that leads to no run; the text says which there are."""


def find_run(name: str | None, parent: Path) -> Path:
    """Return the database of a run.

    Args:
        name: the run's folder, its name in `parent`, or its database; None is the one written to last.
        parent: where runs are kept.

    Raises:
        UnknownRunError: when there is none.
    """
    runs = list_runs(parent)
    if name is None:
        if not runs:
            raise UnknownRunError(f"{parent}: no run is kept here; `arena run LEAGUE.yaml` makes one")
        return runs[-1] / DATABASE
    for place in (Path(name), Path(name) / DATABASE, parent / name / DATABASE):
        if place.is_file():
            return place
    names = [run.name for run in runs]
    known = f"kept in {parent}: {', '.join(names[-_NAMED:])}" if names else f"nothing is kept in {parent}"
    raise UnknownRunError(f"{name}: there is no such run{did_you_mean(name, names)}: {known}")


def list_runs(parent: Path) -> list[Path]:
    """Return the folders of the runs that `parent` keeps, the one written to last at the end."""
    if not parent.is_dir():
        return []
    runs = [path for path in parent.iterdir() if (path / DATABASE).is_file()]
    return sorted(runs, key=lambda run: ((run / DATABASE).stat().st_mtime_ns, run.name))
