"""Outputs of networks: their shape, and what they are about. Imports no NumPy."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Final, Literal

from studio.engine.messages import Message, message

BOX_SIDES: Final = 4
"""Numbers of an output for boxes beside the scores of the classes: its sides."""
RAYS: Final = 32
"""Numbers of an output for outlines beside the scores of the classes: distances by direction."""
COEFFICIENTS: Final = 28
"""Numbers of an output for masks by which a position weighs the maps that masks are made of."""


class Output(ABC):
    """Output of a network for an image.

    Attributes:
        name: Name in files.
        predictions: Predictions of such networks for an image, within a sentence.
        meaning: What the numbers are about, in the docstring of generated code.
        dimensions: Number of axes, with that of the batch.
        may_enlarge: True if networks may enlarge small images inside; False where outputs are as
            large as images.
        trainer: Module and name of the way to train such networks; empty where plans choose one,
            see `training.trainers`.
        has_own_backbone: True if the published weights of a backbone belong to such a network.
        any_size: True if networks take images of any size, so that they can be trained on crops
            and used on whole images.
        scripts: Modules beside `predict.py` of an export that it needs.
        group: Group of such networks in the catalog; empty for that of their origin.
    """

    name: str
    predictions: Message
    meaning: str
    dimensions: int
    may_enlarge: bool = False
    trainer: str = ""
    has_own_backbone: bool = False
    any_size: bool = False
    scripts: tuple[str, ...] = ()
    group: Literal["", "masks", "boxes"] = ""

    @abstractmethod
    def classes_in(self, width: int) -> int:
        """Return the number of classes, labels or quantities in outputs of a width.

        Args:
            width: Size of the last axis of the outputs.
        """

    @abstractmethod
    def width_of(self, classes: int) -> int:
        """Return the width of outputs, the size of their last axis.

        Args:
            classes: Number of classes, labels or quantities.
        """

    @abstractmethod
    def shape_text(self, height: int, width: int, classes: int) -> str:
        """Return the shape of outputs in words, such as `n x 10`.

        Args:
            height: Height of the images in pixels.
            width: Width of the images in pixels.
            classes: Number of classes, labels or quantities.
        """

    def script_text(self, *, is_decoded: bool) -> str:  # noqa: ARG002 - of boxes
        """Return what `scripts` do, in a sentence and a space; empty without scripts.

        Args:
            is_decoded: True if the exported model decodes its outputs.
        """
        return ""


class _Vector(Output):
    """A number for each class, label or quantity, shape (K,)."""

    name = "vector"
    predictions = message("one result for each image")
    meaning = "each class"
    dimensions = 2
    may_enlarge = True
    has_own_backbone = True

    def classes_in(self, width: int) -> int:
        """See `Output.classes_in`."""
        return width

    def width_of(self, classes: int) -> int:
        """See `Output.width_of`."""
        return classes

    def shape_text(self, height: int, width: int, classes: int) -> str:  # noqa: ARG002
        """See `Output.shape_text`."""
        return f"n x {classes}"


class _Pixels(_Vector):
    """A number for each class of each pixel, shape (H, W, K)."""

    name = "mask"
    predictions = message("masks")
    meaning = "each class of each pixel"
    dimensions = 4
    may_enlarge = False
    has_own_backbone = False
    any_size = True
    group = "masks"

    def shape_text(self, height: int, width: int, classes: int) -> str:
        """See `Output.shape_text`."""
        return f"n x {height} x {width} x {classes}"


class _Positions(Output):
    """Scores of the classes and sides of a box for each of many positions, shape (P, K + 4)."""

    name = "boxes"
    predictions = message("boxes")
    meaning = (
        "each class of each position, and\nthe distances to the four sides of a box in strides"
    )
    dimensions = 3
    scripts = ("boxes.py",)
    group = "boxes"

    def classes_in(self, width: int) -> int:
        """See `Output.classes_in`."""
        return width - BOX_SIDES

    def width_of(self, classes: int) -> int:
        """See `Output.width_of`."""
        return classes + BOX_SIDES

    def shape_text(self, height: int, width: int, classes: int) -> str:  # noqa: ARG002
        """See `Output.shape_text`."""
        return f"n x positions x {self.width_of(classes)}"

    def script_text(self, *, is_decoded: bool) -> str:
        """See `Output.script_text`."""
        if is_decoded:
            return "`boxes.py` moves its boxes to their place in the image. "
        return "`boxes.py` makes boxes of its outputs and removes duplicates. "


class _AnomalyMap(_Vector):
    """A score for each pixel, shape (H, W, K): 0 for the first class, the same for all others."""

    name = "anomaly_map"
    predictions = message("anomaly maps")
    meaning = "each class of each pixel"
    dimensions = 4
    trainer = "studio.engine.training.good_images_fit:GOOD_IMAGES"
    may_enlarge = False
    has_own_backbone = False

    def shape_text(self, height: int, width: int, classes: int) -> str:
        """See `Output.shape_text`."""
        return f"n x {height} x {width} x {classes}"


class _Stars(Output):
    """Scores of the classes and 32 distances for each position of a grid, (H/s, W/s, K + 32)."""

    name = "stars"
    predictions = message("objects with outlines")
    meaning = (
        "each class of each position, and\nthe distances to the outline of its object in 32 "
        "directions, in strides"
    )
    dimensions = 4
    any_size = True
    scripts = ("stars.py",)
    group = "masks"

    def classes_in(self, width: int) -> int:
        """See `Output.classes_in`."""
        return width - RAYS

    def width_of(self, classes: int) -> int:
        """See `Output.width_of`."""
        return classes + RAYS

    def shape_text(self, height: int, width: int, classes: int) -> str:  # noqa: ARG002
        """See `Output.shape_text`."""
        return f"n x rows x columns x {self.width_of(classes)}"

    def script_text(self, *, is_decoded: bool) -> str:
        """See `Output.script_text`."""
        if is_decoded:
            return "`stars.py` moves its outlines to their place in the image. "
        return "`stars.py` makes outlines of its outputs and removes duplicates. "


class _Masks(Output):
    """Maps that masks are made of, and scores, coefficients and sides by position, (P, K + 32)."""

    name = "object_masks"
    predictions = message("objects with masks of any shape")
    meaning = (
        "each class of each position, and\n28 coefficients of its mask and the distances to the "
        "four sides of a box in strides;\nthe positions of the finest level hold the maps that "
        "the coefficients weigh"
    )
    dimensions = 3
    scripts = ("boxes.py", "masks.py")
    group = "masks"

    def classes_in(self, width: int) -> int:
        """See `Output.classes_in`."""
        return width - COEFFICIENTS - BOX_SIDES

    def width_of(self, classes: int) -> int:
        """See `Output.width_of`."""
        return classes + COEFFICIENTS + BOX_SIDES

    def shape_text(self, height: int, width: int, classes: int) -> str:  # noqa: ARG002
        """See `Output.shape_text`."""
        return f"n x positions x {self.width_of(classes)}"

    def script_text(self, *, is_decoded: bool) -> str:
        """See `Output.script_text`."""
        if is_decoded:
            return "`masks.py` makes outlines of its masks and moves them to their place. "
        return "`masks.py` makes objects with masks of its outputs and removes duplicates. "


VECTOR: Final[Output] = _Vector()
"""A number for each class, label or quantity."""
PIXELS: Final[Output] = _Pixels()
"""A number for each class of each pixel."""
POSITIONS: Final[Output] = _Positions()
"""Scores of the classes and sides of a box for each of many positions."""
ANOMALY_MAP: Final[Output] = _AnomalyMap()
"""An anomaly score for each pixel."""
STARS: Final[Output] = _Stars()
"""Scores of the classes and distances to an outline for each position of a grid."""
OBJECT_MASKS: Final[Output] = _Masks()
"""Boxes as `POSITIONS`, each with the coefficients of its mask, and the maps these weigh."""
