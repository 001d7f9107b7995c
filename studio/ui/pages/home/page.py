"""The home page: what to start with, what to continue, and the latest runs."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property, partial
from pathlib import Path
from typing import TYPE_CHECKING, Final

from PySide6.QtCore import QCoreApplication, QSize, Qt
from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import QMenu, QScrollArea, QWidget

from studio.engine.datasets.importable import importable
from studio.engine.served.facts import title_and_place
from studio.engine.workspace import Record, RecordInfo, RecordKind, is_mirror
from studio.ui.bridge.request import Request
from studio.ui.context import AppContext
from studio.ui.language import translated
from studio.ui.navigation import ImportImages, OpenSample, OpenServed, OpenWorkspace
from studio.ui.pages.home.starting import LAST_FOLDER, StartCards
from studio.ui.pages.page import Page
from studio.ui.shared.file_dialogs import ask_file
from studio.ui.theme.tokens import SPACE
from studio.ui.widgets.buttons import push_button
from studio.ui.widgets.drop_area import DropArea
from studio.ui.widgets.labels import HintLabel
from studio.ui.widgets.layout import STRETCH, hbox, scrolled, text_label, vbox
from studio.ui.widgets.tips import explain

if TYPE_CHECKING:
    from studio.ui.pages.home.continuing import ContinueCards
    from studio.ui.pages.home.latest_runs import LatestRuns

_tr = partial(QCoreApplication.translate, "WorkspaceMenu")

_WIDTH = 1040
_AREA_HEIGHT = 180
_RUN_KINDS: Final = frozenset({RecordKind.RUN, RecordKind.SWEEP})
_USED_KINDS: Final = _RUN_KINDS | {RecordKind.DATASET}


class View(Page):
    """The first page of the window: how to start or, after the first use, what to continue."""

    def __init__(self, context: AppContext, parent: QWidget | None = None) -> None:
        super().__init__(context, parent)
        self._labelings: Sequence[tuple[Record, RecordInfo]] = ()
        self._listing = Request(context.background, self)
        self._refusal = translated(context.workspace.refusal(RecordKind.DATASET))
        self.headline = text_label(
            self.tr("Train your computer to recognize images."), "hero", self, wraps=True
        )
        self.start_title = text_label("", "section", self)
        self.start = StartCards(context, self)
        self.not_here = HintLabel(parent=self)
        self._make_area()
        self._make_others()
        self._lay_out()
        self._connect()
        self._on_listed(_USED_KINDS)

    @cached_property
    def runs(self) -> LatestRuns:
        """The latest runs."""
        # Made when there are any: it imports the domains of runs and sweeps.
        from studio.ui.pages.home.latest_runs import LatestRuns  # noqa: PLC0415

        runs = LatestRuns(self.context, self)
        self._runs_room.addWidget(runs)
        return runs

    @cached_property
    def begun(self) -> ContinueCards:
        """The entries that can be continued."""
        # Made when there is any: it imports the domain of runs.
        from studio.ui.pages.home.continuing import ContinueCards  # noqa: PLC0415

        cards = ContinueCards(self.context, self)
        self._begun_room.addWidget(cards)
        return cards

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

    def showEvent(self, event: QShowEvent) -> None:
        """Read which labelings there are, in another thread."""
        super().showEvent(event)
        work = partial(self.context.workspace.infos, RecordKind.LABELING)
        self._listing.run(work, self._on_labelings)

    def _make_area(self) -> None:
        theme = self.context.theme
        self.area = DropArea(
            theme,
            self.tr("Or drop a folder, an archive or a list of images here"),
            self.tr("Studio shows what it found before it imports. Your files are not changed."),
            button=self.tr("Choose a file…"),
            parent=self,
        )
        explain(self.area.button, self.tr("An archive, a list of images, or an array file."))

    def _make_others(self) -> None:
        theme = self.context.theme
        tour = self.tr("A one-minute tour imports images, trains a network and tests it.")
        text = self.tr("Try the handwritten digits")
        self.digits = push_button(text, theme, icon="datasets", tip=tour, parent=self)
        quiet = partial(push_button, theme=theme, kind="quiet", parent=self)
        tip = self.tr("Well-known datasets to try things out.")
        self.samples_button = quiet(self.tr("More samples…"), icon="datasets", tip=tip)
        tip = self.tr("A workspace holds datasets, runs and exports in one folder.")
        self.workspace = quiet(self.tr("Another workspace…"), icon="workspace", tip=tip)

    def _lay_out(self) -> None:
        buttons = (self.digits, self.samples_button, self.workspace)
        others = hbox(*buttons, STRETCH, spacing=SPACE.s)
        inside, scroll = QWidget(self), QScrollArea(self)
        middle = QWidget(inside)
        middle.setMaximumWidth(_WIDTH)
        self._begun_room, self._runs_room = vbox(spacing=0), vbox(spacing=0)
        starting = vbox(self.start_title, self.start, spacing=SPACE.s)
        vbox(
            self.headline,
            self._begun_room,
            self._runs_room,
            starting,
            (self.area, 4),
            self.not_here,
            others,
            STRETCH,
            owner=middle,
            spacing=SPACE.xl,
            margins=(0, SPACE.xxl, 0, SPACE.xl),
        )
        hbox(STRETCH, (middle, 1000), STRETCH, owner=inside, margins=(SPACE.xl, 0, SPACE.xl, 0))
        self.area.setMinimumHeight(_AREA_HEIGHT)
        self.area.setMaximumSize(QSize(_WIDTH, 320))
        scrolled(scroll, inside)
        vbox(scroll, owner=self)

    def _connect(self) -> None:
        navigator = self.context.navigator
        self.context.jobs.listed.connect(self._on_listed)
        self.area.paths_dropped.connect(self.take_drop)
        self.area.browse_requested.connect(self._browse_file)
        self.samples_button.clicked.connect(partial(navigator.open, OpenSample()))
        self.digits.clicked.connect(navigator.start_tour)
        self.workspace.clicked.connect(self._on_workspace)

    def _on_listed(self, kinds: frozenset[RecordKind]) -> None:
        is_made, jobs = "runs" in vars(self), self.context.jobs
        if kinds & _RUN_KINDS and (is_made or any(map(jobs.entries, _RUN_KINDS))):
            self.runs.refresh()
        if kinds & _USED_KINDS:
            self._show_begun()

    def _on_labelings(self, labelings: Sequence[tuple[Record, RecordInfo]]) -> None:
        self._labelings = labelings
        self._show_begun()

    def _show_begun(self) -> None:
        """Show what to continue first; before the first use, how to start in large."""
        jobs = self.context.jobs
        is_used = bool(self._labelings) or any(map(jobs.entries, _USED_KINDS))
        if is_used:
            from studio.ui.pages.home.continuing import begun_work  # noqa: PLC0415

            self.begun.show_begun(begun_work(jobs, self._labelings))
        elif "begun" in vars(self):
            self.begun.hide()
        self.headline.setVisible(not is_used)
        self.area.setVisible(not is_used and not self._refusal)
        self.start.set_compact(is_compact=is_used)
        used, fresh = self.tr("Start something new"), self.tr("What do you have?")
        self.start_title.setText(used if is_used else fresh)
        for each in (self.start, self.start_title, self.digits, self.samples_button):
            each.setVisible(not self._refusal)
        self.not_here.show_text(self._refusal)

    def _on_workspace(self) -> None:
        menu = workspace_menu(self.context, self)
        menu.popup(self.workspace.mapToGlobal(self.workspace.rect().bottomLeft()))

    def _browse_file(self) -> None:
        title = self.tr("Choose an archive, a list of images, or an array file")
        path = ask_file(self, title, self.context.settings, LAST_FOLDER)
        if path is not None:
            self.context.navigator.open(ImportImages(path))


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
        name, place = title_and_place(root)
        is_served = is_mirror(root)
        pattern = _tr("{name} – {folder}") if is_there else _tr("{name} – {folder} (missing)")
        text = (_tr("{name} (open)") if is_open else pattern).format(
            name=name, folder=place if is_served else root.parent
        )
        action = menu.addAction(text.replace("&", "&&"))
        action.setEnabled(is_there and not is_open)
        action.setToolTip(place)
        action.triggered.connect(partial(_open, context, root))
    if context.settings.recent_workspaces:
        menu.addSeparator()
    menu.addAction(_tr("Choose a folder…")).triggered.connect(partial(_open, context, None))
    served = menu.addAction(_tr("Open a served workspace…"))
    served.setToolTip(_tr("A workspace of another computer, offered with “studio serve”."))
    served.triggered.connect(partial(_open_served, context))
    return menu


def _open_served(context: AppContext, _checked: bool = False) -> None:
    context.navigator.open(OpenServed())


def _open(context: AppContext, root: Path | None, _checked: bool = False) -> None:
    context.navigator.open(OpenWorkspace(root))
