"""Messages between two Studios over a pipe: a line of JSON, and bytes.

Plain data only: nothing that is received is executed. Sizes are limited before anything is read.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import IO, Any, Final

PIECE_BYTES: Final = 4 * 2**20
"""Files travel in pieces of this size."""
MAX_HEAD_BYTES: Final = 64 * 2**20
MAX_BODY_BYTES: Final = 64 * 2**20


class BrokenFrameError(Exception):
    """The other side has gone, or has sent something that is no message."""


def write_frame(file: IO[bytes], head: Mapping[str, object], body: bytes = b"") -> None:
    """Write a message.

    Args:
        file: The pipe.
        head: Plain data.
        body: Bytes of a file.

    Raises:
        OSError: The other side has gone.
    """
    line = json.dumps({**head, "size": len(body)}, separators=(",", ":")).encode()
    file.write(line + b"\n" + body)
    file.flush()


def read_frame(file: IO[bytes]) -> tuple[dict[str, Any], bytes]:
    """Read a message.

    Raises:
        BrokenFrameError: The pipe was closed, or contains no message.
    """
    line = file.readline(MAX_HEAD_BYTES)
    if not line.endswith(b"\n"):
        raise BrokenFrameError("the connection was closed")
    try:
        head = json.loads(line)
        size = int(head.pop("size"))
    except (ValueError, TypeError, KeyError, AttributeError, RecursionError) as error:
        raise BrokenFrameError(line[:200].decode("utf-8", "replace").strip()) from error
    if not 0 <= size <= MAX_BODY_BYTES:
        raise BrokenFrameError(str(size))
    body = file.read(size)
    if len(body) < size:
        raise BrokenFrameError("the connection was closed")
    return head, body
