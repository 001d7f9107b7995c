"""One field of a form: its label, its editor, a note, and the line of help or of complaint."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QLabel, QWidget

from studio.engine.errors import Problem
from studio.ui.forms.editors import make_editor
from studio.ui.forms.flat_fields import FlatField
from studio.ui.language import sentence, translated
from studio.ui.theme.theme import Theme
from studio.ui.theme.tokens import CONTROL_HEIGHT, SPACE
from studio.ui.widgets.labels import HintLabel
from studio.ui.widgets.layout import STRETCH, hbox, text_label, vbox
from studio.ui.widgets.tips import with_term, wrapped_tip

LABEL_WIDTH = 128
# Of the room beside the editor: all of it, while there is a note.
_NOTE_SHARE = 1000


class FieldRow(QWidget):
    """A row of a form. A problem takes the place of the help, so that nothing moves.

    Args:
        flat: The field.
        theme: The theme.
        compact: Help in the tooltip alone.
    """

    def __init__(
        self,
        flat: FlatField,
        theme: Theme,
        *,
        compact: bool = False,
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(parent)
        self.flat = flat
        self._compact = compact
        self._problem: Problem | None = None
        labels = tuple(translated(label) for label in flat.field.choice_labels)
        self.editor = make_editor(flat.field, labels, theme)
        self.label = QLabel(self)
        self.label.setBuddy(self.editor.control)
        self.label.setFixedWidth(LABEL_WIDTH)
        self.label.setMinimumHeight(CONTROL_HEIGHT)
        self.label.setWordWrap(True)
        self.note = text_label("", "muted", self, wraps=True)
        self.note.hide()
        self.hint = HintLabel(parent=self)
        self._line = hbox(self.editor, (self.note, _NOTE_SHARE), STRETCH, spacing=SPACE.m)
        self._right = vbox(self._line, self.hint, spacing=2)
        top = Qt.AlignmentFlag.AlignTop
        hbox((self.label, top), (self._right, 1), owner=self, spacing=SPACE.m)
        self.show_texts()

    def show_problem(self, problem: Problem | None) -> None:
        """Say what is wrong with the value; None takes it back."""
        self._problem = problem
        self.editor.set_wrong(wrong=problem is not None and problem.serious)
        self._show_hint()

    def show_note(self, text: str) -> None:
        """Show a muted note beside the editor, also to screen readers; an empty note hides it."""
        self.note.setText(text)
        self.note.setVisible(bool(text))
        if text:
            self.editor.control.setAccessibleDescription(text)
        else:
            self.show_texts()

    def hide_editor(self, *, is_hidden: bool) -> None:
        """Hide the editor where its value would contradict the note."""
        self.editor.setVisible(not is_hidden)

    def put_note_below(self) -> None:
        """Show notes below the editor, because they are long."""
        self._line.removeWidget(self.note)
        self._right.insertWidget(1, self.note)

    def indent(self, pixels: int) -> None:
        """Move the label to the right; the editors of a form stay in one line."""
        self.setContentsMargins(pixels, 0, 0, 0)
        self.label.setFixedWidth(LABEL_WIDTH - pixels)

    def show_texts(self) -> None:
        """Set the label, the help and what screen readers say of the field."""
        field = self.flat.field
        label, help_text = translated(field.label), translated(field.help)
        why = translated(field.why)
        self.label.setText(label)
        control = self.editor.control
        control.setAccessibleName(label)
        control.setAccessibleDescription(" ".join(part for part in (help_text, why) if part))
        parts = (help_text if self._compact else "", why, with_term(label))
        tip = wrapped_tip(*parts)
        for widget in (self.label, control):
            widget.setToolTip(tip)
            widget.setWhatsThis(" ".join(part for part in (help_text, why) if part))
        self._show_hint()

    def _show_hint(self) -> None:
        problem = self._problem
        if problem is None:
            self.hint.show_text("" if self._compact else translated(self.flat.field.help))
            return
        text = sentence(problem.message, problem.hint)
        self.hint.show_text(text, "problem" if problem.serious else "advice")
