"""Whether `agents` and `envs` are Arena's own packages, asked before either is imported.

Both are common names: other distributions install an `agents` too, and a folder named so in the
current directory comes first under `python -m`. Nothing of what is found is run to find out.
"""

from __future__ import annotations

import importlib.util
from importlib import metadata
from importlib.machinery import ModuleSpec
from pathlib import Path

DISTRIBUTION = "game-ai-arena"
"""Our distribution; the `__init__.py` of `agents` and of `envs` name it, and that is their mark."""


def foreign_packages() -> list[str]:
    """Return a complaint for each of `agents` and `envs` that belongs to somebody else."""
    home = Path(__file__).resolve().parent.parent
    found = ((name, importlib.util.find_spec(name)) for name in ("agents", "envs"))
    return [_complaint(name, spec, home) for name, spec in found if not _is_ours(name, spec, home)]


def _is_ours(name: str, spec: ModuleSpec | None, home: Path) -> bool:
    """Look at the place and at the mark: two distributions may have written the same file."""
    if spec is None or spec.origin is None:
        return False
    return Path(spec.origin).resolve() == home / name / "__init__.py" and _is_marked(spec.origin)


def _is_marked(origin: str | None) -> bool:
    file = Path(origin or "")
    return file.suffix == ".py" and DISTRIBUTION in file.read_text(encoding="utf-8", errors="replace")


def _complaint(name: str, spec: ModuleSpec | None, home: Path) -> str:
    if spec is None:
        return f"the package {name!r} is missing. Remedy: install {DISTRIBUTION} again."
    places = [spec.origin] if spec.origin else list(spec.submodule_search_locations or [])
    where = places[0] if places else "an unknown place"
    if _is_marked(spec.origin):
        return (
            f"two copies of Arena are mixed: 'arena' is {home / 'arena'}, {name!r} is {Path(where).parent}. "
            f"Remedy: leave one of them on the path, or install {DISTRIBUTION} again."
        )
    owner = _owner(name)
    if owner is None and spec.origin is None and Path(where).resolve() == home / name:
        return f"the package {name!r} in {where} is incomplete. Remedy: install {DISTRIBUTION} again."
    if owner is None:
        return (
            f"Python finds somebody else's package {name!r}: {where}, which no distribution installed. "
            "Remedy: run arena from another folder, or take that one off PYTHONPATH."
        )
    return (
        f"Python finds somebody else's package {name!r}: {where}, installed by {owner}. "
        f"Remedy: install {DISTRIBUTION} in a virtual environment of its own, without {owner.split()[0]}."
    )


def _owner(name: str) -> str | None:
    """Name the other distribution, with its version, that installed a package called `name`."""
    others = [owner for owner in metadata.packages_distributions().get(name, []) if owner != DISTRIBUTION]
    return f"{others[0]} {metadata.version(others[0])}" if others else None
