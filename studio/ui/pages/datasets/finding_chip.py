"""What the browser is narrowed to, a finding or images picked, and how to widen it again."""

from __future__ import annotations

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QHBoxLayout, QWidget

from studio.engine.datasets.audit.findings import Finding
from studio.ui.engine_text import engine_text
from studio.ui.pages.datasets import findings_words
from studio.ui.pages.datasets.image_query import Picked
from studio.ui.pages.datasets.severity_icon import SeverityIcon
from studio.ui.theme.theme import Theme
from studio.ui.theme.tokens import SPACE
from studio.ui.widgets.button import push_button
from studio.ui.widgets.elided_label import ElidedLabel
from studio.ui.widgets.explain import explain


class FindingChip(QWidget):
    """A line with a finding, or with images that were picked; hidden while there is neither.

    Signals:
        removed: All images are wanted again.
    """

    removed = Signal()

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._finding: Finding | None = None
        self._picked: Picked | None = None
        self.icon = SeverityIcon(theme, self)
        self.button = push_button("", theme, icon="close", parent=self)
        self.button.clicked.connect(self._on_removed)
        self.line = ElidedLabel("", self)
        self.line.setProperty("role", "muted")
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(SPACE.s)
        row.addWidget(self.icon)
        row.addWidget(self.button)
        row.addWidget(self.line, 1)
        self.show_finding(None)
        explain(self.button, self.tr("Shows all images again."))

    @property
    def finding(self) -> Finding | None:
        """The finding that is shown."""
        return self._finding

    @property
    def picked(self) -> Picked | None:
        """The images that were picked."""
        return self._picked

    def show_picked(self, picked: Picked) -> None:
        """Show images that were picked instead."""
        self.show_finding(None)
        self._picked = picked
        self.show()
        self.icon.set_mark("none", "")
        self.button.setText(picked.title)
        self.button.setToolTip(self.tr("Show all images again, not only these"))
        text = self.tr("{what}. Show all images").format(what=picked.title)
        self.button.setAccessibleName(text)
        self.line.setText(picked.line)

    def show_finding(self, finding: Finding | None) -> None:
        """Show another finding, or none."""
        self._finding = finding
        self._picked = None
        self.setVisible(finding is not None)
        if finding is None:
            return
        name = findings_words.title(finding.kind)
        self.icon.set_mark(finding.severity, findings_words.severity(finding.severity))
        self.button.setText(name)
        self.button.setToolTip(self.tr("Show all images again, not only those of this finding"))
        self.button.setAccessibleName(self.tr("Finding {what}. Show all images").format(what=name))
        self.line.setText(engine_text(finding.message))

    def _on_removed(self) -> None:
        self.show_finding(None)
        self.removed.emit()
