"""Text files of annotations, in the encodings that editors of several systems write."""

from __future__ import annotations

import codecs
from typing import Final

_UTF_16: Final = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)


def decoded(data: bytes) -> str:
    """Return the text of a file in UTF-8, or in UTF-16 if it begins with its mark.

    Bytes that are no text become U+FFFD.
    """
    if data.startswith(_UTF_16):
        return data.decode("utf-16", "replace")
    return data.decode("utf-8-sig", "replace")


def as_utf8(data: bytes) -> bytes:
    """Return a text in UTF-16 or UTF-8 with a mark as UTF-8 without one; others as they are."""
    if data.startswith(_UTF_16):
        return decoded(data).encode("utf-8", "replace")
    return data.removeprefix(codecs.BOM_UTF8)
