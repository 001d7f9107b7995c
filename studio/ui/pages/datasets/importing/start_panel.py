"""The page while there is no dataset: what to do first."""

from __future__ import annotations

from PySide6.QtCore import QSize, Qt, Signal
from PySide6.QtWidgets import QHBoxLayout, QLabel, QVBoxLayout, QWidget

from studio.ui.theme.theme import Theme
from studio.ui.theme.tokens import SPACE
from studio.ui.widgets.button import push_button
from studio.ui.widgets.drop_area import DropArea
from studio.ui.widgets.explain import explain
from studio.ui.widgets.page_stack import PageStack
from studio.ui.widgets.thin_bar import ThinBar

_WIDTH = 640


class StartPanel(PageStack):
    """A large drop area and the way to the handwritten digits; or a bar while those are written.

    Signals:
        paths_dropped: `list[Path]`.
        browse_requested: Ask for a folder.
        file_requested: Ask for a file.
        address_requested: Ask for an address.
        sample_wanted: Import the handwritten digits.
        samples_wanted: Show all samples.
    """

    paths_dropped = Signal(list)
    browse_requested = Signal()
    file_requested = Signal()
    address_requested = Signal()
    sample_wanted = Signal()
    samples_wanted = Signal()

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._line = QLabel(self)
        self._line.setProperty("role", "section")
        self._bar = ThinBar(theme, self)
        self._bar.setFixedWidth(_WIDTH // 2)
        self.file_button = push_button(self.tr("Choose a file…"), theme, icon="file")
        self.address_button = push_button(self.tr("An address…"), theme, icon="search")
        self.area = DropArea(
            theme,
            self.tr("Drop a folder of images here"),
            self.tr(
                "It holds one folder for each class. An archive, a list or a file of arrays will "
                "do as well. Labels or numbers of images come in a table, such as CSV."
            ),
            icon="folder-open",
            button=self.tr("Choose a folder…"),
            more=[self.file_button, self.address_button],
            parent=self,
        )
        self.area.setMaximumSize(QSize(_WIDTH, 360))
        self.sample_button = push_button(
            self.tr("Try the handwritten digits"), theme, icon="datasets", parent=self
        )
        self.samples_button = push_button(
            self.tr("More samples…"), theme, kind="quiet", parent=self
        )
        self.addWidget(self._inviting())
        self.addWidget(self._waiting())
        self.area.paths_dropped.connect(self.paths_dropped)
        self.area.browse_requested.connect(self.browse_requested)
        self.file_button.clicked.connect(self.file_requested)
        self.address_button.clicked.connect(self.address_requested)
        self.sample_button.clicked.connect(self._on_sample)
        self.samples_button.clicked.connect(self.samples_wanted)
        self._explain()

    def _explain(self) -> None:
        explain(
            self.address_button,
            self.tr("Reads images from the web, or from a storage of the cloud."),
        )
        explain(self.file_button, self.tr("An archive, a list of images, or a file of arrays."))
        explain(
            self.sample_button,
            self.tr("Imports 1,797 small pictures of digits, in some seconds."),
        )
        explain(self.samples_button, self.tr("Known datasets to try things out with."))

    @property
    def is_busy(self) -> bool:
        """Whether something is under way."""
        return self.currentIndex() == 1

    def set_busy(self, what: str) -> None:
        """Show what is under way; empty: nothing is."""
        self._line.setText(what)
        self._bar.set_fraction(None if what else 0.0)
        self.setCurrentIndex(1 if what else 0)

    def _inviting(self) -> QWidget:
        part = QWidget(self)
        title = QLabel(self.tr("No images yet"), part)
        title.setProperty("role", "page")
        text = QLabel(self.tr("Nothing at hand? 1,797 real digits come with Studio."), part)
        text.setProperty("role", "muted")
        center = Qt.AlignmentFlag.AlignHCenter
        column = QVBoxLayout(part)
        column.setContentsMargins(SPACE.xl, SPACE.xl, SPACE.xl, SPACE.xl)
        column.setSpacing(SPACE.m)
        column.addStretch(1)
        column.addWidget(title, 0, center)
        row = QHBoxLayout()
        row.addStretch(1)
        row.addWidget(self.area, 8)
        row.addStretch(1)
        column.addLayout(row, 6)
        column.addWidget(text, 0, center)
        buttons = QHBoxLayout()
        buttons.setSpacing(SPACE.s)
        buttons.addStretch(1)
        buttons.addWidget(self.sample_button)
        buttons.addWidget(self.samples_button)
        buttons.addStretch(1)
        column.addLayout(buttons)
        column.addStretch(1)
        return part

    def _waiting(self) -> QWidget:
        part = QWidget(self)
        center = Qt.AlignmentFlag.AlignHCenter
        column = QVBoxLayout(part)
        column.setSpacing(SPACE.m)
        column.addStretch(1)
        column.addWidget(self._line, 0, center)
        column.addWidget(self._bar, 0, center)
        column.addStretch(1)
        return part

    def _on_sample(self) -> None:
        self.sample_wanted.emit()
