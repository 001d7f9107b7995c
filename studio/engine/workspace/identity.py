"""Who asked for a job: work that was queued on another computer is not started unasked.

A workspace is a folder that people send each other. Its queue could make whoever opens it
download, train elsewhere or write files, so each entry of the queue carries a code that only this
user on this computer can make.
"""

from __future__ import annotations

import functools
import getpass
import hashlib
import hmac
import os
import secrets
import uuid
from pathlib import Path

import platformdirs

from studio.engine.files import move, remove

KEY_FILE = "machine.key"
_KEY_BYTES = 32


def code_for(content: bytes) -> str:
    """Return a code for some content that another user or computer cannot make.

    Args:
        content: Everything that the code vouches for.
    """
    return hmac.new(machine_key(), content, hashlib.sha256).hexdigest()


def is_code_for(code: str, content: bytes) -> bool:
    """Return True if this user made the code on this computer, for the same content."""
    return hmac.compare_digest(code.encode(), code_for(content).encode())


@functools.cache
def machine_key() -> bytes:
    """Return the secret of this user on this computer; made when it is first needed.

    Where no settings can be written it is derived from the computer and the user: then it protects
    from mistakes, not from somebody who knows both.
    """
    path = platformdirs.user_config_path("Studio") / KEY_FILE
    try:
        return _stored_key(path)
    except OSError:
        return hashlib.sha256(f"{uuid.getnode()} {getpass.getuser()}".encode()).digest()


def _stored_key(path: Path) -> bytes:
    if not path.exists():
        path.parent.mkdir(parents=True, exist_ok=True)
        # Written beside and linked: of two processes that start at once, one key stays.
        draft = path.with_name(f".{path.name}-{secrets.token_hex(4)}")
        handle = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        try:
            os.write(handle, secrets.token_bytes(_KEY_BYTES))
        finally:
            os.close(handle)
        try:
            os.link(draft, path)  # fails where another process was faster
        except FileExistsError:
            pass
        except OSError:  # a disk without hard links
            move(draft, path)
        finally:
            remove(draft)
    return path.read_bytes()
