"""Lists and downloads what lies in a bucket. Imported only where boto3 is installed.

Not s3fs: it is a layer over aiobotocore, which needs a narrow range of versions of botocore and an
event loop of its own. The pages of a listing, the retries and the connections used here are
boto3's.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, TypeVar

import boto3
from botocore import UNSIGNED
from botocore.config import Config
from botocore.exceptions import BotoCoreError, ClientError, HTTPClientError
from botocore.exceptions import ConnectionError as NoConnectionError

from studio.engine.datasets.sources.base import LARGEST_FILE, SourceImage, safe_text, too_large
from studio.engine.errors import BadDataError, StudioError
from studio.engine.web.address import Bucket

_CONNECT_SECONDS = 6
_SILENCE_SECONDS = 20
_CONNECTIONS = 32
# This many images in a row without an answer: the server is gone, and the rest need not be asked.
_MISSES = 8
_GONE = (HTTPClientError, NoConnectionError)
T = TypeVar("T")


class BucketReader:
    """One bucket. Safe to use from several threads, as boto3's clients are."""

    def __init__(self, bucket: Bucket) -> None:
        self._bucket = bucket
        self._misses = 0
        self._client = self._asked(lambda: _client(bucket))

    def items(self) -> Iterator[SourceImage]:
        """Return every object below the prefix, with its key from there, without a class.

        Raises:
            StudioError: The bucket cannot be listed.
        """
        pages = self._client.get_paginator("list_objects_v2").paginate(
            Bucket=self._bucket.name, Prefix=self._bucket.prefix
        )
        found = iter(pages)
        while (page := self._asked(lambda: next(found, None))) is not None:
            for entry in page.get("Contents", []):
                key = str(entry["Key"]).removeprefix(self._bucket.prefix)
                if key and not key.endswith("/"):
                    changed = int(entry["LastModified"].timestamp() * 1e9)
                    yield SourceImage(safe_text(key), "", None, int(entry["Size"]), changed)

    def download(self, key: str) -> bytes:
        """Return the bytes of one object.

        Raises:
            BadDataError: They cannot be had; the message is a short reason.
        """
        if self._misses >= _MISSES:
            raise BadDataError("the server no longer answers")
        try:
            answer = self._client.get_object(
                Bucket=self._bucket.name, Key=self._bucket.prefix + key
            )
            data = bytes(answer["Body"].read(LARGEST_FILE + 1))
        except _GONE as error:
            self._misses += 1
            raise BadDataError(
                "the server cannot be reached ({reason})", reason=_in_short(error)
            ) from error
        except (BotoCoreError, ClientError) as error:
            raise BadDataError("S3 denies access ({reason})", reason=_in_short(error)) from error
        if len(data) > LARGEST_FILE:
            raise too_large()
        self._misses = 0
        return data

    def _asked(self, ask: Callable[[], T]) -> T:
        """Return the response to a request about the bucket.

        Raises:
            StudioError: It does not exist.
        """
        try:
            return ask()
        except (BotoCoreError, ClientError, ValueError) as error:
            raise StudioError(
                "{bucket} cannot be listed: {reason}.",
                "Check the bucket, the endpoint and the network. Credentials are read from the "
                "environment (AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY) or a profile "
                "(AWS_PROFILE).",
                "source",
                bucket=self._bucket,
                reason=_in_short(error),
            ) from error


def _client(bucket: Bucket) -> Any:  # noqa: ANN401 - boto3 makes its classes when asked
    session = boto3.session.Session()
    options: dict[str, Any] = {
        "connect_timeout": _CONNECT_SECONDS,
        "read_timeout": _SILENCE_SECONDS,
        "retries": {"max_attempts": 2},
        "max_pool_connections": _CONNECTIONS,
    }
    if session.get_credentials() is None:
        options["signature_version"] = UNSIGNED  # a public bucket needs none
    if bucket.endpoint:
        options["s3"] = {"addressing_style": "path"}  # few other servers have a name per bucket
    return session.client(
        "s3",
        endpoint_url=bucket.endpoint or None,
        region_name=bucket.region or session.region_name or "us-east-1",
        config=Config(**options),
    )


def _in_short(error: Exception) -> str:
    """Return an error of S3 in one line."""
    if isinstance(error, ClientError):
        said = error.response.get("Error", {})
        code, message = said.get("Code", ""), said.get("Message", "")
        return f"{code}: {message}".strip(": ")[:200] or message("no reason is given")
    return (str(error).splitlines() or [type(error).__name__])[0][:200]
