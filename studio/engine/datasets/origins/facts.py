"""Facts about origins and splits, for reports. Never imports NumPy."""

from __future__ import annotations

from collections.abc import Mapping

from pydantic import BaseModel

from studio.engine.datasets.origins.kinds import (
    UNNAMED_KINDS,
    OriginKind,
    images_of_origins,
    unseen_origins,
)
from studio.engine.messages import Message, message


class OriginFacts(BaseModel, frozen=True):
    """Origins of the images of a dataset.

    Attributes:
        kind: Their kind.
        column: Heading of the column of a table, for the kind "column".
        groups: Number of origins; of those without names, of origins with several images.
        images: Number of their images.
        splits: Number of origins with images in `train`, `val` and `test`.
        common: Number of images of `val` and `test` with an origin that training images have.
    """

    kind: OriginKind = "none"
    column: str = ""
    groups: int = 0
    images: int = 0
    splits: Mapping[str, int] = {}
    common: Mapping[str, int] = {}

    @property
    def text(self) -> Message:
        """The origins in words: "412 frames of 9 films: 6 for training, 1 for validation"."""
        whole = images_of_origins(self.kind, self.images, self.groups, self.column)
        if self.kind in UNNAMED_KINDS:
            return whole
        return message(
            "{origins}: {train:,} for training, {val:,} for validation, {test:,} for test",
            origins=whole,
            train=self.splits.get("train", 0),
            val=self.splits.get("val", 0),
            test=self.splits.get("test", 0),
        )

    @property
    def has_common(self) -> bool:
        """True if validation or test images have an origin that training images have."""
        return any(self.common.values())

    def document(self) -> dict[str, object]:
        """Return the facts as JSON data."""
        return {
            "kind": self.kind,
            "groups": self.groups,
            "images": self.images,
            **({"column": self.column} if self.column else {}),
            "splits": dict(self.splits),
            "common_with_training": dict(self.common),
            "text": str(self.text) if self.groups else "",
        }


class MeasuredOn(BaseModel, frozen=True):
    """Relation of measured images to the training images.

    Attributes:
        kind: Kind of the origins of the images.
        groups: Number of origins of the measured images.
        images: Number of measured images.
        common: Number of measured images with an origin that training images have.
    """

    kind: OriginKind
    groups: int
    images: int
    common: int

    @property
    def is_unseen(self) -> bool:
        """True if no training image has an origin of a measured image."""
        return self.kind not in UNNAMED_KINDS and not self.common

    @property
    def is_mixed(self) -> bool:
        """True if some images have origins of training images, and others have new ones."""
        return self.kind not in UNNAMED_KINDS and 0 < self.common < self.images

    @property
    def text(self) -> Message:
        """The relation in a few words: "Measured on unseen films"."""
        if self.is_unseen:
            return message("Measured on {origins}.", origins=unseen_origins(self.kind))
        if self.common and self.kind != "near_duplicates":
            return message(
                "Measured images with an origin that training images have, too: {common:,} of "
                "{images:,}. Expect lower values for new origins.",
                common=self.common,
                images=self.images,
            )
        return message(
            "The origins of the measured images are unknown; training images may have the same."
        )


def origin_warnings(facts: OriginFacts) -> list[Message]:
    """Return what cannot be estimated with the origins of a dataset, and what is wrong."""
    if facts.kind in ("burst", "tile", "near_duplicates"):
        return _common_warnings(facts)
    if facts.kind in UNNAMED_KINDS:
        return []
    whole = images_of_origins(facts.kind, facts.images, facts.groups, facts.column)
    if facts.groups == 1:
        return [
            message(
                "There is only one origin ({origins}), so that the split is random. How well a "
                "model works on other origins cannot be estimated.",
                origins=whole,
            )
        ]
    found = _common_warnings(facts)
    if facts.groups == 2 and not facts.has_common:
        found.append(
            message(
                "There are only two origins ({origins}): one for training and one to measure. "
                "Validation and test on unseen origins need at least three.",
                origins=whole,
            )
        )
    if facts.groups > 2 and 1 in (facts.splits.get("val"), facts.splits.get("test")):
        found.append(
            message(
                "The images of validation or test have a single origin ({origins}). How much "
                "results differ between origins cannot be estimated there.",
                origins=whole,
            )
        )
    return found


def _common_warnings(facts: OriginFacts) -> list[Message]:
    """Return a warning if validation or test images have origins of training images."""
    if not facts.has_common:
        return []
    val, test = facts.common.get("val", 0), facts.common.get("test", 0)
    if facts.kind == "near_duplicates":
        return [
            message(
                "Images with near-duplicates among the training images: {val:,} for validation, "
                "{test:,} for the test. Metrics are too high for new images.",
                val=val,
                test=test,
            )
        ]
    return [
        message(
            "Images with an origin that training images have, too: {val:,} for validation, "
            "{test:,} for the test. Metrics are too high for images of new origins.",
            val=val,
            test=test,
        )
    ]
