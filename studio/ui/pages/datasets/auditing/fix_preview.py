"""The images that a fix of a finding would change, before it is applied."""

from __future__ import annotations

from functools import partial

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QWidget

from studio.engine.datasets.audit.remaining import FixedImage, preview_fix
from studio.engine.errors import StudioError
from studio.ui.bridge.background import Background
from studio.ui.bridge.request import Request
from studio.ui.language import translated
from studio.ui.pages.datasets.auditing import messages as audit_messages
from studio.ui.pages.datasets.browsing.images import DatasetImages
from studio.ui.pages.datasets.versions.editor import DatasetEditor, Fix
from studio.ui.shared.dataset_pictures import Captioned, PictureGrid
from studio.ui.theme.theme import Theme
from studio.ui.theme.tokens import SPACE
from studio.ui.widgets.buttons import click_once, push_button
from studio.ui.widgets.labels import HintLabel
from studio.ui.widgets.layout import hbox, text_label, vbox
from studio.ui.widgets.tips import allow, explain

_THUMB = 112


class FixPreview(QWidget):
    """The images of a fix with what changes of each, and the button that applies it.

    Signals:
        closed: Show the findings again.
    """

    closed = Signal()

    def __init__(
        self,
        theme: Theme,
        background: Background,
        editor: DatasetEditor,
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(parent)
        self._background = background
        self._editor = editor
        self._reading = Request(background, self)
        self._pictures: DatasetImages | None = None
        self._fix: Fix | None = None
        self._images: list[FixedImage] = []
        self.title = text_label("", "section", self)
        self.hint = HintLabel(parent=self)
        self.grid = PictureGrid(theme, self)
        self.grid.set_thumb_size(_THUMB)
        self.grid.setAccessibleName(self.tr("Images that change"))
        make = partial(push_button, theme=theme, parent=self)
        explain(self.grid, self.tr("The images, each with its old and its new class."))
        tip = self.tr("Returns to the findings. Nothing is changed.")
        self.cancel_button = make(self.tr("Cancel"), tip=tip)
        self.cancel_button.clicked.connect(self.closed)
        tip = self.tr("Changes these images in one step, which can be undone.")
        self.apply_button = make("", tip=tip, on_click=self.apply)
        click_once(self.apply_button)
        head = hbox((self.title, 1), self.cancel_button, self.apply_button, spacing=SPACE.s)
        vbox(head, self.hint, (self.grid, 1), owner=self, spacing=SPACE.s)
        editor.changed.connect(self._allow)

    @property
    def kind(self) -> str:
        """Kind of the finding; empty before the first fix."""
        return "" if self._fix is None else self._fix.kind

    def start(self, pictures: DatasetImages, fix: Fix) -> None:
        """Show the effect of a fix.

        Args:
            pictures: Images of the dataset.
            fix: The fix.
        """
        self._pictures, self._fix, self._images = pictures, fix, []
        self.title.setText(audit_messages.title(fix.kind))
        self.apply_button.setText(self.tr("Apply"))
        self.hint.show_text(self.tr("Reading the images…"))
        self.grid.show_images([], pictures)
        work = partial(preview_fix, pictures.folder, fix.kind, fix.action, fix.label)
        self._reading.run(work, self._on_images, self._on_failed)
        self._allow()
        self.cancel_button.setFocus()

    def stop(self) -> None:
        """Show nothing."""
        self._reading.drop()
        self._fix, self._images = None, []

    def apply(self) -> None:
        """Apply the fix, and show the findings again."""
        if self._fix is not None and self._images and self._editor.is_ready:
            self._editor.fix(self._fix)
            self.closed.emit()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Go back with Escape."""
        if event.key() == Qt.Key.Key_Escape:
            self.closed.emit()
        else:
            super().keyPressEvent(event)

    def _on_images(self, images: list[FixedImage]) -> None:
        fix, pictures = self._fix, self._pictures
        if fix is None or pictures is None:
            return
        self._images = images
        self.apply_button.setText(audit_messages.fix_button(fix.action, len(images)))
        self.hint.show_text(audit_messages.fix_effect(fix.action))
        shown = []
        for image in images:
            caption = audit_messages.change(fix.action, image.before, image.after)
            shown.append(Captioned(image.row, caption, f"{image.path}\n{caption}"))
        self.grid.show_images(shown, pictures)
        self._allow()

    def _on_failed(self, error: BaseException) -> None:
        if not isinstance(error, StudioError):
            self._background.failed.emit(error)
            return
        self.hint.show_text(translated(error.text), "problem")

    def _allow(self) -> None:
        reason = "" if self._images else self.tr("Wait until the images are read")
        if not self._editor.is_ready:
            reason = self.tr("Wait until the previous edit is done")
        allow(self.apply_button, reason)
