"""The page Predict: model chooser on top, the picture at the left, its prediction at the right.

A drop arrives in `View.dropEvent`; CONTRIBUTING.md follows it to the painted prediction.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import Final

from PySide6.QtCore import QMimeData, Qt
from PySide6.QtGui import (
    QAction,
    QDragEnterEvent,
    QDragLeaveEvent,
    QDropEvent,
    QGuiApplication,
    QResizeEvent,
    QShortcut,
    QShowEvent,
)
from PySide6.QtWidgets import QMenu, QToolButton, QWidget

from studio.engine.datasets.importable import are_pictures
from studio.engine.inference.requests import ExplainReply, ImagePrediction
from studio.engine.inference.sources import Picture
from studio.engine.inference.unlike.differences import Change
from studio.ui.bridge.run_choices import RunChoice, task_of
from studio.ui.bridge.run_chooser import RunChooser
from studio.ui.context import AppContext
from studio.ui.navigation import ChoosePictures, OpenPage, PastePicture
from studio.ui.pages.commands import OPEN_PICTURES, PASTE_PICTURE
from studio.ui.pages.page import Page
from studio.ui.pages.predict import messages
from studio.ui.pages.predict.compare import CompareButton, ModelComparison
from studio.ui.pages.predict.folder import PredictionSaver
from studio.ui.pages.predict.heat_map import HeatMapRequester
from studio.ui.pages.predict.pictures import (
    Batch,
    CardState,
    Content,
    PictureInput,
    PredictState,
    card_state,
    content_of,
    has_pictures,
)
from studio.ui.pages.predict.predictions import Classifier, LiveCamera, PredictionCard
from studio.ui.pages.predict.preview import HistoryStrip, PreviewPanel
from studio.ui.pages.predict.review import QueuePanel, Review
from studio.ui.shared import media
from studio.ui.shared.object_panel import ObjectPanel
from studio.ui.shared.training import train_first
from studio.ui.theme.theme import Theme
from studio.ui.theme.tokens import CONTROL_HEIGHT, SPACE
from studio.ui.widgets.buttons import icon_button, push_button
from studio.ui.widgets.drop_area import DropOverlay, local_paths
from studio.ui.widgets.labels import apart
from studio.ui.widgets.layout import Debounce, hbox, vbox
from studio.ui.widgets.overlay import Overlay, OverlayStyle
from studio.ui.widgets.pages import PageHeader, PageStack
from studio.ui.widgets.tips import allow

CHOICE_KEY: Final = "predict/run"
_CHOOSER_LETTERS: Final = 17
_PATIENCE_MS: Final = 90
"""Time in which a loaded model predicts. Nothing else is shown before: it would compete with the
model for the processor."""


class View(Page):
    """Drop or paste pictures anywhere, and see the predictions of a model."""

    def __init__(self, context: AppContext, parent: QWidget | None = None) -> None:
        super().__init__(context, parent)
        self.batch: Batch | None = None
        self.pictures = PictureInput(context, self)
        self.classifier = Classifier(context, self)
        self.live = LiveCamera(context, self.pictures, self)
        self.comparison = ModelComparison(context, self.classifier.source, self)
        self.explainer = HeatMapRequester(context, self.classifier.source, self)
        self.review = Review(context, self)
        self.saver = PredictionSaver(context, self.classifier.source, self)
        self.header = Header(context, self.comparison, self)
        self.chooser = self.header.chooser
        self._stack = PageStack(self)
        self._workspace = work = QWidget(self._stack)
        self.preview = PreviewPanel(context, work)
        self.objects = ObjectPanel(context.background, self.preview.view, work)
        self.history = HistoryStrip(context, work)
        self.card = PredictionCard(context, self.explainer, self.comparison, work)
        self.queue = QueuePanel(context, self.review, self._stack)
        text = self.tr("Then drop any image here to see the prediction.")
        self.empty = train_first(context, "predict", text, self)
        self._is_reviewing = False
        self._painted: ImagePrediction | None = None
        self._overlay: Overlay | None = None
        self._patience = Debounce(_PATIENCE_MS, self._refresh, self)
        self._rest = Debounce(0, self._refresh, self)
        self._drop_hint = DropOverlay(self)
        self._lay_out()
        self._connect()
        self._refresh()

    @property
    def content(self) -> Content:
        """Content of the page."""
        is_loaded, has_model = self.context.jobs.is_loaded, self.chooser.choice() is not None
        return content_of(is_loaded=is_loaded, has_model=has_model, batch=self.batch)

    @property
    def needs_engine(self) -> bool:
        """True if there is a model to predict with."""
        return self.chooser.choice() is not None

    def open(self, intent: OpenPage) -> None:
        """Ask for pictures, or take the one in the clipboard."""
        if isinstance(intent, ChoosePictures):
            self._on_open()
        elif isinstance(intent, PastePicture):
            self._on_paste()
        else:
            super().open(intent)

    def show_record(self, record_id: str) -> None:
        """Use the model of that run."""
        self.chooser.select(record_id)

    def state(self) -> PredictState:
        """Return the pictures with their predictions, and the model."""
        batches = tuple(
            batch for batch in reversed(self.history.batches()) if not batch.is_working
        )
        choice = self.chooser.choice()
        return PredictState(batches, self.batch, "" if choice is None else choice.id)

    def restore(self, state: object) -> None:
        """Show pictures and predictions of an earlier window."""
        if not isinstance(state, PredictState):
            return
        self.chooser.select(state.run)
        for batch in state.batches:
            if batch.first.exists():  # pasted ones were deleted with the window
                self.history.add(batch)
                self.history.refresh(batch)
        if state.shown is not None and state.shown in self.history.batches():
            self.batch = state.shown
            self.history.button(state.shown).setChecked(True)
        self._refresh()

    def drop_offer(self, paths: Sequence[Path]) -> str:
        """Describe the effect of dropping paths: the number of pictures, and the model."""
        return messages.offer(paths, self.chooser.choice())

    def drop_refusal(self, paths: Sequence[Path]) -> str:
        """Return that there is no model yet."""
        if not are_pictures(paths) or self.chooser.choice() is not None:
            return ""
        text = self.tr(
            "No model can classify {name} yet. Train one first: import a folder of images, then "
            "press Train."
        )
        return text.format(name=apart(paths[0].name))

    def image_offer(self) -> str:
        """Return the same for a picture without a file."""
        return messages.offer_image(self.chooser.choice())

    def take_drop(self, paths: Sequence[Path]) -> None:
        """Classify files and the pictures in folders."""
        self.pictures.take_paths(paths)

    def take_pictures(self, pictures: Sequence[Picture]) -> None:
        """Classify pictures with known classes; wrong predictions are outlined."""
        self._start(Batch(tuple(each.path for each in pictures), known=tuple(pictures)))

    def select_picture(self, position: int) -> None:
        """Show the prediction for one of several pictures, with the focus on its correction."""
        self._on_picked(position)
        self.card.correction.button.setFocus(Qt.FocusReason.TabFocusReason)

    def dragEnterEvent(self, event: QDragEnterEvent) -> None:
        """Show what dropping would do, anywhere on the page."""
        text = self._offer_for(event.mimeData())
        self._drop_hint.offer(text)
        if text:
            event.acceptProposedAction()
        else:
            event.ignore()

    def dragLeaveEvent(self, event: QDragLeaveEvent) -> None:
        """Hide the drop hint."""
        self._drop_hint.offer("")
        super().dragLeaveEvent(event)

    def dropEvent(self, event: QDropEvent) -> None:
        """Take files, folders, or a picture from a browser."""
        self._drop_hint.offer("")
        if self.chooser.choice() is not None and self.pictures.take_data(event.mimeData()):
            event.acceptProposedAction()
        else:
            event.ignore()

    def showEvent(self, event: QShowEvent) -> None:
        """Ask the compared models again, and count again: another page may have changed both."""
        super().showEvent(event)
        self.comparison.forget()
        self.preview.show_counts()

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Keep the drop hint over the page."""
        super().resizeEvent(event)
        self._drop_hint.setGeometry(self.rect())

    def _offer_for(self, data: QMimeData) -> str:
        if not has_pictures(data):
            return ""
        paths = local_paths(data)
        return self.drop_offer(paths) if paths else self.image_offer()

    def _start(self, batch: Batch) -> None:
        self.live.stop()
        self.batch = batch
        self._is_reviewing = False
        self._classify_if_needed()
        self.history.add(batch)
        model = self.chooser.choice()
        if batch.dropped and model is not None and self.classifier.is_warm(model):
            self._patience.start()
        else:
            self._refresh()

    def _on_ready(self, batch: Batch) -> None:
        """Classify a batch whose files have arrived."""
        self.history.refresh(batch)
        if batch is self.batch:
            self._classify_if_needed()
            self._refresh()

    def _on_live_changed(self) -> None:
        self.preview.live_bar.setVisible(self.live.is_on)

    def _on_live(self, batch: Batch) -> None:
        """Show the next frame of the webcam."""
        self.batch = batch
        self._is_reviewing = False
        self._refresh()

    def _on_camera(self) -> None:
        model = self.chooser.choice()
        if model is not None:
            self.classifier.cancel()
            self.live.open(model)

    def _classify_if_needed(self) -> None:
        model = self.chooser.choice()
        if model is None or self.batch is None:
            self.classifier.cancel()
        elif self.batch.dropped and self.batch.needs_model(model):
            self.classifier.classify(self.batch, model)

    def _on_model(self, choice: RunChoice | None) -> None:
        if self.batch is not None and choice is not None and self.batch.is_foreign(choice):
            # They stay in the history; own pictures without known classes stay on the page.
            self.classifier.cancel()
            self.batch = None
            self.history.clear_choice()
        asked = None if self.batch is None else self.batch.model
        # The same run under another name, or after another epoch, was asked already.
        if asked is None or choice is None or asked.id != choice.id:
            self._classify_if_needed()
        self._refresh()

    def _on_changed(self, batch: Batch) -> None:
        """Show new predictions; that of a single picture first."""
        if batch is not self.batch:
            self.history.refresh(batch)
        elif batch.is_complete and len(batch.pictures) == 1:
            self._show_prediction(batch)
            self._rest.start()
        elif batch.predictions or batch.failure is not None or not self._patience.isActive():
            self._refresh()

    def _on_chosen(self, batch: Batch) -> None:
        """Show a batch of the history again."""
        self.live.stop()
        self.batch = batch
        self._is_reviewing = False
        self._classify_if_needed()
        self._refresh()

    def _on_retry(self) -> None:
        if self.batch is None:
            return
        if self.batch.dropped:
            self.classifier.resume(self.batch)
        elif self.batch.address:
            self.pictures.fetch(self.batch)
        self._refresh()

    def _on_stop_or_resume(self) -> None:
        if self.batch is not None and self.batch.is_working:
            self.classifier.stop(self.batch)
        else:
            self._on_retry()

    def _on_corrected(self, label: str) -> None:
        if self.batch is not None:
            self.review.correct(self.batch, label)

    def _on_change(self, change: Change) -> None:
        if self.batch is not None:
            self.pictures.take_changed(self.batch, change)

    def _on_undone(self) -> None:
        if self.batch is not None:
            self.review.undo(self.batch)

    def _on_heat_toggled(self, is_on: bool) -> None:
        """Open the selected one of several pictures: the heat map lies over one picture."""
        if is_on and self.batch is not None and self.content is Content.GRID:
            self._on_opened(self.batch.selected)

    def _on_heat_map(self) -> None:
        found = self.explainer.found
        if isinstance(found, ExplainReply):
            self.preview.view.set_heat(found.heat.values(), found.covers)
        else:
            self.preview.view.set_heat(None)

    def _on_queue(self) -> None:
        self.header.review_button.setText(messages.review_button(len(self.review.waiting)))
        self._refresh()

    def _on_review(self) -> None:
        self._is_reviewing = not self._is_reviewing
        self._refresh()

    def _on_save(self) -> None:
        if self.batch is not None:
            self.saver.save(self.batch)

    def _on_picked(self, row: int) -> None:
        if self.batch is not None and self.batch.selected != row:
            self.batch.selected = row
            self._refresh()

    def _on_opened(self, row: int) -> None:
        if self.batch is None:
            return
        self.batch.opened = row if row >= 0 else None
        self.batch.selected = row if row >= 0 else self.batch.selected
        self._refresh()

    def _refresh(self) -> None:
        self._patience.stop()
        self._rest.stop()
        content, model = self.content, self.chooser.choice()
        idle = {Content.LOADING: self._loading, Content.NO_MODEL: self.empty}
        can_correct = task_of(model).capabilities.retraining
        self._is_reviewing = self._is_reviewing and can_correct
        busy = self.queue if self._is_reviewing else self._workspace
        self._stack.setCurrentWidget(idle.get(content, busy))
        self.header.show_tools(
            chooser=content not in idle, opener=self.batch is not None, review=can_correct
        )
        if model is None or content in idle:
            return
        self._show_batch(content, model)
        self.queue.set_model(model, self.classifier.classes(model))

    def _show_batch(self, content: Content, model: RunChoice) -> None:
        batch = self.batch
        if batch is not None:
            batch.set_score(self.card.overlay.style_now().min_score)
            self.history.refresh(batch)
        self.preview.show_batch(content, batch)
        self._show_prediction(batch)
        self._show_objects(self.card.overlay.style_now())
        kind = card_state(batch)
        picture = None if batch is None else batch.picture
        self.comparison.show_picture(None if kind is CardState.UNREADABLE else picture)
        predicted = picture if kind is CardState.SCORES else None
        explanation = self.card.explanation
        self.explainer.show_picture(model, predicted, explanation.output)
        explanation.similar.show_picture(model, predicted)

    def _show_prediction(self, batch: Batch | None) -> None:
        model = self.chooser.choice()
        is_warm = model is not None and self.classifier.is_warm(model)
        classes = () if model is None else self.classifier.classes(model)
        self.card.show_batch(batch, is_model_warm=is_warm, classes=classes)
        self._show_regions(None if batch is None else batch.prediction)

    def _show_regions(self, prediction: ImagePrediction | None) -> None:
        """Paint the regions of a prediction over its picture, once they are known."""
        if prediction is self._painted:
            return
        self._painted, self._overlay = prediction, None
        if prediction is None or self.batch is None or prediction.error:
            self._on_regions(prediction, None)
            return
        work = partial(self.batch.overlay, prediction)
        self.context.background.run(self, work, partial(self._on_regions, prediction))

    def _on_regions(self, prediction: ImagePrediction | None, overlay: Overlay | None) -> None:
        if prediction is self._painted:
            self._overlay = overlay
            if overlay is not None:
                self.card.overlay.show_overlay(overlay)
            self._on_overlay()

    def _on_overlay(self) -> None:
        style = self.card.overlay.style_now()
        if self.batch is not None and self.batch.min_score != style.min_score:
            self._refresh()  # the numbers of objects, too
        self.preview.show_overlay(self._overlay, style)
        self.preview.grid.set_style(style)
        self._show_objects(style)

    def _show_objects(self, style: OverlayStyle) -> None:
        """Show the table of the objects of the picture that is shown alone."""
        batch, prediction = self.batch, self._painted
        objects = None if prediction is None or self._overlay is None else prediction.objects
        is_alone = batch is not None and self.content is Content.PICTURE
        path = None if batch is None else batch.picture
        shown = self._overlay if is_alone else None
        self.objects.show_style(style)
        self.objects.show_objects(path, objects if is_alone else None, shown)

    def _on_paste(self) -> None:
        if self.chooser.choice() is not None:
            self.pictures.paste(QGuiApplication.clipboard().mimeData())

    def _on_open(self) -> None:
        if self.chooser.choice() is not None:
            self.pictures.open_files()

    def _connect(self) -> None:
        self.context.jobs.loaded.connect(self._refresh)
        self.pictures.arrived.connect(self._start)
        self.pictures.ready.connect(self._on_ready)
        self.classifier.changed.connect(self._on_changed)
        self.live.predicted.connect(self._on_live)
        self.live.changed.connect(self._on_live_changed)
        self.explainer.changed.connect(self._on_heat_map)
        self.review.changed.connect(self._on_queue)
        self.history.chosen.connect(self._on_chosen)
        self.queue.back_button.clicked.connect(self._on_review)
        header = self.header
        header.chooser.changed.connect(self._on_model)
        header.open_button.clicked.connect(self._on_open)
        header.paste_button.clicked.connect(self._on_paste)
        header.review_button.clicked.connect(self._on_review)
        header.web_action.triggered.connect(self.pictures.open_address)
        header.camera_action.triggered.connect(self._on_camera)
        header.screen_action.triggered.connect(self.pictures.open_screen)
        preview = self.preview
        preview.drop_area.browse_requested.connect(self._on_open)
        preview.picked.connect(self._on_picked)
        preview.opened.connect(self._on_opened)
        # The picture may come after its heat map, and takes it away.
        preview.picture_shown.connect(self._on_heat_map)
        preview.bar.stop_button.clicked.connect(self._on_stop_or_resume)
        preview.bar.save_button.clicked.connect(self._on_save)
        self.saver.advanced.connect(preview.bar.show_saving)
        preview.live_bar.keep_button.clicked.connect(self.live.freeze)
        preview.live_bar.stop_button.clicked.connect(self.live.stop)
        card = self.card
        card.retry_button.clicked.connect(self._on_retry)
        card.correction.corrected.connect(self._on_corrected)
        card.correction.undo_button.clicked.connect(self._on_undone)
        card.unlike.change_requested.connect(self._on_change)
        card.overlay.changed.connect(self._on_overlay)
        card.explanation.heat_button.toggled.connect(self._on_heat_toggled)
        card.explanation.opacity_changed.connect(preview.view.set_opacity)

    def _lay_out(self) -> None:
        self._loading = QWidget(self._stack)
        left = vbox((self.preview, 1), self.objects, self.history, spacing=SPACE.m)
        hbox((left, 3), (self.card, 2), owner=self._workspace, spacing=SPACE.l)
        self._stack.add_pages(self._loading, self.empty, self._workspace, self.queue)
        vbox(self.header, (self._stack, 1), owner=self, spacing=SPACE.l, margins=SPACE.xl)
        self.setAcceptDrops(True)


