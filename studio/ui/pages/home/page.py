"""The home page: import images, try the digits, see running jobs and the latest runs."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property, partial
from pathlib import Path
from typing import TYPE_CHECKING, Final

from PySide6.QtCore import QCoreApplication, QSize, Qt
from PySide6.QtWidgets import QMenu, QScrollArea, QSizePolicy, QWidget

from studio.engine.datasets.importable import importable
from studio.engine.workspace import RecordKind
from studio.ui.context import AppContext
from studio.ui.documents.record import RecordDocument
from studio.ui.navigation import ImportImages, OpenSample, OpenWorkspace, job_intent
from studio.ui.pages.page import Page
from studio.ui.shared.file_dialogs import ask_file, ask_folder
from studio.ui.shared.jobs import QueueRows
from studio.ui.theme.theme import Theme
from studio.ui.theme.tokens import SPACE
from studio.ui.widgets.buttons import push_button
from studio.ui.widgets.cards import Card, PressableCard
from studio.ui.widgets.drop_area import DropArea
from studio.ui.widgets.job_rows import QueueRow
from studio.ui.widgets.labels import IconLabel
from studio.ui.widgets.layout import STRETCH, hbox, scrolled, text_label, vbox
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
        self.headline = text_label(
            self.tr("Train your computer to recognize images."), "hero", self, wraps=True
        )
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
        tour = self.tr("A one-minute tour imports images, trains a network and tests it.")
        folder = self.tr("Preview its classes, then import it. Your files are not changed.")
        workspace = self.tr("A workspace holds datasets, runs and exports in one folder.")
        card = partial(ActionCard, theme, parent=self)
        self.digits = card("datasets", self.tr("Try the handwritten digits"), tour)
        self.folder = card("folder-open", self.tr("Open a folder of images"), folder)
        self.workspace = card("workspace", self.tr("Open a recent workspace"), workspace)
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
        cards = hbox((self.digits, 1), (self.folder, 1), (self.workspace, 1), spacing=SPACE.m)
        inside, scroll = QWidget(self), QScrollArea(self)
        middle = QWidget(inside)
        middle.setMaximumWidth(_WIDTH)
        self._column = vbox(
            self.headline,
            (self.area, 4),
            cards,
            (self.samples_button, Qt.AlignmentFlag.AlignLeft),
            self.jobs,
            STRETCH,
            owner=middle,
            spacing=SPACE.xl,
            margins=(0, SPACE.xxl, 0, SPACE.xl),
        )
        hbox(STRETCH, (middle, 1000), STRETCH, owner=inside, margins=(SPACE.xl, 0, SPACE.xl, 0))
        self.area.setMinimumHeight(self.area.sizeHint().height())
        self.area.setMaximumSize(QSize(_WIDTH, 320))
        scrolled(scroll, inside)
        vbox(scroll, owner=self)

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
        title = self.tr("Choose a folder with one folder per class")
        self._open(ask_folder(self, title, self.context.settings, LAST_FOLDER))

    def _browse_file(self) -> None:
        title = self.tr("Choose an archive, a list of images, or an array file")
        self._open(ask_file(self, title, self.context.settings, LAST_FOLDER))

    def _open(self, path: Path | None) -> None:
        if path is not None:
            self.context.navigator.open(ImportImages(path))


_PICTURE = 28


class ActionCard(PressableCard):
    """A large button with a picture."""

    def __init__(
        self, theme: Theme, icon: str, title: str, text: str, parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Preferred)
        picture = IconLabel(theme, icon, "accent", _PICTURE, self)
        heading = text_label(title, "section", self, wraps=True)
        sentence = text_label(text, "muted", self, wraps=True)
        words = vbox(heading, sentence, STRETCH, spacing=SPACE.xs)
        icon_part = (picture, Qt.AlignmentFlag.AlignTop)
        hbox(icon_part, (words, 1), owner=self, spacing=SPACE.m, margins=SPACE.l)
        self.setAccessibleName(title)
        self.setAccessibleDescription(text)
        self.setWhatsThis(text)


class ActiveJobs(QWidget):
    """A row for each waiting or running job; hidden if there is none."""

    def __init__(self, context: AppContext, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._context = context
        self._title = text_label("", "section", self)
        card = Card("", self)
        card.body.setContentsMargins(SPACE.xs, SPACE.xs, SPACE.xs, SPACE.xs)
        card.body.setSpacing(0)
        vbox(self._title, card, owner=self, spacing=SPACE.s)
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
        pattern = _tr("{name} – {folder}") if is_there else _tr("{name} – {folder} (missing)")
        text = (_tr("{name} (open)") if is_open else pattern).format(
            name=root.name, folder=root.parent
        )
        action = menu.addAction(text.replace("&", "&&"))
        action.setEnabled(is_there and not is_open)
        action.setToolTip(str(root))
        action.triggered.connect(partial(_open, context, root))
    if context.settings.recent_workspaces:
        menu.addSeparator()
    menu.addAction(_tr("Choose a folder…")).triggered.connect(partial(_open, context, None))
    return menu


def _open(context: AppContext, root: Path | None, _checked: bool = False) -> None:
    context.navigator.open(OpenWorkspace(root))
