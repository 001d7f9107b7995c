"""The page: the labelings at the left, one of them or the form of a new one at the right."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Final

from PySide6.QtCore import QCoreApplication, QPoint, QSignalBlocker, Qt, Signal
from PySide6.QtGui import QImage, QShortcut, QShowEvent
from PySide6.QtWidgets import (
    QLabel,
    QListWidget,
    QListWidgetItem,
    QMenu,
    QPlainTextEdit,
    QPushButton,
    QWidget,
)

from studio.engine.datasets.sources.base import IMAGE_SUFFIXES
from studio.engine.errors import StudioError
from studio.engine.inference.sources import VIDEO_SUFFIXES
from studio.engine.labeling.editors import editor_of, no_labeling
from studio.engine.labeling.plan import LabelingPlan, planned
from studio.engine.labeling.project import SHOWN_FOLDERS, Labeling
from studio.engine.labeling.sources import picture_files, video_paths
from studio.engine.tasks import DEFAULT_TASK, TASKS
from studio.engine.workspace import Record, RecordInfo, RecordKind
from studio.ui.bridge.request import Request
from studio.ui.context import AppContext
from studio.ui.language import translated
from studio.ui.navigation import OpenPage, StartLabeling
from studio.ui.pages.commands import RENAME_LABELING
from studio.ui.pages.label.sources import FOLDER_KEY
from studio.ui.pages.label.view import LabelView
from studio.ui.pages.page import Page
from studio.ui.shared.file_dialogs import ask_folder
from studio.ui.shared.media import read_picture
from studio.ui.shared.records import RecordName, Trash
from studio.ui.tasks import view_of
from studio.ui.theme.tokens import SPACE
from studio.ui.widgets.buttons import icon_button, push_button
from studio.ui.widgets.cards import Mosaic
from studio.ui.widgets.drop_area import DropArea
from studio.ui.widgets.figures import count, counted
from studio.ui.widgets.inputs import AskValue, ComboBox
from studio.ui.widgets.labels import HintLabel, apart
from studio.ui.widgets.layout import STRETCH, Splitter, fill, hbox, text_label, vbox
from studio.ui.widgets.pages import EmptyState, PageHeader, PageStack, ScrollColumn
from studio.ui.widgets.tips import allow, explain

_ID = int(Qt.ItemDataRole.UserRole)
_MOSAIC_SIDE: Final = 160
_SHOWN: Final = 9
"""Images of what was dropped, from its whole length."""
Listed = list[tuple[Record, RecordInfo]]


class View(Page):
    """Labels pictures and makes datasets of them."""

    def __init__(self, context: AppContext, parent: QWidget | None = None) -> None:
        super().__init__(context, parent)
        self._requested = ""
        self._opening = ""
        self._leaving = ""
        self._listing = Request(context.background, self)
        self._opener = Request(context.background, self)
        self._unopened: set[str] = set()
        self._dropped: tuple[str, list[Path]] = ("", [])
        self._with_webcam = ""
        self._shown: Record | None = None
        self._edited: Record | None = None
        self._records: dict[str, tuple[Record, RecordInfo]] = {}
        self.view: LabelView | None = None
        self.list = QListWidget(self)
        self.list.setAccessibleName(self.tr("Labelings"))
        explain(self.list, self.tr("Opens a labeling where you left it."))
        tip = self.tr("Labels images of a folder, a video, a webcam or a dataset.")
        text = self.tr("New labeling")
        self.new_button = push_button(
            text, context.theme, icon="plus", tip=tip, on_click=self.show_form
        )
        self._make_actions()
        help_text = self.tr(
            "Start with images without labels: give them classes, numbers, boxes or masks "
            "with few keys, and make a dataset of them."
        )
        self.empty = EmptyState(context.theme, "label", self.tr("Label images"), help_text, self)
        button = self.empty.add_action(text, kind="primary", icon="plus")
        button.clicked.connect(self.show_form)
        self._refusal = self._refused(button)
        self.form = NewLabeling(context, self)
        self._make_question()
        self.stack = PageStack(self)
        self._blank = QWidget(self)
        self._trash = Trash(context, self)
        self._lay_out()
        self.list.currentItemChanged.connect(self._on_chosen)
        self.list.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
        self.list.customContextMenuRequested.connect(self._on_menu)
        self.form.created.connect(self._on_created)
        self.form.cancelled.connect(self._on_cancelled)
        self._trash.thrown.connect(self.refresh)
        self._trash.restored.connect(self._on_stays)
        self._trash.kept.connect(self._on_stays)
        self.refresh()

    def _refused(self, button: QPushButton) -> str:
        """Return why labelings cannot be made in this workspace, and disable what makes them."""
        reason = translated(self.context.workspace.refusal(RecordKind.LABELING))
        if reason:
            self.empty.set_texts(self.tr("Label images"), reason)
            for each in (self.new_button, button):
                allow(each, reason)
        return reason

    @property
    def current_record(self) -> str:
        """Id of the labeling in `view`, or empty; another one may be opening."""
        return "" if self._shown is None else self._shown.id

    def open(self, intent: OpenPage) -> None:
        """Also show the form of a new labeling."""
        if isinstance(intent, StartLabeling):
            self.show_form()
            if intent.paths:
                self.form.set_paths(list(intent.paths))
            if intent.webcam:
                self.form.expect_webcam()
        else:
            super().open(intent)

    def show_record(self, record_id: str) -> None:
        """Show a labeling now, or as soon as it is known."""
        self._requested = record_id
        self.refresh()

    def show_form(self) -> None:
        """Show the form of a new labeling."""
        self._stop_opening()
        self.form.reset()
        self._select("")
        self.stack.setCurrentWidget(self.form)
        self.form.task.setFocus()

    def drop_offer(self, paths: Sequence[Path]) -> str:
        """Return that pictures would be added."""
        if not addable(paths) or self._refusal:
            return ""
        if self.stack.currentWidget() is self.view:
            return self.tr("Add images to this labeling")
        return self.tr("Label {name}").format(name=addable(paths)[0].name)

    def drop_refusal(self, paths: Sequence[Path]) -> str:
        """Return that only images can be labeled."""
        if self._refusal and paths:
            return self._refusal
        return _refusal(paths) if paths and not addable(paths) else ""

    def take_drop(self, paths: Sequence[Path]) -> None:
        """Add pictures to the shown labeling, or to a new one."""
        if self.view is not None and self.stack.currentWidget() is self.view:
            self.view.sources.add_paths(paths)
        else:
            if self.stack.currentWidget() is not self.form:
                self.show_form()
            self.form.set_paths(list(paths))

    def refresh(self, _change: object = None) -> None:
        """Read which labelings there are, in another thread."""
        work = partial(self.context.workspace.infos, RecordKind.LABELING)
        self._listing.run(work, self._on_listed)

    def showEvent(self, event: QShowEvent) -> None:
        """Show labelings that the command line made."""
        super().showEvent(event)
        self.refresh()

    def _on_listed(self, records: Listed) -> None:
        newest = [each for each in reversed(records) if each[0].id != self._leaving]
        self._records = {record.id: (record, info) for record, info in newest}
        shown = self.current_record
        with QSignalBlocker(self.list):
            self.list.clear()
            for record, info in newest:
                item = QListWidgetItem(info.name, self.list)
                item.setData(_ID, record.id)
                item.setToolTip("\n".join(filter(None, (info.name, info.notes))))
        self._left.setVisible(bool(newest))
        if shown in self._records and self.view is not None:
            info = self._records[shown][1]
            self.view.show_info(info.name, info.notes)
        if self._requested in self._records:
            shown, self._requested = self._requested, ""
            self._open(shown)
        elif self._opening in self._records:
            self._select(self._opening)
        elif shown in self._records:
            is_shown = self.stack.currentWidget() in (self.view, self.question)
            self._select(shown if is_shown else "")
        elif self.stack.currentWidget() is not self.form:
            self._show_newest()

    def _show_newest(self) -> None:
        """Open the newest labeling that can be opened; without one, say how to begin."""
        newest = next((each for each in self._records if each not in self._unopened), "")
        if newest:
            self._open(newest)
        else:
            self._close()
            self._select("")
            self.stack.setCurrentWidget(self.empty)

    def _select(self, record_id: str) -> None:
        """Select a labeling in the list; the buttons act on the shown one alone."""
        row = list(self._records).index(record_id) if record_id in self._records else -1
        with QSignalBlocker(self.list):
            self.list.setCurrentRow(row)
        for button in self._buttons:
            button.setEnabled(row >= 0 and record_id == self.current_record)

    def _on_chosen(self, item: QListWidgetItem | None, _before: object) -> None:
        if item is not None:
            self._open(str(item.data(_ID)))

    def _open(self, record_id: str) -> None:
        if record_id == self._opening:
            self._select(record_id)
        elif record_id == self.current_record and self.view is not None:
            self._stop_opening()
            self.stack.setCurrentWidget(self.view)
            self._select(record_id)
        else:
            self._read(record_id, partial(Labeling, self._records[record_id][0]))

    def _read(self, record_id: str, work: Callable[[], Labeling]) -> None:
        """Open a labeling in another thread; the shown one stays until then."""
        self._opening = record_id
        self._unopened.discard(record_id)
        self._select(record_id)
        done, failed = partial(self._on_opened, record_id), partial(self._on_not_opened, record_id)
        self._opener.run(work, done, failed)

    def _stop_opening(self) -> None:
        self._opening = ""
        self._opener.drop()

    def _on_not_opened(self, record_id: str, error: BaseException) -> None:
        """Stay with the shown labeling, and say so in the list."""
        self._opening = ""
        if record_id != self.current_record:
            self._unopened.add(record_id)
        if self.view is None:
            self._show_newest()
        else:
            self.view.quality.show_annotator()
            self.stack.setCurrentWidget(self.view)
            self._select(self.current_record)
        self.context.navigator.show_failure(error)

    def _on_opened(self, record_id: str, labeling: Labeling) -> None:
        self._opening = ""
        self._close()
        if record_id not in self._records:  # it went to the trash meanwhile
            self._show_newest()
            return
        self._shown, info = self._records[record_id]
        folders = labeling.unconfirmed_folders
        if folders:
            self._ask(record_id, info.name, labeling, folders)
            return
        self.view = LabelView(self.context, labeling, info.name, self)
        self.view.show_info(info.name, info.notes)
        self.view.annotator_chosen.connect(self._on_annotator)
        self.stack.addWidget(self.view)
        self.stack.setCurrentWidget(self.view)
        self._select(record_id)
        self.view.single.setFocus()
        dropped_on, paths = self._dropped
        if dropped_on == record_id and paths:
            self._dropped = ("", [])
            self.view.sources.add_paths(paths)
        if record_id == self._with_webcam:
            self._with_webcam = ""
            self.view.show_webcam()

    def _make_question(self) -> None:
        self.question = EmptyState(self.context.theme, "label", "", "", self)
        self.confirm_button = self.question.add_action(self.tr("Open the images"))
        explain(self.confirm_button, self.tr("Reads the images in these folders."))
        self.confirm_button.clicked.connect(self._on_confirm)
        self._confirm: Callable[[], None] | None = None

    def _on_confirm(self) -> None:
        confirm, self._confirm = self._confirm, None
        if confirm is not None:
            confirm()

    def _ask(self, record_id: str, name: str, labeling: Labeling, folders: list[str]) -> None:
        """Ask whether pictures outside of the record are opened; nothing of them is read yet."""
        shown = folders[:SHOWN_FOLDERS]
        if len(folders) > len(shown):
            more = self.tr("and {n} more")
            shown.append(more.format(n=count(len(folders) - len(shown))))
        text = self.tr(
            "“{name}” refers to images in folders that were not added on this computer. Open "
            "them only if you trust the person it comes from: a folder on a network share sends "
            "your credentials to its server."
        )
        self.question.set_texts(
            self.tr("Open images in these folders?"),
            "\n".join([text.format(name=name), "", *shown]),
        )
        work = partial(_confirmed, labeling, folders)
        self._confirm = partial(self._read, record_id, work)
        self.stack.setCurrentWidget(self.question)
        self._select(record_id)

    def _on_annotator(self, name: str, independent: bool) -> None:
        """Open the shown labeling again for another annotator."""
        shown = self._shown
        if shown is not None and shown.id in self._records:
            self._read(shown.id, partial(Labeling, shown, name, independent=independent))

    def _close(self) -> None:
        view, self.view, self._shown = self.view, None, None
        if view is not None:
            view.close_labeling()
            self.stack.removeWidget(view)
            view.deleteLater()

    def _on_created(self, record: Record, paths: list[Path]) -> None:
        self._dropped = (record.id, list(paths))
        self._with_webcam = record.id if self.form.uses_webcam else ""
        self.stack.setCurrentWidget(self._blank)
        self.show_record(record.id)

    def _on_cancelled(self) -> None:
        if self.view is None:
            self._show_newest()
        else:
            self.stack.setCurrentWidget(self.view)
            self._select(self.current_record)

    def rename(self) -> None:
        """Ask for another name of the shown labeling."""
        found = self._records.get(self.current_record)
        if found is not None:
            self._edited = found[0]
            self._ask_name.ask(self.new_button, found[1].name)

    def edit_notes(self) -> None:
        """Ask for the notes of the shown labeling."""
        found = self._records.get(self.current_record)
        if found is not None:
            self._edited = found[0]
            self._ask_notes.ask(self.new_button, found[1].notes)

    def _on_named(self, name: str) -> None:
        self._save(self.context.workspace.rename, name)

    def _on_notes(self, notes: str) -> None:
        self._save(self.context.workspace.annotate, notes)

    def _save(self, store: Callable[[Record, str], object], text: str) -> None:
        if self._edited is not None:  # another labeling may be shown by now
            work = partial(store, self._edited, text.strip())
            self.context.background.run(self, work, self.refresh)

    def _on_menu(self, position: QPoint) -> None:
        item = self.list.itemAt(position)
        if item is None or item.data(_ID) != self.current_record:
            return  # a right click selects first
        self._menu.popup(self.list.viewport().mapToGlobal(position))

    def _on_trash(self) -> None:
        found = self._records.get(self.current_record)
        if found is not None:
            record, info = found
            self._leaving = record.id
            self._close()
            self.stack.setCurrentWidget(self._blank)
            self._trash.throw(record, info.name)

    def _on_stays(self, record_id: str) -> None:
        """Show a labeling again that is not in the trash."""
        self._leaving = ""
        self.show_record(record_id)

    def _make_actions(self) -> None:
        theme = self.context.theme
        rename, notes = self.tr("Rename the labeling (F2)"), self.tr("Notes on the labeling")
        trash = self.tr("Move the labeling to the trash")
        actions = (
            ("edit", rename, self.tr("Rename…"), self.rename),
            ("comment", notes, self.tr("Notes…"), self.edit_notes),
            ("trash", trash, self.tr("Move to the trash"), self._on_trash),
        )
        self._menu = QMenu(self.list)
        self._buttons = []
        for icon, name, text, call in actions:
            self._menu.addAction(text, call)
            self._buttons.append(icon_button(icon, name, theme, on_click=call))
        self.trash_button = self._buttons[-1]
        shortcut = QShortcut(self)
        shortcut.setContext(Qt.ShortcutContext.WidgetWithChildrenShortcut)
        shortcut.activated.connect(self.rename)
        self.context.settings.shortcuts.bind(shortcut, RENAME_LABELING)
        title, help_text = self.tr("Name of the labeling"), self.tr("Name shown in lists.")
        self._ask_name = AskValue(theme, title, help_text, self.tr("Rename"), self)
        title, help_text = self.tr("Notes"), self.tr("Shown below the name of the labeling.")
        self._ask_notes = AskValue(theme, title, help_text, self.tr("Save"), self)
        self._ask_name.given.connect(self._on_named)
        self._ask_notes.given.connect(self._on_notes)

    def _lay_out(self) -> None:
        for widget in (self._blank, self.empty, self.form, self.question):
            self.stack.addWidget(widget)
        self._left = QWidget(self)
        title = text_label(self.tr("Label"), "page", self)
        actions = hbox(*self._buttons, STRETCH)
        parts, margins = (title, self.new_button, (self.list, 1)), (SPACE.m, SPACE.l, 0, SPACE.m)
        vbox(*parts, actions, owner=self._left, spacing=SPACE.m, margins=margins)
        self._left.hide()
        across = Qt.Orientation.Horizontal
        self.splitter = Splitter(self.context.settings, "label/splitter", across, self)
        self.splitter.split((self._left, 0, 200), (self.stack, 1, 1000))
        vbox(self.splitter, owner=self)


class NewLabeling(QWidget):
    """Name, task and classes of a new labeling, and where its pictures are.

    Signals:
        created: The `Record`, and the paths of pictures to add.
        cancelled: The user wants none.
    """

    created = Signal(object, list)
    cancelled = Signal()

    def __init__(self, context: AppContext, parent: QWidget) -> None:
        super().__init__(parent)
        self._context = context
        self.paths: list[Path] = []
        self.uses_webcam = False
        self._names_classes = True
        self.name = RecordName(self.tr("Name of the labeling"), self)
        tasks = [(view_of(task).words(task).choice, task.name) for task in TASKS.values()]
        self.task = ComboBox(self, self.tr("Task"), tasks)
        self.task_help = HintLabel("", parent=self)
        self.classes = QPlainTextEdit(self, tabChangesFocus=True)
        self.classes.setFixedHeight(120)
        self.classes_label = QLabel(self)
        self.classes_label.setBuddy(self.classes)
        theme = context.theme
        self._invitation = (
            self.tr("Drop images, folders or a video"),
            self.tr("Or add them later: also from a dataset, a webcam or the screen."),
        )
        button = self.tr("Choose a folder…")
        self.drop = DropArea(theme, *self._invitation, button=button, parent=self)
        self.drop.set_primary(False)
        self.mosaic = Mosaic(theme, _MOSAIC_SIDE, self)
        self.mosaic.hide()
        self._finder = Request(context.background, self)
        text = self.tr("Start labeling")
        tip = self.tr("Creates the labeling and shows its first image.")
        self.create_button = push_button(
            text, theme, kind="primary", icon="label", tip=tip, on_click=self.create_labeling
        )
        text, tip = self.tr("Cancel"), self.tr("Closes the form without creating a labeling.")
        self.cancel_button = push_button(text, theme, kind="quiet", tip=tip)
        self.cancel_button.clicked.connect(self.cancelled)
        self.problem = HintLabel("", "problem", self)
        self._lay_out()
        self.task.currentIndexChanged.connect(self._on_task)
        self.drop.paths_dropped.connect(self.set_paths)
        self.drop.browse_requested.connect(self._on_browse)
        self._on_task()

    def reset(self) -> None:
        """Begin with an empty form."""
        self.paths = []
        self.classes.clear()
        self.task.choose(DEFAULT_TASK.name)
        self.problem.show_text("")
        self.name.accept()
        self.uses_webcam = False
        self.drop.set_text(*self._invitation)
        self.set_paths([])

    def expect_webcam(self) -> None:
        """Show the webcam once the labeling is created; its classes are what is shown to it."""
        self.uses_webcam = True
        text = self.tr("The images come from your webcam")
        self.drop.set_text(text, self.tr("You can also drop images, folders or a video."))
        self.classes.setFocus()

    def set_paths(self, paths: list[Path]) -> None:
        """Add pictures of these paths once the labeling is created; say which cannot be added."""
        refused = [path for path in paths if path not in addable(paths)]
        self.problem.show_text(_refusal(refused) if refused else "")
        paths = addable(paths)
        self.paths = list(paths)
        taken = [info.name for _, info in self._context.workspace.infos(RecordKind.LABELING)]
        first = paths[0].stem if paths else self.tr("labels")
        self.name.suggest(first, taken)
        self.mosaic.hide()
        self._finder.drop()
        if paths:
            shown = ", ".join(path.name for path in paths[:3])
            hint = self.tr("Their images are added. Your files stay as they are.")
            self.drop.set_text(shown, hint)
            self._finder.run(partial(_found, self.paths), self._on_found, self._on_not_found)

    def _on_found(self, found: tuple[int, list[QImage]]) -> None:
        """Show how many images would be added, and some of them."""
        number, images = found
        shown = ", ".join(path.name for path in self.paths[:3])
        text = counted(number, self.tr("1 image in {where}"), self.tr("{n} images in {where}"))
        hint = self.tr("Their images are added. Your files stay as they are.")
        self.drop.set_text(text.format(where=apart(shown)), hint)
        self.mosaic.set_images(images)
        self.mosaic.setVisible(bool(images))

    def _on_not_found(self, error: BaseException) -> None:
        """Say at once what starting would say."""
        self._context.navigator.show_failure(error, self.problem.show_text)

    def create_labeling(self) -> None:
        """Create the labeling."""
        lines = [line for line in self.classes.toPlainText().splitlines() if line.strip()]
        try:
            plan = planned(self.task.currentData(), lines if self._names_classes else [])
        except StudioError as error:
            self.problem.show_text(error.message)
            return
        self.problem.show_text("")
        work = partial(_create, self._context, self.name.text(), plan)
        self._context.background.run(self, work, self._on_created, self._on_failed)

    def _on_created(self, record: Record) -> None:
        self.name.accept()
        self.created.emit(record, self.paths)

    def _on_failed(self, error: BaseException) -> None:
        self._context.navigator.show_failure(error, self.name.refuse)

    def _on_task(self) -> None:
        task = TASKS[self.task.currentData()]
        words = view_of(task).words(task)
        self.task_help.show_text(words.choice_help or translated(task.summary))
        text = self.tr("{name}, one per line (more can be added while labeling)")
        self.classes_label.setText(text.format(name=view_of(task).heading()))
        reason = no_labeling(task)
        editor = None if reason else editor_of(task)
        has_units = editor is not None and editor.has_units
        self._names_classes = editor is not None and editor.names_classes
        self.classes.setVisible(self._names_classes)
        self.classes_label.setVisible(self._names_classes)
        allow(self.create_button, translated(reason))
        example = self.tr("age [years]\nweight [kg]") if has_units else self.tr("cat\ndog")
        self.classes.setPlaceholderText(view_of(task).class_examples() or example)
        self.classes.viewport().update()  # Qt repaints it only if it appears or goes
        self.classes.setAccessibleName(self.classes_label.text())
        explain(self.task, self.tr("Kind of labels that the images get."))
        explain(self.classes, self.tr("A color may follow a name, such as cat #e69f00."))

    def _on_browse(self) -> None:
        title = self.tr("Choose a folder of images")
        folder = ask_folder(self, title, self._context.settings, FOLDER_KEY)
        if folder is not None:
            self.set_paths([folder])

    def _lay_out(self) -> None:
        subtitle = self.tr("Give images labels, and make a dataset of them.")
        header = PageHeader(self.tr("New labeling"), subtitle, self)
        column = ScrollColumn(SPACE.m, self)
        task_label = QLabel(self.tr("Task"), self)
        task_label.setBuddy(self.task)
        fields = (self.task, self.task_help, self.classes_label, self.classes)
        center = Qt.AlignmentFlag.AlignVCenter
        first = hbox((self.drop, 1), (self.mosaic, center), spacing=SPACE.m)
        fill(column.column, first, self.name, task_label, *fields, STRETCH)
        buttons = hbox(STRETCH, self.cancel_button, self.create_button, spacing=SPACE.s)
        parts = (header, (column, 1), self.problem, buttons)
        vbox(*parts, owner=self, spacing=SPACE.m, margins=SPACE.xl)


def addable(paths: Sequence[Path]) -> list[Path]:
    """Return the folders, images and videos among paths, by their names alone."""
    endings = IMAGE_SUFFIXES | VIDEO_SUFFIXES
    return [path for path in paths if path.suffix.casefold() in endings or path.is_dir()]


def _refusal(paths: Sequence[Path]) -> str:
    text = QCoreApplication.translate(
        "NewLabeling", "{name} cannot be added: it is not a folder, an image or a video."
    )
    return text.format(name=apart(paths[0].name))


def _found(paths: Sequence[Path]) -> tuple[int, list[QImage]]:
    """Return the number of images that paths name, and some of them; in another thread."""
    _, others = video_paths(paths)
    files = picture_files(others)
    step = max(1, len(files) // _SHOWN)
    return len(files), [read_picture(file, _MOSAIC_SIDE) for file in files[::step][:_SHOWN]]


def _confirmed(labeling: Labeling, folders: list[str]) -> Labeling:
    labeling.confirm_folders(folders)
    return labeling


def _create(context: AppContext, name: str, plan: LabelingPlan) -> Record:
    labeling = Labeling.create(context.workspace, name, plan)
    labeling.close()
    return labeling.record
