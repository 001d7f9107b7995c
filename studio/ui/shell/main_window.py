"""The main window: rail, top bar, the current page, tray, notices and the manual."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cached_property, partial
from pathlib import Path
from typing import TYPE_CHECKING, Final

from PySide6.QtCore import QEvent, QSize, Qt, QTimer, Signal
from PySide6.QtGui import (
    QCloseEvent,
    QDragEnterEvent,
    QDragLeaveEvent,
    QDropEvent,
    QMoveEvent,
    QPaintEvent,
    QResizeEvent,
    QTextBlockFormat,
    QTextCursor,
)
from PySide6.QtWidgets import (
    QDialog,
    QListWidget,
    QListWidgetItem,
    QMainWindow,
    QScrollArea,
    QTextBrowser,
    QWhatsThis,
    QWidget,
)

from studio.engine.datasets.importable import are_pictures, importable
from studio.engine.errors import StudioError
from studio.engine.jobs.events import QueueChanged
from studio.engine.jobs.states import State
from studio.engine.manual import TOPICS, read_topic, title_of
from studio.engine.workspace import RecordKind
from studio.ui.bridge import describe
from studio.ui.context import AppContext
from studio.ui.documents.record import RecordChange, RecordDocument
from studio.ui.language import translated
from studio.ui.navigation import DropFiles, Intent, OpenPage, OpenRecord, OpenServed, job_intent
from studio.ui.pages import PAGES
from studio.ui.pages.page import Page
from studio.ui.record_kinds import KINDS
from studio.ui.shared.file_dialogs import choose_folder
from studio.ui.shell.commands import CommandCenter, WindowParts
from studio.ui.shell.frame import Notifier, Rail, TopBar, Tray
from studio.ui.shell.page_factory import new_page
from studio.ui.shell.screen import USUAL_SIZE, fit_to_screen
from studio.ui.shell.tab_order import move_focus
from studio.ui.shell.window_process import BugReport, BugReports
from studio.ui.theme.tokens import SPACE
from studio.ui.widgets.drop_area import DropOverlay, local_paths
from studio.ui.widgets.labels import apart
from studio.ui.widgets.layout import Debounce, hbox, vbox
from studio.ui.widgets.notices import Notice, NoticeStack
from studio.ui.widgets.pages import PageStack
from studio.ui.widgets.tips import literal, shown_language

if TYPE_CHECKING:
    from studio.ui.shell.tour import Tour

_SETTLE_MS: Final = 500
"""Pause after the window was moved or resized before its place is stored."""
_LIST_WIDTH = 220
_LINE_HEIGHT: Final = 120.0
_PROPORTIONAL: Final = QTextBlockFormat.LineHeightTypes.ProportionalHeight.value


class HelpWindow(QDialog):
    """Topics at the left, the chosen one at the right; does not block the window."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.setWindowTitle(self.tr("Help"))
        self.setModal(False)
        self.resize(820, 620)
        language = shown_language()
        self._language = language
        self.topics = QListWidget(self)
        self.topics.setAccessibleName(self.tr("Topics"))
        self.topics.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        for name in TOPICS:
            item = QListWidgetItem(title_of(name, language), self.topics)
            item.setData(Qt.ItemDataRole.UserRole, name)
        # No title is cut, in whichever language.
        bar = self.topics.verticalScrollBar().sizeHint().width()
        titles = self.topics.sizeHintForColumn(0) + 2 * self.topics.frameWidth()
        self.topics.setFixedWidth(max(_LIST_WIDTH, titles + bar))
        self.text = QTextBrowser(self)
        self.text.setAccessibleName(self.tr("Text"))
        self.text.setOpenExternalLinks(True)
        self.text.document().setDocumentMargin(SPACE.l)
        self.topics.currentItemChanged.connect(self._on_chosen)
        hbox(self.topics, (self.text, 1), owner=self, spacing=SPACE.m, margins=SPACE.l)

    @property
    def topic(self) -> str:
        """Name of the topic that is shown."""
        return str(self.topics.currentItem().data(Qt.ItemDataRole.UserRole))

    def show_topic(self, name: str) -> None:
        """Show a topic and bring the window to the front."""
        self.topics.setCurrentRow(TOPICS.index(name))
        self.show()
        self.raise_()
        self.activateWindow()

    def _on_chosen(self, item: QListWidgetItem | None) -> None:
        if item is not None:
            name = str(item.data(Qt.ItemDataRole.UserRole))
            self.text.setMarkdown(read_topic(name, self._language))
            self._add_spacing()

    def _add_spacing(self) -> None:
        """Add space between paragraphs: Qt sets Markdown without any."""
        block = self.text.document().begin()
        while block.isValid():
            style = block.blockFormat()
            in_cell = QTextCursor(block).currentTable() is not None
            style.setTopMargin(0)
            style.setBottomMargin(SPACE.xs if in_cell else SPACE.m)
            style.setLineHeight(_LINE_HEIGHT, _PROPORTIONAL)
            QTextCursor(block).setBlockFormat(style)
            block = block.next()
        self.text.moveCursor(QTextCursor.MoveOperation.Start)


