"""Panels before images are found: choose images, wait for the search, read an error."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from pathlib import Path

from PySide6.QtCore import QSize, Qt, Signal
from PySide6.QtGui import QStandardItemModel
from PySide6.QtWidgets import QComboBox, QHBoxLayout, QLineEdit, QMenu, QPushButton, QWidget

from studio.engine.datasets.sources.s3 import is_installed
from studio.engine.errors import StudioError, UnlabeledError
from studio.engine.installation import install_command
from studio.engine.tasks import TASKS
from studio.engine.web.address import (
    DOWNLOADING,
    address_of,
    checked_address,
    location_text,
    short_name,
    with_server,
)
from studio.ui.pages.datasets.importing.status import ProblemCard
from studio.ui.pages.datasets.messages import sample_line
from studio.ui.tasks import view_of
from studio.ui.theme.theme import Theme
from studio.ui.theme.tokens import SPACE
from studio.ui.widgets.bars import ThinBar
from studio.ui.widgets.buttons import push_button
from studio.ui.widgets.cards import Card
from studio.ui.widgets.drop_area import DropArea
from studio.ui.widgets.figures import counted
from studio.ui.widgets.labels import HintLabel
from studio.ui.widgets.layout import STRETCH, fill, hbox, text_label, vbox
from studio.ui.widgets.pages import PageStack, ScrollColumn
from studio.ui.widgets.tips import allow, explain

_WIDTH = 640
_CENTER = Qt.AlignmentFlag.AlignHCenter


class StartPanel(PageStack):
    """A large drop area and a button for sample digits, or progress while they are written."""

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._line = text_label("", "section", self)
        self._bar = ThinBar(theme, self)
        self._bar.setFixedWidth(_WIDTH // 2)
        tip = self.tr("An archive, a list of images, or an array file.")
        self.file_button = push_button(self.tr("Choose a file…"), theme, icon="file", tip=tip)
        tip = self.tr("Reads images from the web or from cloud storage.")
        self.address_button = push_button(
            self.tr("An address…"), theme, kind="quiet", icon="search", tip=tip
        )
        text = self.tr(
            "With one folder per class. An archive, a list or an array file also works. For "
            "labels or numbers, use a table such as CSV."
        )
        title, button = self.tr("Drop a folder of images here"), self.tr("Choose a folder…")
        more = [self.file_button]
        self.area = DropArea(theme, title, text, icon="folder-open", button=button, more=more)
        self.area.setMaximumSize(QSize(_WIDTH, 360))
        tip = self.tr("Imports 1,797 small images of digits in a few seconds.")
        text = self.tr("Try the handwritten digits")
        self.sample_button = push_button(text, theme, icon="datasets", tip=tip)
        tip = self.tr("Well-known datasets to try things out.")
        self.samples_button = push_button(self.tr("More samples…"), theme, kind="quiet", tip=tip)
        invitation, waiting = QWidget(self), QWidget(self)
        heading = (text_label(self.tr("No images yet"), "page", self), _CENTER)
        offer = self.tr("No images? Studio includes 1,797 handwritten digits.")
        others = (self.sample_button, self.samples_button, self.address_button)
        buttons = (STRETCH, *others, STRETCH)
        area = (hbox(STRETCH, (self.area, 8), STRETCH), 6)
        self._offer = text_label(offer, "muted", self)
        line = (self._offer, _CENTER)
        parts = (STRETCH, heading, area, line, hbox(*buttons, spacing=SPACE.s), STRETCH)
        margins = (SPACE.m, SPACE.xl, SPACE.m, SPACE.xl)
        vbox(*parts, owner=invitation, spacing=SPACE.m, margins=margins)
        progress = (STRETCH, (self._line, _CENTER), (self._bar, _CENTER), STRETCH)
        vbox(*progress, owner=waiting, spacing=SPACE.m, margins=None)
        self.addWidget(invitation)
        self.addWidget(waiting)

    @property
    def is_busy(self) -> bool:
        """True while samples are written."""
        return self.currentIndex() == 1

    def refuse(self, reason: str) -> None:
        """Offer nothing, and say why."""
        for each in (self.area, self.sample_button, self.samples_button, self.address_button):
            each.hide()
        self._offer.setText(reason)

    def set_busy(self, what: str) -> None:
        """Show what is under way; empty for nothing."""
        self._line.setText(what)
        self._bar.set_fraction(None if what else 0.0)
        self.setCurrentIndex(1 if what else 0)


_WEB, _S3 = 0, 1


class AddressRow(QWidget):
    """A line for an address, and for S3 the server and the region.

    Signals:
        requested: A valid address to search.
    """

    requested = Signal(str)

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.kind = QComboBox(self)
        self.kind.addItems([self.tr("Web address"), self.tr("S3 bucket")])
        self.kind.setAccessibleName(self.tr("Kind of address"))
        explain(self.kind, self.tr("For images on the web or in cloud storage."))
        tip = self.tr("The images are read once and never changed.")
        self.location = self._line(self.tr("Address"), tip)
        tip = self.tr("Only for storage that is not Amazon's own.")
        self.endpoint = self._line(self.tr("Server of S3"), tip)
        tip = self.tr("Only if the server cannot detect it.")
        self.region = self._line(self.tr("Region of S3"), tip)
        self.endpoint.setPlaceholderText(self.tr("Server, if not Amazon's: https://minio…"))
        self.region.setPlaceholderText(self.tr("Region, if needed"))
        text = self.tr("Search")
        self.button = push_button(text, theme, icon="search", on_click=self._on_search)
        self.hint = HintLabel(parent=self)
        first = hbox(self.kind, (self.location, 1), self.button, spacing=SPACE.s)
        second = hbox((self.endpoint, 2), (self.region, 1), spacing=SPACE.s)
        vbox(first, second, self.hint, owner=self, spacing=SPACE.xs)
        self._missing = self.tr("S3 needs a package: {line}").format(line=install_command("s3"))
        model = self.kind.model()
        if not is_installed() and isinstance(model, QStandardItemModel):
            model.item(_S3).setEnabled(False)
            model.item(_S3).setToolTip(self._missing)
        self.kind.currentIndexChanged.connect(self._refresh)
        self._refresh()

    @property
    def is_s3(self) -> bool:
        """True for a bucket, False for a web address."""
        return self.kind.currentIndex() == _S3

    def _line(self, name: str, tip: str) -> QLineEdit:
        line = QLineEdit(self)
        line.setAccessibleName(name)
        explain(line, tip)
        line.textChanged.connect(self._refresh)
        line.returnPressed.connect(self._on_search)
        return line

    def _refresh(self) -> None:
        """Show the fields of the chosen kind; enable the button if there is an address."""
        s3 = self.is_s3
        example = "s3://bucket/folder" if s3 else "https://example.org/pets/"
        self.location.setPlaceholderText(example)
        self.endpoint.setVisible(s3)
        self.region.setVisible(s3)
        text = self.tr("A page that lists class folders, or an archive (zip, tar, npz, h5…).")
        if s3:
            text = self.tr(
                "Credentials come from the environment or an AWS profile and are not stored."
            )
        elif not is_installed():
            text += " " + self._missing
        self.hint.show_text(text)
        empty = not self.location.text().strip()
        allow(self.button, self.tr("Enter an address first") if empty else "")

    def _on_search(self) -> None:
        if not self.button.isEnabled():
            return
        try:
            address = self._address()
        except StudioError as error:
            self.hint.show_text(str(error), "problem")
            return
        self.requested.emit(address)

    def _address(self) -> str:
        text = self.location.text().strip()
        if self.is_s3:
            location = text if "://" in text else f"s3://{text}"
            return with_server(location, self.endpoint.text().strip(), self.region.text().strip())
        return checked_address(text if address_of(text) else f"https://{text}")


class SearchPanel(PageStack):
    """A drop area with the last error above it, or the progress of a search.

    Signals:
        address_given: An address, or the folder of a dataset, to search.
        task_given: Name of a task that needs no annotations, to search the last choice for.
        labeling_asked: The images of the last choice are to be labeled.
    """

    address_given = Signal(str)
    task_given = Signal(str)
    labeling_asked = Signal()

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self.task_buttons: dict[str, QPushButton] = {}
        tip = self.tr("An archive, a list of images, or an array file.")
        self.file_button = push_button(self.tr("Choose a file…"), theme, icon="file", tip=tip)
        self._kinds = self.tr(
            "A folder with one folder per class, or an archive of it (zip, tar); a list "
            "(txt, csv); arrays (npz, h5); MNIST or CIFAR files; Parquet. Labels or numbers of "
            "images come in a table (csv, tsv, Parquet) or in arrays; masks and boxes in files "
            "next to the images (PNG, VOC, COCO, YOLO, KITTI, LabelMe, CVAT, Label Studio, VIA)."
        )
        title, button = self.tr("Drop images here"), self.tr("Choose a folder…")
        more = [self.file_button]
        self.area = DropArea(
            theme, title, self._kinds, icon="folder-open", button=button, more=more
        )
        tip = self.tr("The folder that the paths of a list are relative to.")
        text = self.tr("Choose the base folder of the paths…")
        self.prefix_button = push_button(text, theme, icon="folder-open", tip=tip)
        self.address = AddressRow(theme, self)
        self.address.requested.connect(self.address_given)
        tip = self.tr("Well-known datasets to try things out.")
        text = self.tr("Sample datasets…")
        self.samples_button = push_button(text, theme, kind="quiet", icon="datasets", tip=tip)
        tip = self.tr("Imports images from another dataset of this workspace.")
        text = self.tr("Another dataset…")
        self.datasets_button = push_button(text, theme, kind="quiet", icon="copy", tip=tip)
        self._datasets = QMenu(self.datasets_button)
        self.datasets_button.setMenu(self._datasets)
        self.problem = ProblemCard(theme, self)
        left, choosing = Qt.AlignmentFlag.AlignLeft, ScrollColumn(SPACE.m, self)
        others = (STRETCH, self.datasets_button, self.samples_button, STRETCH)
        line = hbox(*others, spacing=SPACE.s)
        self._choices = self._make_choices(theme)
        buttons = ((self.prefix_button, left), self._question, self._choices)
        parts = (self.problem, *buttons, (self.area, 1), self.address, line)
        fill(choosing.column, *parts)
        self.addWidget(choosing)
        self.addWidget(self._make_search(theme))
        self.set_datasets({})

    def _make_choices(self, theme: Theme) -> QHBoxLayout:
        """Make the line with what can be done with images without classes."""
        tip = self.tr("For images whose masks or boxes are in another place.")
        text = self.tr("Choose their annotations…")
        self.annotations_button = push_button(text, theme, icon="folder-open", tip=tip)
        menu = QMenu(self.annotations_button)
        self.folder_action = menu.addAction(self.tr("Annotation folder…"))
        self.file_action = menu.addAction(self.tr("Annotation file…"))
        self.annotations_button.setMenu(menu)
        tip = self.tr("Opens a new labeling with these images.")
        self.label_button = push_button(
            self.tr("Label them…"), theme, kind="primary", icon="label", tip=tip
        )
        self.label_button.clicked.connect(self.labeling_asked)
        self._question = text_label(self.tr("What should be done with them?"), "title", self)
        return hbox(self.label_button, self.annotations_button, STRETCH, spacing=SPACE.s)

    def _make_search(self, theme: Theme) -> QWidget:
        """Make the part that shows a search."""
        searching = QWidget(self)
        self._number = text_label("", "muted", self)
        self._bar = ThinBar(theme, self)
        tip = self.tr("Stops the search. Nothing was changed.")
        self.cancel_button = push_button(self.tr("Cancel"), theme, icon="stop", tip=tip)
        self._card = Card("", searching)
        left = Qt.AlignmentFlag.AlignLeft
        fill(self._card.body, self._bar, self._number, (self.cancel_button, left))
        vbox(self._card, STRETCH, owner=searching)
        return searching

    def set_datasets(self, locations: Mapping[Path, str]) -> None:
        """Offer datasets to take images from.

        Args:
            locations: Names of datasets by their folders.
        """
        self._datasets.clear()
        for folder, name in locations.items():
            # An ampersand would underline the next letter.
            text = name.replace("&", "&&")
            self._datasets.addAction(text, partial(self.address_given.emit, str(folder)))
        self.datasets_button.setVisible(bool(locations))

    def ask(
        self,
        error: StudioError | None = None,
        *,
        is_list: bool = False,
        is_folder: bool = False,
        is_more: bool = False,
    ) -> None:
        """Ask for images.

        Args:
            error: The problem of the last choice.
            is_list: The last choice was a list, whose paths may start elsewhere.
            is_folder: The last choice was a folder, whose images may have annotations elsewhere.
            is_more: The images join those of another place.
        """
        title = self.tr("Drop more images here") if is_more else self.tr("Drop images here")
        self.area.set_text(title, self._kinds)
        self.samples_button.setVisible(not is_more)
        self.problem.show_error(error)
        self.prefix_button.setVisible(is_list)
        self.annotations_button.setVisible(is_folder)
        is_unlabeled = is_folder and isinstance(error, UnlabeledError)
        if is_unlabeled and not self.task_buttons:
            self._add_tasks()
        for each in (self._question, self.label_button, *self.task_buttons.values()):
            each.setVisible(is_unlabeled)
        self.area.set_primary(not is_unlabeled)
        self.setCurrentIndex(0)

    def _add_tasks(self) -> None:
        """Add a button for each task that needs no annotations."""
        for task in TASKS.values():
            if task.source.takes_unlabeled:
                words = view_of(task).words(task)
                button = push_button(words.choice, self._theme, tip=words.choice_help)
                button.clicked.connect(partial(self.task_given.emit, task.name))
                self.task_buttons[task.name] = button
                self._choices.insertWidget(len(self.task_buttons), button)

    def show_search(self, path: Path) -> None:
        """Show that a place is searched."""
        name = short_name(path) or location_text(path)
        self._card.set_title(self.tr("Searching {name}").format(name=name))
        self.show_progress(0, 0, "")
        self.setCurrentIndex(1)

    def show_progress(self, done: int, total: int, what: str) -> None:
        """Show the number of images found so far, or the progress of a download.

        Args:
            done: Images, or bytes of the download.
            total: Bytes of the download; 0 if unknown.
            what: Description of the work.
        """
        if what.startswith(DOWNLOADING):
            self._bar.set_fraction(done / total if total else None)
            self._number.setText(sample_line(what, done, total, None, is_bytes=True))
            return
        self._bar.set_fraction(None)
        text = counted(done, self.tr("1 image so far"), self.tr("{n} images so far"))
        self._number.setText(text if done else self.tr("Searching for images…"))
