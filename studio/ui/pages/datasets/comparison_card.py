"""What is different between two versions of a dataset, with the images it is about."""

from __future__ import annotations

from functools import partial

from PySide6.QtCore import QSize, Qt, Signal
from PySide6.QtGui import QIcon, QImage, QPixmap
from PySide6.QtWidgets import QFrame, QHBoxLayout, QLabel, QToolButton, QVBoxLayout, QWidget

from studio.ui.pages.datasets import messages, version_words
from studio.ui.pages.datasets.image_query import Picked
from studio.ui.pages.datasets.version_work import Comparison, Difference
from studio.ui.theme.theme import Theme
from studio.ui.theme.tokens import SPACE
from studio.ui.widgets.button import push_button
from studio.ui.widgets.flow_layout import FlowLayout
from studio.ui.widgets.hint_label import HintLabel

_SIDE = 56


class ComparisonCard(QFrame):
    """Counts of the splits, classes, and the images that changed.

    Signals:
        images_wanted: The images to be shown, `Picked`.
    """

    images_wanted = Signal(object)

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._comparison: Comparison | None = None
        self.counts = QLabel(self)
        self.counts.setProperty("role", "muted")
        self.counts.setWordWrap(True)
        self.classes = HintLabel(parent=self)
        self.same = QLabel(self.tr("Both versions hold the same."), self)
        self._parts = QWidget(self)
        self._column = QVBoxLayout(self)
        self._column.setContentsMargins(0, 0, 0, 0)
        self._column.setSpacing(SPACE.s)
        for part in (self.counts, self.same, self.classes, self._parts):
            self._column.addWidget(part)
        self._column.addStretch(1)
        self.show_comparison(None)

    @property
    def comparison(self) -> Comparison | None:
        """What is shown."""
        return self._comparison

    def thumbs(self) -> list[QToolButton]:
        """The pictures that can be pressed, in order."""
        return self._parts.findChildren(QToolButton)

    def show_comparison(self, comparison: Comparison | None) -> None:
        """Show another one; None while it is being worked out."""
        self._comparison = comparison
        old, self._parts = self._parts, QWidget(self)
        self._column.replaceWidget(old, self._parts)
        old.hide()
        old.deleteLater()
        self.counts.setVisible(comparison is not None)
        self.same.hide()
        self.classes.show_text("" if comparison is None else comparison.classes)
        if comparison is None:
            return
        self.same.setVisible(not comparison.differences and not comparison.classes)
        lines = (
            version_words.count_change(split, before, after)
            for split, (before, after) in comparison.counts.items()
        )
        pair = version_words.difference_between(comparison.before, comparison.after)
        self.counts.setText(f"{pair}: {messages.DOT.join(lines)}")
        column = QVBoxLayout(self._parts)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(SPACE.s)
        for difference in comparison.differences:
            self._add(column, comparison, difference)

    def _add(self, column: QVBoxLayout, shown: Comparison, difference: Difference) -> None:
        words = version_words.difference(difference.kind, len(difference.rows), shown.words)
        head = QHBoxLayout()
        head.setSpacing(SPACE.s)
        title = QLabel(words, self._parts)
        title.setProperty("role", "section")
        show = push_button(self.tr("Show images"), self._theme, icon="image", parent=self._parts)
        show.setAccessibleName(self.tr("Show images: {what}").format(what=words))
        show.clicked.connect(partial(self._on_wanted, difference, None))
        head.addWidget(title, 1)
        head.addWidget(show)
        column.addLayout(head)
        pictures = FlowLayout(spacing=SPACE.xs)
        for row, image in difference.samples:
            pictures.addWidget(self._thumb(difference, row, image, words))
        column.addLayout(pictures)

    def _thumb(self, difference: Difference, row: int, image: QImage, words: str) -> QToolButton:
        button = QToolButton(self._parts)
        button.setProperty("kind", "quiet")
        button.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        mode = Qt.AspectRatioMode.KeepAspectRatio
        smooth = Qt.TransformationMode.SmoothTransformation
        ratio = self.devicePixelRatioF()
        side = round(_SIDE * ratio)
        picture = QPixmap.fromImage(image.scaled(side, side, mode, smooth))
        picture.setDevicePixelRatio(ratio)
        button.setIcon(QIcon(picture))
        button.setIconSize(QSize(_SIDE, _SIDE))
        button.setToolTip(self.tr("Show this image among those"))
        name = self.tr("Image {n}: {what}").format(n=row, what=words)
        button.setAccessibleName(name)
        button.clicked.connect(partial(self._on_wanted, difference, row))
        return button

    def _on_wanted(self, difference: Difference, row: int | None, _checked: object = None) -> None:
        comparison = self._comparison
        if comparison is None:
            return
        number = len(difference.rows)
        title = version_words.difference(difference.kind, number, comparison.words)
        line = version_words.difference_between(comparison.before, comparison.after)
        self.images_wanted.emit(Picked(title, line, difference.rows, row))
