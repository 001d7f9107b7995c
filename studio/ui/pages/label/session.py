"""An open labeling in the window: what is shown next, and the decisions about it."""

from __future__ import annotations

import random
import secrets
import time
from collections import OrderedDict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Final

from PySide6.QtCore import QObject, Signal
from PySide6.QtGui import QImage

from studio.engine.errors import StudioError
from studio.engine.labeling.certain import PAGE, certain_page, most_certain
from studio.engine.labeling.journal import Change
from studio.engine.labeling.line_file import LabelingBusyError
from studio.engine.labeling.project import Changed, Labeling, MaskWriter
from studio.engine.labeling.proposals import AssistStatus, CertainLimit, Proposal, accept
from studio.engine.labeling.recovery import Recovered, recover
from studio.engine.labeling.values import EXCLUDED, Value, Via
from studio.engine.messages import message
from studio.engine.tasks.annotations import Mask
from studio.ui.bridge.ordered import OrderedCalls
from studio.ui.context import AppContext, Navigator
from studio.ui.pages.label.writes import WriteQueue
from studio.ui.shared.media import chosen_display, read_file_picture
from studio.ui.widgets.canvas.pyramid import ImagePyramid
from studio.ui.widgets.keys import Step
from studio.ui.widgets.notices import Notice

if TYPE_CHECKING:
    from studio.engine.datasets.display import DisplayFacts
    from studio.engine.display_mapping import DisplayMapping

_AHEAD: Final = 3
"""Pictures that are read before they are shown."""
_CACHED: Final = 8
_WHOLE: Final = 1 << 15
"""Side of pictures that are drawn on: none is made smaller."""
_SHOWN: Final = 2048
_REFRESH_MS: Final = 1000
_NONE: Final = -1


