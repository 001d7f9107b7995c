"""Images that are elsewhere: an address of the web, or a bucket of S3."""

from __future__ import annotations

from PySide6.QtCore import Signal
from PySide6.QtGui import QStandardItemModel
from PySide6.QtWidgets import QComboBox, QHBoxLayout, QLineEdit, QVBoxLayout, QWidget

from studio.engine.datasets.sources.s3 import INSTALL, is_installed
from studio.engine.datasets.sources.shared.address import address_of, checked_address
from studio.engine.datasets.sources.shared.bucket import with_server
from studio.engine.errors import StudioError
from studio.ui.theme.theme import Theme
from studio.ui.theme.tokens import SPACE
from studio.ui.widgets.button import push_button
from studio.ui.widgets.explain import explain
from studio.ui.widgets.hint_label import HintLabel

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
            self.kind,
            self.tr("Where the images are: on the web, or in a storage of the cloud."),
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
        first = QHBoxLayout()
        first.setSpacing(SPACE.s)
        first.addWidget(self.kind)
        first.addWidget(self.place, 1)
        first.addWidget(self.button)
        second = QHBoxLayout()
        second.setSpacing(SPACE.s)
        second.addWidget(self.endpoint, 2)
        second.addWidget(self.region, 1)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(SPACE.xs)
        column.addLayout(first)
        column.addLayout(second)
        column.addWidget(self.hint)
