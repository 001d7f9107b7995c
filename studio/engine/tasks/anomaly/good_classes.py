"""Classes of a classification dataset as good images and kinds of defects."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from studio.engine.errors import StudioError
from studio.engine.files import natural_key
from studio.engine.messages import Text, message
from studio.engine.tasks.annotations import AnnotatedPicture, Mask, MaskAnnotations, Remark
from studio.engine.tasks.anomaly.formats import FEWEST_TO_SPLIT, TEST_EVERY
from studio.engine.tasks.anomaly.geometry import GEOMETRY
from studio.engine.tasks.anomaly.task import DEFECT, GOOD

_ONE_ORIGIN = (
    "All good images are of one origin, so that those of the test resemble those for training: "
    "the test may be too optimistic."
)


@dataclass(slots=True)
class KindsOfImages(MaskAnnotations):
    """Kinds of defects without masks; an annotation is the number of the kind, 0 for good."""

    def mask(self, annotation: str, size: tuple[int, int]) -> tuple[Mask, list[Remark]]:
        """Return a mask that is all of a kind; see `MaskAnnotations.mask`."""
        return np.full(size[::-1], int(annotation), np.uint8), []


def kinds_of_classes(images: Sequence[AnnotatedPicture], good: Sequence[str]) -> KindsOfImages:
    """Return images of some classes as good, and those of each other class as a kind of defect.

    Args:
        images: The images; the annotation of each is the name of its class.
        good: Names of the classes of good images.

    Raises:
        StudioError: There is no such class, or a class of defects is called good.
    """
    found = sorted({each.annotation for each in images}, key=natural_key)
    _require_classes(found, good)
    kinds = [name for name in found if name not in good]
    names = (GOOD, *(kinds or (DEFECT,)))
    numbers = dict.fromkeys(good, "0") | {name: str(names.index(name)) for name in kinds}
    pictures = [replace(each, annotation=numbers[each.annotation]) for each in images]
    pictures, notes = _with_test(pictures)
    return KindsOfImages(
        pictures=pictures, names=names, colors=GEOMETRY.colors(names), warnings=notes
    )


def _require_classes(found: Sequence[str], good: Sequence[str]) -> None:
    for name in good:
        if name not in found:
            raise StudioError(
                "There is no class “{name}” among the images; there are {classes}.",
                "Name the classes of the images without defects (--good).",
                "good_classes",
                name=name,
                classes=", ".join(found[:12]) or "–",
            )
    if GOOD in found and GOOD not in good:
        raise StudioError(
            "The class “{name}” would become a kind of defect: it is not among the good classes.",
            "Name it as well (--good), or rename it.",
            "good_classes",
            name=GOOD,
        )


def _with_test(images: list[AnnotatedPicture]) -> tuple[list[AnnotatedPicture], list[Text]]:
    """Put defects for training, which nothing learns from, and some good images into the test.

    Splits of the source are kept for good images; where it has none, some test the network: all
    those of an origin, where origins are known.

    Args:
        images: The images with the numbers of their kinds.
    """
    good = [index for index, each in enumerate(images) if each.annotation == "0"]
    has_splits = any(each.split for each in images)
    is_enough = len(good) >= FEWEST_TO_SPLIT and not has_splits and len(good) < len(images)
    chosen = _tested(images, good) if is_enough else set()
    moved = {
        index
        for index, each in enumerate(images)
        if each.annotation != "0" and each.split in {None, "train"}
    }
    if not moved:
        return images, []
    shared = {images[index].origin for index in chosen} & {
        images[index].origin for index in good if index not in chosen
    }
    split = [
        replace(each, split="test") if index in moved | chosen else each
        for index, each in enumerate(images)
    ]
    notes = [message(_ONE_ORIGIN)] if shared - {""} else []
    return split, [
        *notes,
        message(
            "Images with defects ({defects}) and good images ({good}) are moved to the test: "
            "training needs good images only.",
            defects=len(moved),
            good=len(chosen),
        ),
    ]


def _tested(images: Sequence[AnnotatedPicture], good: Sequence[int]) -> set[int]:
    """Return the good images that test the network: every fifth one, or whole origins.

    Args:
        images: All images.
        good: Indices of the good ones.
    """
    origins = dict[tuple[str, int], list[int]]()
    for index in good:
        origin = images[index].origin
        origins.setdefault((origin, -1 if origin else index), []).append(index)
    if len(origins) == 1:
        return set(good[::TEST_EVERY])
    most = -(-len(good) // TEST_EVERY)
    chosen, seen = set[int](), 0
    for mine in sorted(origins.values(), key=len):
        is_small = not chosen or len(chosen) + len(mine) <= most
        if is_small and len(chosen) * TEST_EVERY <= seen:
            chosen.update(mine)
        seen += len(mine)
    return chosen