class LabelSession(QObject):
    """A labeling, the picture that is shown, and the order of those to come.

    Decisions take about a millisecond and are on the disk when a method returns, unless another
    program writes to the labeling: then they wait for it, see `WriteQueue`. Pictures are read in
    other threads.

    Args:
        context: The parts of the application.
        labeling: The labeling.
        parent: Owner.

    Signals:
        shown: Another picture is shown: its number, or -1 if all are labeled.
        picture_ready: The picture of the shown number is read, a `ImagePyramid`.
        labels_changed: The pictures whose labels changed, a list.
        items_changed: Pictures were added.
        classes_changed: A class was added or changed.
        displayed: The pictures have other colors or contrast.
        assisted: Other proposals: a new `AssistStatus`, or answers of a trained run.
    """

    shown = Signal(int)
    picture_ready = Signal(int, object)
    labels_changed = Signal(list)
    items_changed = Signal()
    classes_changed = Signal()
    displayed = Signal()
    assisted = Signal(object)

    def __init__(self, context: AppContext, labeling: Labeling, parent: QObject) -> None:
        super().__init__(parent)
        self.context = context
        self.labeling = labeling
        self.current = _NONE
        self.assist = AssistStatus()
        self._of_run: dict[int, Proposal] = {}
        self.uses_run = False
        self._accepts_unmeasured = False
        self._limit: CertainLimit | None = None
        self._masks = MaskWriter(labeling)
        self.writes = WriteQueue(context, labeling, self)
        self._order: list[int] = []
        self._visited: list[int] = []
        self._skipped: set[int] = set()
        self._since = time.monotonic()
        self._pictures: OrderedDict[int, ImagePyramid] = OrderedDict()
        self._unusual: set[int] = set()
        self._reading: set[int] = set()
        self._display_version = 0
        self._planes: dict[int, int] = {}
        self._displaying = OrderedCalls(context.background, self)
        self.seed = secrets.randbelow(1 << 30)
        self._timer = 0
        self._is_polling = False
        context.background.closing.connect(self._on_closing)
        self.shuffle()

    # What is shown

    @property
    def is_drawn(self) -> bool:
        """True if boxes or masks are drawn on the pictures."""
        return self.labeling.editor.is_drawn

    @property
    def value(self) -> Value | None:
        """Value of the shown picture; None if it is undecided."""
        return None if self.current < 0 else self.labeling.value_of(self.current)

    @property
    def proposal(self) -> Proposal | None:
        """Proposal of a model for the shown picture; None for nothing."""
        if self.current < 0 or self.value is not None:
            return None
        return self.proposals.get(self.current)

    @property
    def proposals(self) -> Mapping[int, Proposal]:
        """Proposals of the run that was chosen for it, or else of the model that learns here.

        Some may be of pictures that have been labeled since.
        """
        return self._of_run if self.uses_run else self.assist.proposals

    def open_status(self) -> AssistStatus:
        """Return the state of the assistance, with the proposals of undecided pictures alone."""
        labels = self.labeling.labels
        found = {item: each for item, each in self.proposals.items() if item not in labels}
        limit = self._limit if self.uses_run else self.assist.certain
        return replace(self.assist, proposals=found, certain=limit)

    @property
    def picture(self) -> ImagePyramid | None:
        """The shown picture; None while it is read."""
        return self._pictures.get(self.current)

    @property
    def is_standard(self) -> bool:
        """True if screens show the pixels of the shown picture as they are."""
        return self.current not in self._unusual

    def display_facts(self) -> DisplayFacts:
        """Return the facts by which a person chooses colors and contrast; in another thread.

        Raises:
            StudioError: The shown picture cannot be read.
        """
        from studio.engine.datasets.picture_display import facts_of_file  # noqa: PLC0415 - NumPy

        folder = self.labeling.record.folder
        plane = self._planes.get(self.current, 0)
        return facts_of_file(self.labeling.file_of(self.current), chosen_display(folder), plane)

    @property
    def plane(self) -> int:
        """Number of the shown plane of the current picture, from 0."""
        return self.plane_of(self.current)

    def plane_of(self, item: int) -> int:
        """Return the number of the shown plane of a picture, from 0."""
        return self._planes.get(item, 0)

    def set_plane(self, plane: int) -> None:
        """Show another plane of the current picture; its label is that of all planes.

        Args:
            plane: Number of the plane, from 0.
        """
        self._planes[self.current] = plane
        self._on_displayed()

    def set_display(self, display: DisplayMapping) -> None:
        """Show the pictures in other colors or contrast, from now on."""
        from studio.engine.datasets.display import write_display  # noqa: PLC0415 - NumPy

        work = partial(write_display, self.labeling.record.folder, display)
        self._displaying.run(work, self._on_displayed)

    def _on_displayed(self) -> None:
        self._display_version += 1
        self._pictures.clear()
        self.displayed.emit()
        if self.current >= 0:
            self._read(self.current)

    def shuffle(self) -> None:
        """Show the undecided pictures in random order."""
        self.set_order(self._shuffled(self.labeling.undecided()))

    def set_order(self, order: Sequence[int]) -> None:
        """Show pictures in this order, first to show first."""
        self._order = list(reversed(order))
        self._read_ahead()

    def show_next(self) -> None:
        """Show the next undecided picture; skipped ones come again at the end."""
        following = self._next()
        if following < 0 and self._skipped:
            self._skipped.clear()
            self._order = list(reversed(self.labeling.undecided()))
            following = self._next()
        self.show_item(following)

    def skip(self) -> None:
        """Leave the shown picture for later."""
        if self.current >= 0 and self.value is None:
            self._skipped.add(self.current)
        self.show_next()

    def back(self) -> None:
        """Show the picture before, with its label."""
        while self._visited:
            item = self._visited.pop()
            if item != self.current:
                self._show(item)
                return

    @property
    def can_go_back(self) -> bool:
        """True if another picture was shown before."""
        return any(item != self.current for item in self._visited)

    def show_item(self, item: int) -> None:
        """Show a picture; -1 shows that all are labeled."""
        if self.current >= 0 and item != self.current:
            self._visited.append(self.current)
        self._show(item)

    def _show(self, item: int) -> None:
        self.current = item
        self._since = time.monotonic()
        self.shown.emit(item)
        if item >= 0:
            self._read(item)
        self._read_ahead()

    def _next(self) -> int:
        labels = self.labeling.labels
        while self._order:
            item = self._order.pop()
            if item not in labels and item not in self._skipped and item != self.current:
                return item
        return _NONE

    # Decisions

    def decide(self, value: Value | None, via: Via, *, advances: bool = True) -> None:
        """Give the shown picture a value.

        Args:
            value: The value; None takes it away.
            via: How it was decided.
            advances: True to show the next picture.
        """
        if self.current >= 0:
            item, seconds = self.current, time.monotonic() - self._since
            work = partial(self.labeling.label, [item], value, via, seconds)
            self._perform(work, partial(self._advance, item) if advances else None)

    def decide_named(self, name: str, done: Callable[[], object]) -> None:
        """Give the shown picture a class, as one call: what is decided after it comes after it.

        Args:
            name: Name of the class; a new one is added.
            done: Called before the next picture is shown; not called if the name cannot be used.
        """
        if self.current >= 0:
            item, seconds = self.current, time.monotonic() - self._since
            work = partial(_label_named, self.labeling, item, name, seconds)
            self._perform(work, partial(self._on_named, item, done))

    def _on_named(self, item: int, done: Callable[[], object]) -> None:
        self.classes_changed.emit()
        done()
        self._advance(item)

    def label(
        self, items: Sequence[int], value: Value | None, via: Via, seconds: float | None = None
    ) -> None:
        """Give pictures the same value, as one decision.

        Args:
            items: Numbers of the pictures.
            value: The value; None takes it away.
            via: How it was decided.
            seconds: Time that it took.
        """
        self._perform(partial(self.labeling.label, list(items), value, via, seconds))

    def label_each(self, values: Sequence[tuple[int, Value | None]], via: Via) -> None:
        """Give each picture its own value, as one decision.

        Args:
            values: Number and value of each picture.
            via: How it was decided.
        """
        changes = [Change(item=item, value=value) for item, value in values]
        self._perform(partial(self.labeling.decide, changes, via))

    def accept(
        self,
        proposals: Sequence[Proposal],
        via: Via = "proposal",
        then: Callable[[], object] | None = None,
    ) -> None:
        """Label pictures as proposed; masks are written in another thread.

        Args:
            proposals: One for each picture.
            via: See `proposals.accept`.
            then: Called once they are labeled.
        """
        seconds = time.monotonic() - self._since if via == "proposal" else None
        work = partial(accept, self.labeling, list(proposals), via, seconds)
        is_slow = any(each.mask is not None for each in proposals)
        self._perform(work, then, is_slow=is_slow)

    def accept_shown(self) -> bool:
        """Label the shown picture as proposed and go to the next; False without a proposal."""
        proposal = self.proposal
        if proposal is None:
            return False
        self.accept([proposal], then=partial(self._advance, self.current))
        return True

    def exclude(self) -> None:
        """Leave the shown picture out of the dataset."""
        self._masks.drop(self.current)
        self.decide(EXCLUDED, "key")

    def write_mask(self, item: int, mask: Mask) -> None:
        """Write a drawn mask in another thread, and label its picture.

        Of masks that are drawn faster than they are written, the newest alone is written.

        Args:
            item: Number of the picture.
            mask: Class of each pixel, uint8, shape (height, width); a copy.
        """
        self._masks.put(item, mask)
        self._perform(self._masks.write_all, is_slow=True)

    def unwritten_mask(self, item: int) -> Mask | None:
        """Return the mask of a picture that is still being written; None for nothing."""
        return self._masks.get(item)

    def step(self, step: Step) -> None:
        """Undo or redo the last decision, and show its picture."""
        call = self.labeling.undo if step == "undo" else self.labeling.redo
        self.writes.run(call, self._on_stepped)

    def _on_stepped(self, items: Sequence[int]) -> None:
        self._on_labeled(items)
        if items:
            self._order += [item for item in items if self.labeling.value_of(item) is None]
            self.show_item(items[0])

    def class_named(self, name: str, done: Callable[[int], object]) -> None:
        """Find a class; a new one is added.

        Args:
            name: Its name.
            done: Called with its index; not called if the name cannot be used.
        """
        known = self.labeling.class_index(name)
        if known is not None:
            done(known)
        else:
            call = partial(self.labeling.class_named, name)
            self.writes.run(call, partial(self._on_class, done))

    def _on_class(self, done: Callable[[int], object], index: int) -> None:
        self.classes_changed.emit()
        done(index)

    # What other processes write

    def start_polling(self) -> None:
        """Show what other processes write, now and every second, while the labeling is visible."""
        if not self._timer:
            self._timer = self.startTimer(_REFRESH_MS)
            self.refresh()

    def stop_polling(self) -> None:
        """Stop reading what other programs write."""
        if self._timer:
            self.killTimer(self._timer)
            self._timer = 0

    def refresh(self) -> None:
        """Read what other processes wrote in another thread, and show it."""
        if self._is_polling or self.writes.is_busy:
            return
        self._is_polling = True
        self.context.background.run(
            self,
            partial(_refreshed, self.labeling),
            self._on_refreshed,
            self._on_not_refreshed,
            self._on_polled,
        )

    def _on_polled(self) -> None:
        self._is_polling = False

    def _on_not_refreshed(self, error: BaseException) -> None:
        """Say once that a file is damaged: it would fail again every second."""
        self.stop_polling()
        if not isinstance(error, StudioError):
            self.context.navigator.show_failure(error)
            return
        action = self.tr("Try again")
        notice = Notice(
            "error", error.message, error.hint, action_text=action, action=self.start_polling
        )
        self.context.navigator.notify(notice)

    def _on_refreshed(self, news: tuple[Changed, Recovered]) -> None:
        changed, recovered = news
        if changed.classes or recovered.items:
            self.classes_changed.emit()
        self._on_labeled(sorted({*changed.items, *recovered.items}))
        if recovered.items or recovered.older:
            self.context.navigator.notify(Notice("info", *_recovered_texts(recovered)))
        if changed.added:
            self.added()

    def added(self) -> None:
        """Show pictures that were added in another thread."""
        known = set(self._order)
        new = self._shuffled(item for item in self.labeling.undecided() if item not in known)
        self._order = [*reversed(new), *self._order]
        self.items_changed.emit()
        if self.current < 0:
            self.show_next()

    def set_assist(self, status: AssistStatus) -> None:
        """Take over what a model proposes."""
        self.assist = status
        self.assisted.emit(status)

    def use_run(self, uses_run: bool, *, is_measured: bool = False) -> None:
        """Take proposals from a trained run or from texts, or from the model that learns here.

        Args:
            uses_run: True for a run or texts, whose answers are added by `add_proposals`.
            is_measured: True for texts, which are measured on the labels here.
        """
        self.uses_run = uses_run
        self._accepts_unmeasured = uses_run and not is_measured
        self._of_run = {}
        self._limit = None
        self.assisted.emit(self.assist)

    def set_limit(self, limit: CertainLimit | None) -> None:
        """Take over from where on proposals of texts are certain, see `use_run`."""
        self._limit = limit
        self.assisted.emit(self.assist)

    def acceptable(self, status: AssistStatus, size: int = PAGE) -> list[Proposal]:
        """Return proposals to accept at once: those above the measured threshold.

        Of a run, whose errors are not known, they are the most certain ones.

        Args:
            status: See `open_status`.
            size: Maximum number of proposals.
        """
        if self._accepts_unmeasured:
            return most_certain(status, size)
        return certain_page(status, size)

    def add_proposals(self, proposals: Sequence[Proposal], most: int = 0) -> list[int]:
        """Take over answers of a trained run; returns the pictures whose answers were dropped.

        Args:
            proposals: The answers.
            most: Number of answers that are kept, the newest; 0 for all.
        """
        dropped = []
        for each in proposals:
            self._of_run[each.item] = each
        while most and len(self._of_run) > most:
            dropped.append(next(item for item in self._of_run if item != self.current))
            del self._of_run[dropped[-1]]
        self.assisted.emit(self.assist)
        return dropped

    def upcoming(self, most: int) -> list[int]:
        """Return the shown picture and those that come next, as far as they are undecided."""
        labels = self.labeling.labels
        coming = [self.current, *reversed(self._order)] if self.current >= 0 else self._order[::-1]
        found = dict.fromkeys(item for item in coming if item not in labels)
        return list(found)[:most]

    def timerEvent(self, _event: object) -> None:
        """Read what other processes wrote."""
        self.refresh()

    def close(self) -> None:
        """Put everything on the disk; in another thread."""
        self.stop_polling()
        work = partial(_close, self.labeling, self.writes.close())
        # This object is gone when something is shown.
        tell = partial(_tell_kept, self.context.navigator)
        self.context.background.run(self.context.background, work, tell)

    def _on_closing(self) -> None:
        """Write what is left: no other thread starts now."""
        self.writes.finish()

    def _shuffled(self, items: Iterable[int]) -> list[int]:
        order = list(items)
        random.Random(self.seed).shuffle(order)  # noqa: S311 - no secret: an order of pictures
        return order

    def _perform(
        self,
        call: Callable[[], Sequence[int]],
        then: Callable[[], object] | None = None,
        *,
        is_slow: bool = False,
    ) -> None:
        """Make a call that labels pictures, show their labels, and then do something."""
        self.writes.run(call, partial(self._on_performed, then), is_slow=is_slow)

    def _on_performed(self, then: Callable[[], object] | None, items: Sequence[int]) -> None:
        self._on_labeled(items)
        if then is not None:
            then()

    def _advance(self, item: int) -> None:
        """Show the next picture, unless another one is shown already."""
        if item == self.current:
            self.show_next()

    def _on_labeled(self, items: Sequence[int]) -> None:
        if items:
            self.labels_changed.emit(list(items))

    # Pictures

    def _read_ahead(self) -> None:
        for item in self._order[-_AHEAD:]:
            self._read(item)

    def _read(self, item: int) -> None:
        found = self._pictures.get(item)
        if found is not None:
            self._pictures.move_to_end(item)
            if item == self.current:
                self.picture_ready.emit(item, found)
            return
        if item in self._reading:
            return
        self._reading.add(item)
        side = _WHOLE if self.is_drawn else _SHOWN
        work = partial(_read, self.labeling, item, side, self._planes.get(item, 0))
        done = partial(self._on_read, item, self._display_version)
        ended = partial(self._reading.discard, item)
        self.context.background.run(self, work, done, ended=ended)

    def _on_read(self, item: int, version: int, found: tuple[ImagePyramid, bool]) -> None:
        if version != self._display_version:  # read with the display before
            self._read(item)
            return
        pyramid, is_standard = found
        if not is_standard:
            self._unusual.add(item)
        self._pictures[item] = pyramid
        while len(self._pictures) > _CACHED:
            self._pictures.popitem(last=False)
        if item == self.current:
            self.picture_ready.emit(item, pyramid)


