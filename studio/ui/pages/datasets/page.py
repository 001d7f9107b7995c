"""Datasets page: the list at the left; a dataset or the form of an import at the right."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property, partial
from pathlib import Path

from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QShortcut
from PySide6.QtWidgets import QMenu, QWidget

from studio.engine.datasets.audit.findings import Finding
from studio.engine.datasets.importable import importable
from studio.engine.datasets.recipe import DatasetRecipe
from studio.engine.display_mapping import DisplayMapping
from studio.engine.errors import StudioError
from studio.engine.jobs.events import Event
from studio.engine.jobs.states import State
from studio.engine.tasks import TASKS
from studio.engine.workspace import RecordKind
from studio.ui.bridge.ordered import OrderedCalls
from studio.ui.context import AppContext
from studio.ui.documents.record import RecordChange, RecordDocument
from studio.ui.language import translated
from studio.ui.navigation import ImportImages, OpenPage, OpenSample, PlanRun
from studio.ui.pages.commands import DISPLAY
from studio.ui.pages.datasets import messages
from studio.ui.pages.datasets.about_section import AboutSection
from studio.ui.pages.datasets.auditing.findings import DatasetAudit, FindingsBar, FindingsSection
from studio.ui.pages.datasets.auditing.fix_preview import FixPreview
from studio.ui.pages.datasets.auditing.review import LabelReview
from studio.ui.pages.datasets.browsing.browser import ClassGallery, ImageBrowser
from studio.ui.pages.datasets.browsing.filters import DatasetPredictions
from studio.ui.pages.datasets.browsing.images import DatasetImages, Picked
from studio.ui.pages.datasets.dataset_list import DatasetList, Details, Known, KnownDetails
from studio.ui.pages.datasets.importing.samples import SampleSheet
from studio.ui.pages.datasets.importing.search_panel import StartPanel
from studio.ui.pages.datasets.importing.sheet import AddTarget, ImportSheet
from studio.ui.pages.datasets.importing.status import ImportEnded, ImportProgress, SkippedSection
from studio.ui.pages.datasets.messages import drop_words
from studio.ui.pages.datasets.versions.editor import DatasetEditor, Fix, add_undo_keys
from studio.ui.pages.datasets.versions.sections import SplitLegend, SplitSection, VersionsSection
from studio.ui.pages.record_page import RecordPage
from studio.ui.shared.display_panel import DisplayButton
from studio.ui.shared.records import GroupMenu, Trash
from studio.ui.tasks import view_of
from studio.ui.theme.icons import set_icon
from studio.ui.theme.tokens import SPACE
from studio.ui.widgets.buttons import icon_button, push_button
from studio.ui.widgets.inputs import AskValue
from studio.ui.widgets.labels import ElidedLabel, HintLabel, apart
from studio.ui.widgets.layout import hbox, vbox
from studio.ui.widgets.pages import PageHeader, PageStack
from studio.ui.widgets.tips import allow


class DatasetPanel(QWidget):
    """Shows one dataset and follows it."""

    def __init__(self, context: AppContext, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._context = context
        self._settings = context.settings
        theme, background = context.theme, context.background
        self._details: Details | None = None
        self._pictures: DatasetImages | None = None
        self._record_id = ""
        self._entry: RecordDocument | None = None
        self.header = PageHeader("", "", self)
        self._make_buttons(context)
        self.summary = ElidedLabel("", self, role="muted")
        self.source = ElidedLabel("", self, role="caption")
        self.notes = HintLabel(parent=self)
        self.legend = SplitLegend(theme, self)
        self.skipped = SkippedSection(theme, messages.left_out, self)
        self.stack = PageStack(self)
        self.progress = ImportProgress(theme, self.stack)
        self.ended = ImportEnded(theme, self.stack)
        self.gallery = ClassGallery(theme, background, self.stack)
        self.editor = DatasetEditor(background, self)
        self.predictions = DatasetPredictions(context, self)
        add_undo_keys(self, self.editor, context.settings.shortcuts)
        self._make_audit_views(context)
        help_text = self.tr("Existing runs keep the old name.")
        self.renaming = AskValue(theme, "", help_text, self.tr("Rename"), self)
        self.renaming.given.connect(self._on_name)
        self._renamed = 0
        self._nothing = QWidget(self.stack)
        # The part that the browser returns to.
        self._came_from: QWidget = self.gallery
        self._lay_out()
        self._connect()
        context.jobs.listed.connect(self._on_listed)
        self._on_panel()

    # Parts that are seen after a click only are made for the first one.

    @cached_property
    def browser(self) -> ImageBrowser:
        """All images, or those of a class or a finding."""
        context = self._context
        browser = ImageBrowser(
            context.theme, context.background, self.editor, context.settings, self.stack
        )
        self.stack.addWidget(browser)
        browser.back_requested.connect(self._on_back)
        bar = browser.bar
        offer = partial(self.predictions.offer, bar.predictions_button)
        bar.predictions_button.clicked.connect(offer)
        self.predictions.ready.connect(bar.show_predictions)
        self.predictions.measuring.connect(bar.show_measuring)
        return browser

    @cached_property
    def versions(self) -> VersionsSection:
        """The edits of the dataset."""
        versions = VersionsSection(self._context, self.editor, self.stack)
        self.stack.addWidget(versions)
        versions.images_requested.connect(self._browse)
        if self._details is not None and self._pictures is not None:
            versions.open(self._record_id, self._pictures.folder)
        return versions

    @cached_property
    def about(self) -> AboutSection:
        """Properties, charts, notes and runs."""
        about = AboutSection(self._context, self.audits, self.stack)
        about.class_activated.connect(self._browse)
        about.rename_requested.connect(self._on_rename)
        self.stack.addWidget(about)
        if self._entry is not None and self._details is not None:
            about.show_entry(self._entry, self._details)
        return about

    @cached_property
    def splitting(self) -> SplitSection:
        """Assigns the images to splits again."""
        splitting = SplitSection(self._context.theme, self.editor, self.stack)
        splitting.closed.connect(self._on_split_closed)
        self.stack.addWidget(splitting)
        return splitting

    @cached_property
    def fixing(self) -> FixPreview:
        """Shows the images that a fix would change."""
        fixing = FixPreview(self._context.theme, self._context.background, self.editor, self.stack)
        fixing.closed.connect(partial(self._on_decided, fixing))
        self.stack.addWidget(fixing)
        return fixing

    @cached_property
    def review(self) -> LabelReview:
        """Shows images whose labels may be wrong, one by one."""
        theme, background = self._context.theme, self._context.background
        review = LabelReview(theme, background, self.audits, self.editor, self.stack)
        review.closed.connect(partial(self._on_decided, review))
        self.stack.addWidget(review)
        return review

    def _made(self, name: str) -> bool:
        return name in vars(self)

    def _is_shown(self, name: str) -> bool:
        return self._made(name) and self.stack.currentWidget() is getattr(self, name)

    def show_entry(self, entry: RecordDocument, known: Known) -> None:
        """Show a dataset, with details or an error if it is completed."""
        self.clear()
        self._record_id = entry.record.id
        self._pictures = DatasetImages(entry.record.folder)
        self._pictures.style = self._settings.overlay
        self.progress.begin(entry)
        self.refresh(entry, known)

    def refresh(self, entry: RecordDocument, known: Known) -> None:
        """Show the new state of the same dataset."""
        self.header.set_title(entry.name)
        self.groups.set_entries([entry])
        if isinstance(entry.plan, DatasetRecipe):
            text = self.tr("From {path}").format(path=entry.plan.source)
            self.source.setText(text)
        warnings = [note.message for note in entry.history.notes if note.level == "warning"]
        self.notes.show_text("\n".join(map(translated, dict.fromkeys(warnings))), "advice")
        if entry.state == State.COMPLETED:
            self._show_ready(known)
            self._entry = entry
            if self._made("about") and self._details is not None:
                self.about.show_entry(entry, self._details)
            return
        self._show_unfinished()
        if entry.state.is_finished:
            self.ended.show_entry(entry)
            self.stack.setCurrentWidget(self.ended)
        else:
            self.progress.refresh(entry)
            self.stack.setCurrentWidget(self.progress)

    def take(self, entry: RecordDocument, events: Sequence[Event]) -> None:
        """Show the progress of the import."""
        self.progress.take(entry, events)

    def clear(self) -> None:
        """Show nothing."""
        self._details = None
        self._entry = None
        self._pictures = None
        if self._made("about"):
            self.about.notes.save()
        if self._made("versions"):
            self.versions.open("", None)
        self.editor.open(None)
        self.audits.open("", None)
        self.predictions.open("")
        self.display_button.set_source(None)
        self.gallery.clear()
        if self._made("browser"):
            self.browser.clear()
        if self._made("review"):
            self.review.stop()
        if self._made("fixing"):
            self.fixing.stop()
        self.skipped.set_entries([])
        self.stack.setCurrentWidget(self._nothing)

    def _make_audit_views(self, context: AppContext) -> None:
        theme, editor = context.theme, self.editor
        self.audits = DatasetAudit(context, self)
        self.findings_bar = FindingsBar(theme, self.audits, self)
        self.findings = FindingsSection(
            theme, self.audits, editor, context.settings.shortcuts, self.stack
        )

    def _make_buttons(self, context: AppContext) -> None:
        theme = context.theme
        self.delete_button = icon_button("trash", self.tr("Delete"), theme, parent=self)
        tooltip = self.tr("Import again with these settings")
        self.clone_button = icon_button("copy", tooltip, theme, parent=self)
        tip = self.tr("Opens a new run on this dataset.")
        text = self.tr("Train on it")
        self.train_button = push_button(text, theme, kind="primary", icon="train", tip=tip)
        self.groups = GroupMenu(context, RecordKind.DATASET, self)
        self.group_button = self.groups.button()
        quiet = partial(push_button, theme=theme, kind="quiet", parent=self)
        tip = self.tr("Makes a new dataset of these images and others.")
        self.add_button = quiet(self.tr("Add…"), tip=tip)
        self.add_button.setAccessibleName(self.tr("Add images…"))
        tip = self.tr("Shows properties, charts, notes and the runs on this dataset.")
        self.about_button = quiet(self.tr("About"), tip=tip)
        tip = self.tr("Lists the edits. Each can be undone.")
        self.versions_button = quiet(self.tr("Versions"), tip=tip)
        self.display_button = DisplayButton(theme, context.background, self)
        self._displaying = OrderedCalls(context.background, self)

    def _show_ready(self, known: Known) -> None:
        self._allow_training(allowed=isinstance(known, Details), reason="")
        if isinstance(known, StudioError):
            self._show_unfinished()
            self._allow_training(allowed=False, reason=self.tr("The dataset is damaged"))
            self.ended.show_damage(known)
            self.stack.setCurrentWidget(self.ended)
        elif known is not None and known is not self._details:
            self._show_details(known)

    def _show_details(self, details: Details) -> None:
        if self._pictures is None:
            return
        before, self._details = self._details, details
        if before is not None and before.version == details.version:
            return  # it was only audited
        summary = details.summary
        self.summary.setText(messages.summary_line(summary))
        self.summary.show()
        self.legend.set_counts(summary.count)
        self.legend.show()
        if before is None or before.skipped != details.skipped:
            self.skipped.set_entries(details.skipped)
        self._pictures.reload()
        self.gallery.show_dataset(summary, self._pictures, details.figures)
        if before is None:
            self.editor.open(self._pictures.folder)
            self.audits.open(self._record_id, self._pictures.folder)
            self.predictions.open(self._record_id)
            if self._made("versions"):
                self.versions.open(self._record_id, self._pictures.folder)
            load, is_standard = self._pictures.display_facts, details.is_standard
            self.display_button.set_source(load, is_standard=is_standard)
            self.stack.setCurrentWidget(self.gallery)
            return
        if self.editor.state is None or self.editor.state.version != details.version:
            self.editor.reload()  # by another program
            self.audits.reload()
        if self._made("versions"):
            self.versions.refresh()
        if self._is_shown("browser"):
            self.browser.refresh(summary)

    def _show_unfinished(self) -> None:
        self._details = None
        self.summary.setText("")
        self.summary.hide()
        self.legend.hide()
        self.skipped.set_entries([])
        reason = self.tr("Wait until the import is complete")
        self._allow_training(allowed=False, reason=reason)

    def _allow_training(self, *, allowed: bool, reason: str) -> None:
        sides = (self.about_button, self.versions_button)
        for button in (self.train_button, self.add_button, *sides):
            allow(button, reason)
            button.setEnabled(allowed)
        refusal = translated(self._context.workspace.refusal(RecordKind.DATASET))
        for making in (self.add_button, self.clone_button) if refusal else ():
            allow(making, refusal)

    def _lay_out(self) -> None:
        rare = (self.clone_button, self.group_button, self.delete_button)
        for button in (*rare, self.train_button):
            self.header.add_action(button)
        often = (self.display_button, self.about_button, self.versions_button, self.add_button)
        # The path is shortened best, so the buttons with words stand in its line.
        line = hbox((self.source, 1), *often, spacing=SPACE.xs)
        head = vbox(self.header, self.summary, line, spacing=SPACE.xs)
        panels = (
            self._nothing,
            self.progress,
            self.ended,
            self.gallery,
        )
        for panel in (*panels, self.findings):
            self.stack.addWidget(panel)
        self.stack.setCurrentWidget(self._nothing)
        lines = (self.legend, self.notes, self.findings_bar)
        margins = (SPACE.xl, SPACE.xl, SPACE.l, SPACE.m)
        parts = (head, *lines, (self.stack, 1), self.skipped)
        vbox(*parts, owner=self, spacing=SPACE.m, margins=margins)

    def _connect(self) -> None:
        for button in (self.about_button, self.versions_button):
            button.setCheckable(True)
        self.about_button.clicked.connect(self._on_about)
        self.versions_button.clicked.connect(self._on_versions)
        self.legend.split_button.clicked.connect(self._on_resplit)
        self.findings_bar.toggled.connect(self._on_findings)
        self.findings.images_requested.connect(self._browse)
        self.findings.review_requested.connect(self._on_review)
        self.findings.fix_requested.connect(self._on_fix)
        self.gallery.class_activated.connect(self._browse)
        self.gallery.rename_requested.connect(self._on_rename)
        self.stack.currentChanged.connect(self._on_panel)
        self.editor.edited.connect(self._on_edited)
        self.display_button.changed.connect(self._on_display)
        show_display = QShortcut(self)
        self._settings.shortcuts.bind(show_display, DISPLAY)
        show_display.setContext(Qt.ShortcutContext.WidgetWithChildrenShortcut)
        show_display.activated.connect(self.display_button.open)

    def _on_display(self, display: DisplayMapping) -> None:
        """Show all images in other colors or contrast."""
        if self._pictures is not None:
            self._displaying.run(partial(self._pictures.set_display, display), self._on_displayed)

    def _on_displayed(self) -> None:
        if self._details is not None and self._pictures is not None:
            details = self._details
            self.gallery.show_dataset(details.summary, self._pictures, details.figures)
            if self._made("browser"):
                self.browser.show_display()

    def _on_about(self, requested: bool) -> None:
        self.stack.setCurrentWidget(self.about if requested else self.gallery)

    def _on_versions(self, requested: bool) -> None:
        self.stack.setCurrentWidget(self.versions if requested else self.gallery)

    def _on_listed(self, kinds: frozenset[RecordKind]) -> None:
        if RecordKind.RUN in kinds:
            if self._made("about"):
                self.about.refresh_runs()
            if self._made("versions"):
                self.versions.refresh_runs()

    def _on_rename(self, output: int) -> None:
        if self._details is not None:
            summary = self._details.summary
            task, name = TASKS[summary.task], summary.classes[output]
            self._renamed = output
            title = view_of(task).words(task).rename.format(name=apart(name))
            self.renaming.ask(self.header, name, title)

    def _on_name(self, name: str) -> None:
        if self._details is not None:
            old, new = self._details.summary.classes[self._renamed], name.strip()
            if new != old:
                self.editor.rename(self._renamed, old, new)

    def _browse(self, shown: int | Finding | Picked) -> None:
        """Show images in the browser, which returns to the current part."""
        if self._details is None or self._pictures is None:
            return
        self._came_from = self.stack.currentWidget() or self.gallery
        self.browser.show_images(self._details.summary, self._pictures, shown)
        self.stack.setCurrentWidget(self.browser)
        self.browser.grid.setFocus()

    def _on_resplit(self) -> None:
        if self.stack.currentWidget() is not self.splitting:
            self.splitting.start()
            self.stack.setCurrentWidget(self.splitting)

    def _on_split_closed(self) -> None:
        if self.stack.currentWidget() is self.splitting:
            self.stack.setCurrentWidget(self.gallery)

    def _on_findings(self, requested: bool) -> None:
        self.stack.setCurrentWidget(self.findings if requested else self.gallery)

    def _on_review(self, finding: Finding) -> None:
        if self._pictures is not None:
            self.stack.setCurrentWidget(self.review)
            self.review.start(self._pictures, finding)

    def _on_fix(self, fix: Fix) -> None:
        if self._pictures is not None:
            self.stack.setCurrentWidget(self.fixing)
            self.fixing.start(self._pictures, fix)

    def _on_decided(self, view: LabelReview | FixPreview) -> None:
        """Show the findings again, with the focus at the one that it was about."""
        self._on_findings(True)
        row = self.findings.rows.get(view.kind)
        if row is not None:
            row.take_focus()

    def _on_back(self) -> None:
        self.stack.setCurrentWidget(self._came_from)

    def _on_edited(self, folder: Path) -> None:
        if self._pictures is not None and folder == self._pictures.folder:
            self.audits.reload()

    def _on_panel(self) -> None:
        """Show the line of the audit above the classes and the findings."""
        panel = self.stack.currentWidget()
        is_about = self._is_shown("about")
        self.about_button.setChecked(is_about)
        self.versions_button.setChecked(self._is_shown("versions"))
        if self._made("about") and not is_about:
            self.about.notes.save()
        self.findings_bar.setVisible(panel in (self.gallery, self.findings))
        self.findings_bar.set_open(is_open=panel is self.findings)


class View(RecordPage):
    """All datasets of the workspace, one of them in full."""

    def __init__(self, context: AppContext, parent: QWidget | None = None) -> None:
        super().__init__(context, (RecordKind.DATASET,), parent)
        self._known = KnownDetails(context, self)
        self.list = DatasetList(context.theme, self)
        self.start = StartPanel(context.theme, self.stack)
        self._trash = Trash(context, self)
        self.groups = GroupMenu(context, RecordKind.DATASET, self)
        set_icon(self.groups.menuAction(), "folder", context.theme)
        self._connect()
        self._on_loaded()
        self.refresh()
        self.lay_out("datasets", self.list, self.start, (self.list, 1))

    @cached_property
    def panel(self) -> DatasetPanel:
        """Shows a dataset; made with the first one."""
        panel = self.add_view(DatasetPanel(self.context, self.stack))
        panel.train_button.clicked.connect(self._on_train)
        panel.delete_button.clicked.connect(self._on_delete)
        panel.add_button.clicked.connect(self._on_add)
        panel.progress.cancel_button.clicked.connect(self._on_cancel)
        panel.progress.skip_button.clicked.connect(self._on_cancel)
        panel.ended.restart_button.clicked.connect(self._on_restart)
        panel.clone_button.clicked.connect(self._on_clone)
        panel.editor.edited.connect(self._known.reload)
        panel.editor.notice_requested.connect(self.context.navigator.notify)
        return panel

    @cached_property
    def sheet(self) -> ImportSheet:
        """Prepares an import; made for the first one."""
        sheet = self.add_view(ImportSheet(self.context, self.stack))
        sheet.search.samples_button.clicked.connect(self._on_samples)
        sheet.submitted.connect(self._on_submitted)
        sheet.closed.connect(self._show_last)
        return sheet

    @cached_property
    def samples(self) -> SampleSheet:
        """Offers the samples; made when it is first shown."""
        made = SampleSheet(self.context, self.stack, self.start, self.list)
        samples = self.add_view(made)
        samples.found.connect(self._on_submitted)
        samples.given_up.connect(self._on_given_up)
        samples.closed.connect(self._show_last)
        return samples

    def open(self, intent: OpenPage) -> None:
        """Import images, show or make the dataset of a sample, or list the samples."""
        if isinstance(intent, ImportImages) and intent.path is not None:
            self._open_sheet(intent.path, annotated=intent.annotated, task=intent.task)
        elif isinstance(intent, ImportImages):
            self._on_browse()
        elif isinstance(intent, OpenSample) and intent.name:
            self.samples.want(intent.name)
        elif isinstance(intent, OpenSample):
            self.samples.open()
        else:
            super().open(intent)

    def drop_offer(self, paths: Sequence[Path]) -> str:
        """Describe the effect of dropping paths: a folder or a file of images can be imported."""
        path = importable(paths)
        if path is None or self._refusal():
            return ""
        target = self._target()
        return drop_words(path.name or str(path), "" if target is None else target.name)

    def drop_refusal(self, paths: Sequence[Path]) -> str:
        """Return why nothing can be imported into this workspace."""
        return self._refusal() if importable(paths) is not None else ""

    def _refusal(self) -> str:
        return translated(self.context.workspace.refusal(RecordKind.DATASET))

    def take_drop(self, paths: Sequence[Path]) -> None:
        """Open the sheet with what was dropped; it says what is wrong with that."""
        if not paths:
            return
        if self.stack.currentWidget() is not self.sheet:
            self.sheet.start(None, target=self._target())
        self.sheet.take_drop(paths)
        self.show_view(self.sheet)

    def show_detail(self, entry: RecordDocument) -> DatasetPanel:
        """Show a dataset in its panel."""
        if entry is not self.shown:
            self.panel.show_entry(entry, self._known.of(entry.record.id))
        self.start.set_busy("")
        if self.stack.isAncestorOf(self.focusWidget()) and not self.is_detail_shown:
            # Otherwise Qt would move the focus to any control of the panel.
            self.list.focus_current()
        return self.panel

    def show_start(self) -> None:
        """Show the newest dataset, or how to get one; a sample that is being made comes first."""
        if self.start.is_busy:
            self.show_nothing()
        else:
            super().show_start()

    def follow(self, entry: RecordDocument, change: RecordChange) -> None:
        """Show a change of the dataset in the panel."""
        if change.is_removed:
            self.panel.clear()
            return
        self.panel.take(entry, change.events)
        if change.is_state or change.is_info:
            self.panel.refresh(entry, self._known.of(entry.record.id))

    def _connect(self) -> None:
        jobs = self.context.jobs
        jobs.loaded.connect(self._on_loaded)
        jobs.changed.connect(self._on_changed)
        self.list.chosen.connect(self.show_record)
        self.list.menu_requested.connect(self._on_menu)
        self.list.import_button.clicked.connect(self._on_import)
        self.start.sample_button.clicked.connect(self._on_digits)
        self.start.samples_button.clicked.connect(self._on_samples)
        self.start.file_button.clicked.connect(self._on_browse_file)
        self.start.address_button.clicked.connect(self._on_import)
        self.start.area.browse_requested.connect(self._on_browse)
        self.start.area.paths_dropped.connect(self.take_drop)
        self._known.known.connect(self._on_known)
        self._trash.restored.connect(self._on_submitted)
        if reason := self._refusal():
            self.start.refuse(reason)
            allow(self.list.import_button, reason)

    def _entry(self, record_id: str) -> RecordDocument | None:
        return self.context.jobs.get(RecordKind.DATASET, record_id)

    def _on_loaded(self) -> None:
        for entry in reversed(self.context.jobs.entries(RecordKind.DATASET)):
            self._add(entry)

    def _on_changed(self, entry: RecordDocument, change: RecordChange) -> None:
        if entry.key[0] != RecordKind.DATASET:
            return
        if change.is_new:
            self._add(entry)
        elif change.is_removed:
            self._remove(entry)
        else:
            self.list.update_entry(entry)
            if change.is_state:
                self._known.read(entry)
            if change.is_info:
                self._refresh_names()

    def _add(self, entry: RecordDocument) -> None:
        newer = [
            other
            for other in self.context.jobs.entries(RecordKind.DATASET)
            if other.info.created > entry.info.created and self.list.card(other.record.id)
        ]
        self.list.add(entry, len(newer))
        self._known.read(entry)
        self._refresh_names()

    def _remove(self, entry: RecordDocument) -> None:
        self.list.remove(entry.record.id)
        self._known.forget(entry)
        self._refresh_names()

    def _refresh_names(self) -> None:
        """Check the name in the sheet again, if there is one yet."""
        if "sheet" in self.__dict__:
            self.sheet.refresh_names()

    def _on_known(self, entry: RecordDocument) -> None:
        known = self._known.of(entry.record.id)
        if isinstance(known, Details):
            self.list.set_details(entry.record.id, known)
        if entry is self.shown:
            self.panel.refresh(entry, known)

    def _open_sheet(self, path: Path | None, *, annotated: bool = False, task: str = "") -> None:
        self.sheet.start(path, annotated=annotated, task=task)
        self.show_view(self.sheet)

    def _on_digits(self) -> None:
        self.samples.want_digits()

    def _on_samples(self) -> None:
        self.samples.open()

    def _on_import(self) -> None:
        self._open_sheet(None)

    def _on_browse(self) -> None:
        self._open_sheet(None)
        self.sheet.browse()

    def _on_browse_file(self) -> None:
        self._open_sheet(None)
        self.sheet.browse_file()

    def _show_last(self) -> None:
        if self.shown is not None:
            self.show_entry(self.shown)
        else:
            self.show_start()

    def _on_given_up(self) -> None:
        if self.stack.currentWidget() is self.start:
            self._show_last()

    def _on_submitted(self, record_id: str) -> None:
        self.context.jobs.wake()
        self.show_record(record_id)

    def _on_train(self) -> None:
        self.context.navigator.open(PlanRun(dataset=self.current_record))

    def _on_delete(self) -> None:
        self._throw(self.current_record)

    def _throw(self, record_id: str) -> None:
        entry = self._entry(record_id)
        if entry is not None:
            self._trash.throw(entry.record, entry.name)

    def _on_menu(self, record_id: str, point: QPoint) -> None:
        menu = self.menu(record_id)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        menu.popup(point)

    def menu(self, record_id: str) -> QMenu:
        """Return the context menu of a dataset."""
        menu = QMenu(self)
        entry = self._entry(record_id)
        self.groups.set_entries([] if entry is None else [entry])
        menu.addMenu(self.groups)
        menu.addSeparator()
        delete = menu.addAction(self.tr("Move to the trash"))
        set_icon(delete, "trash", self.context.theme)
        delete.triggered.connect(partial(self._throw, record_id))
        return menu

    def _on_cancel(self) -> None:
        if self.shown is not None:
            self.context.jobs.stop(self.shown)

    def _on_clone(self) -> None:
        if self.shown is not None and isinstance(self.shown.plan, DatasetRecipe):
            self.sheet.restart(self.shown.plan)
            self.show_view(self.sheet)

    def _on_add(self) -> None:
        self.sheet.start(None, target=self._target(), adding=True)
        self.show_view(self.sheet)

    def _target(self) -> AddTarget | None:
        """Return the dataset that is shown, if images can be added to it."""
        entry = self.shown
        details = self._known.of(self.current_record)
        if entry is None or not isinstance(details, Details):
            return None
        if not self.is_detail_shown or entry.state != State.COMPLETED:
            return None
        if not isinstance(entry.plan, DatasetRecipe):
            return None
        counts = details.summary.count
        return AddTarget(entry.name, entry.record.folder, entry.plan, details.version, counts)

    def _on_restart(self) -> None:
        if self.shown is not None:
            self.context.jobs.restart(self.shown)
