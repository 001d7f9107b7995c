"""A few of the user's own pictures, before and after the import."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from PySide6.QtCore import QSize, Qt
from PySide6.QtGui import QImage
from PySide6.QtWidgets import QGridLayout, QHBoxLayout, QLabel, QWidget

from studio.ui.pages.datasets.found import Preview, Result
from studio.ui.pages.datasets.import_work import PREVIEWS
from studio.ui.theme.icons import pixmap
from studio.ui.theme.theme import Theme
from studio.ui.theme.tokens import ICON, SPACE
from studio.ui.widgets.card import Card
from studio.ui.widgets.elided_label import ElidedLabel
from studio.ui.widgets.figures import count
from studio.ui.widgets.picture_view import PictureView

SMALLEST, LARGEST = 86, 144


@dataclass(frozen=True, slots=True)
class _Line:
    before: PictureView
    arrow: QLabel
    after: PictureView
    caption: ElidedLabel
    size: QLabel

    def widgets(self) -> tuple[QWidget, ...]:
        return self.before, self.arrow, self.after, self.caption, self.size


class PreviewCard(Card):
    """Pairs of pictures under "As it is" and "As the network sees it"."""

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__("", parent)
        self._theme = theme
        self.setAccessibleName(self.tr("Preview"))
        self._names: list[str] = []
        self._before_heading = _heading(self.tr("As it is"), self)
        self._after_heading = _heading("", self)
        self._table = QGridLayout()
        self._table.setHorizontalSpacing(SPACE.s)
        self._table.setVerticalSpacing(SPACE.xs)
        self._table.addWidget(self._before_heading, 0, 0)
        self._table.addWidget(self._after_heading, 0, 2)
        self._table.setColumnStretch(3, 1)
        self._lines = [self._add_line(1 + 2 * place) for place in range(PREVIEWS)]
        self.body.addLayout(self._table)
        self.body.addStretch(1)
        self.set_side(SMALLEST)
        theme.changed.connect(self._draw_arrows)
        self._draw_arrows()

    def set_side(self, side: int) -> None:
        """Show the pictures that large."""
        side = max(SMALLEST, min(LARGEST, side))
        for line in self._lines:
            line.before.setFixedSize(QSize(side, side))
            line.after.setFixedSize(QSize(side, side))
        margins = self.body.contentsMargins()
        self.setFixedWidth(2 * side + ICON + 2 * SPACE.s + margins.left() + margins.right() + 2)

    def show_before(self, previews: Sequence[Preview]) -> None:
        """Show the pictures as they are."""
        self._names = [preview.caption for preview in previews]
        for place, line in enumerate(self._lines):
            for widget in line.widgets():
                widget.setVisible(place < len(previews))
            if place < len(previews):
                preview = previews[place]
                name = self._names[place]
                line.before.set_image(
                    preview.before, self.tr("An image of {name} as it is").format(name=name)
                )
                line.after.set_image(None)
                problem = preview.problem
                line.caption.setText(f"{name}: {problem}" if problem else name)

    def show_after(self, heading: str, results: Sequence[Result]) -> None:
        """Show what the recipe makes of them, and how large that is where it is packed."""
        self._after_heading.setText(heading)
        for line, name, result in zip(self._lines, self._names, results, strict=False):
            text = self.tr("The same image of {name} after the import").format(name=name)
            line.after.set_image(result.image, text)
            number = count(result.packed) if result.packed else ""
            line.size.setText(self.tr("{n} bytes").format(n=number) if number else "")

    def after_images(self) -> list[QImage]:
        """What is shown at the right."""
        return [line.after.image() for line in self._lines[: len(self._names)]]

    def sizes(self) -> list[str]:
        """What is said about their bytes."""
        return [line.size.text() for line in self._lines[: len(self._names)]]

    def _add_line(self, row: int) -> _Line:
        line = _Line(
            PictureView(self._theme, self),
            QLabel(self),
            PictureView(self._theme, self),
            ElidedLabel("", self),
            QLabel(self),
        )
        words = QHBoxLayout()
        words.setSpacing(SPACE.s)
        words.addWidget(line.caption, 1)
        words.addWidget(line.size)
        for label in (line.caption, line.size):
            label.setProperty("role", "caption")
        self._table.addWidget(line.before, row, 0)
        self._table.addWidget(line.arrow, row, 1, Qt.AlignmentFlag.AlignCenter)
        self._table.addWidget(line.after, row, 2)
        self._table.addLayout(words, row + 1, 0, 1, 3)
        return line

    def _draw_arrows(self) -> None:
        for line in self._lines:
            line.arrow.setPixmap(pixmap("forward", self._theme, "muted", ICON))


def _heading(text: str, parent: QWidget) -> QLabel:
    label = QLabel(text, parent)
    label.setProperty("role", "caption")
    # Over small pictures there is no room for it in one line.
    label.setWordWrap(True)
    label.setAlignment(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignBottom)
    return label
