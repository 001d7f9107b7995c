"""What an audit measured of all images together: colors, sizes, the mean image."""

from __future__ import annotations

from collections.abc import Mapping

from PySide6.QtCore import Qt
from PySide6.QtGui import QImage
from PySide6.QtWidgets import QFormLayout, QLabel, QWidget

from studio.engine.datasets.audit.findings import Statistics
from studio.ui.pages.datasets import findings_words
from studio.ui.pages.datasets.mean_images import MeanImages
from studio.ui.theme.theme import Theme
from studio.ui.theme.tokens import SPACE
from studio.ui.widgets.card import Card
from studio.ui.widgets.flow_layout import FlowLayout


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
        channels = findings_words.channels
        self._add(self.tr("Mean color"), channels(figures.color_mean))
        self._add(self.tr("Deviation"), channels(figures.color_deviation))
        self._add(self.tr("Brightness"), findings_words.spread(figures.brightness))
        self._add(self.tr("Contrast"), findings_words.spread(figures.contrast))
        if figures.width is not None and figures.height is not None:
            unit = " px"
            self._add(self.tr("File width"), findings_words.spread(figures.width, unit))
            self._add(self.tr("File height"), findings_words.spread(figures.height, unit))
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
        label = QLabel(name, self)
        label.setProperty("role", "muted")
        value = QLabel(text, self)
        self._form.addRow(label, value)
