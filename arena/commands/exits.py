"""How commands end: exit codes, and what is said of an error."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable
from contextlib import suppress
from typing import NoReturn

import click

FAILED = 1
BAD_INPUT = 2
UNPROVEN = 3
INTERRUPTED = 130


def fail(error: OSError) -> NoReturn:
    """End because the system refuses something: quietly where only the reader of our output is gone."""
    with suppress(OSError):  # what is left in the buffers would fail once more when Python ends
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    text = f"arena: {error.filename or 'standard output'}: {error.strerror or error}"
    refuse([] if isinstance(error, BrokenPipeError) else [text], FAILED)


def refuse(lines: Iterable[str], exit_code: int = BAD_INPUT) -> NoReturn:
    """Say what is wrong, and end."""
    for line in lines:
        click.echo(line, err=True)
    sys.exit(exit_code)
