"""A fingerprint of the source code a module is made of, its own and what it imports.

Compiled kernels are cached on disk under these fingerprints (see `envs.kernels`), so that an
edited game, or an edited helper of a kernel, is compiled again. Installed libraries are left
out: numba and NumPy name their own version in the cache.
"""

from __future__ import annotations

import ast
import functools
import hashlib
import sys
import uuid
from collections.abc import Iterator
from itertools import accumulate
from pathlib import Path

_INSTALLED = {"site-packages", "dist-packages"}
"""Folders of installed libraries, this environment's and those it may build on."""


def fingerprint(module_name: str) -> str:
    """Hash the sources of `module_name` and of every project module it imports, directly or not.

    A module without a source file (an interactive session) gets a fresh value every time it is asked
    for: it cannot be told from an edited one, so nothing compiled for it is found again.
    """
    digest = hashlib.sha256()
    for name in sorted(_closure(module_name)):
        path = _source_file(name)
        digest.update(name.encode() + (path.read_bytes() if path else uuid.uuid4().bytes))
    return digest.hexdigest()[:16]


def _closure(root: str) -> set[str]:
    own_packages = {root.partition(".")[0], "envs", "agents"}
    found: set[str] = set()
    pending = [root]
    while pending:
        name = pending.pop()
        if name in found:
            continue
        found.add(name)
        path = _source_file(name)
        if path is not None:
            package = getattr(sys.modules.get(name), "__package__", None) or ""
            pending += [m for m in _imports(path, _stamp(path), package) if _is_ours(m, own_packages)]
    return found


def _source_file(name: str) -> Path | None:
    file = getattr(sys.modules.get(name), "__file__", None)
    return Path(file) if file and file.endswith(".py") and Path(file).exists() else None


def _stamp(path: Path) -> tuple[int, int]:
    stat = path.stat()
    return stat.st_mtime_ns, stat.st_size


def _is_ours(name: str, own_packages: set[str]) -> bool:
    path = _source_file(name)
    if path is None or name.partition(".")[0] in sys.stdlib_module_names:
        return False
    return name.partition(".")[0] in own_packages or _INSTALLED.isdisjoint(path.resolve().parts)


@functools.cache
def _imports(path: Path, stamp: tuple[int, int], package: str) -> tuple[str, ...]:
    """Names of modules that the file may import; `stamp` keeps the memory from going stale."""
    return tuple(_imported_names(ast.parse(path.read_bytes()), package))


def _imported_names(tree: ast.AST, package: str) -> Iterator[str]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            for alias in node.names:  # `import a.b` runs `a` as well, and may use it
                yield from accumulate(alias.name.split("."), "{}.{}".format)
        elif isinstance(node, ast.ImportFrom):
            parent = package.split(".")[: len(package.split(".")) - node.level + 1] if node.level else []
            base = ".".join([*parent, *([node.module] if node.module else [])])
            yield base
            yield from (f"{base}.{alias.name}" for alias in node.names)
