"""Drop targets: an area for files and folders, the hint over a widget during a drag."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from PySide6.QtCore import QMimeData, QSize, Qt, Signal
from PySide6.QtGui import (
    QDragEnterEvent,
    QDragLeaveEvent,
    QDropEvent,
    QKeyEvent,
    QResizeEvent,
)
from PySide6.QtWidgets import QFrame, QLabel, QPushButton, QWidget

from studio.ui.theme.icons import set_icon
from studio.ui.theme.stylesheet import restyle
from studio.ui.theme.theme import Theme
from studio.ui.theme.tokens import SPACE
from studio.ui.widgets.buttons import push_button
from studio.ui.widgets.labels import IconLabel
from studio.ui.widgets.layout import STRETCH, hbox, text_label, vbox, with_wrapped_lines

_PICTURE = 40


def local_paths(data: QMimeData) -> list[Path]:
    """Return the dragged files and folders; empty if any of them is not local."""
    urls = data.urls() if data.hasUrls() else []
    # “file:” alone is local and names nothing; as a path it would be wherever Studio was started.
    if not all(url.isLocalFile() and url.toLocalFile() for url in urls):
        return []
    return [Path(url.toLocalFile()) for url in urls]


class DropArea(QFrame):
    """A dashed area with an icon, a line of text and a button, and further ones beside it.

    Signals:
        paths_dropped: `list[Path]` of local files and folders; never empty.
        browse_requested: The button was pressed, or Enter or Space on the area.
    """

    paths_dropped = Signal(list)
    browse_requested = Signal()

    def __init__(
        self,
        theme: Theme,
        text: str,
        hint: str = "",
        *,
        icon: str = "drop",
        button: str = "",
        more: Sequence[QPushButton] = (),
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(parent)
        self._theme = theme
        self.setProperty("droppable", True)
        self.setAcceptDrops(True)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self._text = text_label("", "section", self)
        self._hint = text_label("", "muted", self)
        for label in (self._text, self._hint):
            label.setAlignment(Qt.AlignmentFlag.AlignCenter)
            label.setWordWrap(True)
        word = button or self.tr("Choose…")
        self.button = push_button(word, theme, kind="primary", icon="folder-open", parent=self)
        self.button.clicked.connect(self.browse_requested)
        self._lay_out(IconLabel(theme, icon, "accent", _PICTURE, self), more)
        self.set_text(text, hint)

    def set_primary(self, is_primary: bool) -> None:
        """Make the button the primary one, or a normal one beside that of the view."""
        restyle(self.button, "kind", "primary" if is_primary else "normal")
        set_icon(self.button, "folder-open", self._theme, "on_accent" if is_primary else "text")

    def set_text(self, text: str, hint: str = "") -> None:
        """Show what may be dropped or, during a drag, what dropping would do.

        Args:
            text: The text.
            hint: Second line.
        """
        self._text.setText(text)
        self._hint.setText(hint)
        self._hint.setVisible(bool(hint))
        self.setAccessibleName(text)
        self.setAccessibleDescription(hint)
        for part in (self, self.button):
            part.setWhatsThis(hint or text)

    def sizeHint(self) -> QSize:
        """Large enough to be an invitation."""
        return super().sizeHint().expandedTo(QSize(420, 220))

    def minimumSizeHint(self) -> QSize:
        """Return the least size, with the lines into which the texts wrap at this width."""
        return with_wrapped_lines(self, super().minimumSizeHint())

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Ask for another height if the texts wrap otherwise."""
        super().resizeEvent(event)
        if event.size().width() != event.oldSize().width():
            self.updateGeometry()

    def dragEnterEvent(self, event: QDragEnterEvent) -> None:
        """Take local files and folders, refuse everything else."""
        if local_paths(event.mimeData()):
            restyle(self, "over", True)
            event.acceptProposedAction()
        else:
            event.ignore()

    def dragLeaveEvent(self, event: QDragLeaveEvent) -> None:
        """Remove the highlight."""
        restyle(self, "over", False)
        super().dragLeaveEvent(event)

    def dropEvent(self, event: QDropEvent) -> None:
        """Emit the dropped paths."""
        restyle(self, "over", False)
        paths = local_paths(event.mimeData())
        if paths:
            event.acceptProposedAction()
            self.paths_dropped.emit(paths)
        else:
            event.ignore()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Enter and Space do what the button does."""
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter, Qt.Key.Key_Space):
            self.browse_requested.emit()
        else:
            super().keyPressEvent(event)

    def _lay_out(self, picture: QLabel, more: Sequence[QPushButton]) -> None:
        center = Qt.AlignmentFlag.AlignHCenter
        vbox(
            STRETCH,
            (picture, center),
            self._text,
            self._hint,
            SPACE.s,
            hbox(STRETCH, self.button, *more, STRETCH, spacing=SPACE.s),
            STRETCH,
            owner=self,
            spacing=SPACE.s,
            margins=SPACE.xl,
        )


class DropOverlay(QLabel):
    """A sentence over a widget while something is dragged across it."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self._covered = parent
        self.setObjectName("dropOverlay")
        self.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self.setWordWrap(True)
        self.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        self.hide()

    def offer(self, text: str) -> None:
        """Show what dropping would do; an empty text hides it."""
        if not text:
            self.hide()
            return
        self.setText(text)
        self.setGeometry(self._covered.rect())
        self.raise_()
        self.show()
