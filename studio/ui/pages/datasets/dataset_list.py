"""The datasets at the left, with details that are read in the background."""

from __future__ import annotations

import weakref
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from PySide6.QtCore import QObject, QPoint, Qt, Signal
from PySide6.QtGui import QImage, QResizeEvent
from PySide6.QtWidgets import QScrollArea, QSizePolicy, QWidget

from studio.engine.datasets.audit.findings import AuditPlan, Severity
from studio.engine.datasets.audit.remaining import worst_left
from studio.engine.datasets.edits import EditFollower, current_version
from studio.engine.datasets.import_report import ImportReport, read_import
from studio.engine.datasets.sources.base import Skipped
from studio.engine.datasets.summary import DatasetSummary, read_skipped, read_summary
from studio.engine.datasets.versions import version_summary
from studio.engine.errors import StudioError
from studio.engine.jobs.states import State
from studio.engine.workspace import RecordKind
from studio.ui.charts.figure import Figure
from studio.ui.context import AppContext
from studio.ui.documents.record import RecordChange, RecordDocument
from studio.ui.pages.datasets import messages
from studio.ui.pages.datasets.auditing import messages as audit_messages
from studio.ui.pages.datasets.auditing.findings import SeverityIcon
from studio.ui.pages.datasets.browsing.images import DatasetImages
from studio.ui.pages.datasets.sample_grid import Sample
from studio.ui.tasks.targets import ValueDistribution
from studio.ui.theme.icons import set_icon
from studio.ui.theme.theme import Theme
from studio.ui.theme.tokens import SPACE
from studio.ui.widgets.buttons import OpenerButton, push_button
from studio.ui.widgets.cards import Mosaic, PressableCard
from studio.ui.widgets.figures import count
from studio.ui.widgets.labels import ElidedLabel, IconLabel, StateBadge, elided, state_word
from studio.ui.widgets.layout import (
    STRETCH,
    hbox,
    remove_widget,
    scrolled,
    text_label,
    vbox,
)
from studio.ui.widgets.tips import explain


@dataclass(frozen=True, slots=True)
class Details:
    """Contents of a completed dataset.

    Attributes:
        version: Number of the version.
        summary: Summary of that version.
        skipped: Files that the import skipped.
        cover: A few pictures.
        worst: Highest severity of the findings with images left; None for none.
        excluded: Number of images that edits excluded.
        figures: Distribution of the values of each quantity; empty where images are counted.
        charts: Charts of the targets.
        report: Summary of the import.
        samples: Random images with their annotations.
        is_standard: True if screens show the pixels as they are.
    """

    version: int
    summary: DatasetSummary
    skipped: list[Skipped]
    cover: list[QImage]
    worst: Severity | None = None
    excluded: int = 0
    figures: tuple[ValueDistribution, ...] = ()
    charts: Sequence[Figure] = ()
    report: ImportReport | None = None
    samples: Sequence[Sample] = ()
    is_standard: bool = True


def read_details(folder: Path) -> Details:
    """Read the details of a dataset.

    Raises:
        StudioError: The dataset is damaged.
    """
    version = current_version(folder)
    summary = version_summary(folder, version)
    pictures = DatasetImages(folder)
    return Details(
        version,
        summary,
        read_skipped(folder),
        pictures.cover(),
        worst_left(folder),
        read_summary(folder).total - summary.total,
        pictures.figures(),
        pictures.charts(),
        read_import(folder),
        pictures.samples(),
        pictures.is_standard,
    )


Known = Details | StudioError | None
"""Contents of a dataset, or why they cannot be read; None until they are read."""


