"""Before there is anything to import: choose images, wait for the search, read what is wrong."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from pathlib import Path

from PySide6.QtCore import QSize, Qt, Signal
from PySide6.QtGui import QStandardItemModel
from PySide6.QtWidgets import QComboBox, QLineEdit, QMenu, QWidget

from studio.engine.datasets.sources.s3 import INSTALL, is_installed
from studio.engine.datasets.sources.shared.address import (
    DOWNLOADING,
    address_of,
    checked_address,
    place_text,
    short_name,
    with_server,
)
from studio.engine.errors import StudioError
from studio.ui.pages.datasets.importing.status import ProblemCard
from studio.ui.pages.datasets.messages import sample_line
from studio.ui.theme.theme import Theme
from studio.ui.theme.tokens import SPACE
from studio.ui.widgets.bars import ThinBar
from studio.ui.widgets.buttons import push_button
from studio.ui.widgets.cards import Card
from studio.ui.widgets.drop_area import DropArea
from studio.ui.widgets.figures import count
from studio.ui.widgets.labels import HintLabel
from studio.ui.widgets.layout import STRETCH, fill, hbox, text_label, vbox
from studio.ui.widgets.pages import PageStack
from studio.ui.widgets.tips import explain

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
            self.sample_button, self.tr("Imports 1,797 small pictures of digits, in some seconds.")
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


_WEB, _S3 = 0, 1


class AddressRow(QWidget):
    """A line for an address, and for S3 the server and the region.

    Signals:
        wanted: An address that can be looked through.
    """

    wanted = Signal(str)

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.kind = QComboBox(self)
        self.kind.addItems([self.tr("Web address"), self.tr("S3 bucket")])
        self.kind.setAccessibleName(self.tr("Kind of address"))
        self.place = self._line(self.tr("Address"))
        self.endpoint = self._line(self.tr("Server of S3"))
        self.region = self._line(self.tr("Region of S3"))
        self.endpoint.setPlaceholderText(self.tr("Server, if not Amazon's: https://minio…"))
        self.region.setPlaceholderText(self.tr("Region, if needed"))
        self.button = push_button(self.tr("Look there"), theme, icon="search", parent=self)
        self.hint = HintLabel(parent=self)
        self._lay_out()
        self._offer_s3()
        self.kind.currentIndexChanged.connect(self._refresh)
        for line in (self.place, self.endpoint, self.region):
            line.textChanged.connect(self._refresh)
            line.returnPressed.connect(self._on_look)
        self.button.clicked.connect(self._on_look)
        self._refresh()
        self._explain()

    def _explain(self) -> None:
        explain(self.endpoint, self.tr("Only for a storage that is not Amazon's own."))
        explain(
            self.kind, self.tr("Where the images are: on the web, or in a storage of the cloud.")
        )
        explain(
            self.place,
            self.tr("Where the images are; they are read from there once, and never changed."),
        )
        explain(self.region, self.tr("Needed only where the server does not find it by itself."))

    @property
    def is_s3(self) -> bool:
        """Whether a bucket is chosen rather than an address of the web."""
        return self.kind.currentIndex() == _S3

    def _line(self, name: str) -> QLineEdit:
        line = QLineEdit(self)
        line.setAccessibleName(name)
        return line

    def _offer_s3(self) -> None:
        """Say what is missing, where S3 cannot be read."""
        model = self.kind.model()
        if is_installed() or not isinstance(model, QStandardItemModel):
            return
        item = model.item(_S3)
        item.setEnabled(False)
        item.setToolTip(self._missing())

    def _missing(self) -> str:
        return self.tr("S3 needs a package: {line}").format(line=INSTALL)

    def _refresh(self) -> None:
        """Show the lines of the kind that is chosen, and whether there is something to look at."""
        s3 = self.is_s3
        example = "s3://bucket/folder" if s3 else "https://example.org/pets/"
        self.place.setPlaceholderText(example)
        self.endpoint.setVisible(s3)
        self.region.setVisible(s3)
        text = self.tr("A page that lists class folders, or an archive (zip, tar, npz, h5…).")
        if s3:
            text = self.tr(
                "Who may read is told by the environment or a profile of AWS, and kept nowhere."
            )
        elif not is_installed():
            text += " " + self._missing()
        self.hint.show_text(text)
        empty = not self.place.text().strip()
        self.button.setEnabled(not empty)
        self.button.setToolTip(self.tr("Type an address first") if empty else "")

    def _on_look(self) -> None:
        if not self.button.isEnabled():
            return
        try:
            address = self._address()
        except StudioError as error:
            self.hint.show_text(str(error), "problem")
            return
        self.wanted.emit(address)

    def _address(self) -> str:
        text = self.place.text().strip()
        if self.is_s3:
            place = text if "://" in text else f"s3://{text}"
            return with_server(place, self.endpoint.text().strip(), self.region.text().strip())
        return checked_address(text if address_of(text) else f"https://{text}")

    def _lay_out(self) -> None:
        first = hbox(self.kind, (self.place, 1), self.button, spacing=SPACE.s)
        second = hbox((self.endpoint, 2), (self.region, 1), spacing=SPACE.s)
        vbox(first, second, self.hint, owner=self, spacing=SPACE.xs)


class SearchPanel(PageStack):
    """A drop area with the last problem under it, or a search that runs.

    Signals:
        address_given: An address, or the folder of a dataset, to look through.
    """

    address_given = Signal(str)

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
        self._number = text_label("", "muted", self)
        self._bar = ThinBar(theme, self)
        self.cancel_button = push_button(self.tr("Cancel"), theme, icon="stop", parent=self)
        self.addWidget(self._choosing())
        self.addWidget(self._searching())
        self.address.wanted.connect(self.address_given)
        self._explain()

    def _explain(self) -> None:
        explain(self.cancel_button, self.tr("Stops looking; nothing was changed."))
        explain(
            self.datasets_button, self.tr("Takes the images of a dataset that is here already.")
        )
        explain(self.file_button, self.tr("An archive, a list of images, or a file of arrays."))
        explain(
            self.prefix_button, self.tr("The folder that the paths of a list are counted from.")
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
        others = hbox(STRETCH, self.datasets_button, self.samples_button, STRETCH, spacing=SPACE.s)
        vbox(
            self.problem,
            (self.prefix_button, Qt.AlignmentFlag.AlignLeft),
            (self.area, 1),
            self.address,
            others,
            owner=part,
            spacing=SPACE.m,
        )
        return part

    def _searching(self) -> QWidget:
        part = QWidget(self)
        self._card = Card("", part)
        fill(
            self._card.body,
            self._bar,
            self._number,
            (self.cancel_button, Qt.AlignmentFlag.AlignLeft),
        )
        vbox(self._card, STRETCH, owner=part)
        return part
