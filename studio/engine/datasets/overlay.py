"""Applies edits to the small columns of a dataset, in memory. Pixels are never touched."""

from __future__ import annotations

import base64
import binascii
import zlib
from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray

from studio.engine.datasets import edits
from studio.engine.datasets.splits import SKIPPED, SPLIT_NAMES
from studio.engine.errors import StudioError
from studio.engine.files import one_form
from studio.engine.messages import as_message
from studio.engine.tasks.targets import TargetArray, Targets

LONGEST_CLASS_NAME = 200
MAX_PLACES = 1_000_000
"""Objects of an image that edits can name at most."""


class EditOverlay:
    """Targets, splits and classes of a dataset while edits are applied to them.

    Attributes:
        targets: Targets of each row, N x outputs, see `Store.targets`; a copy.
        dealt: Split of each row whether left out or not, int8, N; -1 in holes. A copy.
        excluded: True for excluded rows, bool, shape (N,).
        confirmed: True for rows whose label was checked and is right, bool, shape (N,).
        classes: Class names; a copy.
        pattern: Pattern of the origins of the last split; empty for those of the import.
        removed: Indices of the removed objects of each edited row.
    """

    def __init__(
        self,
        kind: Targets,
        targets: TargetArray,
        split: NDArray[np.int8],
        classes: list[str],
    ) -> None:
        self._kind = kind
        self.removed: dict[int, frozenset[int]] = {}
        self.targets = targets.copy()
        self.dealt = split.copy()
        self.excluded = np.zeros(len(split), np.bool_)
        self.confirmed = np.zeros(len(split), np.bool_)
        self.classes = list(classes)
        self.pattern = ""
        self._holes = split == SKIPPED

    def copy(self) -> EditOverlay:
        """Return an independent copy."""
        other = EditOverlay(self._kind, self.targets, self.dealt, self.classes)
        other.excluded[:] = self.excluded
        other.pattern = self.pattern
        other.confirmed[:] = self.confirmed
        other.removed = dict(self.removed)
        return other

    @property
    def split(self) -> NDArray[np.int8]:
        """Split of each row for readers, -1 where it is left out or a hole."""
        return np.where(self.excluded, np.int8(SKIPPED), self.dealt)

    def apply(self, edit: edits.Edit) -> None:
        """Do one edit.

        Raises:
            StudioError: It names an image, a class or a name that it cannot name; nothing changed.
        """
        match edit:
            case edits.Exclude() | edits.Include():
                self.excluded[self._rows(edit.rows)] = edit.kind == "exclude"
            case edits.Relabel():
                self._relabel(edit)
            case edits.Confirm():
                self.confirmed[self._rows(edit.rows)] = True
            case edits.RemoveObjects():
                self._remove_objects(edit)
            case edits.SetTarget():
                self._set_target(edit)
            case edits.Move():
                self.dealt[self._rows(edit.rows)] = SPLIT_NAMES.index(edit.split)
            case edits.Resplit():
                self.dealt = self._unpacked(edit.dealt)
                self.pattern = edit.plan.pattern if edit.plan.by_origin else ""
            case edits.AddClass():
                self._add_class(self._new_name(edit.name))
            case edits.RenameClass():
                self._require_class(edit.label)
                self.classes[edit.label] = self._new_name(edit.name, besides=edit.label)

    def _relabel(self, edit: edits.Relabel) -> None:
        self._require_class(edit.label)
        rows = self._rows(edit.rows)
        self._kind.relabel(self.targets, rows, edit.label)
        self.confirmed[rows] = False

    def _remove_objects(self, edit: edits.RemoveObjects) -> None:
        for row in self._rows(edit.rows).tolist():
            places = rows_of(edit.places, MAX_PLACES).tolist()
            self.removed[row] = self.removed.get(row, frozenset()) | frozenset(places)

    def _set_target(self, edit: edits.SetTarget) -> None:
        self._require_class(edit.output)
        if refusal := self._kind.refusal(edit.value):
            raise StudioError(
                "The target was not changed: {reason}.", where="target", reason=as_message(refusal)
            )
        self.targets[self._rows(edit.rows), edit.output] = edit.value

    def _add_class(self, name: str) -> None:
        self.targets = self._kind.with_new_output(self.targets)
        self.classes.append(name)

    def _rows(self, text: str) -> NDArray[np.int64]:
        rows = rows_of(text, len(self.dealt))
        if self._holes[rows].any():
            raise StudioError(
                "Image number {number} could not be read by the import.",
                "Choose images that are included in the dataset.",
                "rows",
                number=rows[self._holes[rows]][0],
            )
        return rows

    def _require_class(self, label: int) -> None:
        if label >= len(self.classes):
            raise StudioError(
                "The dataset has {count} classes; received the number {number}.",
                "Add the class first.",
                "class",
                count=len(self.classes),
                number=label,
            )

    def _new_name(self, name: str, besides: int | None = None) -> str:
        requested = one_form(name)
        if not requested or len(requested) > LONGEST_CLASS_NAME:
            raise StudioError(
                "Class names have 1 to {limit} characters; received {name}.",
                where="class",
                limit=LONGEST_CLASS_NAME,
                name=repr(name),
            )
        taken = [known for index, known in enumerate(self.classes) if index != besides]
        if requested in taken:
            raise StudioError(
                'The class "{class_name}" already exists.',
                "To merge two classes, relabel the images of one as the other.",
                "class",
                class_name=requested,
            )
        return requested

    def _unpacked(self, text: str) -> NDArray[np.int8]:
        dealt = unpack(text)
        if len(dealt) != len(self.dealt) or not np.array_equal(dealt == SKIPPED, self._holes):
            raise StudioError("The split belongs to other images.", "Split again.", "split")
        return dealt


