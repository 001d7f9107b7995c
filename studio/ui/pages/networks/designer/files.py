"""Reading and keeping networks, and asking where. Called by the designer."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from itertools import count
from pathlib import Path
from typing import Final

from PySide6.QtCore import (
    QBuffer,
    QByteArray,
    QCoreApplication,
    QObject,
    QRect,
    QRectF,
    QSize,
    Qt,
    Signal,
)
from PySide6.QtGui import QColor, QImage, QImageWriter, QPainter
from PySide6.QtWidgets import QWidget

from studio.engine.errors import BadDataError, StudioError
from studio.engine.files import free_name, slug, write_atomically
from studio.engine.inference.requests import expand, read_model
from studio.engine.messages import joined
from studio.engine.networks import library
from studio.engine.networks.catalog import Entry, own_entries, zoo_entries
from studio.engine.networks.code import keras_code
from studio.engine.networks.drafts import FOLDER, DraftFolder, NetworkDocument
from studio.engine.networks.library import MODEL_FILES, ExportedNetwork, read_export
from studio.engine.networks.spec import NetworkSpec, ReadNetwork
from studio.engine.training.model_format import is_model
from studio.engine.workspace import RecordKind, Workspace
from studio.ui.context import AppContext
from studio.ui.pages.networks.designer.drawing import Drawing
from studio.ui.pages.networks.designer.scene import CanvasScene
from studio.ui.settings import Settings
from studio.ui.shared.file_dialogs import ask_file
from studio.ui.widgets.layout import Debounce
from studio.ui.widgets.notices import Notice
from studio.ui.widgets.save_dialog import ask_target

FILES: Final = (".json", *MODEL_FILES)
_MARGIN: Final = 24.0
_SHARPNESS: Final = 2.0
_LARGEST: Final = 16_000
"""Pixels at most along one side of a PNG; larger drawings are scaled down."""


def picture(scene: CanvasScene, ground: QColor) -> QImage:
    """Return the whole drawing as an image at twice its size.

    Raises:
        StudioError: There is no memory for it.
    """
    area = _area(scene)
    sharpness = min(_SHARPNESS, _LARGEST / max(area.width(), area.height()))
    image = QImage(
        round(area.width() * sharpness),
        round(area.height() * sharpness),
        QImage.Format.Format_ARGB32_Premultiplied,
    )
    if image.isNull():
        raise StudioError(
            "The image does not fit into memory.",
            "Collapse some blocks, or save the drawing as SVG.",
        )
    image.fill(ground)
    painter = QPainter(image)
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    _render(scene, painter, QRectF(image.rect()), area)
    painter.end()
    return image


def save_png(image: QImage, path: Path) -> None:
    """Write a picture.

    Raises:
        StudioError: The file cannot be written.
    """
    buffer = QBuffer()
    writer = QImageWriter(buffer, QByteArray(b"png"))
    if not writer.write(image):
        raise StudioError(
            "The image cannot be written as PNG: {reason}.",
            "Collapse some blocks, or save the drawing as SVG.",
            str(path),
            reason=writer.errorString(),
        )
    save(bytes(buffer.data().data()), path)


def vectors(scene: CanvasScene, ground: QColor, title: str) -> bytes:
    """Return the whole drawing as the contents of an SVG file."""
    from PySide6.QtSvg import QSvgGenerator  # noqa: PLC0415 - needed only here, and rarely

    area = _area(scene)
    size = QSize(round(area.width()), round(area.height()))
    buffer = QBuffer()
    generator = QSvgGenerator()
    generator.setOutputDevice(buffer)
    generator.setTitle(title)
    generator.setSize(size)
    generator.setViewBox(QRect(0, 0, size.width(), size.height()))
    painter = QPainter(generator)
    painter.fillRect(0, 0, size.width(), size.height(), ground)
    _render(scene, painter, QRectF(0, 0, size.width(), size.height()), area)
    painter.end()
    return bytes(buffer.data().data())


def save_code(spec: NetworkSpec, path: Path) -> None:
    """Write Keras code that builds the network without Studio.

    Raises:
        StudioError: The file cannot be written, or the network has something wrong.
    """
    save(keras_code(spec), path)


def save(content: str | bytes, path: Path) -> None:
    """Write a file.

    Raises:
        StudioError: It cannot be written.
    """
    try:
        write_atomically(path, content)
    except OSError as error:
        raise StudioError(
            '"{path}" could not be written.',
            "Choose an existing folder that you can write to.",
            str(path),
            path=path,
        ) from error


def _area(scene: CanvasScene) -> QRectF:
    return scene.graphics.content().adjusted(-_MARGIN, -_MARGIN, _MARGIN, _MARGIN)


def _render(scene: CanvasScene, painter: QPainter, target: QRectF, area: QRectF) -> None:
    """Paint the scene without the selection."""
    drawing = scene.drawing
    selection, wire = drawing.selection, drawing.wire
    drawing.select([])
    scene.render(painter, target, area, Qt.AspectRatioMode.KeepAspectRatio)
    drawing.select(selection, wire)


@dataclass(frozen=True, slots=True)
class StoredNetwork:
    """A drawing that was saved.

    Attributes:
        sent: The document as it was when asked for.
        record_id: Record id of the saved network.
        name: Its name, which differs from the requested one if that was taken.
    """

    sent: NetworkDocument
    record_id: str
    name: str


def store(workspace: Workspace, sent: NetworkDocument, record_id: str) -> StoredNetwork:
    """Save a drawing as its existing network, or as a new one under a free name.

    Raises:
        StudioError: Its name cannot be one, or another network has it.
        DiskFullError: No space was left.
    """
    spec = sent.spec
    known = workspace.record(RecordKind.NETWORK, record_id) if record_id else None
    if known is None:
        taken = [network.name for network in library.saved(workspace)]
        saved = library.save(workspace, spec, free_name(spec.name, taken))
    else:
        if known.name != spec.name:
            library.rename(workspace, record_id, spec.name)
        saved = library.update(workspace, record_id, spec)
    return StoredNetwork(sent, saved.id, saved.name)


def _known(workspace: Workspace) -> tuple[Entry, ...]:
    return *own_entries(library.saved(workspace)), *zoo_entries()


class DesignerFiles(QObject):
    """Everything of the designer that touches the disk.

    Signals:
        opened: A file was read: the NetworkSpec and, of a model with weights, its path.
        listed: The networks that can be opened by name.
        expanded: The document that was asked about, and its drawing with the layers of its
            backbones.
        stored: A drawing was saved: a `StoredNetwork`.
    """

    opened = Signal(object, str)
    listed = Signal(object)
    expanded = Signal(object, object)
    stored = Signal(object)

    def __init__(
        self, context: AppContext, drawing: Drawing, scene: CanvasScene, parent: QWidget
    ) -> None:
        super().__init__(parent)
        self._context = context
        self._drawing = drawing
        self._scene = scene
        self._window = parent

    def show_file(self, path: Path) -> None:
        """Read a JSON description, an export, or a Keras model in the engine host."""
        context = self._context
        if is_model(path):
            ask = partial(read_model, context.engine, path)
            context.background.ask(self, ask, partial(self._take_model, path))
        elif path.suffix.lower() == ".zip":
            context.background.run(self, partial(read_export, path), self._take_export)
        else:
            context.background.run(self, partial(library.read_network, path), self._take)

    def _take_export(self, exported: ExportedNetwork) -> None:
        self.opened.emit(exported.spec, exported.weights)

    def ask_open(self) -> None:
        """Ask for a file and show it."""
        path = ask_network_file(self._window, self._context.settings)
        if path is not None:
            self.show_file(path)

    def list_known(self) -> None:
        """Look up the networks of the zoo and of the workspace."""
        work = partial(_known, self._context.workspace)
        self._context.background.run(self, work, self.listed.emit)

    def save(self, record_id: str) -> None:
        """Save the drawing in the workspace."""
        work = partial(store, self._context.workspace, self._drawing.document, record_id)
        self._context.background.run(self, work, self.stored.emit)

    def export_png(self) -> None:
        """Ask for a file and write a picture."""
        ground = QColor(self._context.theme.palette.ground)
        self._export(".png", lambda: partial(save_png, picture(self._scene, ground)))

    def export_svg(self) -> None:
        """Ask for a file and write an SVG image."""
        ground = QColor(self._context.theme.palette.ground)
        title = self._drawing.spec.name
        self._export(".svg", lambda: partial(save, vectors(self._scene, ground, title)))

    def export_json(self) -> None:
        """Ask for a file and write the description."""
        self._export(".json", lambda: partial(save, self._drawing.spec.to_json()))

    def export_code(self) -> None:
        """Ask for a file and write Keras code."""
        self._export(".py", lambda: partial(save_code, self._drawing.spec))

    def _export(self, suffix: str, prepare: Callable[[], Callable[[Path], None]]) -> None:
        """Ask for a file; `prepare` runs now, and what it returns runs in another thread."""
        path = ask_target(
            self._window,
            self.tr("Export"),
            Path(f"{slug(self._drawing.spec.name, 'network')}{suffix}"),
        )
        if path is None:
            return
        try:
            write = prepare()
        except StudioError as error:
            self._context.navigator.show_failure(error)
            return
        whole = path if path.suffix else path.with_suffix(suffix)
        work = partial(write, path) if whole == path else partial(_write_new, write, whole)
        done, failed = partial(self._on_written, whole), self._context.navigator.show_failure
        self._context.background.run(self, work, done, failed)

    def _on_written(self, path: Path, _nothing: None) -> None:
        text = self.tr('Written to "{0}".').format(path.name)
        self._context.navigator.notify(Notice("success", text))

    def expand(self) -> None:
        """Replace backbones by their layers."""
        context, sent = self._context, self._drawing.document
        ask = partial(expand, context.engine, sent.spec)
        context.background.ask(self, ask, partial(self.expanded.emit, sent))

    def _take(self, spec: NetworkSpec) -> None:
        self.opened.emit(spec, "")

    def _take_model(self, path: Path, read: ReadNetwork) -> None:
        self.opened.emit(read.spec, str(path))
        text = self.tr('"{0}" was read into a drawing.').format(path.name)
        use = self.tr("Its weights are used when you train it from here.")
        self._context.navigator.notify(Notice("info", text, joined((use, *read.notes))))


def ask_network_file(parent: QWidget, settings: Settings) -> Path | None:
    """Ask for a file with a network or a model."""
    tr = partial(QCoreApplication.translate, "networks")
    kinds = tr("Networks and models ({files})")
    kinds = kinds.format(files=" ".join(f"*{suffix}" for suffix in (*FILES, ".zip")))
    return ask_file(parent, tr("Open a network"), settings, "networks", kinds)


def _write_new(write: Callable[[Path], None], path: Path) -> None:
    """Write a new file.

    Raises:
        StudioError: There is one of that name already.
    """
    if path.exists():
        raise StudioError(
            'The file "{file}" already exists.',
            "Enter the name with its extension to replace it.",
            str(path),
            file=path.name,
        )
    write(path)


PAUSE_MS: Final = 1000
"""Quiet after a change before a draft is written."""


class Drafts(QObject):
    """Writes the draft of the drawing at hand, in the background, and reads those of before.

    Signals:
        found: `list[NetworkDocument]`: drawings that were not saved when a window closed.
    """

    found = Signal(object)

    def __init__(self, context: AppContext, parent: QObject) -> None:
        super().__init__(parent)
        self._context = context
        self._folder = DraftFolder(context.workspace.root / FOLDER)
        self._numbers = count(1)
        self._waiting: NetworkDocument | None = None
        self._written: set[str] = set()
        self._timer = Debounce(PAUSE_MS, self._write, self)
        context.background.closing.connect(self._finish)

    def search(self) -> None:
        """Read the drafts of earlier windows and emit `found`."""
        self._context.background.run(self, self._folder.read, self._on_read)

    def follow(self, document: NetworkDocument) -> None:
        """Write the draft of a drawing soon, or delete it if there are no unsaved changes."""
        if self._waiting is not None and self._waiting.key != document.key:
            self._write()
        if document.is_dirty or document.key in self._written or self._waiting is not None:
            self._waiting = document
            self._timer.start()

    def _on_read(self, found: tuple[list[NetworkDocument], list[BadDataError]]) -> None:
        documents, unread = found
        for error in unread:
            self._context.navigator.show_failure(error)
        self._written |= {document.key for document in documents}
        if documents:
            self.found.emit(documents)

    def _write(self) -> None:
        work = self._pending()
        if work is not None:
            self._context.background.run(self, work)

    def _finish(self) -> None:
        """Write the pending draft now, because the window closes."""
        work = self._pending()
        try:
            if work is not None:
                work()
        except (OSError, StudioError) as error:
            self._context.navigator.show_failure(error)

    def _pending(self) -> Callable[[], None] | None:
        document, self._waiting = self._waiting, None
        self._timer.stop()
        if document is None:
            return None
        self._written.add(document.key)
        return partial(self._folder.put, document, next(self._numbers))
