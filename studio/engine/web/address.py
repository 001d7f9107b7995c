"""Addresses where sources take a path: `https://…` and `s3://…` as a `Path`, and back as text.

A path keeps all of an address but one of its first two slashes, which comes back here. No file is
meant by such a path: on a disk it would be a folder that is called `https:`.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import Enum
from pathlib import Path, PurePosixPath
from urllib.parse import parse_qsl, quote, unquote, urlsplit

from studio.engine.errors import StudioError
from studio.engine.files import user_path
from studio.engine.messages import joined, message

_EXAMPLE = "Write it as s3://bucket/folder."


@dataclass(frozen=True, slots=True)
class Bucket:
    """Location of images in S3.

    Attributes:
        name: Name of the bucket.
        prefix: Prefix of the keys; empty, or with a slash at the end.
        endpoint: Address of a server that is not Amazon's, for example of MinIO; may be empty.
        region: May be empty: then boto3 knows it.
    """

    name: str
    prefix: str = ""
    endpoint: str = ""
    region: str = ""

    def __str__(self) -> str:
        """As a person writes it."""
        server = f" at {self.endpoint}" if self.endpoint else ""
        return f"s3://{self.name}/{self.prefix}{server}"

    @property
    def address(self) -> str:
        """All of it in one line, as a recipe keeps it."""
        query = "&".join(
            f"{word}={quote(value, '')}"
            for word, value in (("endpoint", self.endpoint), ("region", self.region))
            if value
        )
        folder = quote(self.prefix.rstrip("/"))
        return f"s3://{self.name}/{folder}".rstrip("/") + (f"?{query}" if query else "")


def bucket_of(path: Path | str) -> Bucket:
    """Return the bucket that an address names.

    Raises:
        StudioError: It is no address of a bucket, or contains a password.
    """
    parts = urlsplit(checked_address(path))
    values = dict(parse_qsl(parts.query))
    unknown = set(values) - {"endpoint", "region"}
    if unknown:
        raise StudioError(
            'An S3 address has the options endpoint and region, but not "{option}".',
            joined((_EXAMPLE, message("Credentials are read from the environment or a profile."))),
            "source",
            option=min(unknown),
        )
    endpoint = values.get("endpoint", "")
    if endpoint:
        endpoint = checked_endpoint(endpoint)
    prefix = unquote(parts.path).strip("/")
    return Bucket(parts.netloc, f"{prefix}/" if prefix else "", endpoint, values.get("region", ""))


def checked_endpoint(text: str) -> str:
    """Return the address of a server of S3.

    Raises:
        StudioError: It is invalid, or contains a password.
    """
    if not address_of(text).startswith(("http://", "https://")):
        raise StudioError(
            'The S3 endpoint must be an address; received "{endpoint}".',
            "For example https://minio.example.org:9000.",
            "s3_endpoint",
            endpoint=text,
        )
    return checked_address(text)


def with_server(location: str, endpoint: str, region: str) -> str:
    """Return a bucket's address with another endpoint and region.

    Args:
        location: Address of the bucket.
        endpoint: URL of the server; empty to keep it.
        region: Region; empty to keep it.

    Raises:
        StudioError: The address or the endpoint is invalid.
    """
    bucket = bucket_of(location)
    given = checked_endpoint(endpoint) if endpoint else bucket.endpoint
    return Bucket(bucket.name, bucket.prefix, given, region or bucket.region).address


# What progress says while bytes come rather than images; the name of the file follows.
DOWNLOADING = "Downloading"
LOCAL_NAMES = frozenset({"127.0.0.1", "localhost"})
"""Names by which programs of this computer reach each other."""
_ADDRESS = re.compile(r"(https?|s3):(?:/+(.*))?", re.IGNORECASE | re.DOTALL)


class Reach(Enum):
    """Networks that a request to the web may reach.

    Attributes:
        PUBLIC: To the public internet only: for addresses that a file names.
        TYPED: Wherever the user's own address leads; redirections of the public internet may not
            lead into the local network.
        ANYWHERE: The user has allowed internal addresses.
    """

    PUBLIC = "public"
    TYPED = "typed"
    ANYWHERE = "anywhere"


def address_of(path: Path | str) -> str:
    """Return the web address of a path, or an empty text if it is a file."""
    text = path.as_posix() if isinstance(path, Path) else path
    found = _ADDRESS.fullmatch(text.strip())
    return f"{found[1].lower()}://{found[2] or ''}" if found else ""


def is_web(path: Path) -> bool:
    """Return True if a path is a web address."""
    return address_of(path).startswith(("http://", "https://"))


def written(path: Path | str) -> str:
    """Return a place as a recipe stores it: an address, or an absolute path."""
    return address_of(path) or str(user_path(path).absolute())


def location_text(path: Path) -> str:
    """Return a place as it is displayed: an address, or a path with forward slashes."""
    return address_of(path) or path.as_posix()


def short_name(path: Path | str) -> str:
    """Return the last part of an address: `pets` for `https://host/sets/pets/?a=b`."""
    address = address_of(path)
    if not address:
        return Path(path).name
    parts = urlsplit(address)
    return PurePosixPath(unquote(parts.path)).name or parts.hostname or ""


def checked_address(path: Path | str) -> str:
    """Return the web address of a path.

    Raises:
        StudioError: It names no machine, or contains a password, which a plan must not keep.
    """
    address = address_of(path)
    try:
        parts = urlsplit(address)
        host, secret = parts.hostname, parts.username or parts.password
        _ = parts.port  # raises where it is no number
    except ValueError:
        host, secret = None, None
    if secret:
        raise StudioError(
            "Addresses with a user name and password are rejected, because they would be stored "
            "in the dataset.",
            "Leave them out; for S3 they belong into the environment or a profile.",
            "source",
        )
    if not host:
        raise StudioError(
            '"{address}" is not an address.',
            "For example https://host/folder/.",
            "source",
            address=address or path,
        )
    return address
