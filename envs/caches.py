"""Where compiled kernels lie on disk: a file for each kernel and the types it is compiled for.

numba keeps one index per function beside its data files, and writes the index first. Processes that
compile one kernel for two games at the same time can so file the code of one game under the
other's name, and a process that reads between the two writes gets the code from before an edit.
Here every specialisation is one file, replaced in one piece, under a seal that says what it was
compiled from and that it is whole.
"""

from __future__ import annotations

import hashlib
import os
import pickle
import re
import uuid
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numba
from numba.core.caching import FunctionCache
from numba.core.serialize import dumps

from envs.sources import fingerprint

_SEAL = hashlib.sha256().digest_size
_FINGERPRINT = re.compile(r"\[[0-9a-f]{16}\]")


class LinkedSourcesCache(FunctionCache):  # type: ignore[misc] # numba has no types
    """numba's disk cache, which besides the kernel's own file heeds every file it links to."""

    def __init__(self, function: Callable[..., Any]) -> None:
        """Find the folder for `function`, and take the fingerprint of what it is made of."""
        super().__init__(function)
        # Taken now, while the code in memory is the code on disk, not when something is saved.
        self._sources = fingerprint(function.__module__)
        stamp = self._impl.locator.get_source_stamp()
        self._cache_file = _OneFileEach(Path(self._cache_path), self._impl.filename_base, stamp)

    def _index_key(self, sig: Any, codegen: Any) -> tuple[Any, ...]:
        return (*super()._index_key(sig, codegen), self._sources)


class _OneFileEach:
    """Takes the place of numba's index and data files; a key is what `_index_key` returns."""

    def __init__(self, folder: Path, stem: str, stamp: Any) -> None:
        self._folder, self._stem, self._stamp = folder, stem, stamp

    def load(self, key: tuple[Any, ...]) -> Any:
        """Return what was saved under `key`, or None."""
        try:
            content = self._path(key).read_bytes()
        except OSError:
            return None
        seal, data = content[:_SEAL], content[_SEAL:]
        return pickle.loads(data) if seal == self._seal(key, data) else None

    def save(self, key: tuple[Any, ...], data: Any) -> None:
        """Keep `data` under `key`, in the place of what the same types had before an edit."""
        path = self._path(key)
        new = path.with_name(f"{path.name}.{uuid.uuid4().hex[:16]}")
        try:
            pickled = dumps(data)
            new.write_bytes(self._seal(key, pickled) + pickled)
            os.replace(new, path)
        finally:
            new.unlink(missing_ok=True)

    def flush(self) -> None:
        """Forget everything."""
        for path in self._folder.glob(f"{self._stem}.*.nbc"):
            path.unlink(missing_ok=True)

    def _path(self, key: tuple[Any, ...]) -> Path:
        # Without the fingerprints of games: an edited game takes the file of the game before the edit.
        types, machine = _FINGERPRINT.sub("", repr(key[0])), repr(key[1])
        return self._folder / f"{self._stem}.{_digest(types, machine).hex()[:16]}.nbc"

    def _seal(self, key: tuple[Any, ...], data: bytes) -> bytes:
        parts = (numba.__version__, repr(self._stamp), repr(key))
        return _digest(*parts, hashlib.sha256(data).hexdigest())


def _digest(*parts: str) -> bytes:
    return hashlib.sha256("\0".join(parts).encode()).digest()
