"""Folders of data for anomaly detection, in the layout of MVTec AD."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from studio.engine.datasets.sources.shared.folder_tree import Folder, Path, tree_of, wrapping
from studio.engine.datasets.sources.shared.placement import listed
from studio.engine.errors import StudioError
from studio.engine.tasks.split_words import split_of

_GOOD: Final = frozenset({"good", "normal", "ok"})
_MOST: Final = 0.5
"""Fraction of the folders that must be products with good images for training."""


def anomaly_error(folders: Sequence[Path], source: object) -> StudioError | None:
    """Return the error for good images in training, and others only in the test; else None.

    Args:
        folders: The folder of each image, for example of `train/good` and `test/crack`, or of
            several products: `bottle/train/good`, `cable/train/good`.
        source: The source, for messages.
    """
    _, root = wrapping(tree_of(folders))
    if kinds := _kinds(root):
        return _refused(source, *kinds)
    products = {name: kinds for name, top in root.folders.items() if (kinds := _kinds(top))}
    if not products or len(products) < _MOST * len(root.folders):
        return None
    name, kinds = next(iter(products.items()))
    return _refused(f"{source}/{name}", *kinds)


def _kinds(root: Folder) -> tuple[str, str] | None:
    """Return the name of the good images and those of others in a folder of splits, else None."""
    inner = {
        split: {*top.folders} for name, top in root.folders.items() if (split := split_of(name))
    }
    training = inner.get("train", set())
    defects = inner.get("test", set()) - training
    if len(training) == 1 and defects and {name.casefold() for name in training} <= _GOOD:
        return next(iter(training)), listed(defects)
    return None


def _refused(source: object, good: str, defects: str) -> StudioError:
    return StudioError(
        "{source} looks like data for anomaly detection: the training images are all in “{good}”, "
        "and only the test images have {defects}.",
        "Choose the task anomaly detection (--task anomaly). For classification, import the "
        "folder with the test images alone. For segmentation, choose the test images of one kind "
        "as the source and their masks in ground_truth as the annotations.",
        "source",
        source=source,
        good=good,
        defects=defects,
    )
