"""Files of the web, each kept on this machine until it changes there or was not used for long."""

from __future__ import annotations

import contextlib
import hashlib
import http.client
import json
import re
import time
import urllib.request
from dataclasses import dataclass
from pathlib import Path

import platformdirs

from studio.engine.datasets.sources.shared.address import DOWNLOADING, Reach, short_name
from studio.engine.datasets.sources.shared.public_network import web_opener
from studio.engine.datasets.sources.shared.transfer import TransferError, transfer
from studio.engine.errors import BadDataError, StudioError
from studio.engine.files import (
    disk_full_is_clear,
    portable_name,
    remove,
    remove_folder,
    write_atomically,
)
from studio.engine.progress import Progress

_SILENCE_SECONDS = 6.0
_KEPT_SECONDS = 30 * 86_400
_LARGEST = 2**40
_FACTS = "facts.json"


def copy_place(address: str) -> Path:
    """Where the copy of a file of the web lies, if there is one."""
    folder = hashlib.sha256(address.encode("utf-8", "surrogateescape")).hexdigest()[:20]
    name = portable_name(re.sub(r"[^\w.+-]", "_", short_name(address))[-80:])
    return downloads() / folder / name


def web_copy(address: str, progress: Progress, reach: Reach = Reach.TYPED) -> Path:
    """Have a copy of a file of the web, and return where it is.

    Args:
        address: The file.
        progress: Told how far the download is, and may cancel.
        reach: Where the address may lead.

    Raises:
        StudioError: It does not come.
        DiskFullError: No space was left.
        Cancelled: Through `progress`.
    """
    target = copy_place(address)
    try:
        remote = _remote_facts(address, reach)
    except BadDataError as error:
        raise _failed(address, error.message) from error
    if target.is_file():
        facts = _kept_facts(target)
        if remote is None:
            progress.warn(f"{address} does not answer; what was downloaded before is used.")
            return target
        if facts == remote:
            return target
    _drop_old()
    with disk_full_is_clear(target):
        target.parent.mkdir(parents=True, exist_ok=True)
        for old in target.parent.iterdir():
            remove(old)
        try:
            size = int((remote or {}).get("Content-Length") or 0)
            transfer([address], target, None, _Ear(progress, size, target.name), _LARGEST, reach)
        except TransferError as error:
            raise _failed(address, str(error)) from error
        write_atomically(target.parent / _FACTS, json.dumps(remote or {}))
    return target


def downloads() -> Path:
    """The folder of copies of what was downloaded."""
    return platformdirs.user_cache_path("Studio", appauthor=False) / "downloads"


def _failed(address: str, reason: str) -> StudioError:
    return StudioError(
        f"{address} cannot be downloaded: {reason}.",
        "Check the address and the network and try again.",
        "source",
    )


def _remote_facts(address: str, reach: Reach) -> dict[str, str] | None:
    """What tells one version of a file from another; None where nobody answers."""
    request = urllib.request.Request(  # noqa: S310 - the source lets http and https through alone
        address, method="HEAD", headers={"User-Agent": "studio-trainer"}
    )
    try:
        with web_opener(reach).open(request, timeout=_SILENCE_SECONDS) as answer:
            names = ("ETag", "Last-Modified", "Content-Length")
            return {name: answer.headers[name] for name in names if answer.headers[name]}
    except (OSError, http.client.HTTPException, ValueError):
        return None


def _kept_facts(target: Path) -> object:
    with contextlib.suppress(OSError, ValueError):
        return json.loads((target.parent / _FACTS).read_text("utf-8"))
    return None


def _drop_old() -> None:
    """Delete copies that were made long ago: their pixels are in datasets by now."""
    with contextlib.suppress(OSError):
        for folder in downloads().iterdir():
            if folder.stat().st_mtime < time.time() - _KEPT_SECONDS:
                remove_folder(folder, ignore_errors=True)


@dataclass(frozen=True, slots=True)
class _Ear:
    progress: Progress
    size: int
    name: str

    def advance(self, done: int) -> None:
        self.progress.advance(done, self.size, f"{DOWNLOADING} {self.name}")

    def check(self) -> None:
        self.progress.check()
