"""Trimaps of the Oxford-IIIT Pet dataset: object, background, and a border of no class."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import PurePosixPath

from studio.engine.messages import message
from studio.engine.tasks.annotation_files.classes import ClassTable
from studio.engine.tasks.annotations import AnnotatedPicture
from studio.engine.tasks.segmentation.mask_coding import BINARY_NAMES, MaskCoding
from studio.engine.tasks.segmentation.mask_survey import MaskSurvey
from studio.engine.tasks.segmentation.values import ValueTable

_FOLDER = "trimaps"
_OBJECT, _BACKGROUND, _BORDER = 1, 2, 3


def are_trimaps(pictures: Sequence[AnnotatedPicture], survey: MaskSurvey) -> bool:
    """Return True if masks lie in a folder "trimaps" and have its three values.

    Args:
        pictures: Pictures with the paths of their masks.
        survey: Values of the masks.
    """
    values = survey.numbers.pixels.keys()
    return (
        not survey.colored
        and {_OBJECT, _BACKGROUND} <= values <= {_OBJECT, _BACKGROUND, _BORDER}
        and all(PurePosixPath(each.annotation).parent.name == _FOLDER for each in pictures)
    )


def coding_of_trimaps(survey: MaskSurvey) -> MaskCoding:
    """Return the classes of trimaps."""
    pixels, total = survey.numbers.pixels[_BORDER], survey.numbers.total
    warning = message(
        "The masks are trimaps: 1 is the foreground and 2 the background. {pixels:,} pixels "
        "({share:.1%}) of the border, 3, count as no class.",
        pixels=pixels,
        share=pixels / total,
    )
    table = ValueTable("index", (_BACKGROUND, _OBJECT), _BORDER)
    return MaskCoding(table, ClassTable(BINARY_NAMES), [warning])
