"""The page: the labelings at the left, one of them or the form of a new one at the right."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from pathlib import Path

from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QShortcut, QShowEvent
from PySide6.QtWidgets import QListWidget, QListWidgetItem, QMenu, QWidget

from studio.engine.labeling.project import Labeling
from studio.engine.workspace import Record, RecordInfo, RecordKind, Workspace
from studio.ui.context import AppContext
from studio.ui.navigation import OpenPage, StartLabeling
from studio.ui.pages.commands import RENAME_LABELING
from studio.ui.pages.label.new import NewLabeling
from studio.ui.pages.label.view import LabelView
from studio.ui.pages.page import Page
from studio.ui.shared.records import Trash
from studio.ui.theme.tokens import SPACE
from studio.ui.widgets.buttons import icon_button, push_button
from studio.ui.widgets.inputs import AskValue
from studio.ui.widgets.layout import STRETCH, Splitter, hbox, text_label, vbox
from studio.ui.widgets.pages import EmptyState, PageStack
from studio.ui.widgets.tips import explain

_ID = int(Qt.ItemDataRole.UserRole)
Listed = list[tuple[Record, RecordInfo]]


class View(Page):
    """Labels pictures and makes datasets of them."""

    def __init__(self, context: AppContext, parent: QWidget | None = None) -> None:
        super().__init__(context, parent)
        self._requested = ""
        self._opening = ""
        self._leaving = ""
        self._listing = 0
        self._dropped: list[Path] = []
        self._shown: Record | None = None
        self._records: dict[str, tuple[Record, RecordInfo]] = {}
        self.view: LabelView | None = None
        self.list = QListWidget(self)
        self.list.setAccessibleName(self.tr("Labelings"))
        explain(self.list, self.tr("Opens a labeling where you left it."))
        self.new_button = push_button(
            self.tr("New labeling"),
            context.theme,
            kind="primary",
            icon="plus",
            tip=self.tr("Labels pictures of a folder, a video, a webcam or a dataset."),
            on_click=self.show_form,
        )
        self._make_actions()
        self.empty = EmptyState(
            context.theme,
            "label",
            self.tr("Label pictures"),
            self.tr(
                "Start with pictures without labels: give them classes, numbers, boxes or masks "
                "with few keys, and make a dataset of them."
            ),
            self,
        )
        self.empty.add_action(
            self.tr("New labeling"), kind="primary", icon="plus"
        ).clicked.connect(self.show_form)
        self.form = NewLabeling(context, self)
        self.stack = PageStack(self)
        self._blank = QWidget(self)
        self._trash = Trash(context, self)
        self._lay_out()
        self.list.currentItemChanged.connect(self._on_chosen)
        self.list.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
        self.list.customContextMenuRequested.connect(self._on_menu)
        self.form.created.connect(self._on_created)
        self.form.cancelled.connect(self._on_cancelled)
        self._trash.thrown.connect(self._on_thrown)
        self._trash.restored.connect(self._on_restored)
        self.refresh()

    @property
    def current_record(self) -> str:
        """Id of the shown labeling, or empty."""
        return "" if self._shown is None else self._shown.id

    def open(self, intent: OpenPage) -> None:
        """Also show the form of a new labeling."""
        if isinstance(intent, StartLabeling):
            self.show_form()
        else:
            super().open(intent)

    def show_record(self, record_id: str) -> None:
        """Show a labeling now, or as soon as it is known."""
        self._requested = record_id
        self.refresh()

    def show_form(self) -> None:
        """Show the form of a new labeling."""
        self.form.reset()
        self._select("")
        self.stack.setCurrentWidget(self.form)
        self.form.task.setFocus()

    def drop_offer(self, paths: Sequence[Path]) -> str:
        """Return that pictures would be added."""
        if self.view is not None and self.stack.currentWidget() is self.view:
            return self.tr("Add pictures to this labeling")
        return self.tr("Label {name}").format(name=paths[0].name) if paths else ""

    def take_drop(self, paths: Sequence[Path]) -> None:
        """Add pictures to the shown labeling, or to a new one."""
        if self.view is not None and self.stack.currentWidget() is self.view:
            self.view.take_paths(paths)
        else:
            if self.stack.currentWidget() is not self.form:
                self.show_form()
            self.form.set_paths(list(paths))

    def refresh(self) -> None:
        """Read which labelings there are, in another thread."""
        self._listing += 1
        work = partial(_listed, self.context.workspace)
        self.context.background.run(self, work, partial(self._on_listed, self._listing))

    def showEvent(self, event: QShowEvent) -> None:
        """Show labelings that the command line made."""
        super().showEvent(event)
        self.refresh()

    def _on_listed(self, number: int, records: Listed) -> None:
        if number != self._listing:
            return  # a later one is on its way
        known = [each for each in records if each[0].id != self._leaving]
        newest = sorted(known, key=lambda each: each[1].created, reverse=True)
        self._records = {record.id: (record, info) for record, info in newest}
        shown = self.current_record
        self.list.blockSignals(True)
        self.list.clear()
        for record, info in newest:
            item = QListWidgetItem(info.name, self.list)
            item.setData(_ID, record.id)
            item.setToolTip("\n".join(filter(None, (info.name, info.notes))))
        self.list.blockSignals(False)
        self._left.setVisible(bool(newest))
        if shown in self._records and self.view is not None:
            info = self._records[shown][1]
            self.view.show_info(info.name, info.notes)
        if self._requested in self._records:
            shown, self._requested = self._requested, ""
            self._open(shown)
        elif shown in self._records:
            self._select(shown if self.stack.currentWidget() is self.view else "")
        elif self.stack.currentWidget() is not self.form:
            if newest:
                self._open(newest[0][0].id)
            else:
                self._close()
                self.stack.setCurrentWidget(self.empty)

    def _select(self, record_id: str) -> None:
        self.list.blockSignals(True)
        row = list(self._records).index(record_id) if record_id in self._records else -1
        self.list.setCurrentRow(row)
        self.list.blockSignals(False)
        for button in (self.rename_button, self.notes_button, self.trash_button):
            button.setEnabled(row >= 0)

    def _on_chosen(self, item: QListWidgetItem | None, _before: object) -> None:
        if item is not None:
            self._open(str(item.data(_ID)))

    def _open(self, record_id: str) -> None:
        self._select(record_id)
        if record_id == self.current_record and self.view is not None:
            self.stack.setCurrentWidget(self.view)
            return
        if record_id == self._opening:
            return
        record, info = self._records[record_id]
        self._shown = record
        self._opening = record_id
        work = partial(Labeling, record)
        done = partial(self._on_opened, record, info)
        self.context.background.run(self, work, done, self._on_not_opened)

    def _on_not_opened(self, error: BaseException) -> None:
        self._opening = ""
        self.context.navigator.show_failure(error)

    def _on_opened(self, record: Record, info: RecordInfo, labeling: Labeling) -> None:
        if record.id == self._opening:
            self._opening = ""
        if self._shown is None or record.id != self._shown.id:
            self.context.background.run(self, labeling.close)
            return
        self._close()
        self._shown = record
        self.view = LabelView(self.context, labeling, info.name, self)
        self.view.show_info(info.name, info.notes)
        self.view.annotator_chosen.connect(self._on_annotator)
        self.stack.addWidget(self.view)
        self.stack.setCurrentWidget(self.view)
        self.view.single.setFocus()
        paths, self._dropped = self._dropped, []
        if paths:
            self.view.take_paths(paths)

    def _on_annotator(self, name: str, independent: bool) -> None:
        """Open the shown labeling again for another annotator."""
        found = self._records.get(self.current_record)
        if found is not None:
            record, info = found
            work = partial(Labeling, record, name, independent=independent)
            done = partial(self._on_opened, record, info)
            self.context.background.run(self, work, done, self._on_not_opened)

    def _close(self) -> None:
        view, self.view, self._shown = self.view, None, None
        if view is not None:
            view.close_labeling()
            self.stack.removeWidget(view)
            view.deleteLater()

    def _on_created(self, record: Record, paths: list[Path]) -> None:
        self._dropped = list(paths)
        self.stack.setCurrentWidget(self._blank)
        self.show_record(record.id)

    def _on_cancelled(self) -> None:
        self.stack.setCurrentWidget(self.view or self.empty)
        self._select(self.current_record)

    def rename(self) -> None:
        """Ask for another name of the shown labeling."""
        found = self._records.get(self.current_record)
        if found is not None:
            self._ask_name.ask(self.new_button, found[1].name)

    def edit_notes(self) -> None:
        """Ask for the notes of the shown labeling."""
        found = self._records.get(self.current_record)
        if found is not None:
            self._ask_notes.ask(self.new_button, found[1].notes)

    def _on_named(self, name: str) -> None:
        if self._shown is not None:
            work = partial(self.context.workspace.rename, self._shown, name.strip())
            self.context.background.run(self, work, self._on_saved)

    def _on_notes(self, notes: str) -> None:
        if self._shown is not None:
            work = partial(self.context.workspace.annotate, self._shown, notes.strip())
            self.context.background.run(self, work, self._on_saved)

    def _on_saved(self, _nothing: object) -> None:
        self.refresh()

    def _on_menu(self, position: QPoint) -> None:
        item = self.list.itemAt(position)
        if item is None or item.data(_ID) != self.current_record:
            return  # a right click selects first
        menu = QMenu(self.list)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        for text, call in (
            (self.tr("Rename…"), self.rename),
            (self.tr("Notes…"), self.edit_notes),
            (self.tr("Move to the trash"), self._on_trash),
        ):
            menu.addAction(text, call)
        menu.popup(self.list.viewport().mapToGlobal(position))

    def _on_trash(self) -> None:
        found = self._records.get(self.current_record)
        if found is not None:
            record, info = found
            self._leaving = record.id
            self._close()
            self.stack.setCurrentWidget(self._blank)
            self._trash.throw(record, info.name)

    def _on_thrown(self, _record_id: str) -> None:
        self.refresh()

    def _on_restored(self, record_id: str) -> None:
        self._leaving = ""
        self.show_record(record_id)

    def _make_actions(self) -> None:
        theme = self.context.theme
        self.rename_button = icon_button(
            "edit", self.tr("Rename the labeling (F2)"), theme, on_click=self.rename
        )
        self.notes_button = icon_button(
            "comment", self.tr("Notes on the labeling"), theme, on_click=self.edit_notes
        )
        self.trash_button = icon_button(
            "trash", self.tr("Move the labeling to the trash"), theme, on_click=self._on_trash
        )
        shortcut = QShortcut(self)
        shortcut.setContext(Qt.ShortcutContext.WidgetWithChildrenShortcut)
        shortcut.activated.connect(self.rename)
        self.context.settings.shortcuts.bind(shortcut, RENAME_LABELING)
        self._ask_name = AskValue(
            theme,
            self.tr("Name of the labeling"),
            self.tr("Name shown in lists."),
            self.tr("Rename"),
            self,
        )
        self._ask_notes = AskValue(
            theme,
            self.tr("Notes"),
            self.tr("Shown below the name of the labeling."),
            self.tr("Save"),
            self,
        )
        self._ask_name.given.connect(self._on_named)
        self._ask_notes.given.connect(self._on_notes)

    def _lay_out(self) -> None:
        for widget in (self._blank, self.empty, self.form):
            self.stack.addWidget(widget)
        self._left = QWidget(self)
        vbox(
            text_label(self.tr("Label"), "page", self),
            self.new_button,
            (self.list, 1),
            hbox(self.rename_button, self.notes_button, self.trash_button, STRETCH),
            owner=self._left,
            spacing=SPACE.m,
            margins=(SPACE.m, SPACE.l, 0, SPACE.m),
        )
        self._left.hide()
        across = Qt.Orientation.Horizontal
        self.splitter = Splitter(self.context.settings, "label/splitter", across, self)
        self.splitter.split((self._left, 0, 200), (self.stack, 1, 1000))
        vbox(self.splitter, owner=self)


def _listed(workspace: Workspace) -> Listed:
    return workspace.infos(RecordKind.LABELING)
