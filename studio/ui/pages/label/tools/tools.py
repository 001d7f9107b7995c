"""The interface of a set of tools: what differs between kinds of values on the page."""

from __future__ import annotations

from functools import partial

from PySide6.QtCore import QObject, Signal
from PySide6.QtWidgets import QWidget

from studio.engine.labeling.proposals import Proposal
from studio.engine.labeling.values import Value
from studio.ui.pages.label.click_segment import ClickSegment
from studio.ui.pages.label.session import LabelSession
from studio.ui.widgets.canvas.editor import CanvasEditor
from studio.ui.widgets.canvas.picture import PictureCanvas
from studio.ui.widgets.canvas.pyramid import ImagePyramid
from studio.ui.widgets.figures import percent
from studio.ui.widgets.keys import Step


class EditTools(QObject):
    """Tools for values of one kind, and the words for them.

    The panel shows `view` and `fields`, passes keys on, and asks for the state in words.

    Examples:
        >>> from studio.ui.pages.label.tools import TOOLS
        >>> issubclass(TOOLS["boxes"], EditTools)  # its `choose(0)` draws the first class
        True

    Args:
        session: The labeling.
        parent: The widget that shows them.

    Attributes:
        canvas: Shows the picture.
        editor: Canvas with tools to draw; None for editors without drawing.
        segment: Click to segment; None for editors without drawing.
        fields: Fields to type into, above the classes; None for none.

    Signals:
        changed: What is marked or drawn changed.
        problem: What a person should do, a text; empty for nothing.
    """

    changed = Signal()
    problem = Signal(str)

    editor: CanvasEditor | None = None
    segment: ClickSegment | None = None
    fields: QWidget | None = None

    def __init__(self, session: LabelSession, parent: QWidget) -> None:
        super().__init__(parent)
        self.session = session
        self.canvas: PictureCanvas
        self._make(parent)

    def _make(self, parent: QWidget) -> None:
        """Make the canvas and all other widgets."""
        self.canvas = PictureCanvas(self.session.context.theme, parent)
        self.canvas.setAccessibleName(self.tr("Image"))
        self.canvas.takes_letters = False

    @property
    def view(self) -> QWidget:
        """The canvas, with its tools if there are some."""
        return self.canvas if self.editor is None else self.editor

    @property
    def title(self) -> str:
        """Title above the classes."""
        return self.tr("Classes")

    @property
    def marked(self) -> set[int]:
        """Indices of the classes that are shown as chosen."""
        return set() if self.session.value is None else set(self.session.value.classes)

    # What is shown.

    def begin(self) -> None:
        """Show the value of another picture."""

    def show_picture(self, pyramid: ImagePyramid | None) -> None:
        """Show the picture, with what is drawn on it; None while it is read."""
        if self.canvas.pyramid is not pyramid:
            self.canvas.show_picture(pyramid)

    def show_proposal(self) -> None:
        """Show what is proposed on the picture, until it is labeled."""

    def show_classes(self) -> None:
        """Use classes that were added or changed."""

    def refresh(self) -> None:
        """Show a value that was changed elsewhere, such as by undo."""

    # Decisions.

    def choose(self, index: int) -> None:
        """Choose a class for the shown picture, or draw with it."""
        raise NotImplementedError

    def choose_named(self, name: str) -> None:
        """Choose a class by its name; a new one is added, unless another picture is shown then."""
        self.session.class_named(name, partial(self._on_named, self.session.current))

    def _on_named(self, item: int, index: int) -> None:
        self.canvas.setFocus()
        if item == self.session.current and item >= 0:
            self.choose(index)

    def clicked(self, index: int) -> None:
        """Choose a class by the mouse."""
        self.choose(index)
        self.canvas.setFocus()

    def confirm(self) -> bool:
        """Decide what was chosen, typed or drawn; return False if there is nothing."""
        return False

    def step(self, step: Step) -> bool:  # noqa: ARG002 - of masks
        """Undo or redo the last change of a drawing; False to undo the last decision."""
        return False

    def close(self) -> None:
        """End what runs for the tools."""

    # Words.

    def state_text(self, value: Value) -> str:
        """Return the value of a labeled picture."""
        return self.tr("Label: {label}").format(label=self.session.labeling.caption(value) or "–")

    def proposed_text(self, proposal: Proposal) -> str:
        """Return a proposal with its probability."""
        return self.tr("{label}?  {probability}").format(
            label=self.session.labeling.caption(proposal.value) or self.tr("None of the labels"),
            probability=percent(proposal.probability, 0),
        )

    @property
    def proposal_tip(self) -> str:
        """Key that accepts a proposal."""
        return self.tr("Enter accepts the proposal.")
