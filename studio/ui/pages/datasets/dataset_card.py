"""A dataset in the list: a few of its pictures, its name, what it holds or how far it is."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QColor, QImage, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QHBoxLayout, QLabel, QVBoxLayout, QWidget

from studio.engine.datasets.audit.findings import Severity
from studio.engine.jobs.states import State
from studio.ui.pages.datasets import findings_words
from studio.ui.pages.datasets.severity_icon import SeverityIcon
from studio.ui.theme.icons import pixmap
from studio.ui.theme.theme import Theme
from studio.ui.theme.tokens import ICON, RADIUS, SPACE
from studio.ui.widgets.card import PressableCard
from studio.ui.widgets.class_card import Mosaic
from studio.ui.widgets.elided_label import ElidedLabel
from studio.ui.widgets.explain import explain
from studio.ui.widgets.state_badge import StateBadge, state_word
from studio.ui.widgets.thin_bar import ThinBar

_SIDE = 52


class DatasetCard(PressableCard):
    """One dataset as a button.

    Attributes:
        record_id: Whose card it is.
    """

    def __init__(
        self, theme: Theme, record_id: str, name: str, parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self.record_id = record_id
        self._theme = theme
        self._current = False
        self.mosaic = Mosaic(theme, _SIDE, self)
        self._blank = QLabel(self.mosaic)
        self._blank.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self._blank.resize(self.mosaic.size())
        self._name = ElidedLabel(name, self)
        font = self._name.font()
        font.setWeight(font.Weight.DemiBold)
        self._name.setFont(font)
        self.mark = SeverityIcon(theme, self)
        self.mark.hide()
        self._lines = (ElidedLabel("", self), ElidedLabel("", self))
        for line in self._lines:
            line.setProperty("role", "caption")
        self.badge = StateBadge(theme, "completed", self)
        self.bar = ThinBar(theme, self)
        theme.changed.connect(self._draw)
        self._lay_out()
        self.set_state(State.COMPLETED)
        self._draw()

    def set_name(self, name: str) -> None:
        """Show another name."""
        self._name.setText(name)
        self._describe()

    def set_lines(self, first: str, second: str) -> None:
        """Show what it holds; empty lines take no room."""
        for line, text in zip(self._lines, (first, second), strict=True):
            line.setText(text)
            line.setVisible(bool(text))
        self._describe()

    def set_cover(self, images: Sequence[QImage]) -> None:
        """Show up to four of its pictures."""
        self.mosaic.set_images(images)
        self._blank.setVisible(not images)

    def set_worst(self, worst: Severity | None) -> None:
        """Say how bad the worst is that the audit found; a remark is not worth a mark."""
        shown = worst in ("serious", "warning")
        self.mark.setVisible(shown)
        if worst is not None and shown:
            text = self.tr("The audit found something: {what}")
            self.mark.set_mark(worst, text.format(what=findings_words.severity(worst)))
        self._describe()

    def set_state(self, state: State) -> None:
        """Show where its import is; a completed one needs no words."""
        self.badge.set_state(state.value)
        self.badge.setVisible(state != State.COMPLETED)
        self.bar.setVisible(state.has_worker)
        self._describe()

    def set_fraction(self, fraction: float | None) -> None:
        """Show how far its import is; None is not known."""
        self.bar.set_fraction(fraction)

    def set_current(self, *, current: bool) -> None:
        """Mark it as the one that is shown."""
        self._current = current
        self._describe()
        self.update()

    def paintEvent(self, event: QPaintEvent) -> None:
        """Paint the current one in the color of what is selected."""
        super().paintEvent(event)
        if not self._current:
            return
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        # The focus has a wider edge of the same color, so both can be seen at once.
        palette = self._theme.palette
        painter.setPen(QPen(QColor(palette.accent), 2 if self.hasFocus() else 1))
        painter.setBrush(QColor(palette.selection))
        edge = QRectF(self.rect()).adjusted(1, 1, -1, -1)
        painter.drawRoundedRect(edge, RADIUS.card, RADIUS.card)
        painter.end()

    def _draw(self) -> None:
        self._blank.setPixmap(pixmap("image", self._theme, "muted", ICON))
        self.update()

    def _lay_out(self) -> None:
        words = QVBoxLayout()
        words.setSpacing(2)
        words.addStretch(1)
        head = QHBoxLayout()
        head.setSpacing(SPACE.xs)
        head.addWidget(self._name, 1)
        head.addWidget(self.mark)
        words.addLayout(head)
        for line in self._lines:
            words.addWidget(line)
        words.addWidget(self.badge, 0, Qt.AlignmentFlag.AlignLeft)
        words.addWidget(self.bar)
        words.addStretch(1)
        row = QHBoxLayout(self)
        row.setContentsMargins(SPACE.s, SPACE.s, SPACE.m, SPACE.s)
        row.setSpacing(SPACE.m)
        row.addWidget(self.mosaic, 0, Qt.AlignmentFlag.AlignTop)
        row.addLayout(words, 1)

    def _describe(self) -> None:
        self.setAccessibleName(self.tr("Dataset {name}").format(name=self._name.text()))
        state = self.badge.state
        parts = [line.text() for line in self._lines]
        parts += ["" if state == "completed" else state_word(state)]
        parts += [self.mark.accessibleName() if not self.mark.isHidden() else ""]
        if self._current:
            parts.append(self.tr("shown"))
        self.setAccessibleDescription(", ".join(part for part in parts if part))
        explain(self, self.tr("Shows this dataset: its images, what may be wrong, its versions."))
