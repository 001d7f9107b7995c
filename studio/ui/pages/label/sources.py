"""Adds pictures to a labeling: files, datasets, videos, the clipboard, the screen, a webcam."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Final

from PySide6.QtCore import QCoreApplication, QMimeData, QObject, Qt, QTimer, Signal
from PySide6.QtGui import QGuiApplication, QImage, QKeyEvent
from PySide6.QtWidgets import QMenu, QPushButton, QWidget

from studio.engine.errors import StudioError
from studio.engine.jobs.states import State
from studio.engine.labeling.items import Origin
from studio.engine.labeling.project import Labeling
from studio.engine.labeling.sources import (
    Added,
    add_dataset,
    add_pictures,
    add_video,
    capture,
    video_paths,
)
from studio.engine.labeling.values import EXCLUDED, Value
from studio.engine.progress import Cancelled, Progress
from studio.engine.workspace import RecordKind
from studio.ui.bridge.request import Request
from studio.ui.documents.record import RecordDocument
from studio.ui.language import translated
from studio.ui.pages.label.session import LabelSession
from studio.ui.shared import media
from studio.ui.shared.file_dialogs import ask_file, ask_files, ask_folder
from studio.ui.shared.media import Camera, ScreenPicker, screen_unavailable
from studio.ui.theme.tokens import SPACE
from studio.ui.widgets.buttons import push_button
from studio.ui.widgets.figures import count, counted
from studio.ui.widgets.inputs import AskValue
from studio.ui.widgets.keys import CLASS_KEYS, class_of_key
from studio.ui.widgets.labels import HintLabel
from studio.ui.widgets.layout import STRETCH, FlowLayout, hbox, text_label, vbox
from studio.ui.widgets.notices import Kind, Notice
from studio.ui.widgets.pictures import PictureView, pixels_of
from studio.ui.widgets.tips import allow

FOLDER_KEY: Final = "label"
_CHANGED: Final = 0.02
"""Least difference of frames that are taken where only changed ones are."""
_USUAL_STEP: Final = 30
_LARGEST_STEP: Final = 100_000


def _no_step(text: str) -> str:
    """Return why a text is no step between frames; empty if it is one."""
    is_step = text.strip().isdecimal() and 1 <= int(text) <= _LARGEST_STEP
    tr = partial(QCoreApplication.translate, "PictureSources")
    return "" if is_step else tr("Enter a whole number from 1 to 100,000.")


class PictureSources(QObject):
    """Adds pictures of any source to a labeling, in another thread, one source after another.

    Args:
        session: The labeling.
        window: Widget that owns dialogs.

    Signals:
        busy_changed: Text of the current work; empty when it has ended.
    """

    busy_changed = Signal(str)

    def __init__(self, session: LabelSession, window: QWidget) -> None:
        super().__init__(window)
        self._session = session
        self._window = window
        self._adding = Request(session.context.background, self)
        self._adding.advanced.connect(self._on_advanced)
        self._videos: list[Path] = []
        title = self.tr("Frames of a video")
        help_text = self.tr("Take every n-th frame (1: only frames that changed):")
        theme, text = session.context.theme, self.tr("Add")
        self.frames = AskValue(theme, title, help_text, text, window, _no_step)
        self.frames.given.connect(self._on_frames)
        self.frames.canceled.connect(self._on_frames_canceled)
        self._waiting: deque[Callable[..., Added]] = deque()
        self._picker: ScreenPicker | None = None

    def fill(self, menu: QMenu) -> None:
        """Offer all sources but the webcam."""
        menu.clear()
        for text, call in (
            (self.tr("Folder…"), self.ask_folder),
            (self.tr("Image files…"), self.ask_files),
            (self.tr("Video…"), self.ask_video),
        ):
            menu.addAction(text, call)
        datasets = menu.addMenu(self.tr("Images of a dataset"))
        entries = self._session.context.jobs.entries(RecordKind.DATASET)
        usable = [entry for entry in entries if entry.state == State.COMPLETED]
        for entry in usable:
            name = entry.name.replace("&", "&&")
            datasets.addAction(name, partial(self.add_dataset, entry))
        datasets.setEnabled(bool(usable))
        menu.addSeparator()
        paste = menu.addAction(self.tr("Image in the clipboard"), self.paste)
        # Decodes nothing. An empty clipboard gives None, whatever PySide's types say.
        copied: QMimeData | None = QGuiApplication.clipboard().mimeData()
        paste.setEnabled(copied is not None and copied.hasImage())
        screen = menu.addAction(self.tr("Region of the screen"), self.pick_screen)
        reason = screen_unavailable()
        screen.setEnabled(not reason)
        screen.setToolTip(reason)

    def ask_folder(self) -> None:
        """Ask for a folder and add its pictures."""
        title = self.tr("Choose a folder of images")
        folder = ask_folder(self._window, title, self._session.context.settings, FOLDER_KEY)
        if folder is not None:
            self.add_paths([folder])

    def ask_files(self) -> None:
        """Ask for picture files and add them."""
        title = self.tr("Choose images")
        self.add_paths(ask_files(self._window, title, self._session.context.settings, FOLDER_KEY))

    def ask_video(self) -> None:
        """Ask for a video, and which of its frames are added."""
        title = self.tr("Choose a video")
        path = ask_file(self._window, title, self._session.context.settings, FOLDER_KEY)
        if path is not None:
            self._videos.append(path)
            self.ask_frames()

    def ask_frames(self) -> None:
        """Ask which frames of the waiting videos are added, unless other pictures are still added.

        The first picture in an empty labeling takes the focus, which closes a question. Nothing
        is asked while another page is shown.
        """
        is_asked = self.frames.isVisible()
        if self._videos and not (is_asked or self._adding.is_running) and self._window.isVisible():
            self.frames.ask(self._window, str(_USUAL_STEP))

    def _on_frames_canceled(self) -> None:
        self._videos.clear()

    def _on_frames(self, text: str) -> None:
        """Add every n-th frame of the dropped or chosen videos."""
        every, videos = int(text), list(self._videos)
        self._videos.clear()
        changed = _CHANGED if every == 1 else 0.0
        for path in videos:
            self._run(
                partial(add_video, self._session.labeling, path, every=every, changed=changed)
            )

    def add_paths(self, paths: Sequence[Path]) -> None:
        """Add files and folders; videos ask which frames are taken."""
        videos, others = video_paths(paths)
        if others:
            self._run(partial(add_pictures, self._session.labeling, others))
        self._videos += videos
        self.ask_frames()

    def add_dataset(self, entry: RecordDocument) -> None:
        """Add the images of a dataset without their labels."""
        workspace = self._session.context.workspace
        self._run(partial(add_dataset, self._session.labeling, workspace, entry.record))

    def paste(self) -> None:
        """Add the picture in the clipboard."""
        self.add_image(QGuiApplication.clipboard().image(), "clipboard")

    def pick_screen(self) -> None:
        """Let the user draw a rectangle on the screen and add what is in it."""
        self._picker = ScreenPicker(self._window.window())
        self._picker.picked.connect(partial(self.add_image, origin="screen"))
        self._picker.start()

    def add_image(self, image: QImage, origin: Origin) -> None:
        """Add a picture that has no file.

        Args:
            image: The picture; a null one is left out.
            origin: "clipboard", "screen" or "webcam".
        """
        if not image.isNull():
            work = partial(capture_image, self._session.labeling, image, origin)
            self._session.context.background.run(self, work, self._on_captured)

    def cancel(self) -> None:
        """End what is being added and leave out what waits; what was added until then stays."""
        waiting = len(self._waiting) + len(self._videos)
        if waiting:
            one = self.tr("1 source was still waiting. Add it again if you need it.")
            many = self.tr("{n} sources were still waiting. Add them again if you need them.")
            text = counted(waiting, one, many)
            notice = Notice("info", self.tr("Stopped adding images"), text)
            self._session.context.navigator.notify(notice)
        self._waiting.clear()
        self._videos.clear()
        self._adding.stop()

    def _on_captured(self, _item: int) -> None:
        self._session.added()

    def _run(self, work: Callable[..., Added]) -> None:
        self._waiting.append(work)
        if not self._adding.is_running:
            self._start_next()

    def _start_next(self) -> None:
        if not self._waiting:
            self.busy_changed.emit("")
            self.ask_frames()
            return
        work = self._waiting.popleft()
        self.busy_changed.emit(self.tr("Adding images…"))
        self._adding.track(partial(_tracked, work), self._on_added, self._on_failed)

    def _on_advanced(self, done: int, total: int, what: str) -> None:
        figures = f"{count(done)} / {count(total)}" if total else count(done)
        self.busy_changed.emit(f"{translated(what)} · {figures}")

    def _on_added(self, added: Added) -> None:
        self._end()
        one, many = self.tr("1 image added."), self.tr("{n} images added.")
        parts = [counted(len(added.items), one, many)]
        if added.duplicates:
            parts.append(self.tr("{n} were already there.").format(n=count(added.duplicates)))
        if added.skipped:
            first = added.skipped[0]
            text = self.tr("{n} cannot be read, such as {file}.")
            parts.append(text.format(n=count(len(added.skipped)), file=Path(first.path).name))
        kind: Kind = "warning" if added.skipped else "success"
        word = self.tr("Leave them out") if added.items else ""
        leave_out = partial(self._leave_out, tuple(added.items))
        notice = Notice(
            kind, self.tr("Images added"), " ".join(parts), action_text=word, action=leave_out
        )
        self._session.context.navigator.notify(notice)

    def _leave_out(self, items: Sequence[int]) -> None:
        """Leave images out of datasets that were added by mistake; those with labels stay."""
        labels = self._session.labeling.labels
        undecided = [item for item in items if item not in labels]
        if undecided:
            self._session.label(undecided, EXCLUDED, "click")

    def _end(self) -> None:
        self._session.added()
        self._start_next()

    def _on_failed(self, error: BaseException) -> None:
        self._end()
        if not isinstance(error, Cancelled):
            self._session.context.navigator.show_failure(error)


def _tracked(work: Callable[..., Added], progress: Progress) -> Added:
    return work(progress=progress)


def capture_image(
    labeling: Labeling, image: QImage, origin: Origin, value: Value | None = None
) -> int:
    """Add a picture that has no file, and return its number; in another thread.

    Args:
        labeling: The labeling.
        image: The picture.
        origin: Where it came from.
        value: Its value; None for none yet.
    """
    return capture(labeling, pixels_of(image), origin, value)


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
        self._timer = QTimer(self, interval=_EVERY_MS)
        self._timer.timeout.connect(self._take)
        self.picture = PictureView(theme, self)
        self._make_buttons()
        self.problem = HintLabel("", parent=self)
        self.count_text = text_label("", "muted", self)
        text = self.tr("Hold a button, or the key 1 to 9 of a class, to collect examples.")
        self.hold_text = text_label(text, "muted", self, wraps=True)
        self._buttons: list[QPushButton] = []
        self._row = QWidget(self)
        self._flow = FlowLayout(self._row)
        buttons = (self.start_button, self.stop_button, self.take_button)
        top = hbox(*buttons, STRETCH, self.count_text, spacing=SPACE.s)
        parts = (top, self.problem, (self.picture, 1), self.hold_text, self._row)
        vbox(*parts, owner=self, spacing=SPACE.s)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        session.classes_changed.connect(self._show_classes)
        self._show_classes()
        self._show_state()

    def _make_buttons(self) -> None:
        theme, text = self._session.context.theme, self.tr("Switch on")
        tip = self.tr("Starts the webcam.")
        self.start_button = push_button(
            text, theme, kind="primary", icon="camera", tip=tip, on_click=self.start
        )
        text, tip = self.tr("Switch off"), self.tr("Stops the webcam.")
        self.stop_button = push_button(text, theme, icon="stop", tip=tip, on_click=self.stop)
        text, tip = self.tr("Capture an image"), self.tr("Adds an image without a label (Space)")
        self.take_button = push_button(text, theme, icon="image", tip=tip, on_click=self.take_one)

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
        """Start collecting a class while its key is held."""
        index = class_of_key(event)
        if index is not None:
            if not event.isAutoRepeat() and self._takes_classes:
                self.hold(index)
        elif event.key() == Qt.Key.Key_Space:
            self.take_one()
        else:
            super().keyPressEvent(event)

    def keyReleaseEvent(self, event: QKeyEvent) -> None:
        """Stop collecting a class when its key is released."""
        if not event.isAutoRepeat():
            self._release()
        super().keyReleaseEvent(event)

    @property
    def _takes_classes(self) -> bool:
        return self._session.labeling.editor.gives_classes

    def _release(self) -> None:
        self._held = -1
        self._timer.stop()

    def _take(self) -> None:
        if self._held >= 0:
            (value,) = self._session.labeling.editor.with_class([None], self._held)
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
        one, many = self.tr("1 image taken"), self.tr("{n} images taken")
        self.count_text.setText(counted(self._taken, one, many))
        self._session.added()
        self._session.labels_changed.emit([item])

    def _on_not_saved(self, error: BaseException) -> None:
        self._is_saving = False
        self._release()
        self._session.context.navigator.show_failure(error)

    def _on_frame(self, image: QImage) -> None:
        self._image = image
        self.picture.set_image(image, self.tr("Image of the webcam"))

    def _on_failed(self, reason: str) -> None:
        self.stop()
        self.problem.show_text(reason, "problem")

    def _show_classes(self) -> None:
        names = self._session.labeling.names if self._takes_classes else ()
        for name in names[len(self._buttons) :]:
            index = len(self._buttons)
            key = f"{index + 1}  " if index < CLASS_KEYS else ""
            button = QPushButton(f"{key}{name}".replace("&", "&&"), self._row)
            button.setAccessibleName(name)
            button.setWhatsThis(self.tr("Hold it to collect examples of this class."))
            button.pressed.connect(partial(self.hold, index))
            button.released.connect(self._release)
            self._flow.addWidget(button)
            self._buttons.append(button)
        self.hold_text.setVisible(bool(self._buttons))
        self._show_state()

    def _show_state(self) -> None:
        missing = media.missing()
        allow(self.start_button, missing)
        self.start_button.setEnabled(not self.is_on and not missing)
        reason = "" if self.is_on else self.tr("Switch the webcam on first.")
        for button in (self.stop_button, self.take_button, *self._buttons):
            allow(button, reason)
        if missing:
            self.problem.show_text(missing, "advice")
