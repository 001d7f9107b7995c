"""Fields for what the user knows about a model file of another program."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import Final

from PySide6.QtWidgets import QWidget

from studio.engine.errors import StudioError
from studio.engine.inference.class_names import read_class_names
from studio.engine.inference.foreign_models import PREPROCESSING, ModelOptions
from studio.ui.context import AppContext
from studio.ui.language import translated
from studio.ui.shared.file_dialogs import ask_file
from studio.ui.theme.tokens import SPACE
from studio.ui.widgets.buttons import icon_button, push_button
from studio.ui.widgets.inputs import ComboBox
from studio.ui.widgets.labels import ElidedLabel, HintLabel
from studio.ui.widgets.layout import hbox, text_label, vbox
from studio.ui.widgets.tips import explain

FOLDER_KEY: Final = "evaluation/classes"


class ForeignModelFields(QWidget):
    """Preprocessing and class names of a model file."""

    def __init__(self, context: AppContext, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._context = context
        self._classes: tuple[str, ...] = ()
        theme = context.theme
        self.preprocessing = ComboBox(self, self.tr("Preprocessing"))
        known = ((translated(label), name) for name, label in PREPROCESSING.items())
        self.preprocessing.set_entries([(self.tr("That of its first layers"), ""), *known])
        explain(
            self.preprocessing,
            self.tr("Preparation of the pixels that the model was trained with."),
        )
        self.class_button = push_button(
            self.tr("Class names…"),
            theme,
            icon="folder",
            parent=self,
            tip=self.tr(
                "Reads the class names from a text or JSON file. Without one, those of a file "
                "such as labels.txt beside the model are used."
            ),
        )
        self.class_button.clicked.connect(self._on_classes)
        self.class_line = ElidedLabel("", self)
        clear = partial(icon_button, "close", self.tr("Forget the class names"), theme)
        self.clear_button = clear(parent=self, on_click=self._forget_classes)
        self.problem = HintLabel("", "problem", self)
        vbox(
            text_label(self.tr("Preprocessing"), "caption", self),
            self.preprocessing,
            self.class_button,
            hbox((self.class_line, 1), self.clear_button, spacing=SPACE.xs),
            self.problem,
            owner=self,
            spacing=SPACE.s,
        )
        self.clear()

    def options(self) -> ModelOptions:
        """Return what was chosen."""
        return ModelOptions.of(self.preprocessing.currentData(), self._classes)

    def clear(self) -> None:
        """Forget everything, for another file."""
        self.preprocessing.choose("")
        self._forget_classes()

    def use_class_file(self, path: Path) -> None:
        """Take the class names of a file, or show why they cannot be used."""
        try:
            self._classes = read_class_names(path)
        except StudioError as error:
            self.problem.show_problem(translated(error.message))
            return
        self._show_classes()

    def _forget_classes(self) -> None:
        self._classes = ()
        self._show_classes()

    def _show_classes(self) -> None:
        self.problem.show_problem()
        self.class_line.setText(", ".join(self._classes))
        for widget in (self.class_line, self.clear_button):
            widget.setVisible(bool(self._classes))
        self.class_button.setVisible(not self._classes)

    def _on_classes(self) -> None:
        title, kinds = self.tr("Choose class names"), self.tr("Class names (*.txt *.json)")
        path = ask_file(self, title, self._context.settings, FOLDER_KEY, kinds)
        if path is not None:
            self.use_class_file(path)
