"""A folder of class folders in a bucket of S3, or of anything that speaks like it."""

from __future__ import annotations

import importlib.util
from collections.abc import Iterator, Sequence
from functools import partial
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO

from studio.engine.datasets.sources import base
from studio.engine.datasets.sources.shared import names
from studio.engine.datasets.sources.shared.names import take_found
from studio.engine.errors import StudioError
from studio.engine.files import natural_key
from studio.engine.installation import install_command
from studio.engine.messages import message
from studio.engine.progress import Progress
from studio.engine.web.address import Bucket, address_of, bucket_of

if TYPE_CHECKING:
    from studio.engine.datasets.sources.shared.bucket_reader import BucketReader


class S3Source:
    """`s3://bucket/prefix`: what the keys say below the prefix are folders, classes and splits.

    Credentials come from boto3's own chain: the environment, a profile, the machine's role.
    Without any of them a public bucket is read. Nothing of it gets into a dataset.
    """

    name = "s3"
    label = "Bucket of S3 with one folder per class (s3://bucket/folder)"
    takes = frozenset[str]()

    def accepts(self, path: Path) -> bool:
        """Return True if `path` is an address of S3."""
        return address_of(path).startswith("s3://")

    def scan(
        self, path: Path, progress: Progress, options: base.SourceOptions = base.NO_OPTIONS
    ) -> base.Scan:
        """List the keys; see `Source.scan`."""
        bucket = bucket_of(path)
        scan = base.Scan()
        found: list[base.SourceImage] = []
        for number, item in enumerate(_reader(bucket).items()):
            progress.check()
            if number % 500 == 0:
                progress.advance(len(found), 0, "Searching for images")
            parts = item.key.split("/")
            if any(names.is_hidden(part) for part in parts):
                continue
            if "" in parts:
                scan.problems.append(base.Skipped(item.key, "its name points outside"))
            elif names.looks_like_image(item.key):
                found.append(item)
            else:
                scan.problems.append(base.Skipped(item.key, names.not_an_image(item.key)))
        if not found:
            raise StudioError(
                "There are no images in {bucket}.",
                "Check the bucket and the folder.",
                "source",
                bucket=bucket,
            )
        found.sort(key=lambda item: natural_key(item.key))
        take_found(path, scan, found, options)
        return scan

    def read(
        self, path: Path, items: Sequence[base.SourceImage]
    ) -> Iterator[tuple[int, base.Fetch]]:
        """Give every image; threads download them. See `Source.read`."""
        reader = _reader(bucket_of(path))
        for index, item in enumerate(items):
            yield index, partial(reader.download, item.key)

    def open(self, path: Path, item: base.SourceImage) -> BinaryIO:
        """Download an image; see `Source.open`."""
        return BytesIO(_reader(bucket_of(path)).download(item.key))

    def is_there(self, path: Path) -> bool:
        """Return True if the bucket still answers."""
        try:
            next(_reader(bucket_of(path)).items(), None)
        except StudioError:
            return False
        return True


def is_installed() -> bool:
    """Return True if the package that accesses S3 is installed."""
    return importlib.util.find_spec("boto3") is not None


def _reader(bucket: Bucket) -> BucketReader:
    if not is_installed():
        raise StudioError(
            "Reading from S3 needs the package boto3, which is not installed.",
            message("Install it: {command}", command=install_command("s3")),
            "source",
        )
    from studio.engine.datasets.sources.shared.bucket_reader import BucketReader  # noqa: PLC0415

    return BucketReader(bucket)
