"""Adding images to an existing dataset: the target, the outcome, and the choice."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from PySide6.QtCore import QCoreApplication, Signal
from PySide6.QtWidgets import QRadioButton, QWidget

from studio.engine.datasets.recipe import DatasetRecipe
from studio.engine.datasets.requests import FIXED, recipe_to_add
from studio.ui.pages.datasets import messages
from studio.ui.theme.tokens import SPACE
from studio.ui.widgets.cards import Card
from studio.ui.widgets.labels import HintLabel, apart
from studio.ui.widgets.layout import STRETCH, hbox, vbox
from studio.ui.widgets.tips import explain

_tr = partial(QCoreApplication.translate, "datasets")


@dataclass(frozen=True, slots=True)
class AddTarget:
    """A completed dataset.

    Attributes:
        name: Its name.
        folder: Its folder.
        recipe: The recipe of its import.
        version: Its newest version; 0 if it was never edited.
        counts: Its images by split in that version.
    """

    name: str
    folder: Path
    recipe: DatasetRecipe
    version: int
    counts: Mapping[str, int]

    def recipe_with(self, location: Path, prefix: str = "") -> DatasetRecipe:
        """Return the recipe of this dataset with the images of another place."""
        made = recipe_to_add(self.folder, self.recipe, self.counts, [location])
        return made.changed(path_prefix=prefix)


def outcome(target: AddTarget) -> str:
    """Describe the result of adding images."""
    recipe = target.recipe
    lines = [
        _tr(
            "Makes a new dataset with the {images} of “{name}” in their current splits. “{name}” "
            "itself does not change."
        )
    ]
    if target.version:
        lines.append(
            _tr(
                "Edits are included (version {version}): new labels and splits are kept, excluded "
                "images are left out."
            )
        )
    lines.append(_tr("New images are converted to {shape}, too."))
    if recipe.encoding == "png":
        lines.append(_tr("All images are stored as PNG."))
    elif recipe.encoding == "jpeg":
        lines.append(_tr("All images are stored as JPEG; those of “{name}” are recompressed."))
    return " ".join(lines).format(
        images=messages.images(sum(target.counts.values())),
        name=apart(target.name),
        version=target.version,
        shape=messages.shape(recipe.width, recipe.height, recipe.channels),
    )


def fixed_fields(target: AddTarget) -> dict[str, str]:
    """Return the fields of the recipe that are fixed, each with the reason."""
    like = _tr("As in “{name}”").format(name=apart(target.name))
    stay = _tr("All images of “{name}” are kept").format(name=apart(target.name))
    none = _tr("“{name}” has no matching images").format(name=apart(target.name))
    fixed = dict.fromkeys(FIXED, like)
    for split in ("", "val_", "test_"):
        fixed |= dict.fromkeys((f"{split}min_per_class", f"{split}max_per_class"), stay)
    for split in ("val", "test"):
        if not target.counts.get(split):
            # A percentage would reassign the existing images, too.
            fixed[f"{split}_percent"] = none
    return fixed


class TargetBar(Card):
    """Two choices and the result of the second; hidden if there is only one.

    Signals:
        changed: The user made the other choice.
    """

    changed = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__("", parent)
        self._target: AddTarget | None = None
        self.setAccessibleName(self.tr("Destination of the images"))
        self.new_choice = QRadioButton(self.tr("Make a new dataset"), self)
        self.add_choice = QRadioButton(self)
        self.words = HintLabel(parent=self)
        choices = hbox(self.new_choice, self.add_choice, STRETCH, spacing=SPACE.l)
        column = vbox(choices, self.words, spacing=SPACE.xs)
        self.body.addLayout(column)
        self.body.setContentsMargins(SPACE.l, SPACE.s, SPACE.l, SPACE.s)
        self.offer(None)
        self.add_choice.toggled.connect(self._on_toggled)
        explain(
            self.add_choice,
            self.tr("Adds these images to that dataset."),
        )
        explain(self.new_choice, self.tr("Creates a dataset of only these images."))

    def offer(self, target: AddTarget | None, *, adding: bool = False) -> None:
        """Offer a dataset to add to, or none.

        Args:
            target: The dataset.
            adding: Preselect adding to it.
        """
        self._target = target
        name = "" if target is None else target.name
        self.add_choice.setText(self.tr("Add to “{name}”").format(name=apart(name)))
        self.blockSignals(True)
        (self.add_choice if adding and target is not None else self.new_choice).setChecked(True)
        self.blockSignals(False)
        self._refresh()
        self.setVisible(target is not None)

    @property
    def target(self) -> AddTarget | None:
        """The dataset to add to, if that is chosen."""
        return self._target if self.add_choice.isChecked() else None

    def title(self) -> str:
        """Return the title of the sheet."""
        if self.target is None:
            return self.tr("Import images")
        return self.tr("Add images to “{name}”").format(name=apart(self.target.name))

    def fixed(self) -> dict[str, str]:
        """Return the fields that are fixed, each with the reason."""
        return {} if self.target is None else fixed_fields(self.target)

    def _refresh(self) -> None:
        self.words.show_text("" if self.target is None else outcome(self.target))

    def _on_toggled(self) -> None:
        self._refresh()
        self.changed.emit()
