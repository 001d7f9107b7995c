"""Outlines the objects in all boxes of a labeling, as a new labeling, with progress."""

from __future__ import annotations

from functools import partial

from PySide6.QtCore import QObject, Signal

from studio.engine.errors import StudioError
from studio.engine.labeling.editors.boxes import EDITOR
from studio.engine.labeling.segmenting.outlines import OutlinedBoxes, outline_boxes
from studio.engine.messages import message
from studio.engine.progress import Cancelled
from studio.engine.workspace import RecordKind
from studio.ui.bridge.request import Request
from studio.ui.navigation import page_intent
from studio.ui.pages.label.click_segment import ClickSegment
from studio.ui.pages.label.session import LabelSession
from studio.ui.widgets.figures import count
from studio.ui.widgets.notices import Notice


class BoxOutlines(QObject):
    """Makes a labeling of outlines from the boxes of the open one.

    Args:
        session: The labeling.
        segment: Has the model.

    Signals:
        busy_changed: Text while it works; empty at the end.
    """

    busy_changed = Signal(str)

    def __init__(self, session: LabelSession, segment: ClickSegment) -> None:
        super().__init__(session)
        self._session = session
        self._segment = segment
        self._request = Request(session.context.background, self)
        self._request.advanced.connect(self._on_advanced)

    @staticmethod
    def is_offered(session: LabelSession) -> bool:
        """Return True for a labeling with boxes."""
        return session.labeling.editor is EDITOR

    @property
    def reason(self) -> str:
        """Reason why it cannot start; empty if it can."""
        if self._request.is_running:
            return self.tr("The boxes are being outlined.")
        if not self._session.labeling.labeled_count:
            return self.tr("Label some images first.")
        return self._segment.reason

    def start(self, name: str) -> None:
        """Outline all boxes.

        Args:
            name: Name of this labeling, by which the new one is named.
        """
        model, context = self._segment.model, self._session.context
        if model is None or self.reason:
            return
        kind = RecordKind.LABELING
        free = context.workspace.unused_name(kind, self.tr("{name} outlines").format(name=name))
        work = partial(
            outline_boxes,
            self._session.labeling,
            context.workspace,
            free,
            self._segment.host,
            model,
        )
        self.busy_changed.emit(self.tr("Outlining the boxes…"))
        self._request.track(work, self._on_done, self._on_failed)

    def stop(self) -> None:
        """Stop soon; the images outlined so far stay."""
        self._request.stop()

    def _on_advanced(self, done: object, total: object, _step: str) -> None:
        text = self.tr("Outlining the boxes: {done} of {total}")
        self.busy_changed.emit(
            text.format(done=count(int(str(done))), total=count(int(str(total))))
        )

    def _on_done(self, found: OutlinedBoxes) -> None:
        self.busy_changed.emit("")
        found.labeling.close()
        navigator, record = self._session.context.navigator, found.labeling.record
        text = message(
            "{count:,} objects outlined.", one="One object outlined.", count=found.objects
        )
        hint = (
            message(
                "Nothing was found in {count:,} boxes; they are left out.",
                one="Nothing was found in one box; it is left out.",
                count=found.missing,
            )
            if found.missing
            else ""
        )
        show = partial(navigator.open, page_intent("label", record.id))
        action = self.tr("Show")
        navigator.notify(Notice("success", text, hint, action_text=action, action=show))

    def _on_failed(self, error: BaseException) -> None:
        self.busy_changed.emit("")
        if isinstance(error, Cancelled):
            text = self.tr("Outlining was stopped. The images outlined so far are kept.")
            self._session.context.navigator.notify(Notice("info", text))
        elif isinstance(error, StudioError):
            notice = Notice("error", error.message, error.hint)
            self._session.context.navigator.notify(notice)
        else:
            self._session.context.navigator.show_failure(error)
