"""Sections of a dataset: the history of its versions, and the form that splits it again."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import partial
from operator import attrgetter
from pathlib import Path
from typing import Literal, get_args

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QCoreApplication, QLocale, QSignalBlocker, QSize, Qt, Signal
from PySide6.QtGui import QIcon, QImage, QPixmap, QShowEvent
from PySide6.QtWidgets import (
    QFrame,
    QLabel,
    QToolButton,
    QVBoxLayout,
    QWidget,
)

from studio.engine.datasets.edits import read_edits, steps
from studio.engine.datasets.split_plan import SplitPlan
from studio.engine.datasets.store import Store
from studio.engine.datasets.versions import SplitPreview, compare_versions
from studio.engine.errors import BadDataError, StudioError
from studio.ui.bridge.request import Request
from studio.ui.bridge.run_choices import runs_on
from studio.ui.context import AppContext
from studio.ui.forms.plan_form import PlanForm
from studio.ui.language import translated
from studio.ui.pages.datasets import messages
from studio.ui.pages.datasets.about_section import RunLinks
from studio.ui.pages.datasets.browsing.images import DatasetImages, Picked
from studio.ui.pages.datasets.messages import images
from studio.ui.pages.datasets.versions.editor import (
    DatasetEditor,
    redone_text,
    step,
    undone,
    words_of,
)
from studio.ui.tasks.data_view import DataWords, TextRows
from studio.ui.theme.theme import Theme
from studio.ui.theme.tokens import SPACE, SPLIT_COLORS
from studio.ui.widgets.bars import SplitBar, split_word
from studio.ui.widgets.buttons import push_button
from studio.ui.widgets.cards import Card
from studio.ui.widgets.figures import NO_VALUE, count, date_text, percent
from studio.ui.widgets.inputs import ComboBox
from studio.ui.widgets.labels import HintLabel, apart
from studio.ui.widgets.layout import (
    STRETCH,
    FlowLayout,
    fill,
    hbox,
    replace_widget,
    text_label,
    vbox,
)
from studio.ui.widgets.pages import ScrollColumn
from studio.ui.widgets.pictures import scaled_into
from studio.ui.widgets.table import Table
from studio.ui.widgets.table_model import FILL, Column, text_columns
from studio.ui.widgets.tips import allow, explain

_tr = partial(QCoreApplication.translate, "datasets")

DifferenceKind = Literal["excluded", "included", "relabeled", "moved", "confirmed"]
SAMPLES = 8


@dataclass(frozen=True, slots=True)
class VersionLine:
    """One version: its number, its time (seconds since 1970), and its step."""

    number: int
    when: float | None
    what: str


@dataclass(frozen=True, slots=True, eq=False)
class VersionDifference:
    """Images that differ between two versions: rows, a few pictures, and their description."""

    kind: DifferenceKind
    rows: NDArray[np.int64]
    samples: list[tuple[int, QImage]]
    words: str


@dataclass(frozen=True, slots=True, eq=False)
class VersionComparison:
    """The changes from version `before` to version `after`.

    Attributes:
        counts: Images of each split, before and after.
        differences: Images that changed.
        classes: A line for each class that was added, removed or renamed.
    """

    before: int
    after: int
    counts: dict[str, tuple[int, int]]
    differences: list[VersionDifference]
    classes: str

    @property
    def title(self) -> str:
        """Such as: From version 2 to version 5."""
        text = _tr("From version {old} to version {new}")
        return text.format(old=count(self.before), new=count(self.after))


def read_versions(folder: Path) -> list[VersionLine]:
    """Read all versions, from the dataset as imported to the newest.

    Raises:
        BadDataError: The edits are damaged.
    """
    lines, words = read_edits(folder), words_of(folder)
    texts: dict[str, Callable[[str], str]] = {"edit": str, "undo": undone, "redo": redone_text}
    versions = [VersionLine(0, _created(folder), "")]
    for number, (line, meant) in enumerate(zip(lines, steps(lines), strict=True), 1):
        what = texts[line.action](step(meant, words))
        versions.append(VersionLine(number, line.t, what))
    return versions


def compare(folder: Path, before: int, after: int) -> VersionComparison:
    """Compare two versions.

    Raises:
        StudioError: There is no such version, or the dataset cannot be read.
    """
    old, new = Store.open(folder, before), Store.open(folder, after)
    words = words_of(folder)
    change = compare_versions(old, new)
    pictures = DatasetImages(folder)
    kinds: tuple[DifferenceKind, ...] = get_args(DifferenceKind)
    differences = [
        VersionDifference(
            kind,
            rows,
            [(row, pictures.tile(row)) for row in rows[:SAMPLES].tolist()],
            difference(kind, len(rows), words),
        )
        for kind in kinds
        if len(rows := getattr(change, kind))
    ]
    olds, news = old.counts(), new.counts()
    counts = {split: (olds[split], news[split]) for split in news}
    classes = class_changes(
        change.added_classes, change.removed_classes, change.renamed_classes, words
    )
    return VersionComparison(before, after, counts, differences, classes)


def difference(kind: DifferenceKind, number: int, words: DataWords) -> str:
    """Describe images that changed: 12 images excluded."""
    texts = {
        "excluded": _tr("{images} excluded"),
        "included": _tr("{images} included again"),
        "relabeled": words.changed,
        "moved": _tr("{images} in another split"),
        "confirmed": _tr("{images} with a confirmed label"),
    }
    return texts[kind].format(images=images(number))


def count_change(split: str, before: int, after: int) -> str:
    """Describe the change of a split: Training 1,200 → 1,188 (-12)."""
    word = split_word(split)
    if before == after:
        return _tr("{split} {n}, as before").format(split=word, n=count(after))
    sign = "+" if after > before else "\N{MINUS SIGN}"
    return _tr("{split} {old} → {new} ({change})").format(
        split=word, old=count(before), new=count(after), change=sign + count(abs(after - before))
    )


def class_changes(
    added: Sequence[str],
    removed: Sequence[str],
    renamed: Sequence[tuple[str, str]],
    words: DataWords,
) -> str:
    """Describe changes of classes, one line each.

    Args:
        added: Names of new ones.
        removed: Names of removed ones.
        renamed: Old and new names.
        words: Words of the task.
    """
    lines = [words.added.format(name=apart(name)) for name in added]
    lines += [words.removed.format(name=apart(name)) for name in removed]
    lines += [
        _tr("“{old}” was renamed to “{new}”").format(old=old, new=new) for old, new in renamed
    ]
    return "\n".join(lines)


def _created(folder: Path) -> float | None:
    try:
        return datetime.fromisoformat(Store.open(folder, 0).created).timestamp()
    except (BadDataError, ValueError):
        return None


_SIDE = 56


class ComparisonCard(QFrame):
    """Counts of the splits, classes, and the images that changed.

    Signals:
        images_requested: `Picked` images to show.
    """

    images_requested = Signal(object)

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        # None during the comparison.
        self.comparison: VersionComparison | None = None
        self.counts = text_label("", "muted", self, wraps=True)
        self.classes = HintLabel(parent=self)
        self.same = QLabel(self.tr("The versions are identical."), self)
        self._parts = QWidget(self)
        self._column = vbox(
            self.counts, self.same, self.classes, self._parts, STRETCH, owner=self, spacing=SPACE.s
        )
        self.show_comparison(None)

    def thumbs(self) -> list[QToolButton]:
        """Return the pictures that can be pressed, in order."""
        return self._parts.findChildren(QToolButton)

    def show_comparison(self, comparison: VersionComparison | None) -> None:
        """Show a comparison; None while it is computed."""
        self.comparison = comparison
        old, self._parts = self._parts, QWidget(self)
        replace_widget(self._column, old, self._parts)
        self.counts.setVisible(comparison is not None)
        self.same.hide()
        self.classes.show_text("" if comparison is None else comparison.classes)
        if comparison is None:
            return
        self.same.setVisible(not comparison.differences and not comparison.classes)
        counts = comparison.counts.items()
        lines = (count_change(split, before, after) for split, (before, after) in counts)
        self.counts.setText(f"{comparison.title}: {messages.DOT.join(lines)}")
        column = vbox(owner=self._parts, spacing=SPACE.s)
        for changed in comparison.differences:
            self._add(column, Picked(changed.words, comparison.title, changed.rows), changed)

    def _add(self, column: QVBoxLayout, picked: Picked, changed: VersionDifference) -> None:
        title = text_label(changed.words, "section", self._parts)
        show = push_button(self.tr("Show images"), self._theme, icon="image", parent=self._parts)
        show.setAccessibleName(self.tr("Show images: {what}").format(what=changed.words))
        show.clicked.connect(partial(self.images_requested.emit, picked))
        pictures = FlowLayout(spacing=SPACE.xs)
        for row, image in changed.samples:
            pictures.addWidget(self._thumb(row, image, picked))
        fill(column, hbox((title, 1), show, spacing=SPACE.s), pictures)

    def _thumb(self, row: int, image: QImage, picked: Picked) -> QToolButton:
        button = QToolButton(self._parts)
        button.setProperty("kind", "quiet")
        button.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        size, ratio = QSize(_SIDE, _SIDE), self.devicePixelRatioF()
        picture = QPixmap.fromImage(scaled_into(image, size, ratio))
        picture.setDevicePixelRatio(ratio)
        button.setIcon(QIcon(picture))
        button.setIconSize(size)
        button.setToolTip(self.tr("Show this image among those"))
        button.setAccessibleName(self.tr("Image {n}: {what}").format(n=row, what=picked.title))
        picked = Picked(picked.title, picked.line, picked.rows, row)
        button.clicked.connect(partial(self.images_requested.emit, picked))
        return button


_LOWEST = 120


def _number(line: VersionLine) -> str:
    return QLocale().toString(line.number)


def _when(line: VersionLine) -> str:
    return NO_VALUE if line.when is None else date_text(line.when)


class VersionsSection(QWidget):
    """A table of all versions, newest first, above the changes of the selected one.

    Signals:
        images_requested: `Picked` images to show.
    """

    images_requested = Signal(object)

    def __init__(
        self, context: AppContext, editor: DatasetEditor, parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self._context = context
        self._editor = editor
        self._record_id = ""
        self._folder: Path | None = None
        self._reading = Request(context.background, self)
        self.table = Table(self.tr("Versions"), self._columns(), self, key=attrgetter("number"))
        tip = self.tr("All versions of the dataset. Select one to compare it or go back to it.")
        explain(self.table, tip)
        self.title = text_label("", "section", self)
        self.other = ComboBox(self, self.tr("Compared with"))
        self.other.setToolTip(self.tr("Version to compare with"))
        self._compared_with = QLabel(self.tr("compared with"), self)
        tip = self.tr("Makes the selected version current. The others are kept.")
        theme = context.theme
        self.back_button = push_button("", theme, icon="undo", tip=tip, on_click=self._on_back)
        self.card = ComparisonCard(context.theme, self)
        self.runs = RunLinks(context, self)
        self._lay_out()
        self.table.selection_changed.connect(self._on_chosen)
        self.other.activated.connect(self._compare)
        self.card.images_requested.connect(self.images_requested)
        editor.changed.connect(self._allow)

    def open(self, record_id: str, folder: Path | None) -> None:
        """Show the versions of another dataset, or of none."""
        self._record_id = record_id
        self._folder = folder
        self.table.show_rows(())
        self.card.show_comparison(None)
        self.refresh()

    def refresh(self) -> None:
        """Read the versions again, if they are visible."""
        self._reading.drop()
        if self._folder is not None and self.isVisible():
            self._reading.run(partial(read_versions, self._folder), self._on_read)

    def refresh_runs(self) -> None:
        """Show the runs and their states again."""
        if self._lines and self.isVisible():
            self.table.viewport().update()
            self._show_runs()

    @property
    def chosen(self) -> int | None:
        """Number of the selected version."""
        selected = self.table.selected
        return selected[0].number if selected else None

    def choose(self, version: int) -> None:
        """Select another version."""
        self.table.select(version)

    def showEvent(self, event: QShowEvent) -> None:
        """Read the versions when they become visible."""
        super().showEvent(event)
        self.refresh()

    def _lay_out(self) -> None:
        table = self.table
        table.setMinimumHeight(_LOWEST)
        parts = (self.title, self._compared_with, self.other, STRETCH, self.back_button)
        line = hbox(*parts, spacing=SPACE.s)
        scroll = ScrollColumn(SPACE.m, self)
        fill(scroll.column, self.card, self.runs, STRETCH)
        vbox((table, 2), line, (scroll, 3), owner=self, spacing=SPACE.m)

    def _on_read(self, lines: list[VersionLine]) -> None:
        chosen = self.chosen
        followed = not self._lines or chosen == self._lines[0].number
        with QSignalBlocker(self.table):
            self.table.show_rows(lines[::-1])
            self.choose(lines[-1].number if followed or chosen is None else chosen)
        self.table.setMaximumHeight(max(_LOWEST, self.table.height_of(len(lines))))
        self._on_chosen()

    @property
    def _lines(self) -> Sequence[VersionLine]:
        """The versions, newest first."""
        return self.table.content.rows

    def _columns(self) -> list[Column[VersionLine]]:
        return [
            Column(self.tr("Version"), _number, width=72, is_text=True),
            Column(self.tr("When"), _when, is_text=True),
            Column(self.tr("Changes"), self._what, width=FILL, is_text=True),
            Column(self.tr("Runs"), self._run_names, width=100, is_text=True),
        ]

    def _what(self, line: VersionLine) -> str:
        return line.what if line.number else self.tr("As imported")

    def _run_names(self, line: VersionLine) -> str:
        runs = runs_on(self._context.jobs, self._record_id, line.number)
        # Many names are cut; all are named below, where the version is chosen.
        return runs[0].name if len(runs) == 1 else count(len(runs)) if runs else ""

    def _on_chosen(self) -> None:
        version = self.chosen
        if version is None:
            return
        self.title.setText(messages.version(version))
        self.other.clear()
        for line in self._lines:
            if line.number != version:
                self.other.addItem(messages.version(line.number), line.number)
        for widget in (self._compared_with, self.other):
            widget.setVisible(self.other.count() > 0)
        self.other.choose(version - 1)
        self._show_runs()
        self._allow()
        self._compare()

    def _compare(self) -> None:
        version, other = self.chosen, self.other.currentData()
        self.card.show_comparison(None)
        if self._folder is not None and version is not None and other is not None:
            work = partial(compare, self._folder, *sorted((version, other)))
            self._context.background.run(self, work, self._on_compared)

    def _on_compared(self, comparison: VersionComparison) -> None:
        if {comparison.before, comparison.after} == {self.chosen, self.other.currentData()}:
            self.card.show_comparison(comparison)

    def _show_runs(self) -> None:
        nothing = self.tr("No run used this version.")
        self.runs.show_runs(self._record_id, nothing, self.chosen)

    def _allow(self) -> None:
        version, newest = self.chosen, self._lines[0].number if self._lines else None
        text = self.tr("Go back to it")
        if version is not None:
            text = self.tr("Go back to version {n}").format(n=QLocale().toString(version))
        reason = ""
        if version is None:
            reason = self.tr("Choose a version first")
        elif version == newest:
            reason = self.tr("Current version")
        elif not self._editor.is_ready:
            reason = self.tr("Wait until the previous edit is done")
        self.back_button.setText(text)
        tip = self.tr("Makes a new version equal to that one. You can undo it")
        allow(self.back_button, reason, tip)

    def _on_back(self) -> None:
        version = self.chosen
        if version is not None:
            self._editor.go_back(version)


_DOT = 8


class SplitLegend(QWidget):
    """The images for training, validation and test: a bar, and a word and a number for each."""

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.bar = SplitBar(theme, self)
        self._words: dict[str, QLabel] = {}
        words = FlowLayout(spacing=SPACE.m)
        for split, color in SPLIT_COLORS.items():
            entry = QWidget(self)
            self._words[split] = text_label("", "caption", entry)
            dot = QLabel(entry)
            dot.setStyleSheet(f"background: {color}; border-radius: {_DOT // 2}px")
            dot.setFixedSize(QSize(_DOT, _DOT))
            hbox(dot, self._words[split], owner=entry, spacing=SPACE.xs)
            words.addWidget(entry)
        tip = self.tr("Reassigns images to training, validation and test.")
        self.split_button = push_button(self.tr("Split again…"), theme, kind="quiet", tip=tip)
        middle = vbox(STRETCH, words, STRETCH, spacing=0)
        line = hbox((middle, 1), self.split_button)
        vbox(self.bar, line, owner=self, spacing=SPACE.xs)

    def set_counts(self, counts: dict[str, int]) -> None:
        """Show the number of images by split."""
        self.bar.set_counts(counts)
        total = sum(counts.values())
        for split, label in self._words.items():
            number = counts.get(split, 0)
            share = percent(number / total, 0) if total else ""
            label.setText(f"{split_word(split)} {count(number)} ({share})")


_WIDEST = 640
_MOST_ROWS = 6
_PERCENTAGES = ("val_percent", "test_percent")


class SplitSection(ScrollColumn):
    """The form of a `SplitPlan`, and the button that applies it as a step with undo.

    Signals:
        closed: The split is done or canceled.
    """

    closed = Signal()

    def __init__(self, theme: Theme, editor: DatasetEditor, parent: QWidget | None = None) -> None:
        super().__init__(0, parent)
        self._editor = editor
        self._asked = False
        self.form = PlanForm(SplitPlan, theme=theme, parent=self)
        hint = self.tr(
            "Images you moved by hand are reassigned too. Runs keep the split that they were "
            "trained on, and Undo restores this one."
        )
        self.preview = HintLabel(parent=self)
        name = self.tr("Balance of the splits")
        self.balance: Table[Sequence[str]] = Table(name, (), self, max_rows=_MOST_ROWS)
        self.balance.hide()
        tip = self.tr("How classes or targets are distributed over the new splits.")
        explain(self.balance, tip)
        text, tip = self.tr("Not now"), self.tr("Leaves the split unchanged.")
        self.close_button = push_button(text, theme, kind="quiet", tip=tip)
        self.close_button.clicked.connect(self.closed)
        tip = self.tr("Reassigns images to training, validation and test.")
        text = self.tr("Split again")
        self.split_button = push_button(
            text, theme, kind="primary", icon="refresh", tip=tip, on_click=self._on_split
        )
        buttons = hbox(STRETCH, self.close_button, self.split_button, spacing=SPACE.s)
        card = Card(self.tr("Split again"), self)
        card.setMaximumWidth(_WIDEST)
        note = HintLabel(hint, parent=card)
        fill(card.body, self.form, self.preview, self.balance, note, buttons)
        fill(self.column, card, SPACE.m, STRETCH)
        self.setAccessibleName(self.tr("Split again"))
        self.form.changed.connect(self._on_changed)
        editor.changed.connect(self._on_editor)
        editor.edited.connect(self._on_edited)
        self.start()

    def start(self) -> None:
        """Show the default settings."""
        self._asked = False
        self.form.set_values(SplitPlan())
        self._on_changed()

    def _plan(self) -> SplitPlan | None:
        plan = self.form.plan()
        return plan if isinstance(plan, SplitPlan) else None

    def _on_changed(self) -> None:
        for name in _PERCENTAGES:
            self.form.set_field_enabled(name, enabled=True)
        self._allow()
        self._start_preview()

    def _start_preview(self) -> None:
        plan = self._plan()
        if plan is None:
            self.preview.show_text("")
        else:
            self._editor.preview_split(plan, self._on_preview, self._on_refused)

    def _on_refused(self, error: BaseException) -> None:
        self.balance.hide()
        text = translated(error.message) if isinstance(error, StudioError) else ""
        self.preview.show_text(text, "problem")
        if text:
            allow(self.split_button, text)

    def _on_preview(self, found: tuple[SplitPreview, TextRows]) -> None:
        is_current = self._plan() is not None  # the settings may have changed since
        self.balance.setVisible(is_current)
        if not is_current:
            self.preview.show_text("")
            return
        preview, (headings, rows) = found
        self.balance.show_rows(rows, text_columns(headings, numbers_last=True))
        if self.form.values()["method"] != "kfold":
            for name in _PERCENTAGES:
                is_preserved = name.removesuffix("_percent") in preview.preserved
                reason = _tr("The source defines this split") if is_preserved else ""
                self.form.set_field_enabled(name, enabled=not is_preserved, reason=reason)
        text = messages.split_preview(preview)
        self.preview.show_text(text, "advice" if preview.test_to_train > 0 else "help")

    def _allow(self) -> None:
        ready = self._plan() is not None and self._editor.is_ready
        why = "" if ready else self.tr("Fix the settings first, or wait for the last change.")
        allow(self.split_button, why)

    def _on_editor(self) -> None:
        self._allow()
        if self.isVisible() and not self._editor.is_busy:
            self._start_preview()  # of another version

    def _on_split(self) -> None:
        plan = self._plan()
        if plan is not None:
            self._asked = True
            self._editor.split(plan)

    def _on_edited(self) -> None:
        if self._asked:
            self._asked = False
            self.closed.emit()