class Header(PageHeader):
    """Title, model chooser, further models, the review queue, Paste (Ctrl+V) and Open (Ctrl+O)."""

    def __init__(self, context: AppContext, comparison: ModelComparison, page: QWidget) -> None:
        """Build it; the shortcuts work while `page` can be seen."""
        super().__init__("", parent=page)
        self.set_title(self.tr("Predict"))
        theme, self._shortcuts = context.theme, context.settings.shortcuts
        self.chooser = RunChooser(context.jobs, context.settings, CHOICE_KEY, self)
        self.chooser.setMinimumContentsLength(_CHOOSER_LETTERS)
        self.compare_button = CompareButton(context, self.chooser, comparison, self)
        text, tip = messages.review_button(0), self.tr("Show the corrected images")
        self.review_button = push_button(text, theme, icon="tag", tip=tip)
        self.paste_button = push_button(self.tr("Paste"), theme, icon="copy", parent=self)
        self.open_button = push_button(self.tr("Open…"), theme, icon="folder-open", parent=self)
        self.more_button = self._make_more_button(theme)
        # The title stays where it is when the tools are hidden.
        self.setMinimumHeight(CONTROL_HEIGHT)
        inputs = (self.paste_button, self.open_button)
        for tool in (self.chooser, self.compare_button, self.review_button, *inputs):
            self.add_action(tool)
        self.add_action(self.more_button)
        for command, button in zip((PASTE_PICTURE, OPEN_PICTURES), inputs, strict=True):
            # Of the window, so that it works wherever the focus is; only while `page` is visible.
            shortcut = QShortcut(page)
            self._shortcuts.bind(shortcut, command)
            shortcut.activated.connect(button.click)
        QGuiApplication.clipboard().dataChanged.connect(self._on_clipboard)
        self._shortcuts.changed.connect(self._show_keys)
        self._show_keys()

    def show_tools(self, *, chooser: bool, opener: bool, review: bool) -> None:
        """Show the tools that are of use.

        Args:
            chooser: True if there is a model to choose.
            opener: True if no other Open button is visible.
            review: True if predictions can be corrected.
        """
        for tool in (self.chooser, self.compare_button, self.more_button, self.paste_button):
            tool.setVisible(chooser)
        self.review_button.setVisible(chooser and review)
        self.open_button.setVisible(chooser and opener)

    def refresh_menu(self) -> None:
        """Enable the further sources of pictures that can be used now."""
        _explain(self.camera_action, media.missing())
        _explain(self.screen_action, media.screen_unavailable())

    def _make_more_button(self, theme: Theme) -> QToolButton:
        name = self.tr("More ways to choose an image")
        button = icon_button("more", name, theme, role="text", parent=self)
        button.setToolTip(self.tr("Web, webcam, screen"))
        button.setPopupMode(QToolButton.ToolButtonPopupMode.InstantPopup)
        menu = QMenu(button)
        menu.setToolTipsVisible(True)
        self.web_action = menu.addAction(self.tr("From the web…"))
        self.camera_action = menu.addAction(self.tr("Webcam…"))
        self.screen_action = menu.addAction(self.tr("Region of the screen"))
        menu.aboutToShow.connect(self.refresh_menu)
        button.setMenu(menu)
        return button

    def _show_keys(self) -> None:
        tip = self.tr("Choose images for a prediction")
        self.open_button.setToolTip(self._shortcuts.tip(tip, OPEN_PICTURES))
        self._on_clipboard()

    def _on_clipboard(self) -> None:
        is_usable = has_pictures(QGuiApplication.clipboard().mimeData())
        reason = self.tr("The clipboard contains no image, no file and no web address.")
        tip = self.tr("Predict the image in the clipboard")
        tip = self._shortcuts.tip(tip, PASTE_PICTURE)
        allow(self.paste_button, "" if is_usable else reason, tip)


def _explain(action: QAction, reason: str) -> None:
    action.setEnabled(not reason)
    action.setToolTip(reason)
