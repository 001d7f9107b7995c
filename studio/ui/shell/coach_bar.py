"""The bar of the guided tour: what happens now and why, over the pages on which it happens."""

from __future__ import annotations

from PySide6.QtCore import QSize, Qt, Signal
from PySide6.QtWidgets import QFrame, QHBoxLayout, QLabel, QSizePolicy, QVBoxLayout, QWidget

from studio.ui.theme.icons import pixmap
from studio.ui.theme.theme import Theme
from studio.ui.theme.tokens import ICON, SPACE
from studio.ui.widgets.buttons import push_button
from studio.ui.widgets.tips import explain

# Two lines of text: the pages below do not move when a sentence is longer than the one before.
# Only what an error says may need more.
_HEIGHT = 68


class CoachBar(QFrame):
    """One sentence, where it stands in the tour, and the ways on and out.

    Signals:
        go_on_requested: Back to the page of the tour.
        skip_requested: On to what comes next, without waiting.
        own_requested: Train on images of one's own.
        stop_requested: The tour is to end.
    """

    go_on_requested = Signal()
    skip_requested = Signal()
    own_requested = Signal()
    stop_requested = Signal()

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("coachBar")
        self.setAccessibleName(self.tr("Guided tour"))
        self.setMinimumHeight(_HEIGHT)
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Maximum)
        self._theme = theme
        self._picture = QLabel(self)
        self._picture.setFixedSize(QSize(ICON, ICON))
        self.step = QLabel(self)
        self.step.setProperty("role", "caption")
        self.text = QLabel(self)
        self.text.setWordWrap(True)
        self.text.setTextFormat(Qt.TextFormat.PlainText)
        self.text.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Preferred)
        self.go_on_button = push_button(self.tr("Go on"), theme, kind="primary", parent=self)
        self.own_button = push_button(
            self.tr("Use my own images"), theme, kind="primary", parent=self
        )
        self.next_button = push_button(self.tr("Next"), theme, kind="primary", parent=self)
        self.skip_button = push_button(self.tr("Skip"), theme, parent=self)
        self.stop_button = push_button(self.tr("Stop the tour"), theme, kind="quiet", parent=self)
        self.go_on_button.clicked.connect(self.go_on_requested)
        self.own_button.clicked.connect(self.own_requested)
        self.next_button.clicked.connect(self.skip_requested)
        self.skip_button.clicked.connect(self.skip_requested)
        self.stop_button.clicked.connect(self.stop_requested)
        self._lay_out()
        theme.changed.connect(self._draw)
        self._draw()
        self.hide()
        self._explain()

    def _explain(self) -> None:
        explain(self.go_on_button, self.tr("Back to the page where the tour is."))
        explain(self.own_button, self.tr("Ends the tour and imports your images."))
        explain(self.next_button, self.tr("Continues with the next step of the tour."))
        explain(self.skip_button, self.tr("On to the next step at once."))
        explain(self.stop_button, self.tr("Ends the tour; what it made is kept."))

    def show_words(self, step: str, text: str) -> None:
        """Show a sentence, and which step of how many it is about."""
        self.step.setText(step)
        self.text.setText(text)
        self.setAccessibleDescription(f"{step}. {text}")

    def offer(
        self,
        *,
        go_on: bool = False,
        following: bool = False,
        skip: bool = False,
        own: bool = False,
    ) -> None:
        """Show the buttons that make sense now.

        Args:
            go_on: Show the button that returns to the page of the tour.
            following: Show Next, on a step that stays until the user clicks it.
            skip: Show Skip, on a step that ends by itself.
            own: Show the button for the user's own images.
        """
        self.next_button.setVisible(following)
        self.go_on_button.setVisible(go_on)
        self.skip_button.setVisible(skip)
        self.own_button.setVisible(own)
        self.stop_button.setText(self.tr("Close") if own else self.tr("Stop the tour"))

    def _lay_out(self) -> None:
        words = QVBoxLayout()
        words.setSpacing(0)
        words.addStretch(1)
        words.addWidget(self.step)
        words.addWidget(self.text)
        words.addStretch(1)
        row = QHBoxLayout(self)
        row.setContentsMargins(SPACE.l, SPACE.xs, SPACE.l, SPACE.xs)
        row.setSpacing(SPACE.m)
        row.addWidget(self._picture)
        row.addLayout(words, 1)
        for button in (
            self.go_on_button,
            self.own_button,
            self.next_button,
            self.skip_button,
            self.stop_button,
        ):
            row.addWidget(button)

    def _draw(self) -> None:
        self._picture.setPixmap(pixmap("hint", self._theme, "accent", ICON))
