"""Tokens of the servers whose workspaces were opened, in a file that only this user can read."""

from __future__ import annotations

import os
import secrets
from pathlib import Path
from typing import Final

import platformdirs
from filelock import FileLock
from pydantic import BaseModel

from studio.engine.documents import read_document
from studio.engine.files import locked, move, remove

FILE: Final = "server-tokens.json"
_HINT: Final = "Delete it and open the served workspaces again."


class _TokenStore(BaseModel, frozen=True):
    version: int = 1
    tokens: dict[str, str] = {}


def stored_token(url: str) -> str:
    """Return the token that was last used for a server; empty if there is none.

    Raises:
        BadDataError: The file is damaged.
    """
    return _read(tokens_file()).tokens.get(url, "")


def store_token(url: str, token: str) -> None:
    """Store the token for a server, in place of another one.

    Args:
        url: Address of the server.
        token: The token.

    Raises:
        StudioError: The file is damaged or in use.
        OSError: It cannot be written.
    """
    path = tokens_file()
    path.parent.mkdir(parents=True, exist_ok=True)
    lock = FileLock(path.with_suffix(".lock"), timeout=10)
    with locked(lock, "The file of tokens is in use."):
        tokens = {**_read(path).tokens, url: token}
        _write_privately(path, _TokenStore(tokens=tokens).model_dump_json(indent=1) + "\n")


def tokens_file() -> Path:
    """Return the file with the tokens."""
    return platformdirs.user_config_path("Studio") / FILE


def _read(path: Path) -> _TokenStore:
    found = read_document(path, _TokenStore, "list of tokens", _HINT)
    return _TokenStore() if found is None else found


def _write_privately(path: Path, text: str) -> None:
    """Write a file that other users can never read, not even while it is written."""
    draft = path.with_name(f".{path.name}-{secrets.token_hex(4)}")
    handle = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    try:
        with os.fdopen(handle, "w", encoding="utf-8") as file:
            file.write(text)
        move(draft, path)
    finally:
        remove(draft)
