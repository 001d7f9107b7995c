"""The figures that are looked at first, each with its interval."""

from __future__ import annotations

from PySide6.QtWidgets import QLabel, QWidget

from studio.engine.evaluation.report import Report
from studio.ui.pages.evaluation import messages
from studio.ui.theme.tokens import SPACE
from studio.ui.widgets.layout import FlowLayout, vbox

_TOP = 5


class Tiles(QWidget):
    """One tile per figure."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        names = messages.figure_names()
        self._tiles: dict[str, QWidget] = {}
        self._values: dict[str, tuple[QLabel, QLabel]] = {}
        flow = FlowLayout(self, SPACE.l)
        for name in messages.TILES:
            tile = QWidget(self)
            caption, value, around = (QLabel(tile) for _ in range(3))
            caption.setText(names[name])
            caption.setProperty("role", "caption")
            value.setProperty("role", "page")
            around.setProperty("role", "caption")
            vbox(caption, value, around, owner=tile, spacing=0)
            self._tiles[name] = tile
            self._values[name] = (value, around)
            flow.addWidget(tile)

    def show_report(self, report: Report) -> None:
        """Show the figures of a report."""
        # Of five classes or fewer, five guesses are always right.
        self._tiles["top_5"].setVisible(len(report.classes) > _TOP)
        for name, (value, around) in self._values.items():
            value.setText(messages.value_text(name, getattr(report, name)))
            around.setText(messages.interval_text(name, report.intervals.get(name)))
            around.setToolTip(
                self.tr("95 % of {count} resamples of the images lie between these.").format(
                    count=report.resamples
                )
            )

    def texts(self) -> dict[str, str]:
        """What is shown, by the names of the figures."""
        return {
            name: value.text()
            for name, (value, _) in self._values.items()
            if not self._tiles[name].isHidden()
        }
