"""Tools for what is drawn on the picture: boxes, and classes of pixels."""

from __future__ import annotations

from functools import partial
from typing import ClassVar

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QWidget

from studio.engine.labeling.proposals import Proposal
from studio.engine.labeling.values import BoxesValue, InstancesValue, MaskValue, Value
from studio.engine.tasks.annotations import IGNORE
from studio.engine.tasks.boxes import CROWD, DIFFICULT, MAX_BOXES
from studio.ui.pages.label.click_segment import FOLDER_KEY, ClickSegment
from studio.ui.pages.label.tools.tools import EditTools
from studio.ui.shared.file_dialogs import ask_folder
from studio.ui.widgets.canvas.editor import BoxEditor, CanvasEditor, MaskCanvasEditor
from studio.ui.widgets.canvas.picture import TargetCanvas
from studio.ui.widgets.canvas.picture import Value as Drawn
from studio.ui.widgets.canvas.pyramid import ImagePyramid
from studio.ui.widgets.figures import count
from studio.ui.widgets.keys import Step


class DrawnTools(EditTools):
    """A canvas with tools; what was drawn is saved while the picture is shown."""

    canvas: TargetCanvas
    segment: ClickSegment

    def _make(self, parent: QWidget) -> None:
        self.editor = self.drawing = self._editor(parent)
        self.canvas = self.drawing.canvas
        self._is_touched = self._has_classes = False
        self._drawn_for = -1
        self.drawing.changed.connect(self._on_drawn)
        self.drawing.class_chosen.connect(self.changed)
        self.drawing.failed.connect(self.problem)
        self.segment = ClickSegment(self.session)
        self.drawing.set_outliner(self.segment)
        self.drawing.files_requested.connect(self._ask_files)

    def _ask_files(self) -> None:
        title = self.tr("Choose the folder with the encoder and the decoder")
        folder = ask_folder(self.drawing, title, self.session.context.settings, FOLDER_KEY)
        if folder is not None:
            self.segment.use_folder(folder)

    def close(self) -> None:
        """End the process of click to segment; see `EditTools.close`."""
        background = self.session.context.background
        background.run(background, self.segment.close, _ignore)

    def _editor(self, parent: QWidget) -> CanvasEditor:
        """Make the canvas with its tools."""
        raise NotImplementedError

    @property
    def marked(self) -> set[int]:
        """The class that is drawn with."""
        return {self.canvas.current_class} if self.session.labeling.names else set()

    @property
    def proposal_tip(self) -> str:
        """Keys that accept a proposal, or change it."""
        return self.tr("Press Enter to accept the proposal, or A to edit it.")

    def begin(self) -> None:
        """Forget what was drawn on the picture before."""
        self._is_touched = False

    def show_classes(self) -> None:
        """Draw with classes that were added or changed."""
        labeling = self.session.labeling
        is_first = not self._has_classes
        self._has_classes = bool(labeling.names)
        self.canvas.set_classes(labeling.names, [each.color for each in labeling.classes])
        if is_first and labeling.editor.first_class:
            self.drawing.choose_class(labeling.editor.first_class)

    def choose(self, index: int) -> None:
        """Draw with a class; see `EditTools.choose`."""
        self.drawing.choose_class(index)

    def confirm(self) -> bool:
        """Leave a drawn picture; one without anything drawn is labeled as having none."""
        if not self._is_touched and self.session.proposal is not None:
            return False
        if self._drawn_for == self.session.current:
            self.drawing.set_previous(self.drawing.value().copy())
            self._finish()
            self.session.show_next()
        return True

    def _finish(self) -> None:
        """Save the drawing of the picture that is left."""
        raise NotImplementedError

    def step(self, step: Step) -> bool:
        """Undo or redo a change of the drawing where the canvas does; see `EditTools.step`."""
        return self.drawing.step(step)

    def show_proposal(self) -> None:
        """Show what is proposed on the picture, until it is labeled."""
        if self._is_touched or self._drawn_for != self.session.current:
            return
        proposal = None if self._has_value else self.session.proposal
        shown = None if proposal is None else self._proposed(proposal)
        if shown is not None or self.canvas.proposal is not None:
            self.drawing.show_proposal(shown)

    def _proposed(self, proposal: Proposal) -> Drawn | None:
        """Return what is drawn of a proposal."""
        raise NotImplementedError

    @property
    def _has_value(self) -> bool:
        return self.session.value is not None

    def _on_drawn(self) -> None:
        if self._drawn_for == self.session.current:
            self._is_touched = True
            self._save()

    def _save(self) -> None:
        """Save what was drawn just now."""
        raise NotImplementedError


