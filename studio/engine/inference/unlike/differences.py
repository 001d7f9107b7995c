"""Differences of an image from the training images, and the changes that help."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final, Literal

from pydantic import BaseModel

from studio.engine.inference.unlike.reference import Reference, ValueRange
from studio.engine.messages import Message, Text, as_message, message

Kind = Literal[
    "inverted",
    "brightness",
    "background",
    "contrast",
    "saturation",
    "detail",
    "aspect",
    "size",
    "features",
]
Change = Literal["invert", "crop"]
"""A change of an image, see `changes`."""

_GRAY: Final = 0.02
"""Saturation of images without color: JPEG files of gray images have a little."""
_MUCH_SMALLER: Final = 2
_LONGER: Final = 1.25
"""Factor by which an image may be wider or taller than the training images."""
_Statistic = Literal["brightness", "background", "contrast", "saturation", "detail"]
_LEAST_MARGINS: Final = {
    "brightness": 0.05,
    "background": 0.05,
    "contrast": 0.05,
    "saturation": 0.05,
    "detail": 0.02,
}
_TEXTS: Final = {
    "brightness": (
        "The image is darker than the training images",
        "The image is brighter than the training images",
    ),
    "background": (
        "The background is darker than that of the training images",
        "The background is brighter than that of the training images",
    ),
    "contrast": (
        "The image has less contrast than the training images",
        "The image has more contrast than the training images",
    ),
    "saturation": (
        "The image has less color than the training images",
        "The image has more color than the training images",
    ),
    "detail": (
        "The image has less detail than the training images and may be blurred or enlarged",
        "The image has more fine detail or noise than the training images",
    ),
}
_IN_COLOR: Final = "The image is in color and the training images are gray"
_WIDER: Final = "The image is wider than the training images: {width} x {height} pixels."
_TALLER: Final = "The image is taller than the training images: {width} x {height} pixels."
_LIGHT: Final[tuple[_Statistic, ...]] = ("background", "brightness")
_OTHERS: Final[tuple[_Statistic, ...]] = ("contrast", "saturation", "detail")


class Difference(BaseModel, frozen=True):
    """One way in which an image lies outside of the training images.

    Attributes:
        kind: What differs.
        text: A sentence about it.
        remedy: Change of the image that removes the difference; None if there is none.
    """

    kind: Kind
    text: Text
    remedy: Change | None = None


class Familiarity(BaseModel, frozen=True):
    """Result of the comparison of an image with the training images.

    Attributes:
        differences: What lies outside; nothing for an image like the training images.
        false_alarm_rate: See `Reference`.
        validation_images: Number of images that the rate was measured on.
    """

    differences: tuple[Difference, ...] = ()
    false_alarm_rate: float | None = None
    validation_images: int = 0

    @property
    def remedies(self) -> tuple[Change, ...]:
        """The changes that help, each once."""
        return tuple(dict.fromkeys(each.remedy for each in self.differences if each.remedy))

    def without_remedies(self) -> Familiarity:
        """Return the same result for images that `changes.changed` does not change."""
        differences = tuple(each.model_copy(update={"remedy": None}) for each in self.differences)
        return self.model_copy(update={"differences": differences})


def document_of(familiarity: Familiarity | None) -> dict[str, object] | None:
    """Return the result of a comparison as JSON data with English texts; None for none."""
    if familiarity is None:
        return None
    return {
        "differences": [
            {"kind": each.kind, "text": str.__str__(each.text), "remedy": each.remedy}
            for each in familiarity.differences
        ],
        "false_alarm_rate": familiarity.false_alarm_rate,
        "validation_images": familiarity.validation_images,
    }


def compared(
    statistics: Mapping[str, float],
    size: tuple[int, int] | None,
    distance: float | None,
    reference: Reference,
) -> Familiarity:
    """Compare an image with the training images.

    Args:
        statistics: See `statistics.statistics_of`, by their names.
        size: Width and height of the original image in pixels; None if it is not compared.
        distance: Distance of its features; None if they are not compared.
        reference: What was measured on the training images.
    """
    found = [
        *_light_differences(statistics, reference.statistics),
        *(
            _difference(name, statistics, reference.statistics)
            for name in _OTHERS
            if _side(name, statistics, reference.statistics)
        ),
        *(_size_differences(size, reference) if size else ()),
    ]
    if distance is not None and reference.layer and distance > reference.threshold:
        found.append(Difference(kind="features", text=_features_text(distance, reference)))
    return Familiarity(
        differences=tuple(found),
        false_alarm_rate=reference.false_alarm_rate,
        validation_images=reference.validation_images,
    )


def _light_differences(
    statistics: Mapping[str, float], ranges: Mapping[str, ValueRange]
) -> list[Difference]:
    """Compare brightness and background; those of a negative have a remedy."""
    names = [name for name in _LIGHT if _side(name, statistics, ranges)]
    inverted: dict[str, float] = {name: 1 - statistics[name] for name in _LIGHT}
    if names and not any(_side(name, inverted, ranges) for name in inverted):
        text = message(
            "{difference} Light and dark seem to be swapped.",
            difference=_text(names[0], statistics, ranges),
        )
        return [Difference(kind="inverted", text=text, remedy="invert")]
    return [_difference(name, statistics, ranges) for name in names[-1:]]


def _side(name: str, statistics: Mapping[str, float], ranges: Mapping[str, ValueRange]) -> int:
    """Return -1 if a statistic is far below that of the training images, 1 if far above."""
    if name not in ranges:
        return 0
    return ranges[name].outside(statistics[name], _LEAST_MARGINS[name])


def _difference(
    name: _Statistic, statistics: Mapping[str, float], ranges: Mapping[str, ValueRange]
) -> Difference:
    return Difference(kind=name, text=_text(name, statistics, ranges))


def _text(name: str, statistics: Mapping[str, float], ranges: Mapping[str, ValueRange]) -> Message:
    """Return the sentence about a statistic that is outside."""
    below, above = _TEXTS[name]
    usual = ranges[name]
    text = above if statistics[name] > usual.high else below
    if name == "saturation" and usual.high < _GRAY:
        text = _IN_COLOR
    return message(
        "{difference}: {value:.0%} instead of {low:.0%} to {high:.0%}.",
        difference=as_message(text),
        value=statistics[name],
        low=usual.low,
        high=usual.high,
    )


def _size_differences(size: tuple[int, int], reference: Reference) -> list[Difference]:
    """Compare the original file with those of the training images."""
    width, height = size
    found = []
    usual = reference.aspect
    if usual is not None and not usual.low / _LONGER < width / height < usual.high * _LONGER:
        is_wide = width / height > usual.high
        text = message(_WIDER if is_wide else _TALLER, width=width, height=height)
        found.append(Difference(kind="aspect", text=text, remedy="crop"))
    if min(size) * _MUCH_SMALLER <= reference.shortest:
        text = message(
            "The image is small: {width} x {height} pixels. The shorter side of the training "
            "images has at least {shortest} pixels.",
            width=width,
            height=height,
            shortest=reference.shortest,
        )
        found.append(Difference(kind="size", text=text))
    return found


def _features_text(distance: float, reference: Reference) -> Message:
    return message(
        "The network sees no training image like it: its distance is {ratio:.1f} times the limit "
        "for usual images.",
        ratio=distance / max(reference.threshold, 1e-6),
    )
