"""Click to segment on the page: asks the process that outlines objects, and prepares pictures."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Final

from PySide6.QtCore import QObject, Signal

from studio.engine.errors import StudioError
from studio.engine.labeling.segmenting.files import runtime_problem, segment_model
from studio.engine.labeling.segmenting.host import segmenter_host
from studio.engine.labeling.segmenting.requests import (
    ENCODE,
    SEGMENT,
    ClickPoint,
    EncodeAnswer,
    EncodeRequest,
    ObjectMask,
    ObjectPrompt,
    SegmentAnswer,
    SegmentModel,
    SegmentPicture,
    SegmentRequest,
)
from studio.ui.bridge.request import Request
from studio.ui.language import sentence, translated
from studio.ui.pages.label.session import LabelSession
from studio.ui.shared.media import chosen_display
from studio.ui.widgets.canvas.mask_image import Region
from studio.ui.widgets.canvas.prompting import FailedText, FoundObject, PromptMark

FOLDER_KEY: Final = "segment/folder"
"""Setting with the folder of the two files."""
_AHEAD: Final = 2
"""Pictures that are prepared: the shown one and the next one."""


class ClickSegment(QObject):
    """Outlines objects of the shown picture; see `prompting.ObjectFinder`.

    The process starts with the first picture that is prepared, once the tool was chosen.

    Args:
        session: The labeling.

    Attributes:
        host: The process.
        model: The chosen model; None before one is usable.
        prepared: Pictures that were prepared, by their number and plane.

    Signals:
        changed: See `prompting.ObjectFinder`.
    """

    changed = Signal()

    def __init__(self, session: LabelSession) -> None:
        super().__init__(session)
        self._session = session
        context = session.context
        self.host = segmenter_host(context.settings.engine_seconds)
        self.model: SegmentModel | None = None
        self._problem = ""
        self._is_used = False
        self._preparing = -1
        self.prepared: set[tuple[int, int]] = set()
        self._checking = Request(context.background, self)
        self._encoding = Request(context.background, self)
        self._finding = Request(context.background, self)
        self._find_failed: FailedText | None = None
        context.background.closing.connect(self.close)
        context.settings.idle_changed.connect(self._on_idle)
        session.shown.connect(self._on_shown)
        session.displayed.connect(self._on_displayed)
        folder = context.settings.text(FOLDER_KEY)
        if folder:
            self._check(Path(folder))

    @property
    def reason(self) -> str:
        """Reason why it cannot be used; empty if it can."""
        if self.model is not None:
            return ""
        missing = self.tr(
            "Click to segment needs a model: the encoder and the decoder of SAM, MobileSAM or "
            "SAM 2 as two ONNX files in one folder."
        )
        return self._problem or translated(runtime_problem()) or missing

    @property
    def state(self) -> str:
        """Current work; empty for none."""
        if self._preparing >= 0 and self._preparing == self._session.current:
            return self.tr("Preparing the image…")
        return self.tr("Outlining…") if self._finding.is_running else ""

    def use_folder(self, folder: Path) -> None:
        """Use the files of a folder, now and in the future.

        Args:
            folder: The folder.
        """
        self._session.context.settings.set_text(FOLDER_KEY, str(folder))
        self._check(folder)

    def prepare(self) -> None:
        """Prepare the shown picture and the next one; see `prompting.ObjectFinder`."""
        self._is_used = True
        self._prepare_next()

    def find(self, marks: Sequence[PromptMark], found: FoundObject, failed: FailedText) -> None:
        """Find an object; see `prompting.ObjectFinder`."""
        points = tuple(
            ClickPoint(x=mark.point.x(), y=mark.point.y(), is_inside=mark.is_inside)
            for mark in marks
            if mark.end is None
        )
        boxes = [
            (mark.point.x(), mark.point.y(), mark.end.x(), mark.end.y())
            for mark in marks
            if mark.end is not None
        ]
        prompt = ObjectPrompt(points=points, box=boxes[-1] if boxes else None)
        self._ask(lambda: [prompt], lambda regions: found(regions[0]), failed)

    def find_all(
        self,
        boxes: Callable[[], Sequence[tuple[float, float, float, float]]],
        found: Callable[[Sequence[Region | None]], None],
        failed: FailedText,
    ) -> None:
        """Find the object in each of several boxes; see `prompting.ObjectFinder`."""
        self._ask(lambda: [ObjectPrompt(box=box) for box in boxes()], found, failed)

    def drop(self) -> None:
        """Ignore what is still to come."""
        self._finding.drop()
        self.changed.emit()

    def close(self) -> None:
        """End the process."""
        self.host.close()

    def _ask(
        self,
        prompts: Callable[[], Sequence[ObjectPrompt]],
        found: Callable[[Sequence[Region | None]], None],
        failed: FailedText,
    ) -> None:
        model, item = self.model, self._session.current
        if model is None or item < 0:
            failed(self.reason)
            return
        picture = self._picture(item)

        def make() -> SegmentRequest:
            return SegmentRequest(model=model, picture=picture(), prompts=tuple(prompts()))

        def done(answer: SegmentAnswer) -> None:
            self.prepared.add((item, self._session.plane))
            # Masks of photographs take longer to unpack than a frame may.
            self._finding.run(partial(_regions, answer), deliver, on_error)

        def deliver(regions: Sequence[Region | None]) -> None:
            self.changed.emit()
            found(regions)

        on_error = partial(self._on_failed, failed)
        self._find_failed = failed
        self._finding.ask(self.host, SEGMENT, make, SegmentAnswer, done, on_error)
        self.changed.emit()

    def _on_failed(self, failed: FailedText, error: BaseException) -> None:
        self.changed.emit()
        if isinstance(error, StudioError):
            failed(sentence(error.message, error.hint))
        else:
            failed("")
            self._session.context.navigator.show_failure(error)

    def _picture(self, item: int) -> Callable[[], SegmentPicture]:
        """Return a function that describes a picture, for another thread."""
        labeling, shown = self._session.labeling, self._session.picture
        width, height = labeling.items[item].width, labeling.items[item].height
        if item == self._session.current and shown is not None and not shown.is_null:
            width, height = shown.size.width(), shown.size.height()
        plane = self._session.plane_of(item)

        def described() -> SegmentPicture:
            return SegmentPicture(
                path=str(labeling.file_of(item)),
                width=max(1, width),
                height=max(1, height),
                plane=plane,
                display=chosen_display(labeling.record.folder),
            )

        return described

    def _check(self, folder: Path) -> None:
        self._checking.run(partial(segment_model, folder), self._on_model, self._on_no_model)

    def _on_idle(self, seconds: float) -> None:
        self.host.set_idle_seconds(seconds)

    def _forget(self) -> None:
        """Drop what was asked of another model, or for other colors, with all its answers."""
        self.prepared.clear()
        self._encoding.drop()
        self._preparing = -1
        if self._finding.is_running and self._find_failed is not None:
            self._finding.drop()
            text = self.tr("The model or the look of the image was changed meanwhile. Try again.")
            self._find_failed(text)

    def _on_model(self, model: SegmentModel) -> None:
        self.model, self._problem = model, ""
        self._forget()
        self.changed.emit()
        if self._is_used:
            self._prepare_next()

    def _on_no_model(self, error: BaseException) -> None:
        if isinstance(error, StudioError):
            self.model, self._problem = None, sentence(error.message, error.hint)
            self._forget()
            self.changed.emit()
        else:
            self._session.context.navigator.show_failure(error)

    def _on_shown(self, _item: int) -> None:
        self.changed.emit()
        self._prepare_next()

    def _on_displayed(self) -> None:
        self._forget()
        self._prepare_next()

    def _prepare_next(self) -> None:
        """Prepare one picture at a time, so that the shown one never waits for old ones."""
        model, session = self.model, self._session
        if not self._is_used or model is None or self._encoding.is_running:
            return
        coming = dict.fromkeys([session.current, *session.upcoming(_AHEAD)])
        for item in list(coming)[:_AHEAD]:
            key = (item, session.plane_of(item))
            if item >= 0 and key not in self.prepared:
                self._preparing = item
                picture = self._picture(item)
                self._encoding.ask(
                    self.host,
                    ENCODE,
                    lambda: EncodeRequest(model=model, picture=picture()),  # noqa: B023 - returns
                    EncodeAnswer,
                    partial(self._on_prepared, key),
                    partial(self._on_not_prepared, key),
                )
                break
        self.changed.emit()

    def _on_prepared(self, key: tuple[int, int], _answer: EncodeAnswer) -> None:
        self.prepared.add(key)
        self._preparing = -1
        self._prepare_next()

    def _on_not_prepared(self, key: tuple[int, int], error: BaseException) -> None:
        """Say it where the tool is used; a click tries again."""
        self.prepared.add(key)
        self._preparing = -1
        self.changed.emit()
        if isinstance(error, StudioError):
            if error.where == "model":
                self.model, self._problem = None, sentence(error.message, error.hint)
                self.changed.emit()
        else:
            self._session.context.navigator.show_failure(error)


def _regions(answer: SegmentAnswer) -> list[Region | None]:
    return [_region(each) for each in answer.masks]


def _region(mask: ObjectMask) -> Region | None:
    patch = mask.patch()
    if patch is None:
        return None
    area = (mask.left, mask.top, mask.left + mask.width, mask.top + mask.height)
    return Region(area, patch.inside)
