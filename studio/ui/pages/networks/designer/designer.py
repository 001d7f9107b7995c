"""The designer: palette at the left, canvas, inspector at the right, a strip below."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from pathlib import Path

from PySide6.QtCore import Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QFrame, QWidget

from studio.engine.networks import edits
from studio.engine.networks.catalog import new_network
from studio.engine.networks.drafts import NetworkDocument
from studio.engine.networks.spec import HEAD_BLOCK, InputShape, NetworkSpec
from studio.engine.tasks import DEFAULT_TASK
from studio.engine.tasks.task import Task
from studio.ui.bridge.request import Request
from studio.ui.context import AppContext
from studio.ui.pages.networks.designer.commands import Commands, SearchList
from studio.ui.pages.networks.designer.drawing import Drawing, settled
from studio.ui.pages.networks.designer.files import DesignerFiles, Drafts, StoredNetwork
from studio.ui.pages.networks.designer.inspector import Inspector
from studio.ui.pages.networks.designer.palette import LayerPalette, PaletteDrag
from studio.ui.pages.networks.designer.reporting import DrawingExaminer, Reporting, Strip
from studio.ui.pages.networks.designer.scene import CanvasScene
from studio.ui.pages.networks.designer.toolbar import Toolbar
from studio.ui.pages.networks.designer.view import CanvasView, Overview
from studio.ui.widgets.layout import hbox, vbox
from studio.ui.widgets.notices import Notice

PALETTE_WIDTHS = (224, 264)
WIDE = 1400
FOLDED_FROM = 60
"""A network of more layers than that, in blocks, is shown with its blocks folded."""
PLACED_AT_ONCE = 100
"""Finding places for more layers than that takes the window too long (20 ms for ResNet50)."""


@dataclass(frozen=True, slots=True)
class DesignerState:
    """Drawings that outlive their window.

    Attributes:
        document: The open drawing.
        parked: Further unsaved drawings by their keys.
    """

    document: NetworkDocument
    parked: dict[str, NetworkDocument]


class Designer(QWidget):
    """The network designer; see the package's docstring for its use.

    Signals:
        train_asked: The drawing is to be trained.
        saved: Id of the record.
        left: Back to all networks.
        changed: Name, drawing, or whether it is saved.
    """

    train_asked = Signal()
    saved = Signal(str)
    left = Signal()
    changed = Signal()

    def __init__(self, context: AppContext, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        theme = context.theme
        self._context = context
        self._shape = InputShape(height=32, width=32, channels=3)
        self._classes = 10
        self._task = DEFAULT_TASK
        self.drawing = Drawing(self._blank(), self)
        self.scene = CanvasScene(self.drawing, theme, self)
        self.view = CanvasView(self.scene, theme, self)
        self.scene.setParent(self.view)  # the view must go first: it asks the scene to the last
        self.overview = Overview(self.scene, self.view, theme)
        self.palette_list = LayerPalette(theme, self)
        self.inspector = Inspector(self.drawing, theme, self)
        self.strip = Strip(theme, self)
        self.search = SearchList(self.view)
        self.files = DesignerFiles(context, self.drawing, self.scene, self)
        self.examiner = DrawingExaminer(context.engine, context.background, self)
        self.commands = Commands(self, theme, context.settings.shortcuts)
        self.toolbar = Toolbar(self.commands.actions, theme, self)
        self._drag = PaletteDrag(self.palette_list, self.view, self.scene, self)
        self._reporting = Reporting(self)
        self._drafts = Drafts(context, self)
        self._placing = Request(context.background, self)
        self.parked: dict[str, NetworkDocument] = {}
        self._lay_out()
        self._connect()
        self.drawing.changed.emit()
        self._drafts.search()

    # What a page uses.

    def open(self, spec: NetworkSpec, name: str = "", record_id: str = "") -> None:
        """Show a network; an unsaved drawing is kept, and a notice offers to reopen it."""
        named = spec.model_copy(update={"name": name}) if name else spec
        self._open(NetworkDocument.opened(named, record_id))

    def open_new(self) -> None:
        """Show an empty drawing with the sizes of the current dataset."""
        self.open(self._blank())

    def show_file(self, path: Path) -> None:
        """Read a network or model from a file and show it."""
        self.files.show_file(path)

    def state(self) -> DesignerState:
        """Return the drawings for a designer in a later window of this process."""
        return DesignerState(self.drawing.document, dict(self.parked))

    def restore(self, state: DesignerState) -> None:
        """Continue with the drawings of an earlier window."""
        self.parked |= state.parked
        self._show(state.document)

    def spec(self) -> NetworkSpec:
        """Return the current drawing."""
        return self.drawing.spec

    @property
    def name(self) -> str:
        """Name of the network."""
        return self.drawing.spec.name

    @property
    def record_id(self) -> str:
        """Id of the saved network that is drawn; empty for an unsaved one."""
        return self.drawing.document.record_id

    @property
    def weights_file(self) -> str:
        """Model file whose weights the drawing trains from; empty for none."""
        return self.drawing.document.weights_file

    @property
    def is_dirty(self) -> bool:
        """True if there are unsaved changes."""
        return self.drawing.document.is_dirty

    def set_data(
        self, shape: tuple[int, int, int], classes: int, task: Task = DEFAULT_TASK
    ) -> None:
        """Set the sizes and the task of new drawings.

        Args:
            shape: Height, width and channels of the images.
            classes: Number of classes, labels or quantities.
            task: Task of the network.
        """
        height, width, channels = shape
        self._shape = InputShape(height=height, width=width, channels=channels)
        self._classes = max(task.min_outputs, classes)
        self._task = task

    # Inner workings.

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Widen the palette in a wide window, so that it shows whole names."""
        self.palette_list.setFixedWidth(PALETTE_WIDTHS[self.width() >= WIDE])
        super().resizeEvent(event)

    def _blank(self) -> NetworkSpec:
        return new_network(self.tr("New network"), self._shape, self._classes, self._task)

    def _connect(self) -> None:
        drawing = self.drawing
        drawing.changed.connect(self._on_changed)
        drawing.opened.connect(self.view.begin)
        drawing.refused.connect(self._context.navigator.show_failure)
        self.palette_list.list.chosen.connect(self.commands.add_named)
        self.toolbar.left.connect(self.left)
        self.view.zoomed.connect(self.toolbar.show_scale)
        self.view.menu_requested.connect(self.commands.open_menu)
        self.view.add_requested.connect(self.commands.lists.ask_layer_at)
        self.scene.dropped_nowhere.connect(self.commands.lists.ask_layer_for)
        self.scene.edit_asked.connect(self.inspector.edit_note)
        self.files.opened.connect(self._on_file)
        self.files.expanded.connect(self._on_expanded)
        self.files.stored.connect(self._on_stored)
        self._drafts.found.connect(self._on_drafts)

    def _on_changed(self) -> None:
        self.toolbar.show_title(self.name, dirty=self.is_dirty)
        self.commands.refresh()
        if self.drawing.examination is None:
            self.examiner.forget()
        self.examiner.inspect(self.drawing.spec)
        self._drafts.follow(self.drawing.document)
        self.changed.emit()

    def _open(self, document: NetworkDocument) -> None:
        """Show a document; a large one after its layout was computed."""
        self._placing.drop()
        if len(document.spec.nodes) > PLACED_AT_ONCE and not document.spec.positions:
            self._placing.run(partial(settled, document), self._show)
        else:
            self._show(document)

    def _show(self, document: NetworkDocument) -> None:
        self._park()
        self.drawing.take_up(document, folded_at_first(document.spec))

    def _on_file(self, spec: NetworkSpec, weights_file: str) -> None:
        self._open(NetworkDocument.opened(spec, weights_file=weights_file))

    def _on_expanded(self, sent: NetworkDocument, spec: NetworkSpec) -> None:
        now = self.drawing.document
        if sent.key != now.key:
            return
        if sent.spec != now.spec:  # the user kept drawing: nothing of that may be lost
            self.files.expand()
            return
        self.drawing.change(spec, self.tr("Show the layers of backbones"))
        self.drawing.fold(folded_at_first(spec))
        self.view.begin()

    def _on_stored(self, stored: StoredNetwork) -> None:
        key, spec = stored.sent.key, stored.sent.spec
        if key == self.drawing.document.key:
            self.drawing.mark_saved(spec, stored.name, stored.record_id)
        elif key in self.parked:
            document = self.parked[key].as_saved(spec, stored.name, stored.record_id)
            self.parked[key] = document
            self._drafts.follow(document)
        text, hint = self.tr('Saved as "{0}".').format(stored.name), ""
        if stored.sent.weights_file:
            hint = self.tr("The weights stay in the file: train from this drawing to use them.")
        self._context.navigator.notify(Notice("success", text, hint, key="network saved"))
        self.saved.emit(stored.record_id)

    def _park(self) -> None:
        if not self.is_dirty:
            return
        document = self.drawing.document
        self.parked[document.key] = document
        self._offer(document, self.tr('"{0}" was not saved.').format(self.name))

    def _on_drafts(self, documents: list[NetworkDocument]) -> None:
        """Offer the latest drawing that was not saved; the others are in the list of networks."""
        known = {*self.parked, self.drawing.document.key}
        documents = [document for document in documents if document.key not in known]
        if not documents:
            return  # the window before this one passed them on
        self.parked |= {document.key: document for document in documents}
        latest = documents[-1]
        text = self.tr('"{0}" has unsaved changes from last time.').format(latest.spec.name)
        self._offer(latest, text)

    def _offer(self, document: NetworkDocument, text: str) -> None:
        hint = self.tr('It is stored as a draft. You can also find it in "Open a network…".')
        key, reopen = f"draft {document.key}", partial(self.bring_back, document.key)
        notice = Notice("info", text, hint, key, self.tr("Reopen"), reopen)
        self._context.navigator.notify(notice)

    def bring_back(self, key: str) -> None:
        """Reopen an unsaved drawing."""
        document = self.parked.pop(key, None)
        if document is not None:
            self._open(document)

    def _lay_out(self) -> None:
        parts = (self.palette_list, self._line(), (self.view, 1), self._line(), self.inspector)
        top, bottom = self._line(flat=True), self._line(flat=True)
        middle = (hbox(*parts, spacing=0), 1)
        vbox(self.toolbar, top, middle, bottom, self.strip, owner=self, spacing=0)

    def _line(self, *, flat: bool = False) -> QFrame:
        line = QFrame(self)
        line.setProperty("line", True)
        if flat:
            line.setFixedHeight(1)
        else:
            line.setFixedWidth(1)
            line.setStyleSheet("max-height: 16777215px;")
        return line


def folded_at_first(spec: NetworkSpec) -> list[str]:
    """Return the blocks to fold when a network is opened: those of a large one but its head."""
    blocks = [block for block in edits.blocks_of(spec) if block != HEAD_BLOCK]
    return blocks if len(spec.nodes) > FOLDED_FROM and len(blocks) > 2 else []
