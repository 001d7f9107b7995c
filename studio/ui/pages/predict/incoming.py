"""What a drag or the clipboard holds that can be classified."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from PySide6.QtCore import QMimeData, QUrl
from PySide6.QtGui import QImage, QPixmap

from studio.ui.widgets.drop_area import local_paths

_LONGEST = 2048
"""Letters of a text that may be an address."""


@dataclass(frozen=True, slots=True)
class Incoming:
    """Files and folders, a picture without a file, or the address of one; only one of them."""

    paths: tuple[Path, ...] = ()
    image: QImage | None = None
    address: str = ""


def has_something(data: QMimeData | None) -> bool:
    """Whether `incoming` would find something; quick, for while the mouse moves.

    An empty clipboard gives None, whatever PySide's types say.
    """
    return data is not None and (
        bool(local_paths(data)) or data.hasImage() or bool(_address_in(data))
    )


def incoming(data: QMimeData | None) -> Incoming | None:
    """Local files, else image data (as browsers give), else an address, else nothing."""
    if data is None:
        return None
    paths = local_paths(data)
    if paths:
        return Incoming(paths=tuple(paths))
    held = data.imageData() if data.hasImage() else None
    image = held.toImage() if isinstance(held, QPixmap) else held
    if isinstance(image, QImage) and not image.isNull():
        return Incoming(image=image)
    address = _address_in(data)
    return Incoming(address=address) if address else None


def web_address(text: str) -> str:
    """A text as an address of the web; empty where it is none."""
    words = text.strip()
    if len(words) > _LONGEST or not words.casefold().startswith(("http://", "https://")):
        return ""
    url = QUrl(words, QUrl.ParsingMode.TolerantMode)
    is_whole = url.isValid() and bool(url.host()) and not any(map(str.isspace, words))
    return bytes(url.toEncoded().data()).decode() if is_whole else ""


def _address_in(data: QMimeData) -> str:
    for url in data.urls() if data.hasUrls() else []:
        address = web_address(bytes(url.toEncoded().data()).decode())
        if address:
            return address
    return web_address(data.text()) if data.hasText() else ""
