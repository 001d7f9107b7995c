"""Values that people assign to pictures: a class, labels, numbers, boxes, a mask or objects."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated, ClassVar, Literal, Self, TypeAlias

from pydantic import BaseModel, ConfigDict, Field

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


class _Value(BaseModel):
    """Base of the values; each kind redefines the properties that differ.

    Attributes:
        is_excluded: True for a picture that is left out.
        is_exclusive: True if one class excludes all others.
        belongs_to_one: True if a value fits the picture that it was made for only.
    """

    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False)
    is_excluded: ClassVar[bool] = False
    is_exclusive: ClassVar[bool] = False
    belongs_to_one: ClassVar[bool] = False

    @property
    def classes(self) -> Sequence[int]:
        """Indices of the classes in it, ascending; none of numbers and masks."""
        return ()

    def is_usable(self, count: int) -> bool:  # noqa: ARG002 - of numbers
        """Return True if models and datasets can learn from it.

        Args:
            count: Number of classes, labels or quantities of the labeling.
        """
        return not self.is_excluded

    def targets(self, count: int) -> list[float]:
        """Return it as numbers, one for each class, label or quantity.

        Args:
            count: Number of them, K.
        """
        return [float(index in self.classes) for index in range(count)]

    def toggled(self, index: int, *, is_on: bool) -> LabelsValue:
        """Return the labels in it with one more, or without it.

        Args:
            index: Index of the label.
            is_on: True to add it.
        """
        others = set(self.classes) - {index}
        return LabelsValue.of(others | {index} if is_on else others)

    def renumbered(self, indices: Sequence[int], count: int) -> Self:  # noqa: ARG002
        """Return the same for classes with other indices; a mask keeps its file.

        Args:
            indices: New index of each class.
            count: Number of classes or quantities of the labeling, which may be more.
        """
        return self

    def object_boxes(self) -> Sequence[Box] | None:
        """Return the boxes of objects, perhaps none; None for values without boxes."""
        return None

    def edit_of(self, before: Value, at: float) -> BoxesEdit | None:  # noqa: ARG002 - of boxes
        """Return the edit that makes it of the value before; None to store it whole.

        Args:
            before: The value before.
            at: Time of the label with that value.
        """
        return None


class ClassValue(_Value):
    """One class.

    Attributes:
        index: Its index among the classes of the labeling.
    """

    kind: Literal["class"] = "class"
    index: int = Field(ge=0)
    is_exclusive: ClassVar[bool] = True

    @property
    def classes(self) -> Sequence[int]:
        """Its index."""
        return (self.index,)

    def renumbered(self, indices: Sequence[int], count: int) -> Self:  # noqa: ARG002
        """Return the same class; see `_Value.renumbered`."""
        return self.model_copy(update={"index": indices[self.index]})


class LabelsValue(_Value):
    """A set of labels, perhaps empty.

    Attributes:
        indices: Their indices among the classes of the labeling, ascending.
    """

    kind: Literal["labels"] = "labels"
    indices: tuple[int, ...] = ()

    @classmethod
    def of(cls, indices: set[int] | frozenset[int] | list[int] | tuple[int, ...]) -> Self:
        """Return the value for labels in any order."""
        return cls(indices=tuple(sorted(set(indices))))

    @property
    def classes(self) -> Sequence[int]:
        """Indices of the labels."""
        return self.indices

    def renumbered(self, indices: Sequence[int], count: int) -> Self:  # noqa: ARG002
        """Return the same labels; see `_Value.renumbered`."""
        return self.of([indices[index] for index in self.indices])


class NumbersValue(_Value):
    """Numbers, one for each quantity of the labeling.

    Attributes:
        numbers: In the units of the quantities; None where one is unknown. Datasets leave out
            images with unknown numbers.
    """

    kind: Literal["numbers"] = "numbers"
    numbers: tuple[float | None, ...]

    @property
    def is_complete(self) -> bool:
        """True if every number is known."""
        return bool(self.numbers) and None not in self.numbers

    def is_usable(self, count: int) -> bool:
        """Return True if the numbers of all quantities are known; some may have been added later.

        Args:
            count: Number of quantities.
        """
        return self.is_complete and len(self.numbers) == count

    def targets(self, count: int) -> list[float]:
        """Return the numbers; unknown ones are NaN.

        Args:
            count: Number of quantities.
        """
        known = [math.nan if each is None else each for each in self.numbers[:count]]
        return [*known, *[math.nan] * (count - len(known))]

    def renumbered(self, indices: Sequence[int], count: int) -> Self:
        """Return the known numbers of the same quantities; see `_Value.renumbered`."""
        numbers: list[float | None] = [None] * count
        for index, number in zip(indices, self.numbers, strict=False):
            numbers[index] = number
        return self.model_copy(update={"numbers": tuple(numbers)})


Box: TypeAlias = tuple[float, float, float, float, float, float]
"""Class, left, top, right, bottom, flags; see `tasks.boxes`."""


class BoxesValue(_Value):
    """The boxes of all objects of a picture, perhaps none.

    Attributes:
        boxes: Rows as in `tasks.boxes`: class, left, top, right and bottom in pixels of
            the upright picture, flags.
    """

    kind: Literal["boxes"] = "boxes"
    boxes: tuple[Box, ...] = ()

    @classmethod
    def of(cls, boxes: NDArray[np.float32]) -> Self:
        """Return the value of an array of boxes, shape (n, 6)."""
        return cls(boxes=tuple(tuple(row) for row in boxes.astype(float).tolist()))

    def array(self) -> NDArray[np.float32]:
        """Return the boxes, float32, shape (n, 6)."""
        import numpy as np  # noqa: PLC0415 - `studio label` starts without it

        found: NDArray[np.float32] = np.array(self.boxes, np.float32).reshape(-1, 6)
        return found

    def object_boxes(self) -> Sequence[Box] | None:
        """Return the boxes."""
        return self.boxes

    @property
    def classes(self) -> Sequence[int]:
        """Indices of the classes of the boxes."""
        return sorted({int(box[0]) for box in self.boxes})

    def renumbered(self, indices: Sequence[int], count: int) -> Self:  # noqa: ARG002
        """Return the same boxes; see `_Value.renumbered`."""
        boxes = tuple((indices[int(box[0])], *box[1:]) for box in self.boxes)
        return self.model_copy(update={"boxes": boxes})

    def edit_of(self, before: Value, at: float) -> BoxesEdit | None:
        """Return the stretch of boxes that changed; None if there were no boxes before.

        Args:
            before: The value before.
            at: Time of the label with that value.
        """
        return BoxesEdit.between(before, self, at) if isinstance(before, BoxesValue) else None


class BoxesEdit(_Value):
    """One stretch of the boxes of a picture replaced by others; in the journal only.

    Hundreds of boxes are drawn one after another: a line for each holds what changed.

    Attributes:
        of: Time of the label that is edited (`Label.t`), the last one of the same annotator.
        at: Position of the first replaced box.
        removed: Number of replaced boxes.
        added: Boxes that take their place.
    """

    kind: Literal["boxes_edit"] = "boxes_edit"
    of: float
    at: int = Field(ge=0)
    removed: int = Field(ge=0)
    added: tuple[Box, ...] = ()

    @classmethod
    def between(cls, before: BoxesValue, after: BoxesValue, of: float) -> Self:
        """Return the edit that makes one value of another.

        Args:
            before: Boxes of the last label.
            after: Boxes of the next one.
            of: Time of the last label.
        """
        old, new = before.boxes, after.boxes
        least = min(len(old), len(new))
        at = next((each for each in range(least) if old[each] != new[each]), least)
        same = range(least - at)
        tail = next((each for each in same if old[-1 - each] != new[-1 - each]), len(same))
        end = len(new) - tail
        return cls(of=of, at=at, removed=len(old) - tail - at, added=new[at:end])

    def applied(self, before: Value) -> BoxesValue:
        """Return the boxes after the edit; those that stay are not copied.

        Raises:
            ValueError: The value before has no boxes.
        """
        if not isinstance(before, BoxesValue):
            raise ValueError("an edit of boxes needs boxes")  # noqa: TRY004 - a damaged file
        old = before.boxes
        boxes = (*old[: self.at], *self.added, *old[self.at + self.removed :])
        return BoxesValue.model_construct(boxes=boxes)


class MaskValue(_Value):
    """A class for each pixel, in a file of the record.

    Attributes:
        file: Path of a PNG file of class indices relative to the folder of the record; pixels of
            no class are `IGNORE`. Such files are never overwritten. See `Labeling.read_mask`.
    """

    kind: Literal["mask"] = "mask"
    file: str
    belongs_to_one: ClassVar[bool] = True


class InstancesValue(_Value):
    """The objects of a picture with their pixels, in a file of the record.

    Attributes:
        file: Path of a TIFF file of 32 bits relative to the folder of the record, with values as
            in `tasks.instance_labels`. Such files are never overwritten. See
            `Labeling.read_mask`.
        objects: Class of each object, by rising number.
    """

    kind: Literal["instances"] = "instances"
    file: str
    objects: tuple[int, ...] = ()
    belongs_to_one: ClassVar[bool] = True

    @property
    def classes(self) -> Sequence[int]:
        """Indices of the classes of the objects."""
        return sorted({*self.objects})


class ExcludedValue(_Value):
    """The picture is not usable: it is left out of datasets and not shown again."""

    kind: Literal["excluded"] = "excluded"
    is_excluded: ClassVar[bool] = True


Value: TypeAlias = (
    ClassValue
    | LabelsValue
    | NumbersValue
    | BoxesValue
    | MaskValue
    | InstancesValue
    | ExcludedValue
)
AnyValue = Annotated[Value, Field(discriminator="kind")]
"""`Value` as a field of a model."""

EXCLUDED = ExcludedValue()

Via = Literal[
    "key", "typed", "click", "proposal", "group", "propagated", "drawn", "captured", "imported"
]
"""Means of a decision: a key, a typed name, the mouse, an accepted proposal, a group of
proposals accepted at once, copied to similar pictures, drawn, captured for a class that was held,
or taken over from files."""
