"""Quality: labels to review, and the agreement of two annotators."""

from __future__ import annotations

import math
from functools import partial
from typing import TYPE_CHECKING, Final

from PySide6.QtCore import QModelIndex, Qt, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QLabel, QLineEdit, QWidget

from studio.ui.pages.label.grid import ItemModel, thumbnail
from studio.ui.pages.label.session import LabelSession, value_text
from studio.ui.theme.tokens import SPACE
from studio.ui.widgets.buttons import push_button
from studio.ui.widgets.figures import count, percent, significant
from studio.ui.widgets.inputs import ComboBox
from studio.ui.widgets.layout import STRETCH, hbox, text_label, vbox
from studio.ui.widgets.picture_grid import ImageGrid
from studio.ui.widgets.tips import explain

if TYPE_CHECKING:
    from studio.engine.labeling.quality import Agreement, Suspect

_THUMB: Final = 112
_FIELD: Final = 160


class CaptionedModel(ItemModel):
    """Pictures with separate captions."""

    def __init__(self, session: LabelSession) -> None:
        super().__init__(session)
        self._captions: list[str] = []

    def show_captioned(self, items: list[int], captions: list[str]) -> None:
        """Show pictures.

        Args:
            items: Their numbers.
            captions: A text for each.
        """
        self._captions = captions
        self.show_items(items)

    def caption(self, row: int) -> str:
        """Return the caption."""
        return self._captions[row]


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
        theme = session.context.theme
        self.model = CaptionedModel(session)
        self.grid = ImageGrid(theme, self)
        self.grid.set_thumb_size(_THUMB)
        self.grid.setAccessibleName(self.tr("Labels to review"))
        self.what = ComboBox(self)
        self.what.setAccessibleName(self.tr("Shown labels"))
        self.what.addItem(self.tr("Second look: fast or unlikely labels"), "second")
        self.what.addItem(self.tr("Disagreements of two annotators"), "agreement")
        self.one, self.other = ComboBox(self), ComboBox(self)
        self.one.setAccessibleName(self.tr("First annotator"))
        self.other.setAccessibleName(self.tr("Second annotator"))
        self.refresh_button = push_button(
            self.tr("Update"),
            theme,
            icon="refresh",
            tip=self.tr("Checks the labels again."),
            on_click=self.refresh,
        )
        self.summary = text_label("", "muted", self, wraps=True)
        self.annotator = QLineEdit(session.labeling.annotator, self)
        self.annotator.setAccessibleName(self.tr("Annotator"))
        self.annotator.setPlaceholderText(self.tr("Your name"))
        self.annotator.setFixedWidth(_FIELD)
        explain(
            self.annotator,
            self.tr(
                "New labels carry this name, and you see only your own, so two people can label "
                "the same pictures independently."
            ),
        )
        name = QLabel(self.tr("Annotator"), self)
        name.setBuddy(self.annotator)
        vbox(
            hbox(
                self.what,
                self.one,
                self.other,
                self.refresh_button,
                STRETCH,
                name,
                self.annotator,
                spacing=SPACE.s,
            ),
            self.summary,
            (self.grid, 1),
            owner=self,
            spacing=SPACE.s,
        )
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
        background = self._session.context.background
        if self.what.currentData() == "second":
            given = dict(self._session.assist.given)
            work = partial(_second_look, self._session, given)
            background.run(self, work, self._on_suspects)
        elif self.one.count() > 1 and self.one.currentText() != self.other.currentText():
            pair = self.one.currentData(), self.other.currentData()
            background.run(self, partial(_agreement, self._session, *pair), self._on_agreement)
        else:
            self.model.show_captioned([], [])
            self.summary.setText(
                self.tr(
                    "Two people must label some pictures under different names first; {n} did."
                ).format(n=count(len(labeling.annotators)))
            )

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Open the selected picture by Enter."""
        rows = self.grid.selected_rows()
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter) and rows:
            self.opened.emit(self.model.items[rows[0]])
        else:
            super().keyPressEvent(event)

    def stop(self) -> None:
        """Load no more pictures."""
        self.grid.stop()

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
            value = value_text(labeling.value_of(each.item), labeling.names)
            if each.reason == "model" and each.probability is not None:
                captions.append(f"{value} · {percent(each.probability, 0)}")
            else:
                captions.append(f"{value} · {significant(each.seconds or 0.0, 2)} s")
        self.model.show_captioned([each.item for each in suspects], captions)
        self.summary.setText(
            self.tr(
                "{n} labels were given very quickly, or are unlikely for a model that was not "
                "trained on them. Double-click one to correct it."
            ).format(n=count(len(suspects)))
        )

    def _on_agreement(self, found: Agreement) -> None:
        labeling = self._session.labeling
        captions = [
            f"{value_text(each.one, labeling.names)} / {value_text(each.other, labeling.names)}"
            for each in found.disagreements
        ]
        self.model.show_captioned([each.item for each in found.disagreements], captions)
        value = "–" if math.isnan(found.value) else f"{found.value:.3f}"
        self.summary.setText(
            self.tr("{n} pictures labeled by both · {same} the same · {measure} {value}").format(
                n=count(found.count),
                same=percent(found.same),
                measure=_MEASURES.get(found.measure, found.measure),
                value=value,
            )
        )

    def _on_opened(self, index: QModelIndex) -> None:
        self.opened.emit(self.model.items[index.row()])

    def _on_annotator(self) -> None:
        name = self.annotator.text().strip()
        if name != self._session.labeling.annotator:
            self.annotator_chosen.emit(name, bool(name))


_MEASURES: Final = {"kappa": "Cohen's κ", "mean_iou": "IoU", "r2": "R²"}


def _second_look(session: LabelSession, given: dict[int, float]) -> list[Suspect]:
    from studio.engine.labeling.quality import second_look  # noqa: PLC0415 - imports NumPy

    return second_look(session.labeling, given)


def _agreement(session: LabelSession, one: str, other: str) -> Agreement:
    from studio.engine.labeling.quality import agreement  # noqa: PLC0415

    return agreement(session.labeling, one, other)