def _read(labeling: Labeling, item: int, side: int, plane: int) -> tuple[ImagePyramid, bool]:
    """Return a picture, and True if screens show its pixels as they are."""
    try:
        file = labeling.file_of(item)
    except StudioError:  # added meanwhile, in a folder that was not confirmed
        return ImagePyramid(QImage()), True
    found = read_file_picture(file, side, chosen_display(labeling.record.folder), plane)
    return ImagePyramid(found.image), found.is_standard


def _label_named(labeling: Labeling, item: int, name: str, seconds: float) -> tuple[int, ...]:
    (value,) = labeling.editor.with_class([None], labeling.class_named(name))
    return labeling.label(item, value, "typed", seconds)


def _close(labeling: Labeling, finish: Callable[[], int]) -> int:
    try:
        return finish()
    finally:
        labeling.close()


def _tell_kept(navigator: Navigator, kept: int) -> None:
    if kept:
        text = message(
            "{count} labels are not in the labeling yet: another program is writing to it.",
            one="One label is not in the labeling yet: another program is writing to it.",
            count=kept,
        )
        hint = message("They are stored, and are added when the labeling is opened next.")
        navigator.notify(Notice("warning", text, hint))


def _recovered_texts(recovered: Recovered) -> tuple[str, str]:
    text = message(
        "{count} labels were added that had waited for another program.",
        one="One label was added that had waited for another program.",
        count=len(recovered.items),
    )
    if not recovered.older:
        return text, ""
    older = message(
        "{count} older labels were left out: their images have newer ones.",
        one="One older label was left out: its image has a newer one.",
        count=recovered.older,
    )
    return text, older


def _refreshed(labeling: Labeling) -> tuple[Changed, Recovered]:
    changed = labeling.refresh()
    try:
        return changed, recover(labeling)
    except LabelingBusyError:  # later
        return changed, Recovered()
