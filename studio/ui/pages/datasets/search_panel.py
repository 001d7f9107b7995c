"""Before there is anything to import: choose images, wait for the search, read what is wrong."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from pathlib import Path

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QHBoxLayout, QLabel, QMenu, QVBoxLayout, QWidget

from studio.engine.datasets.sources.shared.address import DOWNLOADING, place_text, short_name
from studio.engine.errors import StudioError
from studio.ui.pages.datasets.address_row import AddressRow
from studio.ui.pages.datasets.import_messages import sample_line
from studio.ui.pages.datasets.problem_card import ProblemCard
from studio.ui.theme.theme import Theme
from studio.ui.theme.tokens import SPACE
from studio.ui.widgets.button import push_button
from studio.ui.widgets.card import Card
from studio.ui.widgets.drop_area import DropArea
from studio.ui.widgets.explain import explain
from studio.ui.widgets.figures import count
from studio.ui.widgets.page_stack import PageStack
from studio.ui.widgets.thin_bar import ThinBar


class SearchPanel(PageStack):
    """A drop area with the last problem under it, or a search that runs.

    Signals:
        paths_dropped: `list[Path]`.
        browse_requested: Ask for a folder.
        file_requested: Ask for a file.
        prefix_requested: Ask for the folder that the paths of the list start from.
        address_given: An address, or the folder of a dataset, to look through.
        samples_requested: Show the samples.
        cancel_requested: End the search.
    """

    paths_dropped = Signal(list)
    browse_requested = Signal()
    file_requested = Signal()
    prefix_requested = Signal()
    address_given = Signal(str)
    samples_requested = Signal()
    cancel_requested = Signal()

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.file_button = push_button(self.tr("Choose a file…"), theme, icon="file")
        self._title = self.tr("Drop images here")
        self._kinds = self.tr(
            "A folder with one folder per class, or an archive of it (zip, tar); a list "
            "(txt, csv); arrays (npz, h5); MNIST or CIFAR files; Parquet. Labels or numbers of "
            "images come in a table (csv, tsv, Parquet) or in arrays."
        )
        self.area = DropArea(
            theme,
            self._title,
            self._kinds,
            icon="folder-open",
            button=self.tr("Choose a folder…"),
            more=[self.file_button],
        )
        self.prefix_button = push_button(
            self.tr("Choose where its paths start…"), theme, icon="folder-open", parent=self
        )
        self.address = AddressRow(theme, self)
        self.samples_button = push_button(
            self.tr("Sample datasets…"), theme, kind="quiet", icon="datasets", parent=self
        )
        self.datasets_button = push_button(
            self.tr("A dataset of Studio's…"), theme, kind="quiet", icon="copy", parent=self
        )
        self._datasets = QMenu(self.datasets_button)
        self.datasets_button.setMenu(self._datasets)
        self.set_datasets({})
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
        self.address.wanted.connect(self.address_given)
        self.samples_button.clicked.connect(self.samples_requested)
        self.cancel_button.clicked.connect(self._on_cancel)
        self._explain()

    def _explain(self) -> None:
        explain(self.cancel_button, self.tr("Stops looking; nothing was changed."))
        explain(
            self.datasets_button,
            self.tr("Takes the images of a dataset that is here already."),
        )
        explain(self.file_button, self.tr("An archive, a list of images, or a file of arrays."))
        explain(
            self.prefix_button,
            self.tr("The folder that the paths of a list are counted from."),
        )
        explain(self.samples_button, self.tr("Known datasets to try things out with."))

    def set_datasets(self, places: Mapping[Path, str]) -> None:
        """Offer the datasets in these folders, by their names, to take images from."""
        self._datasets.clear()
        for folder, name in places.items():
            # An ampersand would underline the next letter.
            text = name.replace("&", "&&")
            self._datasets.addAction(text, partial(self.address_given.emit, str(folder)))
        self.datasets_button.setVisible(bool(places))

    def ask(
        self, error: StudioError | None = None, *, is_list: bool = False, is_more: bool = False
    ) -> None:
        """Ask for images; say what was wrong with the last ones.

        Args:
            error: What was wrong.
            is_list: They were a list, whose paths may start elsewhere.
            is_more: They are to join those of another place.
        """
        self.area.set_text(
            self.tr("Drop more images here") if is_more else self._title, self._kinds
        )
        self.samples_button.setVisible(not is_more)
        self.problem.show_error(error)
        self.prefix_button.setVisible(is_list)
        self.setCurrentIndex(0)

    def show_search(self, path: Path) -> None:
        """Show that a folder is looked through."""
        name = short_name(path) or place_text(path)
        self._card.set_title(self.tr("Looking through {name}").format(name=name))
        self.show_progress(0, 0, "")
        self.setCurrentIndex(1)

    def show_progress(self, done: int, total: int, what: str) -> None:
        """Show how many images were found so far, or how much of a file has come."""
        if what.startswith(DOWNLOADING):
            self._bar.set_fraction(done / total if total else None)
            self._number.setText(sample_line(what, done, total, None, is_bytes=True))
            return
        self._bar.set_fraction(None)
        text = self.tr("{n} images so far").format(n=count(done))
        self._number.setText(text if done else self.tr("Looking for images…"))

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
        column.addWidget(self.address)
        others = QHBoxLayout()
        others.setSpacing(SPACE.s)
        others.addStretch(1)
        others.addWidget(self.datasets_button)
        others.addWidget(self.samples_button)
        others.addStretch(1)
        column.addLayout(others)
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
