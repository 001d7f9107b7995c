"""Paths on other computers, which are opened only if a person chose them."""

from __future__ import annotations

import re
from typing import Final

_SCHEME: Final = re.compile(r"(?!https?:)[a-z][a-z0-9+.-]{1,20}:(?=[/\\])", re.IGNORECASE)
"""Beginning of an address that is neither of the web nor a drive letter."""


def is_network_path(path: str) -> bool:
    r"""Return True for a path such as `\\server\share`, `//server`, `file://` or `smb:\\server`.

    Windows sends the name and a code of the password of a user to the server of such a path as
    soon as it is opened, or only looked for. So a path that a file names is never opened by itself
    if it is one; the rule is the same on every system.
    """
    plain = path.strip().replace("\\", "/")
    return plain.startswith("//") or _SCHEME.match(plain) is not None
