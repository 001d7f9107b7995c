"""Rules of an import: names, fields without effect, throughput. Free of widgets."""

from __future__ import annotations

import re
from collections.abc import Container, Iterable, Sequence
from functools import partial
from pathlib import Path, PurePath

from PySide6.QtCore import QCoreApplication

from studio.engine.datasets.recipe import DatasetRecipe
from studio.engine.datasets.sources.list_file import SUFFIXES as LISTS
from studio.engine.datasets.survey import SurveyedLocation
from studio.engine.errors import Problem, StudioError
from studio.engine.files import checked_name, free_name
from studio.engine.jobs.states import State
from studio.engine.messages import message
from studio.engine.plans import without_effect
from studio.engine.tasks import TASKS
from studio.engine.web.address import short_name
from studio.ui.pages.datasets import messages
from studio.ui.tasks import view_of

_tr = partial(QCoreApplication.translate, "datasets")


def goes_on(state: State) -> bool:
    """Return True if a restart resumes the import instead of repeating it."""
    return state in (State.STOPPED, State.LOST)


def name_of(path: Path) -> str:
    """Return the name of a folder, or of a file without its suffixes."""
    if path.is_dir():
        return path.name or "images"
    last = short_name(path)
    return re.sub(r"(\.tar)?\.[a-z0-9]{1,7}$", "", last, flags=re.IGNORECASE) or last


def unused_name(proposed: str, taken: Iterable[str]) -> str:
    """Return a valid name that is not taken: the proposed one, else with a number behind it."""
    try:
        base = checked_name(proposed[:100])
    except StudioError:
        base = "dataset"
    return free_name(base, taken)


def name_problem(name: str, taken: Iterable[str]) -> Problem | None:
    """Return the problem of a name for a dataset; None for none."""
    names = list(taken)
    try:
        fit = checked_name(name)
    except StudioError as error:
        return Problem("name", error.message, error.hint)
    if fit.casefold() in {known.casefold() for known in names}:
        return Problem(
            "name",
            message('The name "{name}" is already taken by another dataset.', name=fit),
            message('Choose another, for example "{name}".', name=unused_name(fit, names)),
        )
    return None


def advice(recipe: DatasetRecipe, idle: Container[str] = ()) -> list[Problem]:
    """Return suggestions about a recipe, except for fields without effect."""
    if recipe.val_percent == 0 and "val_percent" not in idle:
        text = "Nothing will measure the network while it trains."
        return [Problem("val_percent", text, "20 % is usual.", serious=False)]
    return []


def size_on_disk(recipe: DatasetRecipe, count: int) -> int:
    """Return the bytes of the pixels."""
    return recipe.pixel_format.image_bytes(recipe.height, recipe.width) * count


_OF_RESULT = {"version", "seed", "width", "height", "color", "resize", "border", "background"}
_OF_RESULT |= {"bit_depth", "value_range"}
_OF_RESULT |= {"least_visible", "encoding", "jpeg_quality", "val_percent", "test_percent"}
"""Fields that change what is stored, but not which images are found."""
_WITH_NUMBERS = frozenset({"list_file", "mnist", "cifar", "npz", "hdf5", "parquet", "web_file"})


def idle_fields(locations: Sequence[SurveyedLocation], recipe: DatasetRecipe) -> dict[str, str]:
    """Return the fields without effect on the images found, each with the reason.

    Args:
        locations: Sources of the images.
        recipe: The current recipe.
    """
    sources = {index.source for index in locations}
    idle = _without_images({split for index in locations for split in index.splits}, recipe)
    for split, field in (("val", "val_percent"), ("test", "test_percent")):
        if all(index.splits.get(split) for index in locations):
            number = sum(index.splits[split] for index in locations)
            idle[field] = _tr("{images}, as the source says").format(
                images=messages.images(number)
            )
    if sources.isdisjoint(_WITH_NUMBERS) and not TASKS[recipe.task].source.reads("labels_file"):
        idle["labels_file"] = _tr("The classes have names here")
    idle |= view_of(TASKS[recipe.task]).idle_fields(recipe)
    idle |= _without_lists(recipe, any_is_list="list_file" in sources)
    if "web_file" in sources:
        idle.pop("internal_addresses", None)
    unused = {*idle, *without_effect(DatasetRecipe, recipe.model_dump())}
    drawn = [name for name in ("val_percent", "test_percent") if name not in unused]
    sampled = any(recipe.limits(split)[1] is not None for split in ("train", "val", "test"))
    if not sampled and not any(getattr(recipe, name) for name in drawn):
        idle["seed"] = _tr("This split has no randomness")
    return idle


def _without_images(splits: Container[str], recipe: DatasetRecipe) -> dict[str, str]:
    """Return the limits of splits that only get images by percentages."""
    return {
        f"{split}_{limit}_per_class": _tr("No separate source is set")
        for split in ("val", "test")
        for limit in ("min", "max")
        if not getattr(recipe, f"{split}_source") and split not in splits
    }


def _without_lists(recipe: DatasetRecipe, *, any_is_list: bool) -> dict[str, str]:
    """Return the prefixes of places that are no lists of paths."""
    lists = {
        "path_prefix": any_is_list,
        "val_path_prefix": is_list(recipe.val_source),
        "test_path_prefix": is_list(recipe.test_source),
    }
    lists["internal_addresses"] = any(lists.values())
    lists["path_prefix"] |= lists["val_path_prefix"] or lists["test_path_prefix"]
    # One with a value stays enabled: the import refuses it, and the user can clear it.
    return {
        name: _tr("Only for lists of paths")
        for name, is_list in lists.items()
        if not is_list and not getattr(recipe, name)
    }


def is_list(location: str) -> bool:
    """Return True if the name of a place is that of a list of paths."""
    return PurePath(location).suffix.casefold() in LISTS


def is_surveyed(recipe: DatasetRecipe, other: DatasetRecipe) -> bool:
    """Return True if both recipes find the same images.

    Args:
        recipe: A recipe.
        other: Another one.
    """
    return recipe.model_dump(exclude=_OF_RESULT) == other.model_dump(exclude=_OF_RESULT)
