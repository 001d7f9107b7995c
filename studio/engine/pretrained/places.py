"""Addresses that are asked for a file: publishers, mirrors of a company, and their conventions.

| variable | effect |
|---|---|
| `STUDIO_WEIGHTS_MIRROR` | asked first: `MIRROR/SOURCE/FILE`, the layout of the library's folder |
| `HF_ENDPOINT`, `HF_TOKEN` | server in place of huggingface.co, and the token for it |
| `KAGGLE_API_ENDPOINT`, `KAGGLE_API_TOKEN` | the same for Kaggle |
| `KAGGLEHUB_CACHE` | folder of kagglehub, whose downloads are used where they are |
| HTTPS_PROXY, NO_PROXY | as everywhere |
"""

from __future__ import annotations

import os
from pathlib import Path
from urllib.parse import quote, urlsplit

MIRROR = "STUDIO_WEIGHTS_MIRROR"
_HUGGING_FACE, _KAGGLE = "hf://", "kaggle://"
_KAGGLE_PARTS = 5
"""Owner, model, framework, variation and version."""
_COMPLETE = ".complete"
"""Ending, and folder, of the markers of kagglehub."""


def addresses_of(address: str, folder: str, name: str) -> list[str]:
    """Return the web addresses of a file, in the order in which they are asked.

    Args:
        address: Where it is published, as in `SourceFile`.
        folder: Folder of its source in the library; may be empty.
        name: Name of the file.
    """
    mirror = os.environ.get(MIRROR, "").rstrip("/")
    place = "/".join(quote(part) for part in (folder, name) if part)
    return [*([f"{mirror}/{place}"] if mirror else []), web_address(address)]


def web_address(address: str) -> str:
    """Return the address at a publisher's server, or at the one that takes its place."""
    if address.startswith(_HUGGING_FACE):
        owner, repository, file = address.removeprefix(_HUGGING_FACE).split("/", 2)
        return f"{_hugging_face()}/{owner}/{repository}/resolve/main/{file}"
    if address.startswith(_KAGGLE):
        *model, file = address.removeprefix(_KAGGLE).split("/", _KAGGLE_PARTS)
        return f"{_kaggle()}/api/v1/models/{'/'.join(model)}/download/{file}"
    return address


def token_for(address: str) -> str:
    """Return the token that a web address is asked with; empty for none.

    It goes to the server that it belongs to alone, not to one that this redirects to.
    """
    for endpoint, variable in ((_hugging_face(), "HF_TOKEN"), (_kaggle(), "KAGGLE_API_TOKEN")):
        if urlsplit(address)[:2] == urlsplit(endpoint)[:2]:
            return os.environ.get(variable, "")
    return ""


def shared_copy(address: str) -> Path | None:
    """Return the file where kagglehub has stored it; None if it has not, or not all of it.

    kagglehub writes a file in its place, and marks the end beside the version by another file: for
    the whole version, or for each file that was asked for alone.
    """
    if not address.startswith(_KAGGLE):
        return None
    *model, version, file = address.removeprefix(_KAGGLE).split("/", _KAGGLE_PARTS)
    cache = os.environ.get("KAGGLEHUB_CACHE") or Path.home() / ".cache" / "kagglehub"
    variation = Path(cache, "models", *model)
    markers = (
        variation / f"{version}{_COMPLETE}",
        variation / _COMPLETE / version / f"{file}{_COMPLETE}",
    )
    path = variation / version / file
    return path if path.is_file() and any(marker.is_file() for marker in markers) else None


def _hugging_face() -> str:
    return os.environ.get("HF_ENDPOINT", "https://huggingface.co").rstrip("/")


def _kaggle() -> str:
    return os.environ.get("KAGGLE_API_ENDPOINT", "https://www.kaggle.com").rstrip("/")
