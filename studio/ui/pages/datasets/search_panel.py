"""Before there is anything to import: choose images, wait for the search, read what is wrong."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QLabel, QStackedWidget, QVBoxLayout, QWidget

from studio.engine.errors import StudioError
from studio.ui.pages.datasets.problem_card import ProblemCard
from studio.ui.theme.theme import Theme
from studio.ui.theme.tokens import SPACE
from studio.ui.widgets.button import push_button
from studio.ui.widgets.card import Card
from studio.ui.widgets.drop_area import DropArea
from studio.ui.widgets.figures import count
from studio.ui.widgets.thin_bar import ThinBar


class SearchPanel(QStackedWidget):
    """A drop area with the last problem under it, or a search that runs.

    Signals:
        paths_dropped: `list[Path]`.
        browse_requested: Ask for a folder.
        file_requested: Ask for a file.
        prefix_requested: Ask for the folder that the paths of the list start from.
        samples_requested: Show the samples.
        cancel_requested: End the search.
    """

    paths_dropped = Signal(list)
    browse_requested = Signal()
    file_requested = Signal()
    prefix_requested = Signal()
    samples_requested = Signal()
    cancel_requested = Signal()

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.file_button = push_button(self.tr("Choose a file…"), theme, icon="file")
        self.area = DropArea(
            theme,
            self.tr("Drop images here"),
            self.tr(
                "A folder with one folder per class, or an archive of it (zip, tar); a list "
                "(txt, csv); arrays (npz, h5); MNIST or CIFAR files; Parquet."
            ),
            icon="folder-open",
            button=self.tr("Choose a folder…"),
            more=[self.file_button],
        )
        self.prefix_button = push_button(
            self.tr("Choose where its paths start…"), theme, icon="folder-open", parent=self
        )
        self.samples_button = push_button(
            self.tr("Sample datasets…"), theme, kind="quiet", icon="datasets", parent=self
        )
        self.problem = ProblemCard(theme, self)
        self._number = QLabel(self)
        self._number.setProperty("role", "muted")
        self._bar = ThinBar(theme, self)
        self.cancel_button = push_button(self.tr("Cancel"), theme, icon="stop", parent=self)
        self.addWidget(self._choosing())
        self.addWidget(self._searching())
        self.area.paths_dropped.connect(self.paths_dropped)
        self.area.browse_requested.connect(self.browse_requested)
        self.file_button.clicked.connect(self.file_requested)
        self.prefix_button.clicked.connect(self.prefix_requested)
        self.samples_button.clicked.connect(self.samples_requested)
        self.cancel_button.clicked.connect(self._on_cancel)

    def ask(self, error: StudioError | None = None, *, is_list: bool = False) -> None:
        """Ask for images; say what was wrong with the last ones.

        Args:
            error: What was wrong.
            is_list: They were a list, whose paths may start elsewhere.
        """
        self.problem.show_error(error)
        self.prefix_button.setVisible(is_list)
        self.setCurrentIndex(0)

    def show_search(self, path: Path) -> None:
        """Show that a folder is looked through."""
        self._bar.set_fraction(None)
        self._card.set_title(self.tr("Looking through {name}").format(name=path.name or path))
        self.show_number(0)
        self.setCurrentIndex(1)

    def show_number(self, found: int) -> None:
        """Show how many images were found so far."""
        text = self.tr("{n} images so far").format(n=count(found))
        self._number.setText(text if found else self.tr("Looking for images…"))

    @property
    def is_searching(self) -> bool:
        """Whether the search is shown."""
        return self.currentIndex() == 1

    def _choosing(self) -> QWidget:
        part = QWidget(self)
        column = QVBoxLayout(part)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(SPACE.m)
        column.addWidget(self.problem)
        column.addWidget(self.prefix_button, 0, Qt.AlignmentFlag.AlignLeft)
        column.addWidget(self.area, 1)
        column.addWidget(self.samples_button, 0, Qt.AlignmentFlag.AlignHCenter)
        return part

    def _searching(self) -> QWidget:
        part = QWidget(self)
        self._card = Card("", part)
        self._card.body.addWidget(self._bar)
        self._card.body.addWidget(self._number)
        self._card.body.addWidget(self.cancel_button, 0, Qt.AlignmentFlag.AlignLeft)
        column = QVBoxLayout(part)
        column.setContentsMargins(0, 0, 0, 0)
        column.addWidget(self._card)
        column.addStretch(1)
        return part

    def _on_cancel(self) -> None:
        self.cancel_requested.emit()