class KnownDetails(QObject):
    """The details of each dataset, or the error that prevents them.

    Signals:
        known: The `RecordDocument` of a dataset whose details changed.
    """

    known = Signal(object)
    _found = Signal(object, int)

    def __init__(self, context: AppContext, parent: QObject) -> None:
        super().__init__(parent)
        self._context = context
        self._known: dict[str, Details | StudioError] = {}
        self._found.connect(self._on_version)
        self._edits = EditFollower(self._found.emit)
        context.background.closing.connect(self._edits.close)
        # Not `destroyed`: it is emitted while the garbage collector takes this apart.
        weakref.finalize(self, self._edits.stop.set)
        context.jobs.changed.connect(self._on_changed)

    def of(self, record_id: str) -> Known:
        """Return the details of a dataset, or its error; None until they are read."""
        return self._known.get(record_id)

    def read(self, entry: RecordDocument) -> None:
        """Read a completed dataset that was not read yet."""
        if entry.state == State.COMPLETED and entry.record.id not in self._known:
            self._read(entry)

    def reload(self, folder: Path) -> None:
        """Read the dataset in a folder again, because it was edited or audited."""
        for entry in self._context.jobs.entries(RecordKind.DATASET):
            if entry.record.folder == folder and entry.record.id in self._known:
                self._read(entry)

    def forget(self, entry: RecordDocument) -> None:
        """Forget a deleted dataset."""
        self._known.pop(entry.record.id, None)
        self._edits.forget(entry.record.folder)

    def _read(self, entry: RecordDocument) -> None:
        work = partial(read_details, entry.record.folder)
        done, failed = partial(self._on_read, entry), partial(self._on_unreadable, entry)
        self._context.background.run(self, work, done, failed)

    def _on_read(self, entry: RecordDocument, details: Details) -> None:
        before = self._known.get(entry.record.id)
        if isinstance(before, Details) and before.version > details.version:
            return  # an older result came last
        self._store(entry, details)

    def _on_unreadable(self, entry: RecordDocument, error: BaseException) -> None:
        if self._context.jobs.get(RecordKind.DATASET, entry.record.id) is None:
            return  # it was deleted while it was being read
        if isinstance(error, StudioError):
            self._store(entry, error)
        else:
            self._context.background.failed.emit(error)

    def _store(self, entry: RecordDocument, known: Details | StudioError) -> None:
        self._known[entry.record.id] = known
        # Only now: an edit that was made while the dataset was being read is noticed, too.
        self._edits.follow(entry.record.folder)
        self.known.emit(entry)

    def _on_version(self, folder: Path, version: int) -> None:
        """Read a dataset again if another program edited it."""
        known = self._known.get(folder.name)
        if isinstance(known, Details) and known.version != version:
            self.reload(folder)

    def _on_changed(self, entry: RecordDocument, change: RecordChange) -> None:
        """Read a dataset again after an audit, or one whose files may have come since."""
        if change.is_info and isinstance(self._known.get(entry.record.id), StudioError):
            self._read(entry)
        is_end = change.is_state and entry.state == State.COMPLETED
        if is_end and isinstance(entry.plan, AuditPlan):
            dataset = self._context.jobs.get(RecordKind.DATASET, entry.plan.dataset)
            if dataset is not None:
                self.reload(dataset.record.folder)


_SIDE = 52


