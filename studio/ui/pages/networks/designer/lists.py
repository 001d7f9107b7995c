"""The lists that open over the canvas: layers to add, layers to find, networks to open."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, QPoint, QPointF

from studio.engine.networks.answering import ending_for
from studio.engine.networks.catalog import Entry as Known
from studio.engine.tasks import DEFAULT_TASK, find_task
from studio.ui.engine_text import engine_text
from studio.ui.pages.networks.designer.layer_catalog import choices
from studio.ui.pages.networks.designer.look import word
from studio.ui.pages.networks.designer.search_list import WIDTH, Entry

if TYPE_CHECKING:
    from studio.ui.pages.networks.designer.designer import Designer


class Lists(QObject):
    """Opens one list at a time and does what is chosen in it."""

    def __init__(self, designer: Designer, add_named: Callable[[str], object]) -> None:
        super().__init__(designer)
        self._designer = designer
        self._drawing = designer.drawing
        self._view = designer.view
        self._add_named = add_named
        self._take: Callable[[str], object] | None = None
        designer.search.chosen.connect(self._take_entry)
        designer.search.closed.connect(self._view.setFocus)
        designer.files.listed.connect(self.choose_known)

    def ask_layer(self) -> None:
        """Open the list of layers over the middle of the canvas."""
        self._ask(self._top(), self._add_named)

    def ask_layer_at(self, place: QPointF) -> None:
        """Open the list of layers; the choice goes there."""
        at = (place.x(), place.y())
        self._ask(self._view.mapFromScene(place), lambda name: self._drawing.add(name, at))

    def ask_layer_for(self, node_id: str, port: str, place: QPointF) -> None:
        """Open the list of layers; the choice goes there and is wired."""
        at = (place.x(), place.y())
        self._ask(
            self._view.mapFromScene(place),
            lambda name: self._drawing.add_beside(name, at, node_id, port),
        )

    def find(self) -> None:
        """Open the list of the drawing's own layers, to jump to one."""
        entries = [
            Entry(node.id, node.id, f"{node.layer} {node.block}")
            for node in self._drawing.spec.nodes
        ]
        self._take = self._show_found
        self._designer.search.open_at(self._top(), self.tr("Find a layer"), entries)

    def choose_known(self, known: Sequence[Known]) -> None:
        """Open the list of networks of the zoo and of the workspace, to open one."""
        by_name = {network.name: network for network in known}
        aside = self._designer.aside
        entries = [
            *(
                Entry(key, draft.spec.name, self.tr("not saved"))
                for key, draft in aside.items()
                if draft.is_dirty
            ),
            *(
                Entry(network.name, network.label, engine_text(network.summary))
                for network in known
            ),
        ]

        def take(key: str) -> None:
            if key in by_name:
                self._open_known(by_name[key])
            else:
                self._designer.bring_back(key)

        self._take = take
        self._designer.search.open_at(self._top(), self.tr("Open a network"), entries)

    def _open_known(self, known: Known) -> None:
        """Open a network: one's own as it is, others for the sizes at hand where they fit."""
        spec = self._drawing.spec
        shape = (spec.input.height, spec.input.width, spec.input.channels)
        if known.drawing is not None:
            self._designer.open(known.drawing, known.label, known.name)
        else:
            takes = not known.fitting(shape, spec.classes)[1]
            found = known.spec(shape if takes else known.usual, spec.classes)
            task = find_task(spec.task) or DEFAULT_TASK
            self._designer.open(ending_for(found, task), known.label)

    def _ask(self, place: QPoint, take: Callable[[str], object]) -> None:
        entries = [
            Entry(choice.name, word(choice.label), f"{word(choice.group)} {word(choice.help)}")
            for choice in choices()
        ]
        self._take = take
        self._designer.search.open_at(place, self.tr("Add a layer"), entries)

    def _take_entry(self, key: str) -> None:
        take, self._take = self._take, None
        if take is not None:
            take(key)

    def _show_found(self, node_id: str) -> None:
        self._drawing.reveal(node_id)
        self._view.jump(node_id)

    def _top(self) -> QPoint:
        """Where a list opens that belongs to no place of the drawing."""
        return QPoint((self._view.viewport().width() - WIDTH) // 2, 24)
