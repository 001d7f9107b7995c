"""The home page: import images, try the digits, see running jobs and the latest runs."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property, partial
from pathlib import Path
from typing import TYPE_CHECKING, Final

from PySide6.QtCore import QCoreApplication, QSize, Qt
from PySide6.QtWidgets import (
    QFileDialog,
    QFrame,
    QHBoxLayout,
    QLabel,
    QMenu,
    QScrollArea,
    QSizePolicy,
    QVBoxLayout,
    QWidget,
)

from studio.engine.datasets.importable import importable
from studio.engine.workspace import RecordKind
from studio.ui.context import AppContext
from studio.ui.documents.record import RecordDocument
from studio.ui.navigation import ImportImages, OpenSample, OpenWorkspace, job_intent
from studio.ui.pages.page import Page
from studio.ui.shared.jobs import QueueRows
from studio.ui.theme.icons import pixmap
from studio.ui.theme.theme import Theme
from studio.ui.theme.tokens import SPACE
from studio.ui.widgets.buttons import push_button
from studio.ui.widgets.cards import Card, PressableCard
from studio.ui.widgets.drop_area import DropArea
from studio.ui.widgets.job_rows import QueueRow
from studio.ui.widgets.tips import explain

if TYPE_CHECKING:
    from studio.ui.pages.home.latest_runs import LatestRuns

_tr = partial(QCoreApplication.translate, "WorkspaceMenu")

_WIDTH = 1040
_RUN_KINDS: Final = frozenset({RecordKind.RUN, RecordKind.SWEEP})
LAST_FOLDER = "images"


class View(Page):
    """The first page of the window."""

    def __init__(self, context: AppContext, parent: QWidget | None = None) -> None:
        super().__init__(context, parent)
        theme = context.theme
        self.headline = QLabel(self.tr("Train your computer to recognize images."), self)
        self.headline.setProperty("role", "hero")
        self.headline.setWordWrap(True)
        self.file_button = push_button(self.tr("Choose a file…"), theme, icon="file")
        self.area = DropArea(
            theme,
            self.tr("Drop a folder of images here"),
            self.tr("One folder per class. Archives, lists and array files work, too."),
            icon="folder-open",
            button=self.tr("Choose a folder…"),
            more=[self.file_button],
            parent=self,
        )
        self.digits = ActionCard(
            theme,
            "datasets",
            self.tr("Try the handwritten digits"),
            self.tr("A one-minute tour imports images, trains a network and tests it."),
            self,
        )
        self.folder = ActionCard(
            theme,
            "folder-open",
            self.tr("Open a folder of images"),
            self.tr("Preview its classes, then import it. Your files are not changed."),
            self,
        )
        self.workspace = ActionCard(
            theme,
            "workspace",
            self.tr("Open a recent workspace"),
            self.tr("A workspace holds datasets, runs and exports in one folder."),
            self,
        )
        self.samples_button = push_button(
            self.tr("More samples…"), theme, kind="quiet", icon="datasets", parent=self
        )
        self.jobs = ActiveJobs(context, self)
        self._lay_out()
        self._connect()
        self._on_listed(_RUN_KINDS)
        explain(self.file_button, self.tr("An archive, a list of images, or an array file."))
        explain(self.samples_button, self.tr("Well-known datasets to try things out."))

    @cached_property
    def runs(self) -> LatestRuns:
        """The latest runs."""
        # Made when there are any: it imports the domains of runs and sweeps.
        from studio.ui.pages.home.latest_runs import LatestRuns  # noqa: PLC0415

        runs = LatestRuns(self.context, self)
        self._column.insertWidget(self._column.count() - 1, runs)
        return runs

    def drop_offer(self, paths: Sequence[Path]) -> str:
        """Return that a folder or a file of images would be imported."""
        if importable(paths) is None:
            return ""
        name = paths[0].name or paths[0]
        return self.tr("Import the images in “{name}”").format(name=name)

    def take_drop(self, paths: Sequence[Path]) -> None:
        """Import the path on the datasets page."""
        path = importable(paths)
        if path is not None:
            self.context.navigator.open(ImportImages(path))
        else:
            self.area.set_text(
                self.tr("This cannot be imported. Drop one folder of images here"),
                self.tr("Or one file: an archive, a list of images, or an array file."),
            )

    def _lay_out(self) -> None:
        cards = QHBoxLayout()
        cards.setSpacing(SPACE.m)
        for card in (self.digits, self.folder, self.workspace):
            cards.addWidget(card, 1)
        column = self._column = QVBoxLayout()
        column.setContentsMargins(0, SPACE.xxl, 0, SPACE.xl)
        column.setSpacing(SPACE.xl)
        column.addWidget(self.headline)
        column.addWidget(self.area, 4)
        column.addLayout(cards)
        column.addWidget(self.samples_button, 0, Qt.AlignmentFlag.AlignLeft)
        column.addWidget(self.jobs)
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
        self.context.jobs.listed.connect(self._on_listed)
        self.area.paths_dropped.connect(self.take_drop)
        self.area.browse_requested.connect(self._browse)
        self.file_button.clicked.connect(self._browse_file)
        self.folder.activated.connect(self._browse)
        self.samples_button.clicked.connect(partial(navigator.open, OpenSample()))
        self.digits.activated.connect(navigator.start_tour)
        self.workspace.activated.connect(self._on_workspace)

    def _on_listed(self, kinds: frozenset[RecordKind]) -> None:
        is_made, jobs = "runs" in vars(self), self.context.jobs
        if kinds & _RUN_KINDS and (is_made or any(map(jobs.entries, _RUN_KINDS))):
            self.runs.refresh()

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
        title = self.tr("Choose a folder with one folder per class")
        chosen = QFileDialog.getExistingDirectory(self, title, start)
        return Path(chosen) if chosen else None

    def _ask_file(self) -> Path | None:
        start = str(self.context.settings.folder(LAST_FOLDER))
        title = self.tr("Choose an archive, a list of images, or an array file")
        chosen, _ = QFileDialog.getOpenFileName(self, title, start)
        return Path(chosen) if chosen else None


_PICTURE = 28


class ActionCard(PressableCard):
    """A large button with a picture."""

    def __init__(
        self, theme: Theme, icon: str, title: str, text: str, parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self._theme = theme
        self._icon = icon
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Preferred)
        self._picture = QLabel(self)
        self._picture.setFixedSize(QSize(_PICTURE, _PICTURE))
        heading = QLabel(title, self)
        heading.setProperty("role", "section")
        heading.setWordWrap(True)
        sentence = QLabel(text, self)
        sentence.setProperty("role", "muted")
        sentence.setWordWrap(True)
        words = QVBoxLayout()
        words.setSpacing(SPACE.xs)
        words.addWidget(heading)
        words.addWidget(sentence)
        words.addStretch(1)
        row = QHBoxLayout(self)
        row.setContentsMargins(SPACE.l, SPACE.l, SPACE.l, SPACE.l)
        row.setSpacing(SPACE.m)
        row.addWidget(self._picture, 0, Qt.AlignmentFlag.AlignTop)
        row.addLayout(words, 1)
        self.setAccessibleName(title)
        self.setAccessibleDescription(text)
        self.setWhatsThis(text)
        theme.changed.connect(self._draw)
        self._draw()

    def _draw(self) -> None:
        self._picture.setPixmap(pixmap(self._icon, self._theme, "accent", _PICTURE))


class ActiveJobs(QWidget):
    """A row for each waiting or running job; hidden if there is none."""

    def __init__(self, context: AppContext, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._context = context
        self._title = QLabel(self)
        self._title.setProperty("role", "section")
        card = Card("", self)
        card.body.setContentsMargins(SPACE.xs, SPACE.xs, SPACE.xs, SPACE.xs)
        card.body.setSpacing(0)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(SPACE.s)
        column.addWidget(self._title)
        column.addWidget(card)
        self._rows = QueueRows(context, card.body, card)
        self._rows.changed.connect(self._on_changed)
        self._rows.open_requested.connect(self._open)
        self._rows.refresh()

    def rows(self) -> list[QueueRow]:
        """Return the rows: running jobs, then waiting ones in the order of the queue."""
        return list(self._rows.rows().values())

    def _on_changed(self, active: list[RecordDocument]) -> None:
        runs = any(entry.state.has_worker for entry in active)
        self._title.setText(self.tr("Running now") if runs else self.tr("Waiting"))
        self.setVisible(bool(active))

    def _open(self, entry: RecordDocument) -> None:
        self._context.navigator.open(job_intent(*entry.key))


def workspace_menu(context: AppContext, parent: QWidget) -> QMenu:
    """Return a menu of recent workspaces, newest first, with an entry to choose any folder.

    A missing folder is listed but disabled: it may be on a disk that is not connected.
    """
    menu = QMenu(parent)
    menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
    menu.setToolTipsVisible(True)
    for root in context.settings.recent_workspaces:
        is_open = root == context.workspace.root
        is_there = root.is_dir()
        text = _tr("{name} – {folder}").format(name=root.name, folder=root.parent)
        if is_open:
            text = _tr("{name} (open)").format(name=root.name)
        elif not is_there:
            text = _tr("{name} – {folder} (missing)").format(name=root.name, folder=root.parent)
        action = menu.addAction(text.replace("&", "&&"))
        action.setEnabled(is_there and not is_open)
        action.setToolTip(str(root))
        action.triggered.connect(partial(_open, context, root))
    if context.settings.recent_workspaces:
        menu.addSeparator()
    menu.addAction(_tr("Choose a folder…")).triggered.connect(partial(_choose, context))
    return menu


def _open(context: AppContext, root: Path, _checked: bool = False) -> None:
    context.navigator.open(OpenWorkspace(root))


def _choose(context: AppContext, _checked: bool = False) -> None:
    context.navigator.open(OpenWorkspace())
