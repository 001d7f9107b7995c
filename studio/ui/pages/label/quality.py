"""Quality: labels to review, and the agreement of two annotators."""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import partial
from typing import Final

from PySide6.QtCore import QModelIndex, Qt, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QLabel, QLineEdit, QWidget

from studio.engine.labeling.quality import AnnotatorAgreement, Suspect, agreement, second_look
from studio.ui.bridge.request import Request
from studio.ui.pages.label.grid import thumbnail
from studio.ui.pages.label.session import LabelSession
from studio.ui.shared.dataset_pictures import Captioned, CaptionedModel
from studio.ui.theme.tokens import SPACE
from studio.ui.widgets.buttons import push_button
from studio.ui.widgets.figures import count, counted, percent, significant
from studio.ui.widgets.inputs import ComboBox
from studio.ui.widgets.layout import STRETCH, hbox, text_label, vbox
from studio.ui.widgets.picture_grid import ImageGrid
from studio.ui.widgets.tips import explain

_THUMB: Final = 112
_FIELD: Final = 160


class QualityPanel(QWidget):
    """Doubtful labels, and where two annotators disagree; Enter opens a picture.

    Signals:
        opened: Number of a picture.
        annotator_chosen: Name of the new annotator, and True to see own labels
            alone.
    """

    opened = Signal(int)
    annotator_chosen = Signal(str, bool)

    def __init__(self, session: LabelSession, parent: QWidget) -> None:
        super().__init__(parent)
        self._session = session
        self._latest = Request(session.context.background, self)
        theme = session.context.theme
        self.model = CaptionedModel(self)
        self.grid = ImageGrid(theme, self)
        self.grid.set_thumb_size(_THUMB)
        self.grid.setAccessibleName(self.tr("Labels to review"))
        entries = [
            (self.tr("Second look: fast or unlikely labels"), "second"),
            (self.tr("Disagreements of two annotators"), "agreement"),
        ]
        self.what = ComboBox(self, self.tr("Shown labels"), entries)
        self.one = ComboBox(self, self.tr("First annotator"))
        self.other = ComboBox(self, self.tr("Second annotator"))
        text, tip = self.tr("Update"), self.tr("Checks the labels again.")
        self.refresh_button = push_button(
            text, theme, icon="refresh", tip=tip, on_click=self.refresh
        )
        self.summary = text_label("", "muted", self, wraps=True)
        self.annotator = QLineEdit(session.labeling.annotator, self)
        self.annotator.setAccessibleName(self.tr("Annotator"))
        self.annotator.setPlaceholderText(self.tr("Your name"))
        self.annotator.setFixedWidth(_FIELD)
        tip = self.tr(
            "New labels carry this name, and you see only your own, so two people can label "
            "the same images independently."
        )
        explain(self.annotator, tip)
        name = QLabel(self.tr("Annotator"), self)
        name.setBuddy(self.annotator)
        choices = (self.what, self.one, self.other, self.refresh_button)
        top = hbox(*choices, STRETCH, name, self.annotator, spacing=SPACE.s)
        vbox(top, self.summary, (self.grid, 1), owner=self, spacing=SPACE.s)
        self.grid.set_source(self.model, partial(thumbnail, session.labeling))
        self.what.currentIndexChanged.connect(self.refresh)
        self.grid.doubleClicked.connect(self._on_opened)
        self.annotator.editingFinished.connect(self._on_annotator)
        for box in (self.what, self.one, self.other):
            explain(box, box.accessibleName())
        self._fill()

    def refresh(self) -> None:
        """Check the labels in another thread."""
        self._fill()
        labeling = self._session.labeling
        if self.what.currentData() == "second":
            given = dict(self._session.assist.given)
            self._latest.run(partial(second_look, labeling, given), self._on_suspects)
        elif self.one.count() > 1 and self.one.currentText() != self.other.currentText():
            pair = self.one.currentData(), self.other.currentData()
            self._latest.run(partial(agreement, labeling, *pair), self._on_agreement)
        else:
            self._latest.drop()
            self.model.take([])
            text = self.tr(
                "Two people must label some images under different names first; {n} did."
            )
            self.summary.setText(text.format(n=count(len(labeling.annotators))))

    def show_annotator(self) -> None:
        """Show who labels: the typed name could not be used."""
        self.annotator.setText(self._session.labeling.annotator)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Open the selected picture by Enter."""
        rows = self.grid.selected_rows()
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter) and rows:
            self.opened.emit(self.model.key(rows[0]))
        else:
            super().keyPressEvent(event)

    def _fill(self) -> None:
        is_pair = self.what.currentData() == "agreement"
        names = self._session.labeling.annotators
        for at, box in enumerate((self.one, self.other)):
            box.setVisible(is_pair)
            known = [str(box.itemData(row)) for row in range(box.count())]
            if known != names:
                box.clear()
                for name in names:
                    box.addItem(name or self.tr("(no name)"), name)
                box.setCurrentIndex(min(at, len(names) - 1))

    def _on_suspects(self, suspects: list[Suspect]) -> None:
        labeling = self._session.labeling
        captions = []
        for each in suspects:
            value = labeling.caption(labeling.value_of(each.item))
            if each.reason == "model" and each.probability is not None:
                captions.append(f"{value} · {percent(each.probability, 0)}")
            else:
                captions.append(f"{value} · {significant(each.seconds or 0.0, 2)} s")
        self._show([each.item for each in suspects], captions)
        one = self.tr(
            "1 label was given very quickly, or is unlikely for a model that was not trained on "
            "it. Double-click it to correct it."
        )
        many = self.tr(
            "{n} labels were given very quickly, or are unlikely for a model that was not "
            "trained on them. Double-click one to correct it."
        )
        self.summary.setText(counted(len(suspects), one, many))

    def _on_agreement(self, found: AnnotatorAgreement) -> None:
        labeling = self._session.labeling
        captions = [
            f"{labeling.caption(each.one)} / {labeling.caption(each.other)}"
            for each in found.disagreements
        ]
        self._show([each.item for each in found.disagreements], captions)
        value = "–" if math.isnan(found.value) else f"{found.value:.3f}"
        one = self.tr("1 image labeled by both · {same} the same · {measure} {value}")
        many = self.tr("{n} images labeled by both · {same} the same · {measure} {value}")
        measure, same = _MEASURES.get(found.measure, found.measure), percent(found.same)
        text = counted(found.count, one, many).format(same=same, measure=measure, value=value)
        self.summary.setText(text)

    def _show(self, items: Sequence[int], captions: Sequence[str]) -> None:
        names = [self._session.labeling.items[item].name for item in items]
        images = zip(items, captions, names, strict=True)
        self.model.take([Captioned(item, text, f"{name}\n{text}") for item, text, name in images])

    def _on_opened(self, index: QModelIndex) -> None:
        self.opened.emit(self.model.key(index.row()))

    def _on_annotator(self) -> None:
        name = self.annotator.text().strip()
        if name != self._session.labeling.annotator:
            self.annotator_chosen.emit(name, bool(name))


_MEASURES: Final = {"kappa": "Cohen's κ", "mean_iou": "IoU", "r2": "R²"}
