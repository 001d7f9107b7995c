"""Which settings of an import do nothing for what was found, and why; decided without a window."""

from __future__ import annotations

from collections.abc import Mapping

from PySide6.QtCore import QCoreApplication

from studio.engine.datasets.recipe import DatasetRecipe

# Changing one of these changes which images are found.
SURVEYED = (
    "labels_file",
    "path_prefix",
    "val_source",
    "test_source",
    "min_per_class",
    "max_per_class",
)
_WITH_NUMBERS = frozenset({"list_file", "mnist", "cifar", "npz", "hdf5", "parquet"})


def idle_fields(source: str, splits: Mapping[str, int], recipe: DatasetRecipe) -> dict[str, str]:
    """The fields that do nothing, each with the reason.

    Args:
        source: Name of the source that reads the images.
        splits: Splits that the images bring along, and of how many.
        recipe: What is asked for now.
    """
    idle: dict[str, str] = {}
    for split, field in (("val", "val_percent"), ("test", "test_percent")):
        if getattr(recipe, f"{split}_source"):
            idle[field] = _tr("They are in a place of their own")
        elif splits.get(split):
            idle[field] = _tr("The images say it themselves")
    if recipe.resize not in {"fill", "half_crop"}:
        idle["border"] = _tr("This resize leaves no border")
    if recipe.encoding != "jpeg":
        idle["jpeg_quality"] = _tr("Only JPEG has a quality")
    if source not in _WITH_NUMBERS:
        idle["labels_file"] = _tr("The classes have names here")
    if source != "list_file":
        idle["path_prefix"] = _tr("Only lists hold paths")
    drawn = [name for name in ("val_percent", "test_percent") if name not in idle]
    if recipe.max_per_class is None and not any(getattr(recipe, name) for name in drawn):
        idle["seed"] = _tr("Nothing is left to chance")
    return idle


def is_surveyed(recipe: DatasetRecipe, other: DatasetRecipe) -> bool:
    """Whether both recipes find the same images."""
    return all(getattr(recipe, name) == getattr(other, name) for name in SURVEYED)


def _tr(text: str) -> str:
    return QCoreApplication.translate("datasets", text)