def _first_sentence(topic: str) -> str:
    """Return the first paragraph of a topic."""
    return read_topic(topic, shown_language()).split("\n\n")[1]


def page_for(paths: Sequence[Path]) -> str:
    """Return the page for dropped paths: datasets are imported, pictures are classified.

    Keras models are opened in the designer.
    """
    if importable(paths) is not None:
        return "datasets"
    if len(paths) == 1 and paths[0].suffix.lower() == ".keras":
        return "networks"
    return "predict" if are_pictures(paths) else ""


_NAMED_JOBS: Final = 3


class _PageRoom(QWidget):
    """The room of the pages: as small as the page that is shown can be, whatever others need.

    It has no layout, since the height of a layout for a width would be that of the highest page.

    Args:
        stack: The pages.
    """

    def __init__(self, stack: PageStack) -> None:
        super().__init__()
        self._stack = stack
        stack.setParent(self)
        stack.currentChanged.connect(self.updateGeometry)

    def minimumSizeHint(self) -> QSize:
        """Return the least size of the current page."""
        page = self._stack.currentWidget()
        if page is None:
            return super().minimumSizeHint()
        return page.minimumSizeHint().expandedTo(page.minimumSize())

    def event(self, event: QEvent) -> bool:
        """Follow a page that needs more room, or less, because it shows another part."""
        if event.type() == QEvent.Type.LayoutRequest:
            self.updateGeometry()
        return super().event(event)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Give the pages all of the room."""
        super().resizeEvent(event)
        self._stack.setGeometry(self.rect())


class MainWindow(QMainWindow):
    """The window of one workspace.

    Attributes:
        context: The context that all pages share.

    Signals:
        workspace_chosen: Path of another workspace that the user picked.
        page_shown: Name of the page that is shown.
        painted: The window was painted for the first time.
        closed: The window was closed; its resources can be released.
    """

    workspace_chosen = Signal(object)
    page_shown = Signal(str)
    painted = Signal()
    closed = Signal()

    def __init__(self, context: AppContext) -> None:
        super().__init__()
        self.context = context
        self._pages: dict[str, Page] = {}
        self._restored: dict[str, object] = {}
        self._dragged: list[Path] = []
        self._is_painted = False
        self.setWindowTitle(self.tr("{name} – Studio").format(name=context.workspace.title))
        self.setAcceptDrops(True)
        self.rail = Rail(context.theme, context.settings.shortcuts)
        self.top_bar = TopBar(context)
        self.tray = Tray(context)
        self._stack = PageStack(self)
        # Around the stack, which raises each page that it shows: over what lies on it.
        self._page_area = QWidget(self)
        self._lay_out()
        self.notices = NoticeStack(context.theme, self._page_area)
        self._overlay = DropOverlay(self._page_area)
        parts = WindowParts(self, [self.rail, self.top_bar, self._stack, self.tray])
        self.commands = CommandCenter(
            context, parts, self.tray.toggle, self._show_help, self._ask_whats_this
        )
        self._notifier = Notifier(context, self)
        self._bugs = BugReports(self)
        self._connect()
        self._settling = Debounce(_SETTLE_MS, self._remember_geometry, self)
        geometry = context.settings.geometry
        if geometry is None or not self.restoreGeometry(geometry):
            self.resize(USUAL_SIZE)
        fit_to_screen(self)
        self.show_page(context.settings.page if context.settings.page in PAGES else "home")
        self.page(self.current_page).setFocus()
        if context.settings.text("tour"):
            self.tour.resume_stored()

    def paintEvent(self, event: QPaintEvent) -> None:
        """Notify about the first painting, once all parts are painted."""
        super().paintEvent(event)
        if not self._is_painted:
            self._is_painted = True
            QTimer.singleShot(0, self, self.painted.emit)

    @property
    def current_page(self) -> str:
        """Name of the current page."""
        return next(
            name for name, page in self._pages.items() if page is self._stack.currentWidget()
        )

    @property
    def current_record(self) -> str:
        """Id of the record that the current page shows; empty for none."""
        return self._pages[self.current_page].current_record

    @cached_property
    def manual(self) -> HelpWindow:
        """The window of the manual."""
        return HelpWindow(self)

    @cached_property
    def tour(self) -> Tour:
        """The guided tour."""
        # Made when first needed: it imports the domains of datasets and training.
        from studio.ui.shell.tour import Tour  # noqa: PLC0415

        tour = Tour(self.context, self.page, self)
        self._right.insertWidget(1, tour.bar)
        self.page_shown.connect(tour.show_page)
        return tour

    @property
    def has_tour(self) -> bool:
        """True if the tour was started in this window."""
        return "tour" in vars(self)

    def page_states(self) -> dict[str, object]:
        """Return the unsaved state of the opened pages by their names; see `Page.state`."""
        states = {name: page.state() for name, page in self._pages.items()}
        made = {name: state for name, state in states.items() if state is not None}
        return {**self._restored, **made}

    def restore_pages(self, states: Mapping[str, object]) -> None:
        """Give pages what `page_states` of an earlier window returned, each when it is opened."""
        self._restored = dict(states)
        for name in self._pages.keys() & states.keys():
            self._pages[name].restore(self._restored.pop(name))

    def page(self, name: str) -> Page:
        """Return a page; the first call creates it."""
        if name not in self._pages:
            self._pages[name] = new_page(PAGES[name], self.context, self._stack)
            self._stack.addWidget(self._pages[name])
            if name in self._restored:
                self._pages[name].restore(self._restored.pop(name))
        return self._pages[name]

    def deletions(self) -> list[Callable[[], None]]:
        """Return calls that each delete a page of this window, which is closed."""
        return [page.deleteLater for page in self._pages.values()]

    def open(self, intent: Intent) -> None:
        """Open another workspace, or show the page of an intent and let it perform that."""
        if isinstance(intent, OpenPage) and (reason := self._refusal_of(intent)):
            self.notices.show_notice(Notice("info", reason, key="refusal"))
        elif isinstance(intent, OpenPage):
            if intent.page not in self._pages:
                # Before it is seen: else it would make what it usually shows first, as well.
                self.page(intent.page).open(intent)
                self.show_page(intent.page)
                return
            self.show_page(intent.page)
            self.page(intent.page).open(intent)
        elif isinstance(intent, OpenServed):
            self._ask_server(intent.url)
        elif intent.folder is not None:
            self.workspace_chosen.emit(intent.folder)
        else:
            self._on_workspace_requested()

    def _refusal_of(self, intent: OpenPage) -> str:
        """Return why what an intent would make cannot be made in this workspace."""
        return "" if intent.makes is None else self.context.workspace.refusal(intent.makes)

    def show_page(self, name: str) -> None:
        """Show a page."""
        page = self.page(name)
        self._stack.setCurrentWidget(page)
        if page.needs_engine:
            self.context.background.run(self, self.context.engine.warm_up)
        self.context.settings.page = name
        self.page_shown.emit(name)

    def show_bug(self, error: BaseException) -> None:
        """Show the report of an internal error."""
        self._bugs.show_error(error)

    def show_crash(self, report: str) -> None:
        """Show a notice about a crash of an earlier window."""
        title = self.tr("Studio crashed last time. Running jobs were not affected.")
        show = partial(self._show_report, title, report)
        self.notices.show_notice(
            Notice("warning", title, action_text=self.tr("Show the report"), action=show)
        )

    def closeEvent(self, event: QCloseEvent) -> None:
        """Store the geometry; running jobs continue without the window."""
        self._remember_geometry()
        super().closeEvent(event)
        self.closed.emit()

    def focusNextPrevChild(self, forwards: bool) -> bool:
        """Let Tab follow the order of reading."""
        return move_focus(self, forwards=forwards)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Resize the overlay with the pages."""
        super().resizeEvent(event)
        self._overlay.setGeometry(self._page_area.rect())
        self._settling.start()

    def moveEvent(self, event: QMoveEvent) -> None:
        """Store the position soon."""
        super().moveEvent(event)
        self._settling.start()

    def _remember_geometry(self) -> None:
        """Store position and size, so that they survive the end of the process by force."""
        self.context.settings.geometry = self.saveGeometry()

    def dragEnterEvent(self, event: QDragEnterEvent) -> None:
        """Show what a drop would do, or why no page takes the paths."""
        self._dragged = local_paths(event.mimeData())
        names = self.current_page, page_for(self._dragged)
        name, text = self._offer(self._dragged, *names)
        reason = "" if name else self._refusal(self._dragged, *names)
        if not (name or reason):
            event.ignore()
            return
        self._overlay.offer(text or reason)
        if name:
            event.acceptProposedAction()
        else:  # the drag is followed, so that the reason goes with it, but drops nothing
            event.setDropAction(Qt.DropAction.IgnoreAction)
            event.accept()

    def dragLeaveEvent(self, event: QDragLeaveEvent) -> None:
        """Hide the overlay."""
        self._overlay.offer("")
        super().dragLeaveEvent(event)

    def dropEvent(self, event: QDropEvent) -> None:
        """Pass the files to the page that takes them."""
        self._overlay.offer("")
        paths = local_paths(event.mimeData())
        name, _ = self._offer(paths, self.current_page, page_for(paths))
        if name:
            event.acceptProposedAction()
            self.open(DropFiles(name, tuple(paths)))

    def take_files(self, paths: Sequence[Path]) -> None:
        """Open files and folders on the page for them; the current one takes only the others."""
        missing = [path for path in paths if not path.exists()]
        page, jobs = page_for(paths), self.context.jobs
        if page == "predict" and not missing and not jobs.is_loaded:
            once = Qt.ConnectionType.SingleShotConnection  # the models are not known yet
            jobs.loaded.connect(partial(self.take_files, paths), once)
            return
        name, _ = self._offer(paths, page or self.current_page)
        reason = self._refusal(paths, page or self.current_page)
        if missing:
            error = StudioError("There is no file {path}.", "Check the path.", path=missing[0])
            self.notices.show_error(error)
        elif name:
            self.open(DropFiles(name, tuple(paths)))
        elif reason:
            self.show_page(page or self.current_page)  # which leads to training
            self.notices.show_notice(Notice("warning", reason))
        else:
            error = StudioError(
                "Studio cannot open {names}.",
                "It opens existing folders of images, images, tables of labels and Keras files.",
                names=", ".join(apart(path.name) for path in paths),
            )
            self.notices.show_error(error)

    def _refusal(self, paths: Sequence[Path], *names: str) -> str:
        """Return why the first of these pages that has a reason does not take the paths."""
        reasons = (self.page(name).drop_refusal(paths) for name in names if name)
        return next(filter(None, reasons), "")

    def _offer(self, paths: Sequence[Path], *names: str) -> tuple[str, str]:
        """Return the first of these pages that takes the paths, and its offer."""
        for name in names:
            if name:
                text = self.page(name).drop_offer(paths)
                if text:
                    return name, text
        return "", ""

    def _lay_out(self) -> None:
        area = QScrollArea(self._page_area)
        area.setWidgetResizable(True)
        area.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        area.setWidget(_PageRoom(self._stack))
        vbox(area, owner=self._page_area)
        self._right = vbox(self.top_bar, (self._page_area, 1), self.tray, spacing=0)
        body = QWidget(self)
        hbox(self.rail, (self._right, 1), owner=body, spacing=0)
        self.setCentralWidget(body)

    def _connect(self) -> None:
        context = self.context
        self.rail.chosen.connect(self.show_page)
        self.page_shown.connect(self.rail.set_current)
        self.top_bar.workspace_button.clicked.connect(self._on_workspace_requested)
        self.top_bar.help_button.clicked.connect(self._show_help)
        self.top_bar.palette_button.clicked.connect(self.commands.open_palette)
        context.navigator.open_requested.connect(self.open)
        context.navigator.notice_requested.connect(self.notices.show_notice)
        context.navigator.bug_found.connect(self.show_bug)
        context.navigator.tour_requested.connect(self._start_tour)
        context.background.failed.connect(context.navigator.show_failure)
        context.jobs.damaged.connect(self.notices.show_error)
        context.jobs.loaded.connect(self._show_foreign_jobs)
        context.jobs.changed.connect(self._on_changed)

    def _on_changed(self, entry: RecordDocument, change: RecordChange) -> None:
        if any(isinstance(event, QueueChanged) and event.foreign for event in change.events):
            self._show_foreign_jobs()
        if change.is_state:
            self._notify_end(entry)

    def _show_foreign_jobs(self) -> None:
        """Show a notice about jobs from another computer that wait for confirmation."""
        foreign = [entry for entry in self.context.jobs.waiting() if entry.history.foreign]
        if not foreign:
            return
        titles = [describe.title(entry) for entry in foreign[:_NAMED_JOBS]]
        more = ["…"] * (len(foreign) > _NAMED_JOBS)
        text = self.tr("Jobs from another computer wait for your confirmation: {jobs}")
        self.notices.show_notice(
            Notice(
                "warning",
                text.format(jobs=", ".join([*titles, *more])),
                self.tr("In the list of jobs, release each job or remove it from the queue."),
                "foreign-jobs",
                self.tr("Show"),
                self.tray.open,
            )
        )

    def _notify_end(self, entry: RecordDocument) -> None:
        """Show a notice when a job ended, except for runs of a sweep."""
        if entry.state.is_finished and self.context.jobs.is_of_a_sweep(entry):
            return
        title = describe.title(entry)
        kind, record_id = entry.key
        action = partial(self.context.navigator.open, job_intent(kind, record_id))
        key = f"{kind}:{record_id}"
        if entry.state in (State.FAILED, State.LOST):
            text = f"{title}: {translated(entry.history.reason)}"
            notice = Notice("error", text, entry.history.hint, key, self.tr("Show"), action)
        elif entry.state == State.COMPLETED and not self._is_on_screen(entry):
            notice = self._completed(entry, key, action)
        else:
            return
        self.notices.show_notice(notice)

    def _is_on_screen(self, entry: RecordDocument) -> bool:
        """Return True if the current page shows how a job ended."""
        kind, record_id = entry.key
        is_there = self.current_page == KINDS[kind].page
        # The page of the other kinds lists them; that of runs may show the form or another run.
        return is_there and (kind != RecordKind.RUN or self.current_record == record_id)

    def _completed(self, entry: RecordDocument, key: str, show: Callable[[], None]) -> Notice:
        """Return the notice of a completed job: its result and the next step."""
        pattern = self.tr("{what}: done.")
        result = describe.result(entry, self.context.jobs)
        if result:
            pattern = self.tr("{what}: done, {result}.")
        text = pattern.format(what=describe.title(entry), result=result)
        if entry.key[0] != RecordKind.RUN:
            return Notice("success", text, "", key, self.tr("Show"), show)
        use = partial(self.context.navigator.open, OpenRecord("predict", entry.key[1]))
        is_usable = describe.has_model(entry, self.context.jobs)
        words, action = (self.tr("Try it"), use) if is_usable else (self.tr("Show"), show)
        return Notice("success", text, "", key, words, action, stays=True)

    def _start_tour(self) -> None:
        self.tour.start()

    def _show_help(self) -> None:
        self.manual.show_topic(PAGES[self.current_page].topic)

    def _ask_whats_this(self) -> None:
        """Explain what the user clicks next: controls by their tooltip, else the whole page."""
        for widget in self.findChildren(QWidget):
            if widget.toolTip() and not widget.whatsThis():
                widget.setWhatsThis(literal(widget.toolTip()))
        page = self.page(self.current_page)
        if not page.whatsThis():
            page.setWhatsThis(_first_sentence(PAGES[self.current_page].topic))
        QWhatsThis.enterWhatsThisMode()

    def _on_workspace_requested(self) -> None:
        folder = self._ask_folder()
        if folder is not None:
            self.workspace_chosen.emit(folder)

    def _ask_server(self, url: str) -> None:
        """Ask for the address and token of a server."""
        # Made when first needed: it imports what talks to servers.
        from studio.ui.shell.served import ServedDialog  # noqa: PLC0415

        dialog = ServedDialog(self.context, url, self)
        dialog.prepared.connect(self.workspace_chosen)
        dialog.open()

    def _ask_folder(self) -> Path | None:
        start = str(self.context.workspace.root.parent)
        title = self.tr("Choose a workspace, or an empty folder for a new one")
        return choose_folder(self, title, start)

    def _show_report(self, title: str, report: str) -> None:
        BugReport(title, report, self).show()
