"""Hands that draw networks: what a person does with mouse and keyboard in the designer."""

from __future__ import annotations

from PySide6.QtCore import QPoint, QPointF, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QWidget

from studio.ui.pages.networks.designer.designer import Designer


class Hands:
    """What a person does with mouse and keyboard in a designer."""

    def __init__(self, designer: Designer) -> None:
        self.designer = designer

    def drag(self, start: QPoint, end: QPoint, widget: QWidget) -> None:
        """Press, move in steps, let go; places are those of the widget."""
        QTest.mousePress(widget, Qt.MouseButton.LeftButton, pos=start)
        for step in range(1, 9):
            QTest.mouseMove(widget, start + (end - start) * step / 8)
        QTest.mouseRelease(widget, Qt.MouseButton.LeftButton, pos=end)

    def drag_layer(self, name: str, point: QPointF) -> str:
        """Drag a layer from the palette to a place of the drawing; its id."""
        before = {node.id for node in self.designer.spec().nodes}
        source = self.designer.palette_list.list
        start = source.point_of(name)
        there = self.designer.view.viewport().mapToGlobal(self.on_screen(point))
        self.drag(start, source.viewport().mapFromGlobal(there), source.viewport())
        new = {node.id for node in self.designer.spec().nodes} - before
        return new.pop() if new else ""

    def wire(self, source: str, target: str) -> None:
        """Drag from the output of a box to the input of another."""
        boxes = self.designer.scene.graphics.boxes
        self.drag_on_canvas(boxes[source].port("out"), boxes[target].port("in"))

    def drag_on_canvas(self, start: QPointF, end: QPointF) -> None:
        """Drag between two places of the drawing."""
        self.drag(self.on_screen(start), self.on_screen(end), self.designer.view.viewport())

    def click(
        self, point: QPointF, modifier: Qt.KeyboardModifier = Qt.KeyboardModifier.NoModifier
    ) -> None:
        """Press and let go at a place of the drawing."""
        viewport = self.designer.view.viewport()
        QTest.mouseClick(viewport, Qt.MouseButton.LeftButton, modifier, self.on_screen(point))

    def click_box(
        self, key: str, modifier: Qt.KeyboardModifier = Qt.KeyboardModifier.NoModifier
    ) -> None:
        """Press a box in its middle."""
        self.click(self.designer.scene.graphics.boxes[key].box().center(), modifier)

    def middle_of_wire(self, source: str, target: str) -> QPointF:
        """A place on a wire."""
        wire = self.designer.scene.graphics.wires[source, target]
        return wire.path().pointAtPercent(0.5)

    def key(
        self,
        key: Qt.Key,
        modifier: Qt.KeyboardModifier = Qt.KeyboardModifier.NoModifier,
    ) -> None:
        """Press a key on the canvas."""
        QTest.keyClick(self.designer.view, key, modifier)

    def on_screen(self, point: QPointF) -> QPoint:
        """A place of the drawing in the viewport."""
        return self.designer.view.mapFromScene(point)
