"""Caches on disk: their sizes, and functions that empty them."""

from __future__ import annotations

import contextlib
import os
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from studio.engine.baselines.cache import FeatureCache
from studio.engine.datasets.sources.web_file import downloads
from studio.engine.files import remove_folder
from studio.engine.pretrained.store import PretrainedStore
from studio.engine.workspace import Workspace

CacheName = Literal["weights", "downloads", "features"]


@dataclass(frozen=True, slots=True)
class CacheUsage:
    """A cache, where it is, and its size in bytes."""

    name: CacheName
    folder: Path
    size: int


def cache_usage(workspace: Workspace) -> list[CacheUsage]:
    """Return all caches: downloaded weights, downloaded images, and features of images.

    Raises:
        StudioError: The limits of the workspace cannot be read.
    """
    weights = PretrainedStore()
    features = FeatureCache.of(workspace.root).root
    return [
        CacheUsage("weights", weights.folder, weights.size()),
        CacheUsage("downloads", downloads(), _size(downloads())),
        CacheUsage("features", features, _size(features)),
    ]


def empty_cache(name: CacheName, workspace: Workspace) -> None:
    """Delete a cache; its content is downloaded or computed again when needed.

    Weight files that a user put into the folder stay.

    Args:
        name: The cache.
        workspace: Its limits say where features are cached.

    Raises:
        StudioError: The limits of the workspace cannot be read.
    """
    if name == "weights":
        PretrainedStore().clear()
    elif name == "downloads":
        remove_folder(downloads(), ignore_errors=True)
    else:
        FeatureCache.of(workspace.root).clear()


def _size(folder: Path) -> int:
    total = 0
    for parent, _, names in os.walk(folder):
        for name in names:
            with contextlib.suppress(OSError):  # it was removed just now
                total += (Path(parent) / name).stat().st_size
    return total
