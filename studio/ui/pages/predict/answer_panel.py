"""The card at the right: what the model says about one picture."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import Final

from PySide6.QtCore import QSize, Qt, QTimer, Signal
from PySide6.QtGui import QImage
from PySide6.QtWidgets import QFrame, QHBoxLayout, QLabel, QSizePolicy, QVBoxLayout, QWidget

from studio.engine.datasets.recipe import DatasetRecipe
from studio.ui.context import AppContext
from studio.ui.engine_text import engine_text
from studio.ui.pages.predict import messages
from studio.ui.pages.predict.answer_bars import AnswerBars
from studio.ui.pages.predict.correct_row import CorrectRow
from studio.ui.pages.predict.insight import Insight
from studio.ui.pages.predict.insight_rows import InsightRows
from studio.ui.pages.predict.model_answers import ModelAnswers
from studio.ui.pages.predict.pictures import network_view
from studio.ui.pages.predict.state import AnswerKind, Batch, Failure, answer_kind
from studio.ui.tasks.answer_view import AnswerView
from studio.ui.theme.tokens import SPACE
from studio.ui.widgets.bars import ThinBar
from studio.ui.widgets.buttons import push_button
from studio.ui.widgets.cards import Card
from studio.ui.widgets.labels import ElidedLabel
from studio.ui.widgets.pages import ScrollColumn
from studio.ui.widgets.pictures import PictureView
from studio.ui.widgets.tips import explain

_SEEN_SIDE: Final = 88
_LEAST: Final = 300
_MOST: Final = 460


class AnswerPanel(Card):
    """Headline, bars, and the picture as the network gets it.

    Signals:
        retry_requested: Ask again after a failure.
    """

    retry_requested = Signal()

    def __init__(
        self, context: AppContext, insight: Insight, parent: QWidget | None = None
    ) -> None:
        super().__init__("", parent)
        self._context = context
        self._seen_key: tuple[Path, DatasetRecipe] | None = None
        self.headline = ElidedLabel("", self)
        self.headline.setProperty("role", "hero")
        self.line = QLabel(self)
        self.line.setProperty("role", "muted")
        self.line.setWordWrap(True)
        self.bar = ThinBar(context.theme, self)
        self.answer_bars = AnswerBars(context.theme, self)
        self.bars = self.answer_bars.bars
        self.retry_button = push_button(
            self.tr("Try again"), context.theme, icon="refresh", parent=self
        )
        self.retry_button.clicked.connect(self._on_retry)
        self.correct = CorrectRow(context.theme, self)
        self.answer_bars.chosen.connect(self.correct.corrected)
        self.beside = ModelAnswers(context.theme, self)
        self.insight = InsightRows(context, insight, self)
        self.seen = PictureView(context.theme, self)
        self.seen.setFixedSize(QSize(_SEEN_SIDE, _SEEN_SIDE))
        self._seen_size = QLabel(self)
        self._seen_size.setProperty("role", "caption")
        self._seen_row = self._make_seen_row()
        # The answer is painted first; then there is time to decode the picture once more.
        self._seen_timer = QTimer(self)
        self._seen_timer.setSingleShot(True)
        self._seen_timer.setInterval(0)
        self._seen_timer.timeout.connect(self._read_seen)
        inside = ScrollColumn(SPACE.m, self)
        inside.setFrameShape(QFrame.Shape.NoFrame)
        for upper in (self.headline, self.line, self.bar, self.answer_bars, self.correct):
            inside.column.addWidget(upper)
        inside.column.addWidget(self.retry_button, 0, Qt.AlignmentFlag.AlignLeft)
        for lower in (self.insight, self.beside, self._seen_row):
            inside.column.addWidget(lower)
        inside.column.addStretch(1)
        self.body.addWidget(inside, 1)
        self.setMinimumWidth(_LEAST)
        self.setMaximumWidth(_MOST)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Expanding)
        self.setAccessibleName(self.tr("Answer"))
        self.show_batch(None, is_model_warm=False)
        explain(self.retry_button, self.tr("Asks the network again."))

    def show_batch(
        self, batch: Batch | None, *, is_model_warm: bool, classes: Sequence[str] = ()
    ) -> None:
        """Show the answer for the picture of a batch that is shown, or why there is none.

        Args:
            batch: The batch.
            is_model_warm: Whether the model need not be loaded first.
            classes: Names of the outputs of the model.
        """
        kind = answer_kind(batch)
        self.bar.setVisible(kind is AnswerKind.WAITING)
        self.answer_bars.setVisible(kind is AnswerKind.SCORES)
        self.retry_button.setVisible(kind is AnswerKind.FAILED)
        has_scores = kind is AnswerKind.SCORES
        self.insight.setVisible(has_scores)
        prediction = None if batch is None else batch.prediction
        view = AnswerView() if batch is None else batch.view
        self.correct.setVisible(has_scores and view.has_classes)
        lines = view.lines(prediction) if prediction else []
        self.insight.show_outputs(lines, classes)
        known = classes if view.has_classes else ()
        _, corrected = ("", "") if batch is None else batch.corrections.get(batch.shown, ("", ""))
        self.correct.show_choice(known, [line.name for line in lines], corrected)
        self.answer_bars.show_answer(lines, known, corrected)
        if batch is None:
            self._say("", self.tr("The prediction will appear here."))
        elif prediction is not None and prediction.error:
            self._say(self.tr("Cannot be read"), engine_text(_sentence(prediction.error)))
        elif prediction is not None:
            told = (
                messages.label_line(batch),
                messages.source_line(prediction, batch.model),
                messages.restarted_line(batch),
            )
            self._say(view.headline(prediction), "\n".join(filter(None, told)))
        elif batch.failure is not None:
            self._fail(batch.failure)
        else:
            self._wait(batch, is_model_warm=is_model_warm)
        self._show_seen(batch if kind is AnswerKind.SCORES else None)

    def _say(self, headline: str, line: str) -> None:
        self.headline.setText(headline)
        self.headline.setVisible(bool(headline))
        self.line.setText(line)

    def _wait(self, batch: Batch, *, is_model_warm: bool) -> None:
        fraction = len(batch.predictions) / len(batch.pictures) if batch.predictions else None
        self.bar.set_fraction(fraction)
        self._say("", messages.waiting_line(batch, is_model_warm=is_model_warm))

    def _fail(self, failure: Failure) -> None:
        self._say(self.tr("No answer"), engine_text(f"{failure.message} {failure.hint}".strip()))

    def _show_seen(self, batch: Batch | None) -> None:
        """Prepare the picture as the training did, in another thread."""
        picture = None if batch is None else batch.picture
        recipe = None if batch is None or batch.model is None else batch.model.recipe
        if picture is None or recipe is None:
            self._seen_key = None
            self._seen_row.hide()
            return
        if self._seen_key == (picture, recipe):
            return
        self._seen_key = (picture, recipe)
        color = self.tr("gray") if recipe.channels == 1 else self.tr("color")
        self._seen_size.setText(f"{recipe.width} × {recipe.height}, {color}")
        self._seen_timer.start()

    def _read_seen(self) -> None:
        key = self._seen_key
        if key is not None:
            done, failed = partial(self._on_seen, key), partial(self._on_unseen, key)
            self._context.background.run(self, partial(network_view, *key), done, failed)

    def _on_seen(self, key: tuple[Path, DatasetRecipe], image: QImage) -> None:
        if key == self._seen_key:
            self.seen.set_image(image, self.tr("What the network sees"))
            self._seen_row.show()

    def _on_unseen(self, key: tuple[Path, DatasetRecipe], error: BaseException) -> None:
        # The file went between the answer and this; the answer itself stays true.
        if key == self._seen_key:
            self.seen.set_image(None)
            self._seen_size.setText(engine_text(str(error)))

    def _on_retry(self) -> None:
        self.retry_requested.emit()

    def _make_seen_row(self) -> QWidget:
        title = QLabel(self.tr("What the network sees"), self)
        words = QVBoxLayout()
        words.setSpacing(SPACE.xs)
        words.addStretch(1)
        words.addWidget(title)
        words.addWidget(self._seen_size)
        words.addStretch(1)
        inside = QWidget(self)
        row = QHBoxLayout(inside)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(SPACE.m)
        row.addWidget(self.seen)
        row.addLayout(words, 1)
        return inside


def _sentence(reason: str) -> str:
    text = reason.strip()
    return f"{text[:1].upper()}{text[1:]}{'' if text.endswith('.') else '.'}"