class DatasetCard(PressableCard):
    """One dataset as a button.

    Attributes:
        record_id: Id of the dataset.
    """

    def __init__(
        self, theme: Theme, record_id: str, name: str, parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self.record_id = record_id
        self.mosaic = Mosaic(theme, _SIDE, self)
        self._blank = IconLabel(theme, "image", "muted", parent=self.mosaic)
        self._blank.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self._blank.resize(self.mosaic.size())
        self._name = ElidedLabel(name, self, is_bold=True)
        self.mark = SeverityIcon(theme, self)
        self.mark.hide()
        self._lines = [ElidedLabel("", self, role="caption") for _ in range(2)]
        self.badge = StateBadge(theme, "completed", self)
        self._lay_out()
        self.set_state(State.COMPLETED)

    def set_name(self, name: str) -> None:
        """Show another name."""
        self._name.setText(name)
        self._describe()

    def set_lines(self, first: str, second: str) -> None:
        """Show the contents in two lines; empty lines take no room."""
        for line, text in zip(self._lines, (first, second), strict=True):
            line.setText(text)
            line.setVisible(bool(text))
        self._describe()

    def set_cover(self, images: Sequence[QImage]) -> None:
        """Show up to four of its pictures."""
        self.mosaic.set_images(images)
        self._blank.setVisible(not images)

    def set_worst(self, worst: Severity | None) -> None:
        """Show the highest severity of the audit; suggestions have no mark."""
        shown = worst in ("serious", "warning")
        self.mark.setVisible(shown)
        if worst is not None and shown:
            text = self.tr("Audit: {what}")
            self.mark.set_mark(worst, text.format(what=audit_messages.severity(worst)))
        self._describe()

    def set_state(self, state: State) -> None:
        """Show the state of its import; nothing if it is completed."""
        self.badge.set_state(state.value)
        self.badge.setVisible(state != State.COMPLETED)
        self._describe()

    def set_current(self, *, current: bool) -> None:
        """Mark it as the current one."""
        super().set_current(current=current)
        self._describe()

    def _lay_out(self) -> None:
        head = hbox((self._name, 1), self.mark, spacing=SPACE.xs)
        badge = (self.badge, Qt.AlignmentFlag.AlignLeft)
        words = vbox(STRETCH, head, *self._lines, badge, STRETCH, spacing=2)
        picture = (self.mosaic, Qt.AlignmentFlag.AlignTop)
        margins = (SPACE.s, SPACE.s, SPACE.m, SPACE.s)
        hbox(picture, (words, 1), owner=self, spacing=SPACE.m, margins=margins)

    def _describe(self) -> None:
        self.setAccessibleName(self.tr("Dataset {name}").format(name=self._name.text()))
        state = self.badge.state
        parts = [line.text() for line in self._lines]
        parts += ["" if state == "completed" else state_word(state)]
        parts += [self.mark.accessibleName() if not self.mark.isHidden() else ""]
        if self.property("current"):
            parts.append(self.tr("shown"))
        self.setAccessibleDescription(", ".join(part for part in parts if part))
        explain(self, self.tr("Shows this dataset: images, audit and versions."))


class GroupHeader(OpenerButton):
    """A button with the name of a group and the number of its datasets; checked while open.

    Args:
        theme: Colors of the icon.
        name: Name of the group; empty for datasets without one.
    """

    def __init__(self, theme: Theme, name: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.name = name
        self._theme = theme
        self._whole = ""
        self.setProperty("small", True)
        self.setChecked(True)
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)
        explain(self, self.tr("Hides or shows the datasets of this group."))
        self.toggled.connect(self._draw)
        self.set_count(0)

    def set_count(self, datasets: int) -> None:
        """Show the number of datasets in the group."""
        name = self.name or self.tr("No group")
        self._whole = f"{name} · {count(datasets)}"
        self._draw()

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Shorten a name that does not fit."""
        super().resizeEvent(event)
        self._draw()

    def _draw(self) -> None:
        is_open = self.isChecked()
        # The padding of a tool button, and the gap between icon and text.
        room = self.width() - self.iconSize().width() - 2 * SPACE.s - SPACE.xs
        shown = elided(self.fontMetrics(), self._whole, room)
        self.setText(shown.replace("&", "&&"))
        self.setToolTip(self._whole if shown != self._whole else "")
        text = self.tr("Group {what}. Hide") if is_open else self.tr("Group {what}. Show")
        self.setAccessibleName(text.format(what=self._whole))
        set_icon(self, "chevron-down" if is_open else "chevron-right", self._theme, "muted")


class DatasetList(QWidget):
    """Cards of all datasets, newest first, under a button that imports more.

    Each group has a header above its cards; datasets without a group come last.

    Signals:
        chosen: Id of the dataset whose card was pressed.
        menu_requested: Id of a dataset and the position of its menu on the screen.
    """

    chosen = Signal(str)
    menu_requested = Signal(str, QPoint)

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._cards: dict[str, DatasetCard] = {}
        self._order: list[str] = []
        self._groups: dict[str, str] = {}
        self._headers: dict[str, GroupHeader] = {}
        self._current = ""
        tip = self.tr("Create a dataset from a folder of images")
        self.import_button = push_button(self.tr("Import…"), theme, icon="plus", tip=tip)
        self.import_button.setAccessibleName(self.tr("Import images"))
        self._inside = QWidget(self)
        # Room at the right for the scroll bar, so that cards do not move when it appears.
        margins = (0, 0, SPACE.m, SPACE.m)
        self._column = vbox(STRETCH, owner=self._inside, spacing=SPACE.s, margins=margins)
        self._scroll = QScrollArea(self)
        scrolled(self._scroll, self._inside)
        title = text_label(self.tr("Datasets"), "section", self)
        head = hbox((title, 1), self.import_button, margins=(0, 0, SPACE.m, 0))
        vbox(head, (self._scroll, 1), owner=self, spacing=SPACE.m)

    def cards(self) -> list[DatasetCard]:
        """Return the cards, from the top."""
        return [widget for widget in self._widgets() if isinstance(widget, DatasetCard)]

    def card(self, record_id: str) -> DatasetCard | None:
        """Return the card of a dataset."""
        return self._cards.get(record_id)

    def header(self, group: str) -> GroupHeader | None:
        """Return the header of a group; an empty name is no group."""
        return self._headers.get(group)

    def add(self, entry: RecordDocument, index: int) -> None:
        """Add a dataset; `place` is the number of newer ones."""
        card = DatasetCard(self._theme, entry.record.id, entry.name, self._inside)
        card.activated.connect(partial(self.chosen.emit, entry.record.id))
        card.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
        card.customContextMenuRequested.connect(partial(self._on_menu, card))
        card.set_current(current=entry.record.id == self._current)
        self._cards[entry.record.id] = card
        self._order.insert(index, entry.record.id)
        self.update_entry(entry)

    def remove(self, record_id: str) -> None:
        """Remove a card."""
        card = self._cards.pop(record_id, None)
        if card is not None:
            self._order.remove(record_id)
            del self._groups[record_id]
            remove_widget(self._column, card)
            self._arrange()

    def update_entry(self, entry: RecordDocument) -> None:
        """Show the current name, group, state and progress."""
        card = self._cards[entry.record.id]
        if self._groups.get(entry.record.id) != entry.info.group:
            self._groups[entry.record.id] = entry.info.group
            self._arrange()
        card.set_name(entry.name)
        card.set_state(entry.state)
        if entry.state != State.COMPLETED:
            card.set_lines("", "")

    def set_details(self, record_id: str, details: Details) -> None:
        """Show the contents of a completed dataset."""
        card = self._cards.get(record_id)
        if card is not None:
            summary = details.summary
            outputs = messages.outputs(summary.task, len(summary.classes))
            card.set_lines(messages.images(summary.total), outputs)
            card.set_cover(details.cover)
            card.set_worst(details.worst)

    def set_current(self, record_id: str) -> None:
        """Mark the current dataset and scroll to it; empty marks none."""
        self._current = record_id
        header = self._headers.get(self._groups.get(record_id, ""))
        if header is not None:
            header.setChecked(True)
        for card in self._cards.values():
            card.set_current(current=card.record_id == record_id)
        if record_id in self._cards:
            self._scroll.ensureWidgetVisible(self._cards[record_id], 0, SPACE.s)

    def focus_current(self) -> None:
        """Focus the card of the current dataset."""
        card = self._cards.get(self._current)
        if card is not None:
            card.setFocus()

    def _arrange(self) -> None:
        """Put headers and cards into their places; those in the right place are not touched."""
        grouped: dict[str, list[DatasetCard]] = {}
        for record_id in self._order:
            grouped.setdefault(self._groups[record_id], []).append(self._cards[record_id])
        names = sorted(grouped, key=lambda name: (not name, name.casefold()))
        if names == [""]:
            names = []
        for name in self._headers.keys() - set(names):
            remove_widget(self._column, self._headers.pop(name))
        requested: list[QWidget] = [] if names else [*grouped.get("", [])]
        for name in names:
            header = self._header(name)
            header.set_count(len(grouped[name]))
            requested += [header, *grouped[name]]
        for index, widget in enumerate(requested):
            item = self._column.itemAt(index)
            if item is None or item.widget() is not widget:
                self._column.removeWidget(widget)
                self._column.insertWidget(index, widget)
        self._fold()

    def _header(self, name: str) -> GroupHeader:
        if name not in self._headers:
            header = GroupHeader(self._theme, name, self._inside)
            header.toggled.connect(self._fold)
            self._headers[name] = header
        return self._headers[name]

    def _fold(self) -> None:
        for record_id, card in self._cards.items():
            header = self._headers.get(self._groups.get(record_id, ""))
            card.setVisible(header is None or header.isChecked())

    def _widgets(self) -> list[QWidget]:
        items = (self._column.itemAt(index) for index in range(self._column.count()))
        widgets = (item.widget() for item in items if item is not None)
        return [widget for widget in widgets if widget is not None]

    def _on_menu(self, card: DatasetCard, point: QPoint) -> None:
        self.menu_requested.emit(card.record_id, card.mapToGlobal(point))
