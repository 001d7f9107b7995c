"""Folders of data for anomaly detection, in the layout of MVTec AD."""

from __future__ import annotations

from typing import Final

from studio.engine.errors import StudioError
from studio.engine.files import natural_key
from studio.engine.tasks.annotation_source import NestedFolders
from studio.engine.tasks.split_words import split_of

_GOOD: Final = frozenset({"good", "normal", "ok"})
_SHOWN: Final = 5
_MOST: Final = 0.5
"""Fraction of the folders that must be products with good images for training."""


def anomaly_error(root: NestedFolders, source: object) -> StudioError | None:
    """Return the error for good images in training, and others only in the test; else None.

    Args:
        root: Folders such as `train/good` and `test/crack`, or those of several products:
            `bottle/train/good`, `cable/train/good`.
        source: The source, for messages.
    """
    if kinds := _kinds(root):
        return _refused(source, *kinds)
    products = {name: kinds for name, top in root.folders.items() if (kinds := _kinds(top))}
    if not products or len(products) < _MOST * len(root.folders):
        return None
    name, kinds = next(iter(products.items()))
    return _refused(f"{source}/{name}", *kinds)


def _kinds(root: NestedFolders) -> tuple[str, str] | None:
    """Return the name of the good images and those of others in a folder of splits, else None."""
    inner = {
        split: {*top.folders} for name, top in root.folders.items() if (split := split_of(name))
    }
    training = inner.get("train", set())
    defects = inner.get("test", set()) - training
    if len(training) == 1 and defects and {name.casefold() for name in training} <= _GOOD:
        return next(iter(training)), _listed(defects)
    return None


def _listed(names: set[str]) -> str:
    """Return the first names in natural order, for a message."""
    shown = sorted(names, key=natural_key)
    return ", ".join(shown[:_SHOWN]) + (", …" if len(shown) > _SHOWN else "")


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
