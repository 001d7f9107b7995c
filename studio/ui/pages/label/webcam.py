"""Examples from a webcam: a picture after another while the key of a class is held."""

from __future__ import annotations

from functools import partial
from typing import Final

from PySide6.QtCore import Qt, QTimer
from PySide6.QtGui import QImage, QKeyEvent
from PySide6.QtWidgets import QPushButton, QWidget

from studio.engine.errors import StudioError
from studio.engine.labeling.values import ClassValue, LabelsValue, Value
from studio.ui.pages.label.classes import KEYS
from studio.ui.pages.label.session import LabelSession
from studio.ui.pages.label.sources import capture_image
from studio.ui.shared import media
from studio.ui.shared.media import Camera
from studio.ui.theme.tokens import SPACE
from studio.ui.widgets.buttons import push_button
from studio.ui.widgets.figures import count
from studio.ui.widgets.labels import HintLabel
from studio.ui.widgets.layout import STRETCH, FlowLayout, hbox, text_label, vbox
from studio.ui.widgets.pictures import PictureView

_EVERY_MS: Final = 125
"""Between two pictures while a class is held."""


class WebcamPanel(QWidget):
    """The picture of the webcam, and a button for each class to hold.

    Holding the button or the key 1 to 9 of a class collects its examples, eight a second. Without
    classes, or for other tasks, Space takes a picture without a label.

    Args:
        session: The labeling.
        parent: Parent widget.
    """

    def __init__(self, session: LabelSession, parent: QWidget) -> None:
        super().__init__(parent)
        self._session = session
        theme = session.context.theme
        self._camera: Camera | None = None
        self._image = QImage()
        self._held = -1
        self._taken = 0
        self._is_saving = False
        self._timer = QTimer(self)
        self._timer.setInterval(_EVERY_MS)
        self._timer.timeout.connect(self._take)
        self.picture = PictureView(theme, self)
        self._make_buttons()
        self.problem = HintLabel("", parent=self)
        self.count_text = text_label("", "muted", self)
        self.hold_text = text_label(
            self.tr("Hold a button, or the key 1 to 9 of a class, to collect examples."),
            "muted",
            self,
            wraps=True,
        )
        self._buttons: list[QPushButton] = []
        self._row = QWidget(self)
        self._flow = FlowLayout(self._row)
        vbox(
            hbox(
                self.start_button,
                self.stop_button,
                self.take_button,
                STRETCH,
                self.count_text,
                spacing=SPACE.s,
            ),
            self.problem,
            (self.picture, 1),
            self.hold_text,
            self._row,
            owner=self,
            spacing=SPACE.s,
        )
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        session.classes_changed.connect(self._show_classes)
        self._show_classes()
        self._show_state()

    def _make_buttons(self) -> None:
        theme = self._session.context.theme
        self.start_button = push_button(
            self.tr("Switch on"),
            theme,
            kind="primary",
            icon="camera",
            tip=self.tr("Starts the webcam."),
            on_click=self.start,
        )
        self.stop_button = push_button(
            self.tr("Switch off"),
            theme,
            icon="stop",
            tip=self.tr("Stops the webcam."),
            on_click=self.stop,
        )
        self.take_button = push_button(
            self.tr("Take a picture"),
            theme,
            icon="image",
            tip=self.tr("Adds a picture without a label (Space)"),
            on_click=self.take_one,
        )

    @property
    def is_on(self) -> bool:
        """True while the webcam is on."""
        return self._camera is not None

    def start(self) -> None:
        """Switch the webcam on."""
        camera = Camera(self)
        try:
            media.load()
            camera.start()
        except StudioError as error:
            camera.stop()
            self.problem.show_text(f"{error.message} {error.hint}".strip(), "problem")
            return
        self.use(camera)

    def use(self, camera: Camera) -> None:
        """Show the frames of a camera that is on."""
        self.stop()
        self._camera = camera
        camera.frame.connect(self._on_frame)
        camera.failed.connect(self._on_failed)
        self.problem.show_text("")
        self._show_state()
        self.setFocus()

    def stop(self) -> None:
        """Switch the webcam off."""
        self._release()
        camera, self._camera = self._camera, None
        if camera is not None:
            camera.stop()
        self._image = QImage()
        self.picture.set_image(None)
        self._show_state()

    def hold(self, index: int) -> None:
        """Collect examples of a class until `release`."""
        if self.is_on and index < len(self._session.labeling.names):
            self._held = index
            self._take()
            self._timer.start()

    def take_one(self) -> None:
        """Add the current frame without a label."""
        self._save(None)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Hold a class by its key."""
        key = Qt.Key(event.key())
        if Qt.Key.Key_1 <= key < Qt.Key.Key_1 + KEYS:
            if not event.isAutoRepeat() and self._takes_classes:
                self.hold(int(key) - int(Qt.Key.Key_1))
        elif key == Qt.Key.Key_Space:
            self.take_one()
        else:
            super().keyPressEvent(event)

    def keyReleaseEvent(self, event: QKeyEvent) -> None:
        """Let a class go."""
        if not event.isAutoRepeat():
            self._release()
        super().keyReleaseEvent(event)

    @property
    def _takes_classes(self) -> bool:
        return self._session.labeling.kind in ("class", "labels")

    def _release(self) -> None:
        self._held = -1
        self._timer.stop()

    def _take(self) -> None:
        if self._held >= 0:
            is_set = self._session.labeling.kind == "labels"
            value = LabelsValue.of([self._held]) if is_set else ClassValue(index=self._held)
            self._save(value)

    def _save(self, value: Value | None) -> None:
        # A slow disk takes fewer pictures; none waits in memory.
        if self._image.isNull() or self._is_saving:
            return
        self._is_saving = True
        work = partial(capture_image, self._session.labeling, self._image, "webcam", value)
        background = self._session.context.background
        background.run(self, work, self._on_saved, self._on_not_saved)

    def _on_saved(self, item: int) -> None:
        self._is_saving = False
        self._taken += 1
        self.count_text.setText(self.tr("{n} pictures taken").format(n=count(self._taken)))
        self._session.added()
        self._session.labels_changed.emit([item])

    def _on_not_saved(self, error: BaseException) -> None:
        self._is_saving = False
        self._release()
        self._session.context.navigator.show_failure(error)

    def _on_frame(self, image: QImage) -> None:
        self._image = image
        self.picture.set_image(image, self.tr("Picture of the webcam"))

    def _on_failed(self, reason: str) -> None:
        self.stop()
        self.problem.show_text(reason, "problem")

    def _show_classes(self) -> None:
        names = self._session.labeling.names if self._takes_classes else ()
        for name in names[len(self._buttons) :]:
            index = len(self._buttons)
            key = f"{index + 1}  " if index < KEYS else ""
            button = QPushButton(f"{key}{name}".replace("&", "&&"), self._row)
            button.setAccessibleName(name)
            button.setToolTip(self.tr("Hold it to collect examples of this class."))
            button.setWhatsThis(button.toolTip())
            button.pressed.connect(partial(self.hold, index))
            button.released.connect(self._release)
            self._flow.addWidget(button)
            self._buttons.append(button)
        self.hold_text.setVisible(bool(self._buttons))
        self._show_state()

    def _show_state(self) -> None:
        missing = media.missing()
        self.start_button.setEnabled(not self.is_on and not missing)
        self.start_button.setToolTip(missing or self.start_button.whatsThis())
        reason = "" if self.is_on else self.tr("Switch the webcam on first.")
        for button in (self.stop_button, self.take_button, *self._buttons):
            button.setEnabled(self.is_on)
            button.setToolTip(reason or button.whatsThis())
        if missing:
            self.problem.show_text(missing, "advice")