class BoxTools(DrawnTools):
    """Boxes; each change is a decision that the labeling undoes."""

    def _editor(self, parent: QWidget) -> CanvasEditor:
        flags = (
            (DIFFICULT, self.tr("Difficult"), "?", Qt.Key.Key_D),
            (CROWD, self.tr("Crowd"), "+", Qt.Key.Key_R),
        )
        editor = BoxEditor(self.session.context.theme, MAX_BOXES, flags, parent)
        editor.set_owns_undo(owns=False)
        return editor

    def show_picture(self, pyramid: ImagePyramid | None) -> None:
        """Show the picture with its boxes; see `EditTools.show_picture`."""
        self._drawn_for = self.session.current if pyramid is not None else -1
        value = self.session.value
        boxes = value.array() if isinstance(value, BoxesValue) else None
        keeps = self.canvas.pyramid is pyramid
        self.drawing.show_value(pyramid, boxes, keeps_view=keeps)
        self.show_proposal()

    def refresh(self) -> None:
        """Show boxes that were changed elsewhere, such as by undo."""
        value = self.session.value
        if isinstance(value, BoxesValue) and value != self._value():
            self.show_picture(self.session.picture)

    def _value(self) -> BoxesValue:
        return BoxesValue.of(self.drawing.value())

    def _save(self) -> None:
        value = self._value()
        if value != self.session.value:
            self.session.decide(value, "drawn", advances=False)

    def _finish(self) -> None:
        self._save()

    def _proposed(self, proposal: Proposal) -> Drawn | None:
        return proposal.value.array() if isinstance(proposal.value, BoxesValue) else None

    def state_text(self, value: Value) -> str:
        """Return the number of boxes; see `EditTools.state_text`."""
        return self.tr("Boxes: {n}").format(n=_number(value))

    def proposed_text(self, proposal: Proposal) -> str:
        """Return the number of boxes; see `EditTools.proposed_text`."""
        return self.tr("Proposed boxes: {n}").format(n=_number(proposal.value))


class MaskTools(DrawnTools):
    """Classes of pixels; they are written in another thread, and the canvas undoes changes.

    Attributes:
        file_value: Type of the values whose pixels are in a file.
    """

    file_value: ClassVar[type[MaskValue | InstancesValue]] = MaskValue

    def _editor(self, parent: QWidget) -> CanvasEditor:
        editor = MaskCanvasEditor(self.session.context.theme, IGNORE, parent)
        editor.set_owns_undo(owns=True)
        return editor

    @property
    def _has_value(self) -> bool:
        unwritten = self.session.unwritten_mask(self.session.current)
        return super()._has_value or unwritten is not None

    def show_picture(self, pyramid: ImagePyramid | None) -> None:
        """Show the picture with its mask, which is read first; see `EditTools.show_picture`."""
        session = self.session
        self._drawn_for = session.current if pyramid is not None else -1
        value, unwritten = session.value, session.unwritten_mask(session.current)
        if unwritten is not None:
            self.drawing.show_value(pyramid, unwritten, keeps_view=True)
        elif isinstance(value, self.file_value) and pyramid is not None:
            work = partial(session.labeling.read_mask, value)
            done = partial(self._on_mask, session.current, pyramid)
            self.drawing.show_value(pyramid, None)
            self._drawn_for = -1
            session.context.background.run(self, work, done)
        else:
            keeps = self.canvas.pyramid is pyramid
            self.drawing.show_value(pyramid, None, keeps_view=keeps)
            self.show_proposal()

    def _on_mask(self, item: int, pyramid: ImagePyramid, mask: Drawn) -> None:
        if item == self.session.current:
            self._drawn_for = item
            self.drawing.show_value(pyramid, mask, keeps_view=True)

    def _save(self) -> None:
        if self._drawn_for >= 0:
            self.session.write_mask(self._drawn_for, self.drawing.value().copy())

    def _finish(self) -> None:
        if not self._has_value:
            self._save()

    def _proposed(self, proposal: Proposal) -> Drawn | None:
        return proposal.mask

    def state_text(self, value: Value) -> str:  # noqa: ARG002 - masks are not opened
        """Return that there is a mask; see `EditTools.state_text`."""
        return self.tr("Mask saved")

    def proposed_text(self, proposal: Proposal) -> str:  # noqa: ARG002 - as above
        """Return that there is a mask; see `EditTools.proposed_text`."""
        return self.tr("Proposed mask")


def _number(value: Value | None) -> str:
    return count(len(value.boxes)) if isinstance(value, BoxesValue) else ""


def _ignore(_nothing: None) -> None:
    """Do nothing once the process has ended."""
