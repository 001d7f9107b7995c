"""The start page: drop images, try the digits, see what runs and what was done last."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from pathlib import Path

from PySide6.QtCore import QSize, Qt
from PySide6.QtWidgets import (
    QFileDialog,
    QFrame,
    QHBoxLayout,
    QLabel,
    QScrollArea,
    QVBoxLayout,
    QWidget,
)

from studio.engine.datasets.importable import importable
from studio.ui.context import AppContext
from studio.ui.navigation import ImportImages, OpenSample
from studio.ui.pages.home.action_card import ActionCard
from studio.ui.pages.home.active_jobs import ActiveJobs
from studio.ui.pages.home.latest_runs import LatestRuns
from studio.ui.pages.home.workspace_menu import workspace_menu
from studio.ui.pages.page import Page
from studio.ui.theme.tokens import SPACE
from studio.ui.widgets.buttons import push_button
from studio.ui.widgets.drop_area import DropArea
from studio.ui.widgets.tips import explain

_WIDTH = 1040
LAST_FOLDER = "images"


class View(Page):
    """What a person sees first."""

    def __init__(self, context: AppContext, parent: QWidget | None = None) -> None:
        super().__init__(context, parent)
        theme = context.theme
        self.headline = QLabel(self.tr("Teach your computer to tell pictures apart."), self)
        self.headline.setProperty("role", "hero")
        self.headline.setWordWrap(True)
        self.file_button = push_button(self.tr("Choose a file…"), theme, icon="file")
        self.area = DropArea(
            theme,
            self.tr("Drop a folder of images here"),
            self.tr(
                "It holds one folder for each class. An archive, a list or a file of arrays will "
                "do as well."
            ),
            icon="folder-open",
            button=self.tr("Choose a folder…"),
            more=[self.file_button],
            parent=self,
        )
        self.digits = ActionCard(
            theme,
            "datasets",
            self.tr("Try the handwritten digits"),
            self.tr(
                "A tour of a minute: real images, a real training, and its answer, all by itself."
            ),
            self,
        )
        self.folder = ActionCard(
            theme,
            "folder-open",
            self.tr("Open a folder of images"),
            self.tr("See what is in it, then import it. Your files stay as they are."),
            self,
        )
        self.workspace = ActionCard(
            theme,
            "workspace",
            self.tr("Open a recent workspace"),
            self.tr("Datasets, runs and exports live together in one folder."),
            self,
        )
        self.samples_button = push_button(
            self.tr("More samples…"), theme, kind="quiet", icon="datasets", parent=self
        )
        self.jobs = ActiveJobs(context, self)
        self.runs = LatestRuns(context, self)
        self._lay_out()
        self._connect()
        explain(self.file_button, self.tr("An archive, a list of images, or a file of arrays."))
        explain(self.samples_button, self.tr("Known datasets to try things out with."))

    def drop_offer(self, paths: Sequence[Path]) -> str:
        """A folder, or a file of images, can be imported."""
        if importable(paths) is None:
            return ""
        name = paths[0].name or paths[0]
        return self.tr("Import the images in “{name}”").format(name=name)

    def take_drop(self, paths: Sequence[Path]) -> None:
        """Hand what was dropped to the datasets page."""
        path = importable(paths)
        if path is not None:
            self.context.navigator.open(ImportImages(path))
        else:
            self.area.set_text(
                self.tr("That cannot be imported. Drop one folder of images here"),
                self.tr("Or one file: an archive, a list of images, or a file of arrays."),
            )

    def _lay_out(self) -> None:
        cards = QHBoxLayout()
        cards.setSpacing(SPACE.m)
        for card in (self.digits, self.folder, self.workspace):
            cards.addWidget(card, 1)
        column = QVBoxLayout()
        column.setContentsMargins(0, SPACE.xxl, 0, SPACE.xl)
        column.setSpacing(SPACE.xl)
        column.addWidget(self.headline)
        column.addWidget(self.area, 4)
        column.addLayout(cards)
        column.addWidget(self.samples_button, 0, Qt.AlignmentFlag.AlignLeft)
        column.addWidget(self.jobs)
        column.addWidget(self.runs)
        column.addStretch(1)
        inside = QWidget(self)
        inside.setProperty("plain", True)
        middle = QWidget(inside)
        middle.setMaximumWidth(_WIDTH)
        middle.setLayout(column)
        row = QHBoxLayout(inside)
        row.setContentsMargins(SPACE.xl, 0, SPACE.xl, 0)
        row.addStretch(1)
        row.addWidget(middle, 1000)
        row.addStretch(1)
        self.area.setMinimumHeight(self.area.sizeHint().height())
        self.area.setMaximumSize(QSize(_WIDTH, 320))
        scroll = QScrollArea(self)
        scroll.setWidgetResizable(True)
        scroll.setFrameShape(QFrame.Shape.NoFrame)
        # Everything in it can be reached by itself.
        scroll.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        scroll.setWidget(inside)
        whole = QVBoxLayout(self)
        whole.setContentsMargins(0, 0, 0, 0)
        whole.addWidget(scroll)

    def _connect(self) -> None:
        navigator = self.context.navigator
        self.area.paths_dropped.connect(self.take_drop)
        self.area.browse_requested.connect(self._browse)
        self.file_button.clicked.connect(self._browse_file)
        self.folder.activated.connect(self._browse)
        self.samples_button.clicked.connect(partial(navigator.open, OpenSample()))
        self.digits.activated.connect(navigator.start_tour)
        self.workspace.activated.connect(self._on_workspace)

    def _on_workspace(self) -> None:
        menu = workspace_menu(self.context, self)
        menu.popup(self.workspace.mapToGlobal(self.workspace.rect().bottomLeft()))

    def _browse(self) -> None:
        self._open(self._ask_folder())

    def _browse_file(self) -> None:
        self._open(self._ask_file())

    def _open(self, path: Path | None) -> None:
        if path is not None:
            self.context.settings.set_folder(LAST_FOLDER, path.parent)
            self.context.navigator.open(ImportImages(path))

    def _ask_folder(self) -> Path | None:
        start = str(self.context.settings.folder(LAST_FOLDER))
        title = self.tr("Choose the folder that holds one folder per class")
        chosen = QFileDialog.getExistingDirectory(self, title, start)
        return Path(chosen) if chosen else None

    def _ask_file(self) -> Path | None:
        start = str(self.context.settings.folder(LAST_FOLDER))
        title = self.tr("Choose an archive, a list of images, or a file of arrays")
        chosen, _ = QFileDialog.getOpenFileName(self, title, start)
        return Path(chosen) if chosen else None