def rows_text(rows: NDArray[np.integer] | Iterable[int]) -> str:
    """Row numbers as the short text that edits hold: `0-99,105`; order and doubles are lost.

    Raises:
        StudioError: There is no row.
    """
    requested = np.unique(rows if isinstance(rows, np.ndarray) else np.array([*rows], np.int64))
    if not len(requested):
        raise StudioError("No image is selected.", "Choose at least one image.", "rows")
    breaks = np.flatnonzero(np.diff(requested) != 1)
    firsts = requested[np.concatenate(([0], breaks + 1))].tolist()
    lasts = requested[np.concatenate((breaks, [len(requested) - 1]))].tolist()
    return ",".join(
        str(first) if first == last else f"{first}-{last}"
        for first, last in zip(firsts, lasts, strict=True)
    )


def rows_of(text: str, count: int) -> NDArray[np.int64]:
    """Parse row numbers such as `0-5,9`, int64.

    Args:
        text: Numbers and ranges separated by commas.
        count: Number of rows of the dataset.

    Raises:
        StudioError: A number is not below `count`.
    """
    pairs = [part.partition("-") for part in text.split(",")]
    firsts = np.array([int(first) for first, _, _ in pairs], np.int64)
    lasts = np.array([int(last or first) for first, _, last in pairs], np.int64)
    if max(lasts.max(), firsts.max()) >= count:
        raise StudioError(
            "There are {count} images; received the number {number}.",
            "Choose images that are included in the dataset.",
            "rows",
            count=count,
            number=max(lasts.max(), firsts.max()),
        )
    sizes = np.maximum(lasts - firsts + 1, 0)
    ends = np.cumsum(sizes)
    shifts: NDArray[np.int64] = np.repeat(ends - sizes - firsts, sizes)
    rows: NDArray[np.int64] = np.arange(len(shifts)) - shifts
    return rows


def pack(dealt: NDArray[np.int8]) -> str:
    """Splits as text for `Resplit.dealt`; a million assigned at random take 200 KB."""
    return base64.b64encode(zlib.compress(dealt.astype(np.int8).tobytes(), 9)).decode()


def unpack(text: str) -> NDArray[np.int8]:
    """Return the splits of such a text.

    Raises:
        StudioError: It is damaged.
    """
    try:
        data = zlib.decompress(base64.b64decode(text, validate=True))
    except (binascii.Error, ValueError, zlib.error) as error:
        raise StudioError("The split is damaged.", "Split again.", "split") from error
    dealt = np.frombuffer(data, np.int8).copy()
    if dealt.min(initial=SKIPPED) < SKIPPED or dealt.max(initial=0) >= len(SPLIT_NAMES):
        raise StudioError("The split is damaged.", "Split again.", "split")
    return dealt
