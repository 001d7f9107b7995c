"""A dataset that images can be added to, and the words for that."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from PySide6.QtCore import QCoreApplication

from studio.engine.datasets.adding import FIXED, recipe_to_add
from studio.engine.datasets.recipe import DatasetRecipe
from studio.ui.pages.datasets import messages
from studio.ui.widgets.names import apart


@dataclass(frozen=True, slots=True)
class AddTarget:
    """A completed dataset.

    Attributes:
        name: What it is called.
        folder: Where it lies.
        recipe: How it was made.
        version: Its newest version, 0 where it was never edited.
        counts: Its images by split in that version.
    """

    name: str
    folder: Path
    recipe: DatasetRecipe
    version: int
    counts: Mapping[str, int]

    def recipe_with(self, place: Path, prefix: str = "") -> DatasetRecipe:
        """How a dataset with the images of a place is made of it."""
        made = recipe_to_add(self.folder, self.recipe, self.counts, [place])
        return made.changed(path_prefix=prefix)


def outcome(target: AddTarget) -> str:
    """What will come out, in a few sentences."""
    recipe = target.recipe
    lines = [
        _tr(
            "A new dataset that begins with the {images} of “{name}” as they stand now, each in "
            "its split. “{name}” itself stays as it is."
        )
    ]
    if target.version:
        lines.append(
            _tr(
                "Its edits go along (version {version}): relabeled and moved images stay so, and "
                "those that were taken out do not come."
            )
        )
    lines.append(_tr("The new images are made {shape}, like those."))
    if recipe.encoding == "png":
        lines.append(_tr("All are kept as PNG."))
    elif recipe.encoding == "jpeg":
        lines.append(_tr("All are packed as JPEG, those of “{name}” once more."))
    return " ".join(lines).format(
        images=messages.images(sum(target.counts.values())),
        name=apart(target.name),
        version=target.version,
        shape=messages.shape(recipe.width, recipe.height, recipe.channels),
    )


def fixed_fields(target: AddTarget) -> dict[str, str]:
    """The fields of the recipe that cannot be chosen any more, each with the reason."""
    like = _tr("As in “{name}”").format(name=apart(target.name))
    stay = _tr("All images of “{name}” stay").format(name=apart(target.name))
    none = _tr("“{name}” has no such images").format(name=apart(target.name))
    fixed = dict.fromkeys(FIXED, like)
    for split in ("", "val_", "test_"):
        fixed |= dict.fromkeys((f"{split}min_per_class", f"{split}max_per_class"), stay)
    for split in ("val", "test"):
        if not target.counts.get(split):
            # A percentage would deal the images that are there, too.
            fixed[f"{split}_percent"] = none
    return fixed


def _tr(text: str) -> str:
    return QCoreApplication.translate("datasets", text)
