"""Games drawn ply by ply, in little room: what a page keeps of them, and `static/replay.js` unpacks.

Pictures of one game have most of their tags in common. So each is a list of indices into the tags and texts
of the whole game, and the whole is compressed. Which games are drawn is decided in `arena.report.replays`.
"""

from __future__ import annotations

import base64
import json
import re
import zlib
from collections.abc import Mapping
from typing import Any

_PART = re.compile(r"<[^>]*>?|[^<]+")
"""A tag, or the text between two; joined, the parts of any text are that text."""


class Pool:
    """The parts of all pictures of a game, each kept once."""

    def __init__(self) -> None:
        self._places: dict[str, int] = {}

    def add(self, picture: str) -> list[int]:
        """Return where the parts of a picture are in `parts`."""
        places = self._places
        return [places.setdefault(part, len(places)) for part in _PART.findall(picture)]

    @property
    def parts(self) -> list[str]:
        """What the pictures are made of."""
        return list(self._places)


def pack(data: Mapping[str, Any]) -> str:
    """Return data as JSON, compressed as zlib does, in base64: letters that no HTML needs escaped."""
    text = json.dumps(data, separators=(",", ":"), allow_nan=False)
    return base64.b64encode(zlib.compress(text.encode())).decode("ascii")
