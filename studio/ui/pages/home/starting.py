"""The first steps on the home page: one card for each kind of images that people have."""

from __future__ import annotations

import itertools
from functools import partial

from PySide6.QtWidgets import QGridLayout, QSizePolicy, QWidget

from studio.engine.tasks import TASKS
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
_COLUMNS, _SPANS = 6, (2, 2, 2, 3, 3)
"""Columns of the grid, and how many each card takes: three cards above two wider ones."""


class ActionCard(PressableCard):
    """A large button with an icon, a title and a sentence."""

    def __init__(
        self, theme: Theme, icon: str, title: str, text: str, parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Preferred)
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
    """Photos in folders, images with boxes or masks, unlabeled images, good parts, a webcam.

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
        self.good = card(
            "success",
            self.tr("Good parts only"),
            self.tr("Images without defects. Studio marks what differs from them."),
        )
        self.webcam = card(
            "camera",
            self.tr("Webcam"),
            self.tr("Show each class to the camera, and hold a button to collect examples."),
        )
        self.cards = (self.folders, self.annotated, self.unlabeled, self.good, self.webcam)
        grid = QGridLayout(self)
        grid.setContentsMargins(0, 0, 0, 0)
        grid.setSpacing(SPACE.m)
        cells = itertools.accumulate(_SPANS, initial=0)
        for each, cell, span in zip(self.cards, cells, _SPANS, strict=False):
            grid.addWidget(each, cell // _COLUMNS, cell % _COLUMNS, 1, span)
        for column in range(_COLUMNS):
            grid.setColumnStretch(column, 1)
        self.folders.activated.connect(self._on_folders)
        self.annotated.activated.connect(self._on_annotated)
        self.unlabeled.activated.connect(self._on_unlabeled)
        self.good.activated.connect(self._on_good)
        self.webcam.activated.connect(self._on_webcam)

    def set_compact(self, *, is_compact: bool) -> None:
        """Show the sentences of the cards, or keep them for the tooltips."""
        for card in self.cards:
            card.set_compact(is_compact=is_compact)

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

    def _on_good(self) -> None:
        title = self.tr("Choose a folder of images without defects")
        path = ask_folder(self, title, self._context.settings, LAST_FOLDER)
        if path is not None:
            self._context.navigator.open(ImportImages(path, task=_of_unlabeled()))

    def _on_webcam(self) -> None:
        self._context.navigator.open(StartLabeling(webcam=True))


def _of_unlabeled() -> str:
    """Return the name of the task that learns from images without labels."""
    return next((task.name for task in TASKS.values() if task.source.takes_unlabeled), "")
