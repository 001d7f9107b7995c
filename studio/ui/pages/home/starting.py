"""The first steps on the home page: one card for each kind of images that people have."""

from __future__ import annotations

from functools import partial

from PySide6.QtWidgets import QGridLayout, QSizePolicy, QWidget

from studio.ui.context import AppContext
from studio.ui.navigation import ImportImages, StartLabeling
from studio.ui.shared.file_dialogs import ask_folder
from studio.ui.theme.theme import Theme
from studio.ui.theme.tokens import SPACE
from studio.ui.widgets.cards import PressableCard
from studio.ui.widgets.labels import IconLabel
from studio.ui.widgets.layout import STRETCH, hbox, text_label, vbox

LAST_FOLDER = "images"
_ICON_SIDE = 28
_WIDE = 4


class ActionCard(PressableCard):
    """A large button with an icon, a title and a sentence."""

    def __init__(
        self, theme: Theme, icon: str, title: str, text: str, parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Preferred)
        picture = IconLabel(theme, icon, "accent", _ICON_SIDE, self)
        heading = text_label(title, "section", self, wraps=True)
        self._sentence = text_label(text, "muted", self, wraps=True)
        words = vbox(STRETCH, heading, self._sentence, STRETCH, spacing=SPACE.xs)
        hbox(picture, (words, 1), owner=self, spacing=SPACE.m, margins=SPACE.l)
        self.setAccessibleName(title)
        self.setAccessibleDescription(text)
        self.setWhatsThis(text)
        self.setToolTip("")

    def set_compact(self, *, is_compact: bool) -> None:
        """Show the sentence, or keep it for the tooltip."""
        self._sentence.setVisible(not is_compact)
        self.setToolTip(self._sentence.text() if is_compact else "")


class StartCards(QWidget):
    """Photos in folders, images with boxes or masks, unlabeled images, a webcam.

    Each asks for what it needs and opens the import or the labeling that fits.
    """

    def __init__(self, context: AppContext, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._context = context
        card = partial(ActionCard, context.theme, parent=self)
        self.folders = card(
            "folder-open",
            self.tr("Photos in folders"),
            self.tr("One folder for each class, such as “cats” and “dogs”."),
        )
        self.annotated = card(
            "polygon",
            self.tr("Images with boxes or masks"),
            self.tr("COCO, YOLO, Pascal VOC, CVAT, LabelMe, mask files and others."),
        )
        self.unlabeled = card(
            "label",
            self.tr("Unlabeled images"),
            self.tr("Label them here. After 20 labels, Studio proposes the others."),
        )
        self.webcam = card(
            "camera",
            self.tr("Webcam"),
            self.tr("Show each class to the camera, and hold a button to collect examples."),
        )
        self.cards = (self.folders, self.annotated, self.unlabeled, self.webcam)
        self._grid = QGridLayout(self)
        self._grid.setContentsMargins(0, 0, 0, 0)
        self._grid.setSpacing(SPACE.m)
        self.set_compact(is_compact=False)
        self.folders.activated.connect(self._on_folders)
        self.annotated.activated.connect(self._on_annotated)
        self.unlabeled.activated.connect(self._on_unlabeled)
        self.webcam.activated.connect(self._on_webcam)

    def set_compact(self, *, is_compact: bool) -> None:
        """Show the cards in one line, or in two with a sentence each."""
        across = _WIDE if is_compact else _WIDE // 2
        for index, card in enumerate(self.cards):
            self._grid.addWidget(card, index // across, index % across)
            card.set_compact(is_compact=is_compact)
        for column in range(_WIDE):
            self._grid.setColumnStretch(column, 1 if column < across else 0)

    def _on_folders(self) -> None:
        title = self.tr("Choose a folder with one folder per class")
        path = ask_folder(self, title, self._context.settings, LAST_FOLDER)
        if path is not None:
            self._context.navigator.open(ImportImages(path))

    def _on_annotated(self) -> None:
        title = self.tr("Choose the folder of the images and their annotations")
        path = ask_folder(self, title, self._context.settings, LAST_FOLDER)
        if path is not None:
            self._context.navigator.open(ImportImages(path, annotated=True))

    def _on_unlabeled(self) -> None:
        title = self.tr("Choose a folder of images")
        path = ask_folder(self, title, self._context.settings, LAST_FOLDER)
        if path is not None:
            self._context.navigator.open(StartLabeling((path,)))

    def _on_webcam(self) -> None:
        self._context.navigator.open(StartLabeling(webcam=True))
