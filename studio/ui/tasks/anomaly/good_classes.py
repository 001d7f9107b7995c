"""The field of an import that names the good classes of a classification dataset."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING, Final

from PySide6.QtCore import QCoreApplication
from PySide6.QtWidgets import QLineEdit, QWidget

from studio.ui.tasks.targets import RecipePart
from studio.ui.theme.tokens import SPACE
from studio.ui.widgets.layout import Debounce, text_label, vbox
from studio.ui.widgets.tips import explain

if TYPE_CHECKING:
    from studio.engine.datasets.recipe import DatasetRecipe
    from studio.engine.datasets.survey import SurveyedOutput

_tr = partial(QCoreApplication.translate, "tasks")
_TYPING_MS: Final = 600


class GoodClasses(RecipePart):
    """Asks for the classes of images without defects, where folders do not say it."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        label = text_label(_tr("Good classes"), "muted", self)
        self.names = QLineEdit(self)
        self.names.setPlaceholderText(_tr("Only if no folder is called “good”: ok, polished"))
        self.names.setAccessibleName(label.text())
        explain(
            self.names,
            _tr(
                "Names of the classes or folders of images without defects, separated by commas. "
                "Images of other classes have defects of that kind."
            ),
        )
        self._typing = Debounce(_TYPING_MS, self.changed.emit, self)
        self.names.textEdited.connect(self._on_edited)
        vbox(label, self.names, owner=self, spacing=SPACE.s)

    def show_found(
        self,
        recipe: DatasetRecipe,
        outputs: Sequence[SurveyedOutput],
        fixed: Sequence[str],
    ) -> None:
        """Show the good classes of a recipe; see `RecipePart.show_found`."""
        if self._names() != recipe.good_classes:
            self.names.setText(", ".join(recipe.good_classes))

    def values(self) -> dict[str, object]:
        """Return the good classes; see `RecipePart.values`."""
        return {"good_classes": self._names()}

    def _names(self) -> list[str]:
        return [name.strip() for name in self.names.text().split(",") if name.strip()]

    def _on_edited(self) -> None:
        self._typing.start()
