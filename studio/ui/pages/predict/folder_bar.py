"""Above several pictures: how far it is, how many are right, stop, the table and its file."""

from __future__ import annotations

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QHBoxLayout, QVBoxLayout, QWidget

from studio.ui.pages.predict import messages
from studio.ui.pages.predict.state import Batch, Stage
from studio.ui.theme.icons import set_icon
from studio.ui.theme.theme import Theme
from studio.ui.theme.tokens import SPACE
from studio.ui.widgets.bars import ThinBar
from studio.ui.widgets.buttons import icon_button, push_button
from studio.ui.widgets.labels import ElidedLabel
from studio.ui.widgets.tips import explain


class FolderBar(QWidget):
    """The title of what is shown, and what can be done with many pictures.

    Signals:
        back_requested: Show all pictures again.
        stop_requested: Leave the rest without answers.
        go_on_requested: Answer the rest after all.
        table_wanted: Whether a table is to be shown rather than pictures.
        save_requested: Write the answers into a file.
    """

    back_requested = Signal()
    stop_requested = Signal()
    go_on_requested = Signal()
    table_wanted = Signal(bool)
    save_requested = Signal()

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._is_stopped = False
        self.back_button = push_button(
            self.tr("All pictures"), theme, kind="quiet", icon="back", parent=self
        )
        self.title = ElidedLabel("", self)
        self.bar = ThinBar(theme, self)
        self.stop_button = icon_button("stop", self.tr("Stop"), theme, parent=self)
        self.table_button = icon_button("table", self.tr("Show as a table"), theme, parent=self)
        self.table_button.setCheckable(True)
        self.save_button = icon_button(
            "save", self.tr("Save the answers as a table (CSV)"), theme, parent=self
        )
        self._lay_out()
        self.back_button.clicked.connect(self._on_back)
        self.stop_button.clicked.connect(self._on_stop)
        self.table_button.toggled.connect(self.table_wanted)
        self.save_button.clicked.connect(self._on_save)
        explain(self.back_button, self.tr("Goes back to all pictures of the folder."))

    def show_batch(self, stage: Stage, batch: Batch) -> None:
        """Show what there is to say and to do about a batch at its stage."""
        is_grid = stage is Stage.GRID
        self.title.setText(messages.grid_line(batch) if is_grid else messages.picture_name(batch))
        is_many = is_grid or bool(batch.times)
        self.back_button.setVisible(not is_many and len(batch.pictures) > 1)
        self.bar.setVisible(is_many and batch.is_working)
        if batch.pictures:
            self.bar.set_fraction(len(batch.predictions) / len(batch.pictures))
        self._is_stopped = batch.is_stopped or batch.failure is not None
        self.stop_button.setVisible(is_many and bool(batch.pictures) and not batch.is_answered)
        words = self.tr("Continue with the rest") if self._is_stopped else self.tr("Stop")
        if self.stop_button.toolTip() != words:
            self.stop_button.setToolTip(words)
            self.stop_button.setAccessibleName(words)
            set_icon(
                self.stop_button, "resume" if self._is_stopped else "stop", self._theme, "muted"
            )
        self.table_button.setVisible(is_grid)
        self.save_button.setVisible(is_many)
        self.save_button.setEnabled(bool(batch.predictions))

    def _lay_out(self) -> None:
        row = QHBoxLayout()
        row.setSpacing(SPACE.s)
        row.addWidget(self.back_button)
        row.addWidget(self.title, 1)
        for button in (self.stop_button, self.table_button, self.save_button):
            row.addWidget(button)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(SPACE.s)
        column.addLayout(row)
        column.addWidget(self.bar)

    def _on_back(self) -> None:
        self.back_requested.emit()

    def _on_stop(self) -> None:
        if self._is_stopped:
            self.go_on_requested.emit()
        else:
            self.stop_requested.emit()

    def _on_save(self) -> None:
        self.save_requested.emit()
