"""The address of a bucket, with the server and the region where they are not Amazon's usual."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from urllib.parse import parse_qsl, quote, unquote, urlsplit

from studio.engine.datasets.sources.shared.address import address_of, checked_address
from studio.engine.errors import StudioError

_EXAMPLE = "It is written s3://bucket/folder."


@dataclass(frozen=True, slots=True)
class Bucket:
    """Where images lie in S3.

    Attributes:
        name: Of the bucket.
        prefix: What the keys begin with; empty, or with a slash at the end.
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
    """The bucket that an address names.

    Raises:
        StudioError: It is no address of a bucket, or holds a password.
    """
    parts = urlsplit(checked_address(path))
    values = dict(parse_qsl(parts.query))
    unknown = set(values) - {"endpoint", "region"}
    if unknown:
        raise StudioError(
            f'An address of S3 has an endpoint and a region and no "{min(unknown)}".',
            f"{_EXAMPLE} Who may read is told by the environment or a profile.",
            "source",
        )
    endpoint = values.get("endpoint", "")
    if endpoint:
        endpoint = checked_endpoint(endpoint)
    prefix = unquote(parts.path).strip("/")
    return Bucket(parts.netloc, f"{prefix}/" if prefix else "", endpoint, values.get("region", ""))


def checked_endpoint(text: str) -> str:
    """The address of a server of S3.

    Raises:
        StudioError: It is none, or holds a password.
    """
    if not address_of(text).startswith(("http://", "https://")):
        raise StudioError(
            f'The endpoint of S3 is an address; received "{text}".',
            "For example https://minio.example.org:9000.",
            "s3_endpoint",
        )
    return checked_address(text)


def with_server(place: str, endpoint: str, region: str) -> str:
    """An address of a bucket with another server and region, where those are given.

    Raises:
        StudioError: It is no address of a bucket, or the endpoint is none.
    """
    bucket = bucket_of(place)
    given = checked_endpoint(endpoint) if endpoint else bucket.endpoint
    return Bucket(bucket.name, bucket.prefix, given, region or bucket.region).address
