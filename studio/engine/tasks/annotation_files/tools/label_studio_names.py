"""Names of pictures in exports of Label Studio: uploads, local files and addresses."""

from __future__ import annotations

import re
from typing import TypeGuard
from urllib.parse import parse_qs, unquote, urlsplit

from studio.engine.tasks.annotation_files.pairs import PictureNames

_PICTURE = re.compile(r"\.(png|jpe?g|jfif|jpe|bmp|gif|tiff?|webp|ppm|pgm)$", re.IGNORECASE)
_LONGEST = 4096


def path_in(value: str) -> str:
    """Return the path in a value of the data of a task: of a file, an upload or an address."""
    try:
        parts = urlsplit(value)
        if parts.path.rstrip("/").endswith("local-files"):
            return parse_qs(parts.query).get("d", [""])[0]
    except ValueError:  # no address, but a name with brackets
        return value
    return unquote(parts.path) if len(parts.scheme) > 1 else unquote(value.partition("?")[0])


def is_picture(value: object) -> TypeGuard[str]:
    """Return True if a value of the data of a task names a picture."""
    if not isinstance(value, str) or not 0 < len(value) <= _LONGEST:
        return False
    return _PICTURE.search(path_in(value)) is not None


def find_picture(names: PictureNames, value: str, path: str) -> str | None:
    """Return the path of the picture that a task names; None without one.

    Args:
        names: Finds the pictures.
        value: Value in the data of the task.
        path: Path of the file with the task.
    """
    return names.find(path_in(value), path)
