"""What a seat sends, put together piece by piece, so that half a message holds nobody up.

The form is that of `multiprocessing.connection.Connection.send_bytes`: a length, then so many bytes.
"""

from __future__ import annotations

import os
import struct
from multiprocessing.connection import Connection

LONGEST = 1 << 26
"""No message is longer, in bytes."""
_AT_ONCE = 1 << 16
_LENGTH = struct.Struct("!i")


class Inbox:
    """Reads from the connection of a seat only what is there already."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection
        self._data = bytearray()

    @property
    def begun(self) -> bool:
        """Whether a part of a message has come."""
        return bool(self._data)

    def read(self) -> None:
        """Take what there is; the connection is known to be readable.

        Raises:
            OSError: when the other end is closed.
        """
        data = os.read(self._connection.fileno(), _AT_ONCE)
        if not data:
            raise ConnectionResetError("the other end is closed")
        self._data += data

    def message(self) -> bytes | None:
        """Return the first whole message, or None.

        Raises:
            ValueError: when what has come cannot be the beginning of one.
        """
        if len(self._data) < _LENGTH.size:
            return None
        (length,) = _LENGTH.unpack_from(self._data)
        if not 0 <= length <= LONGEST:
            raise ValueError(f"a message of {length} bytes")
        end = _LENGTH.size + length
        if len(self._data) < end:
            return None
        message = bytes(self._data[_LENGTH.size : end])
        del self._data[:end]
        return message
