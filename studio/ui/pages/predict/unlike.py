"""A note under a prediction whose image differs from the training images of the model."""

from __future__ import annotations

from functools import partial

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QFrame, QLabel, QWidget

from studio.engine.inference.unlike.differences import Change, Familiarity
from studio.ui.language import translated
from studio.ui.theme.theme import Theme
from studio.ui.theme.tokens import SPACE
from studio.ui.widgets.buttons import push_button
from studio.ui.widgets.figures import count, percent
from studio.ui.widgets.labels import HintLabel, IconLabel
from studio.ui.widgets.layout import hbox, text_label, vbox


class UnlikeNote(QFrame):
    """The differences, the rate of false alarms, and buttons for the changes that help.

    Signals:
        change_requested: The `Change` that the image is to be predicted again with.
    """

    change_requested = Signal(str)

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._shown: Familiarity | None = None
        icon = IconLabel(theme, "warning", "warn", parent=self)
        title = QLabel(self.tr("Unlike the training images"), self)
        self.text = HintLabel(tone="advice", parent=self)
        self.text.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self.rate = text_label("", "caption", self, wraps=True)
        self.invert_button = push_button(
            self.tr("Invert"),
            theme,
            tip=self.tr("Swaps light and dark, and predicts again."),
        )
        self.crop_button = push_button(
            self.tr("Crop"),
            theme,
            tip=self.tr(
                "Cuts out the middle in the shape of the training images, and predicts again."
            ),
        )
        self._buttons: dict[Change, QWidget] = {
            "invert": self.invert_button,
            "crop": self.crop_button,
        }
        self.invert_button.clicked.connect(partial(self._on_clicked, "invert"))
        self.crop_button.clicked.connect(partial(self._on_clicked, "crop"))
        row = hbox(self.invert_button, self.crop_button, spacing=SPACE.s)
        row.addStretch(1)
        head = hbox(icon, (title, 1), spacing=SPACE.s)
        vbox(head, self.text, row, self.rate, owner=self, spacing=SPACE.s)
        self.hide()

    def show_familiarity(self, familiarity: Familiarity | None) -> None:
        """Show the differences of an image; without any the note takes no room."""
        if familiarity is not None and not familiarity.differences:
            familiarity = None
        if familiarity == self._shown:
            return
        self._shown = familiarity
        if familiarity is not None:
            self.text.show_text(_lines(familiarity))
            self.rate.setText(self._rate_line(familiarity))
            self.rate.setVisible(bool(self.rate.text()))
            for change, button in self._buttons.items():
                button.setVisible(change in familiarity.remedies)
        self.setVisible(familiarity is not None)

    def _rate_line(self, familiarity: Familiarity) -> str:
        rate = familiarity.false_alarm_rate
        if rate is None:
            return ""
        return self.tr(
            "The prediction may mean nothing. This note is wrong for {share} of images like the "
            "training images (measured on {count} validation images)."
        ).format(share=percent(rate), count=count(familiarity.validation_images))

    def _on_clicked(self, change: Change, _checked: bool = False) -> None:
        self.change_requested.emit(change)


def _lines(familiarity: Familiarity) -> str:
    return "\n".join(translated(each.text) for each in familiarity.differences)
