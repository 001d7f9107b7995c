"""Rules of an import, without a window: names, phases, fields that do nothing, throughput."""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Container, Iterable, Sequence
from functools import partial
from pathlib import Path, PurePath
from typing import Literal

from PySide6.QtCore import QCoreApplication

from studio.engine.datasets.recipe import DatasetRecipe
from studio.engine.datasets.sources.list_file import SUFFIXES as LISTS
from studio.engine.datasets.sources.shared.address import short_name
from studio.engine.errors import Problem, StudioError
from studio.engine.files import checked_name, free_name
from studio.engine.jobs.states import State
from studio.engine.plans import without_effect
from studio.engine.tasks import TASKS
from studio.ui.pages.datasets.importing.survey import Place
from studio.ui.tasks import view_of

_tr = partial(QCoreApplication.translate, "datasets")

# Progress comes ten times a second; two seconds smooth it and still follow a change of pace.
RATE_SECONDS = 2.0

Phase = Literal["waiting", "importing", "ended", "ready"]


def phase_of(state: State) -> Phase:
    """Which face of a dataset is shown."""
    if state == State.COMPLETED:
        return "ready"
    if state.has_worker:
        return "importing"
    return "ended" if state.is_finished else "waiting"


def goes_on(state: State) -> bool:
    """Whether another start continues where the import ended, rather than doing it again."""
    return state in (State.STOPPED, State.LOST)


class RateMeter:
    """Units per second over the last two seconds, and how long the rest takes."""

    def __init__(self) -> None:
        self._seen: deque[tuple[float, int]] = deque()

    def reset(self) -> None:
        """Forget everything, for another piece of work."""
        self._seen.clear()

    def add(self, seconds: float, done: int) -> None:
        """Take a reading; one that goes back starts anew, because the work did."""
        if self._seen and done < self._seen[-1][1]:
            self.reset()
        self._seen.append((seconds, done))
        while len(self._seen) > 2 and seconds - self._seen[0][0] > RATE_SECONDS:
            self._seen.popleft()

    @property
    def rate(self) -> float | None:
        """Units per second, or None while that is not known."""
        if len(self._seen) < 2:
            return None
        (start, first), (end, last) = self._seen[0], self._seen[-1]
        return (last - first) / (end - start) if end > start and last > first else None

    def seconds_left(self, total: int) -> float | None:
        """Seconds until `total` is reached at this pace, or None while that is not known."""
        rate = self.rate
        return None if rate is None else max(0.0, (total - self._seen[-1][1]) / rate)


def name_of(path: Path) -> str:
    """The name of a folder, or of a file without its endings."""
    if path.is_dir():
        return path.name or "images"
    last = short_name(path)
    return re.sub(r"(\.tar)?\.[a-z0-9]{1,7}$", "", last, flags=re.IGNORECASE) or last


def unused_name(wish: str, taken: Iterable[str]) -> str:
    """A fit name for a dataset that nobody has: `wish`, or else `wish-2`, `wish-3` and on."""
    try:
        base = checked_name(wish[:100])
    except StudioError:
        base = "dataset"
    return free_name(base, taken)


def name_problem(name: str, taken: Iterable[str]) -> Problem | None:
    """What is wrong with a name for a new dataset; the engine has the last word."""
    names = list(taken)
    try:
        fit = checked_name(name)
    except StudioError as error:
        return Problem("name", error.message, error.hint)
    if fit.casefold() in {known.casefold() for known in names}:
        return Problem(
            "name",
            f'The name "{fit}" is already taken by another dataset.',
            f'Choose another, for example "{unused_name(fit, names)}".',
        )
    return None


def advice(recipe: DatasetRecipe, idle: Container[str] = ()) -> list[Problem]:
    """What can be done as asked, and may be regretted later; not about fields that are idle."""
    if recipe.val_percent == 0 and "val_percent" not in idle:
        text = "Nothing will measure the network while it trains."
        return [Problem("val_percent", text, "20 % is usual.", serious=False)]
    return []


def size_on_disk(recipe: DatasetRecipe, count: int) -> int:
    """About how many bytes the dataset takes."""
    return recipe.width * recipe.height * recipe.channels * count


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
    """Return the fields that do nothing because of what was found, each with the reason.

    Args:
        places: Where the images come from.
        recipe: What is asked for now.
    """
    sources = {place.source for place in places}
    idle = _without_images({split for place in places for split in place.splits}, recipe)
    for split, field in (("val", "val_percent"), ("test", "test_percent")):
        if all(place.splits.get(split) for place in places):
            idle[field] = _tr("The images say it themselves")
    if sources.isdisjoint(_WITH_NUMBERS):
        idle["labels_file"] = _tr("The classes have names here")
    idle |= _without_classes(recipe)
    idle |= _without_lists(recipe, any_is_list="list_file" in sources)
    if "web_file" in sources:
        idle.pop("internal_addresses", None)
    unused = {*idle, *without_effect(DatasetRecipe, recipe.model_dump())}
    drawn = [name for name in ("val_percent", "test_percent") if name not in unused]
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
