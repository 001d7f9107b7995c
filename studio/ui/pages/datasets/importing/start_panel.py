"""The page while there is no dataset: what to do first."""

from __future__ import annotations

from PySide6.QtCore import QSize, Qt
from PySide6.QtWidgets import QWidget

from studio.ui.theme.theme import Theme
from studio.ui.theme.tokens import SPACE
from studio.ui.widgets.boxes import STRETCH, hbox, text_label, vbox
from studio.ui.widgets.button import push_button
from studio.ui.widgets.drop_area import DropArea
from studio.ui.widgets.explain import explain
from studio.ui.widgets.page_stack import PageStack
from studio.ui.widgets.thin_bar import ThinBar

_WIDTH = 640


class StartPanel(PageStack):
    """A large drop area and a button for sample digits; or progress while they are written."""

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._line = text_label("", "section", self)
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
        title = text_label(self.tr("No images yet"), "page", part)
        text = text_label(
            self.tr("Nothing at hand? 1,797 real digits come with Studio."), "muted", part
        )
        center = Qt.AlignmentFlag.AlignHCenter
        row = hbox(STRETCH, (self.area, 8), STRETCH)
        buttons = hbox(STRETCH, self.sample_button, self.samples_button, STRETCH, spacing=SPACE.s)
        vbox(
            STRETCH,
            (title, center),
            (row, 6),
            (text, center),
            buttons,
            STRETCH,
            owner=part,
            spacing=SPACE.m,
            margins=SPACE.xl,
        )
        return part

    def _waiting(self) -> QWidget:
        part = QWidget(self)
        center = Qt.AlignmentFlag.AlignHCenter
        vbox(
            STRETCH,
            (self._line, center),
            (self._bar, center),
            STRETCH,
            owner=part,
            spacing=SPACE.m,
            margins=None,
        )
        return part
