"""Files that are whole or not there: written under another name, and given their own once they are whole."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path


@contextmanager
def replacing(path: Path) -> Iterator[Path]:
    """Let a file be written beside `path`, which it takes the place of once it is whole.

    Raises:
        OSError: when the system does not let it be written; it names `path`, not what stood in for it.
    """
    draft = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        yield draft
        draft.replace(path)
    except OSError as error:
        if error.errno is None or error.filename not in (None, str(draft)):
            raise
        raise OSError(error.errno, error.strerror, str(path)) from error
    finally:
        with suppress(OSError):  # where the folder is none, there is nothing, either
            draft.unlink(missing_ok=True)
