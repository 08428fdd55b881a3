"""YAML 1.2 read into plain data that remembers its lines, every duplicate key reported.

Knows nothing of leagues: what the data must look like is checked in `arena.league.config`.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from ruamel.yaml import YAML
from ruamel.yaml.error import MarkedYAMLError, YAMLError
from ruamel.yaml.nodes import MappingNode, Node, ScalarNode, SequenceNode

Keys = tuple[str | int, ...]
"""Where a value is: the keys and indices that lead to it from the top."""

_MAX_NODES = 100_000
_SCALARS = ("null", "bool", "int", "float")


@dataclass(frozen=True)
class Problem:
    """One mistake: its line (0 where there is none to name), where it is, and what is wrong."""

    line: int
    keys: Keys
    text: str

    def __str__(self) -> str:
        """Return `line: key.path: what is wrong`, without what is not known."""
        line = f"{self.line}: " if self.line else ""
        where = f"{key_path(self.keys)}: " if self.keys else ""
        return f"{line}{where}{self.text}"


@dataclass
class Document:
    """A file's data, the line of every value in it, and what is wrong with it as YAML."""

    data: Any = None
    lines: dict[Keys, int] = field(default_factory=dict)
    problems: list[Problem] = field(default_factory=list)

    def problem(self, keys: Keys, text: str) -> Problem:
        """Make a problem at the line of `keys`, or of the closest thing around them that is there."""
        known = (keys[:end] for end in range(len(keys), -1, -1))
        return Problem(next((self.lines[place] for place in known if place in self.lines), 0), keys, text)


def key_path(keys: Keys) -> str:
    """Write keys as people do: `games[1].size`."""
    return "".join(f"[{key}]" if isinstance(key, int) else f".{key}" for key in keys).removeprefix(".")


def read_document(path: Path) -> Document:
    """Read a file; whatever is wrong is in the document's problems, nothing is raised."""
    try:
        text = path.read_text(encoding="utf-8")
    except OSError as error:
        return Document(problems=[Problem(0, (), f"cannot be read: {error.strerror or error}")])
    except UnicodeDecodeError as error:
        line = error.object[: error.start].count(b"\n") + 1
        return Document(problems=[Problem(line, (), "is not text in UTF-8")])
    return parse_document(text)


def parse_document(text: str) -> Document:
    """Parse a text; whatever is wrong is in the document's problems, nothing is raised."""
    yaml = YAML(typ="safe", pure=True)
    try:
        root = yaml.compose(text)
        return Document(lines={(): 1}) if root is None else _Builder(yaml).build(root)
    except RecursionError:
        return Document(problems=[Problem(1, (), "is nested too deeply")])
    except YAMLError as error:
        return Document(problems=[_syntax_problem(error, text)])


def _syntax_problem(error: YAMLError, text: str) -> Problem:
    if isinstance(error, MarkedYAMLError) and error.problem_mark is not None:
        parts = [str(part) for part in (error.problem, error.context) if part]
        parts.sort(key=lambda part: part.startswith("but "))
        return Problem(error.problem_mark.line + 1, (), f"wrong YAML: {' '.join(parts)}")
    position = getattr(error, "position", 0)  # a ReaderError: a character that YAML does not allow
    return Problem(text[:position].count("\n") + 1, (), "wrong YAML: " + str(error).splitlines()[0])


class _Builder:
    """Turns nodes into a document: the composer knows lines, the constructor would forget them."""

    def __init__(self, yaml: YAML) -> None:
        self.yaml = yaml
        self.document = Document()
        self.inside: list[Node] = []
        self.count = 0

    def build(self, root: Node) -> Document:
        self.document.lines[()] = 1
        self.document.data = self._value(root, ())
        return self.document

    def _value(self, node: Node, keys: Keys) -> Any:
        self.document.lines.setdefault(keys, node.start_mark.line + 1)
        self.count += 1
        if node in self.inside:
            return self._wrong(keys, "refers to itself")
        if self.count > _MAX_NODES:  # aliases of aliases grow without bound
            return self._wrong((), "is too large") if self.count == _MAX_NODES + 1 else None
        self.inside.append(node)
        value = self._construct(node, keys)
        self.inside.pop()
        return value

    def _construct(self, node: Node, keys: Keys) -> Any:
        if isinstance(node, MappingNode):
            return {key: self._value(value, (*keys, key)) for key, value in self._entries(node, keys)}
        if isinstance(node, SequenceNode):
            return [self._value(item, (*keys, index)) for index, item in enumerate(node.value)]
        return self._scalar(node, keys)

    def _entries(self, node: MappingNode, keys: Keys) -> Iterator[tuple[str, Node]]:
        """Yield keys as they are written (`1` is the label "1"), each once."""
        seen: dict[str, int] = {}
        for key_node, value in node.value:
            line = key_node.start_mark.line + 1
            if not isinstance(key_node, ScalarNode):
                self.document.problems.append(Problem(line, keys, "a key must be a word"))
                continue
            key = str(key_node.value)
            if key in seen:
                text = f"duplicate key: it is already in line {seen[key]}"
                self.document.problems.append(Problem(line, (*keys, key), text))
                continue
            seen[key] = line
            self.document.lines[*keys, key] = line
            yield key, value

    def _scalar(self, node: Node, keys: Keys) -> Any:
        kind = str(node.tag).rpartition(":")[2]
        if kind not in _SCALARS:
            if str(node.tag).startswith("!") or kind not in ("str", "timestamp"):
                return self._wrong(keys, f"the tag {node.tag} is not supported")
            return str(node.value)  # YAML 1.2 has no dates
        try:
            return self.yaml.constructor.construct_object(node)
        except (YAMLError, ValueError, KeyError):
            return self._wrong(keys, f"{node.value!r} is not of the kind {node.tag}")

    def _wrong(self, keys: Keys, text: str) -> None:
        self.document.problems.append(self.document.problem(keys, text))
