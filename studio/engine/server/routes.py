"""Routes as data: method, path, role, function; what a function receives and may return."""

from __future__ import annotations

import enum
from collections.abc import AsyncIterator, Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal, NamedTuple

from pydantic import BaseModel

Method = Literal["GET", "POST", "DELETE"]


class Role(enum.StrEnum):
    """Permission of a token; each role has those of the roles before it."""

    READ = "read"
    RUN = "run"
    ADMIN = "admin"

    def allows(self, needed: Role) -> bool:
        """Return True if a token of this role may call a route that needs a role."""
        return list(Role).index(self) >= list(Role).index(needed)


@dataclass(frozen=True, slots=True)
class Parameter:
    """A parameter after the question mark of an address.

    Attributes:
        name: Its name.
        help: Description.
        default: Value if it is missing; an int if it is a whole number.
        low: Lowest whole number.
        high: Highest whole number.
        choices: Allowed texts; empty for any.
    """

    name: str
    help: str
    default: str | int = ""
    low: int = 0
    high: int = 2**53
    choices: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class CheckedRequest:
    """A request whose token, parameters and body were checked.

    Attributes:
        role: Role of the token; None on a route without one.
        path: Parts of the path by their names.
        query: Parameters by their names.
        fields: The JSON body of a route with a `body`.
        picture: File with the body of a route that takes a picture; removed after the call.
        last_event: The header `Last-Event-ID`; empty if it is missing.
    """

    role: Role | None = None
    path: Mapping[str, str] = field(default_factory=dict)
    query: Mapping[str, Any] = field(default_factory=dict)
    fields: BaseModel | None = None
    picture: Path = Path()
    last_event: str = ""


@dataclass(frozen=True, slots=True)
class Payload:
    """Bytes to return, such as a PNG file."""

    data: bytes
    media_type: str


@dataclass(frozen=True, slots=True)
class Download:
    """A file to return.

    Attributes:
        path: The file.
        name: Name under which a browser saves it.
        temporary: Folder that is removed after the transfer; None for none.
    """

    path: Path
    name: str
    temporary: Path | None = None


class Stream(NamedTuple):
    """Server-sent events to return, as encoded lines."""

    lines: AsyncIterator[bytes]


Answer = Callable[[CheckedRequest], object]
"""Runs in a thread; returns data for JSON, `Payload`, `Download` or `Stream`.

Raises `RefusedError`, or `StudioError` for mistakes of the client.
"""


@dataclass(frozen=True, slots=True)
class Route:
    """An address and the function that answers it.

    Attributes:
        method: HTTP method.
        path: Path with `{name}` for its variable parts.
        role: Role that the token needs; None if no token is needed.
        summary: One line for people.
        answer: The function.
        parameters: Parameters after the question mark.
        body: Type of the JSON body; None if it has none.
        takes_picture: True if the body is a picture.
        status: Status of the response to a successful request.
        media_type: Type of the response.
    """

    method: Method
    path: str
    role: Role | None
    summary: str
    answer: Answer
    parameters: tuple[Parameter, ...] = ()
    body: type[BaseModel] | None = None
    takes_picture: bool = False
    status: int = 200
    media_type: str = "application/json"


class RefusedError(Exception):
    """A request that is refused.

    Attributes:
        status: HTTP status of the response.
    """

    def __init__(self, status: int, text: str) -> None:
        super().__init__(text)
        self.status = status
