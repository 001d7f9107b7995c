"""Statistics of all images together: colors, sizes, and the mean image of each split."""

from __future__ import annotations

from collections.abc import Mapping

from PySide6.QtCore import QSize, Qt
from PySide6.QtGui import QImage
from PySide6.QtWidgets import QFormLayout, QLabel, QVBoxLayout, QWidget

from studio.engine.datasets.audit.findings import Statistics
from studio.ui.pages.datasets.auditing import messages as audit_messages
from studio.ui.theme.theme import Theme
from studio.ui.theme.tokens import SPACE
from studio.ui.widgets.boxes import STRETCH, hbox, replace_widget, text_label, vbox
from studio.ui.widgets.card import Card
from studio.ui.widgets.flow_layout import FlowLayout
from studio.ui.widgets.picture_view import PictureView
from studio.ui.widgets.split_bar import split_word

_SIDE = 96


class MeanImages(QWidget):
    """A picture for each split that has images, with a word below it."""

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._inside = QWidget(self)
        self.pictures: dict[str, PictureView] = {}
        self._column = vbox(self._inside, owner=self)

    def set_means(self, means: Mapping[str, QImage]) -> None:
        """Show other images."""
        old, self._inside = self._inside, QWidget(self)
        replace_widget(self._column, old, self._inside)
        self.pictures = {}
        row = hbox(owner=self._inside, spacing=SPACE.xl)
        for split, image in means.items():
            row.addLayout(self._mean(split, image))
        row.addStretch(1)

    def _mean(self, split: str, image: QImage) -> QVBoxLayout:
        picture = PictureView(self._theme, self._inside)
        picture.setFixedSize(QSize(_SIDE, _SIDE))
        name = self.tr("Mean image of {split}").format(split=split_word(split))
        picture.set_image(image, name)
        picture.setToolTip(name)
        self.pictures[split] = picture
        caption = text_label(
            self.tr("Mean, {split}").format(split=split_word(split)), "caption", self._inside
        )
        return vbox(picture, (caption, Qt.AlignmentFlag.AlignHCenter), STRETCH, spacing=SPACE.xs)


class AuditFigures(Card):
    """A card with a line for each figure, and the mean image of each split."""

    def __init__(
        self,
        theme: Theme,
        figures: Statistics,
        means: Mapping[str, QImage],
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(parent=parent)
        self.set_title(self.tr("Figures of all images"))
        self._texts: dict[str, str] = {}
        self.means = MeanImages(theme, self)
        self.means.set_means(means)
        words = QWidget(self)
        self._form = QFormLayout(words)
        self._form.setContentsMargins(0, 0, 0, 0)
        self._form.setHorizontalSpacing(SPACE.l)
        self._form.setVerticalSpacing(SPACE.xs)
        self._form.setLabelAlignment(Qt.AlignmentFlag.AlignLeft)
        channels = audit_messages.channels
        self._add(self.tr("Mean color"), channels(figures.color_mean))
        self._add(self.tr("Deviation"), channels(figures.color_deviation))
        self._add(self.tr("Brightness"), audit_messages.spread(figures.brightness))
        self._add(self.tr("Contrast"), audit_messages.spread(figures.contrast))
        if figures.width is not None and figures.height is not None:
            unit = " px"
            self._add(self.tr("File width"), audit_messages.spread(figures.width, unit))
            self._add(self.tr("File height"), audit_messages.spread(figures.height, unit))
        # Beside each other where there is room, else the pictures below: no figure is broken.
        row = FlowLayout(spacing=SPACE.xl)
        row.addWidget(words)
        row.addWidget(self.means)
        self.body.addLayout(row)

    def texts(self) -> dict[str, str]:
        """The lines, by their names."""
        return dict(self._texts)

    def _add(self, name: str, text: str) -> None:
        self._texts[name] = text
        label = text_label(name, "muted", self)
        value = QLabel(text, self)
        self._form.addRow(label, value)
