"""Which settings of an import do nothing for what was found, and why; decided without a window."""

from __future__ import annotations

from collections.abc import Container, Sequence
from pathlib import PurePath

from PySide6.QtCore import QCoreApplication

from studio.engine.datasets.recipe import DatasetRecipe
from studio.engine.datasets.sources.list_file import SUFFIXES as LISTS
from studio.engine.tasks import TASKS
from studio.ui.pages.datasets.found import Place
from studio.ui.tasks import view_of

# Changing one of these changes which images are found.
SURVEYED = (
    "source",
    "task",
    "target_columns",
    "more_sources",
    "only_classes",
    "only_splits",
    "labels_file",
    "path_prefix",
    "internal_addresses",
    "val_path_prefix",
    "test_path_prefix",
    "val_source",
    "test_source",
    "min_per_class",
    "max_per_class",
    "val_min_per_class",
    "val_max_per_class",
    "test_min_per_class",
    "test_max_per_class",
)
_WITH_NUMBERS = frozenset({"list_file", "mnist", "cifar", "npz", "hdf5", "parquet", "web_file"})


def idle_fields(places: Sequence[Place], recipe: DatasetRecipe) -> dict[str, str]:
    """The fields that do nothing, each with the reason.

    Args:
        places: Where the images come from.
        recipe: What is asked for now.
    """
    sources = {place.source for place in places}
    idle = _without_images({split for place in places for split in place.splits}, recipe)
    for split, field in (("val", "val_percent"), ("test", "test_percent")):
        if getattr(recipe, f"{split}_source"):
            idle[field] = _tr("They are in a place of their own")
        elif all(place.splits.get(split) for place in places):
            idle[field] = _tr("The images say it themselves")
    if recipe.resize not in {"fill", "half_crop"}:
        idle["border"] = _tr("This resize leaves no border")
    if recipe.encoding != "jpeg":
        idle["jpeg_quality"] = _tr("Only JPEG has a quality")
    if sources.isdisjoint(_WITH_NUMBERS):
        idle["labels_file"] = _tr("The classes have names here")
    idle |= _without_classes(recipe)
    idle |= _without_lists(recipe, any_is_list="list_file" in sources)
    if "web_file" in sources:
        idle.pop("internal_addresses", None)
    drawn = [name for name in ("val_percent", "test_percent") if name not in idle]
    sampled = any(recipe.limits(split)[1] is not None for split in ("train", "val", "test"))
    if not sampled and not any(getattr(recipe, name) for name in drawn):
        idle["seed"] = _tr("Nothing is left to chance")
    return idle


def _without_classes(recipe: DatasetRecipe) -> dict[str, str]:
    """Return what is about classes, where the task has none."""
    if view_of(TASKS[recipe.task]).has_classes:
        return {}
    limits = [
        f"{split}{end}_per_class" for split in ("", "val_", "test_") for end in ("min", "max")
    ]
    return dict.fromkeys(("labels_file", *limits), _tr("Images have no single class here"))


def _without_images(splits: Container[str], recipe: DatasetRecipe) -> dict[str, str]:
    """The limits of splits that have no images but those that the percentages deal."""
    return {
        f"{split}_{limit}_per_class": _tr("They have no place of their own")
        for split in ("val", "test")
        for limit in ("min", "max")
        if not getattr(recipe, f"{split}_source") and split not in splits
    }


def _without_lists(recipe: DatasetRecipe, *, any_is_list: bool) -> dict[str, str]:
    """The prefixes of places that are no lists of paths."""
    lists = {
        "path_prefix": any_is_list,
        "val_path_prefix": is_list(recipe.val_source),
        "test_path_prefix": is_list(recipe.test_source),
    }
    lists["internal_addresses"] = any(lists.values())
    lists["path_prefix"] |= lists["val_path_prefix"] or lists["test_path_prefix"]
    # One that holds something stays open: the import refuses it, and it can be emptied.
    return {
        name: _tr("Only lists hold paths")
        for name, is_list in lists.items()
        if not is_list and not getattr(recipe, name)
    }


def is_list(place: str) -> bool:
    """Whether a place is a list of paths, told from its name."""
    return PurePath(place).suffix.casefold() in LISTS


def is_surveyed(recipe: DatasetRecipe, other: DatasetRecipe) -> bool:
    """Whether both recipes find the same images."""
    return all(getattr(recipe, name) == getattr(other, name) for name in SURVEYED)


def _tr(text: str) -> str:
    return QCoreApplication.translate("datasets", text)
