"""Tokens and roles, and the names by which a server may be addressed.

A workspace stores no token, but a code for each that only this user on this computer can make
(`queue.code_for`), which also vouches for name and role. So a workspace from another
computer brings no tokens with it, and editing the file cannot raise a role.
"""

from __future__ import annotations

import contextlib
import logging
import secrets
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Final

from filelock import FileLock
from pydantic import BaseModel, Field

from studio.engine.documents import read_document, write_document
from studio.engine.errors import StudioError, did_you_mean
from studio.engine.files import locked
from studio.engine.jobs.queue import code_for, is_code_for
from studio.engine.server.routes import RefusedError, Role
from studio.engine.web.address import LOCAL_NAMES
from studio.engine.workspace import Workspace
from studio.engine.workspace.records import checked_word

FILE: Final = ".tokens.json"
_TOKEN_BYTES: Final = 32
_log = logging.getLogger(__name__)


class StoredToken(BaseModel, frozen=True):
    """A token of a workspace.

    Attributes:
        name: Its name, such as that of a person.
        role: Its role.
        created: Time of creation.
        code: Code of name, role and token.
    """

    name: str
    role: Role
    created: datetime = Field(default_factory=lambda: datetime.now(UTC))
    code: str = ""

    def content(self, token: str) -> bytes:
        """Return what the code vouches for."""
        return f"token {self.role}\n{self.name}\n{token}".encode()


class _TokenFile(BaseModel, frozen=True):
    version: int = 1
    tokens: tuple[StoredToken, ...] = ()


def stored_tokens(workspace: Workspace) -> tuple[StoredToken, ...]:
    """Return the tokens of a workspace, oldest first.

    Raises:
        BadDataError: The file is damaged.
    """
    hint = "Delete it and create new tokens."
    found = read_document(workspace.root / FILE, _TokenFile, "list of tokens", hint)
    return () if found is None else found.tokens


def add_token(workspace: Workspace, name: str, role: Role) -> str:
    """Create a token and return it; it cannot be read again later.

    Args:
        workspace: The workspace.
        name: Name of the token, such as that of a person.
        role: Its role.

    Raises:
        StudioError: The name is empty, not fit or taken.
    """
    word = checked_word(name)
    if not word:
        raise StudioError("A token needs a name.", where="name")
    with _changing(workspace) as tokens:
        if any(each.name.casefold() == word.casefold() for each in tokens):
            raise StudioError(
                'There is already a token "{name}".', "Remove it first.", "name", name=word
            )
        token = secrets.token_urlsafe(_TOKEN_BYTES)
        stored = StoredToken(name=word, role=role)
        code = code_for(stored.content(token))
        tokens.append(stored.model_copy(update={"code": code}))
    return token


def remove_token(workspace: Workspace, name: str) -> None:
    """Remove a token; running servers refuse it from their next request on.

    Args:
        workspace: The workspace.
        name: Name of the token.

    Raises:
        StudioError: It does not exist.
    """
    with _changing(workspace) as tokens:
        left = [each for each in tokens if each.name.casefold() != name.casefold()]
        if len(left) == len(tokens):
            hint = did_you_mean(name, [each.name for each in tokens])
            raise StudioError('There is no token "{name}".', hint, "name", name=name)
        tokens[:] = left


@contextlib.contextmanager
def _changing(workspace: Workspace) -> Iterator[list[StoredToken]]:
    workspace.require_writable()
    lock = FileLock(workspace.root / ".tokens.lock", timeout=10)
    with locked(lock, "The list of tokens is in use."):
        tokens = list(stored_tokens(workspace))
        yield tokens
        path = write_document(workspace.root / FILE, _TokenFile(tokens=tuple(tokens)))
        path.chmod(0o600)


@dataclass(frozen=True, slots=True)
class Access:
    """Tokens of a server, and the names under which it may be called.

    Attributes:
        token: Token with the role admin that ends with the server; empty for none.
        stored: Returns the other tokens as they are now.
        names: Names in the header Host beside those of this computer.
    """

    token: str = ""
    stored: Callable[[], Sequence[StoredToken]] = tuple
    names: frozenset[str] = field(default_factory=frozenset)

    def check(self, headers: Mapping[str, str], needed: Role | None) -> Role | None:
        """Return the role of a request.

        Args:
            headers: Its headers.
            needed: Role that the route needs; None if it needs no token.

        Raises:
            RefusedError: It was sent to another name or by another website, the token is missing
                or wrong, its role is not sufficient, or the tokens cannot be read.
        """
        self._require_host(headers.get("host", ""))
        _require_origin(headers)
        if needed is None:
            return None
        kind, _, given = headers.get("authorization", "").partition(" ")
        role = self._role_of(given.strip()) if kind.lower() == "bearer" else None
        if role is None:
            raise RefusedError(401, "A token is required: Authorization: Bearer TOKEN.")
        if not role.allows(needed):
            raise RefusedError(403, f"This needs the role {needed}; the token has {role}.")
        return role

    def _require_host(self, host: str) -> None:
        """Refuse requests by websites that let their own host name point to this computer."""
        name = host.rpartition(":")[0] if host.rpartition(":")[2].isdigit() else host
        if name.lower() not in LOCAL_NAMES | self.names:
            allowed = " or ".join(sorted({"127.0.0.1"} | self.names))
            raise RefusedError(403, f"Requests must be sent to {allowed}; received {host[:80]!r}.")

    def _role_of(self, given: str) -> Role | None:
        """Return the role of a token; every stored one is compared, each in constant time.

        Raises:
            RefusedError: The stored tokens cannot be read.
        """
        data, found = given.encode("utf-8", "backslashreplace"), None
        if self.token and secrets.compare_digest(data, self.token.encode()):
            return Role.ADMIN
        text = data.decode()
        try:
            stored = self.stored() if given else ()
        except StudioError as error:
            _log.error("%s", error)  # its text names folders
            raise RefusedError(503, "The tokens cannot be read; see the log.") from error
        for each in stored:
            if is_code_for(each.code, each.content(text)):
                found = found or each.role
        return found


def _require_origin(headers: Mapping[str, str]) -> None:
    """Refuse requests that a browser sends for a page of another website or program."""
    _, _, origin = headers.get("origin", "").partition("://")
    is_other = "origin" in headers and origin.lower() != headers["host"].lower()
    if is_other or headers.get("sec-fetch-site", "") in ("cross-site", "same-site"):
        raise RefusedError(403, "Requests by pages of other websites are refused.")
