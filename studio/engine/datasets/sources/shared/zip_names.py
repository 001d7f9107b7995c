"""Names of the entries of zip files that were made without the rules for names.

The format has forward slashes, and marks names in UTF-8. Programs on Windows write backslashes and
the code page of the console; others write UTF-8 without the mark.
"""

from __future__ import annotations

import zipfile
from collections.abc import Sequence
from typing import Final, NamedTuple

from studio.engine.messages import Text, message

_IS_UTF8: Final = 0x800
"""Flag of an entry whose name is marked as UTF-8."""
_PAGES: Final = ("utf-8", "cp437", "cp850")
"""Encodings that are tried; `zipfile` decodes names without the mark as the second."""


class ZipNames(NamedTuple):
    """The names of all entries.

    Attributes:
        names: The names with forward slashes, in the order of the entries.
        warnings: Sentences about assumptions.
    """

    names: list[str]
    warnings: list[Text]


def zip_names(archive: zipfile.ZipFile) -> ZipNames:
    """Return the names of the entries of an archive.

    Args:
        archive: The open archive.
    """
    entries = archive.infolist()
    names = [entry.filename for entry in entries]
    raw = {index: data for index, entry in enumerate(entries) if (data := _unmarked(entry))}
    warnings: list[Text] = []
    if raw:
        page = _page(list(raw.values()))
        for index, data in raw.items():
            names[index] = data.decode(page)
        if page != _PAGES[0]:
            first = names[min(raw)]
            warning = message(
                "{count} names in the archive have an unknown encoding; they were read as "
                "{encoding}. Check the accents in: {name}",
                one="A name in the archive has an unknown encoding; it was read as {encoding}. "
                "Check the accents in: {name}",
                count=len(raw),
                encoding=page,
                name=first,
            )
            warnings.append(warning)
    if not any("/" in name for name in names):
        names = [name.replace("\\", "/") for name in names]
    return ZipNames(names, warnings)


def _unmarked(entry: zipfile.ZipInfo) -> bytes:
    """Return the bytes of a name of an unknown encoding; empty for others."""
    if entry.filename.isascii() or entry.flag_bits & _IS_UTF8:
        return b""
    try:
        return entry.filename.encode(_PAGES[1])
    except UnicodeEncodeError:  # of another field, which is UTF-8
        return b""


def _page(names: Sequence[bytes]) -> str:
    """Return the encoding in which all names are texts without frames of tables."""
    for page in _PAGES:
        try:
            texts = [name.decode(page) for name in names]
        except UnicodeDecodeError:
            continue
        if page == _PAGES[0] or all(
            sign.isalpha() and sign < "Ͱ" for text in texts for sign in text if not sign.isascii()
        ):
            return page
    return _PAGES[1]
