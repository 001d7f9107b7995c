"""Images that differ from the training images are recognized by their pixels."""

from __future__ import annotations

import importlib.util
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from PIL import Image

from studio.engine.assets import asset
from studio.engine.datasets.recipe import DatasetRecipe
from studio.engine.errors import BadDataError, StudioError
from studio.engine.inference.models import ModelSource
from studio.engine.inference.sources import Picture
from studio.engine.inference.unlike.changes import changed
from studio.engine.inference.unlike.differences import Change, Familiarity, compared, document_of
from studio.engine.inference.unlike.reference import (
    REFERENCE_NAME,
    Reference,
    ValueRange,
    read_reference,
)
from studio.engine.inference.unlike.statistics import STATISTICS, Statistics, statistics_of
from studio.engine.pixel_format import PixelFormat

Pixels = NDArray[np.uint8]
SIDE = 32


def _drawn(count: int, channels: int = 1) -> Pixels:
    """Disks of several sizes on black, light gray or red."""
    generator = np.random.default_rng(0)
    down, across = np.mgrid[:SIDE, :SIDE]
    images = np.zeros((count, SIDE, SIDE, channels), np.uint8)
    for image in images:
        y, x, radius = generator.uniform((10, 10, 5), (22, 22, 9))
        inside = (down - y) ** 2 + (across - x) ** 2 < radius**2
        image[inside] = (*generator.integers(170, 256, 1), 60, 90)[:channels]
    return images


def _statistics(images: Pixels) -> Statistics:
    return statistics_of(images, PixelFormat.bytes_of(images.shape[3]))


def _reference(images: Pixels, **more: Any) -> Reference:
    statistics = _statistics(images)
    ranges = {
        name: ValueRange(low=column.min(), high=column.max())
        for name, column in zip(STATISTICS, statistics.T, strict=True)
    }
    return Reference(images=len(images), statistics=ranges, **more)


def _compared(
    image: Pixels, reference: Reference, size: tuple[int, int] | None = None
) -> Familiarity:
    (row,) = _statistics(image[None])
    return compared(dict(zip(STATISTICS, row.tolist(), strict=True)), size, None, reference)


def _kinds(familiarity: Familiarity) -> list[str]:
    return [each.kind for each in familiarity.differences]


GRAY = _reference(_drawn(40))
COLOR = _reference(_drawn(40, 3))


def test_other_images_of_the_same_kind_do_not_differ() -> None:
    assert all(_kinds(_compared(image, GRAY)) == [] for image in _drawn(60)[40:])


def test_black_on_white_is_a_negative_of_white_on_black() -> None:
    familiarity = _compared(255 - _drawn(1)[0], GRAY)

    (difference,) = familiarity.differences
    assert difference.kind == "inverted"
    assert "The background is brighter" in difference.text
    assert familiarity.remedies == ("invert",)


def test_an_inverted_image_is_offered_to_be_inverted_only_if_that_helps() -> None:
    gray = np.full((SIDE, SIDE, 1), 128, np.uint8)

    assert "inverted" not in _kinds(_compared(gray, GRAY))


@pytest.mark.parametrize(
    ("image", "reference", "kind", "text"),
    [
        (np.full((SIDE, SIDE, 3), 255, np.uint8), COLOR, "inverted", "is brighter"),
        (np.full((SIDE, SIDE, 3), 128, np.uint8), COLOR, "brightness", "is brighter"),
        (np.tile(_drawn(1), 3)[0], COLOR, "saturation", "less color"),
        (_drawn(1, 3)[0], _reference(np.tile(_drawn(40), 3)), "saturation", "is in color"),
        (
            np.random.default_rng(1).integers(0, 256, (SIDE, SIDE, 1), np.uint8),
            GRAY,
            "detail",
            "noise",
        ),
        (np.zeros((SIDE, SIDE, 1), np.uint8), GRAY, "contrast", "less contrast"),
    ],
)
def test_what_differs_is_named(image: Pixels, reference: Reference, kind: str, text: str) -> None:
    found = [(each.kind, each.text) for each in _compared(image, reference).differences]

    assert [said for name, said in found if name == kind and text in said], found


@pytest.mark.parametrize(
    ("size", "kinds"),
    [
        ((200, 150), []),
        ((400, 100), ["aspect"]),
        ((100, 400), ["aspect"]),
        ((40, 30), ["size"]),
        ((4000, 3000), []),
    ],
)
def test_shape_and_size_of_the_file_are_compared(size: tuple[int, int], kinds: list[str]) -> None:
    reference = _reference(_drawn(40), aspect=ValueRange(low=1, high=1.5), shortest=100)

    assert _kinds(_compared(_drawn(1)[0], reference, size)) == kinds


def test_a_distance_beyond_the_threshold_is_a_difference() -> None:
    reference = GRAY.model_copy(update={"layer": "dense", "threshold": 0.5})
    values = dict(zip(STATISTICS, _statistics(_drawn(1))[0].tolist(), strict=True))

    assert _kinds(compared(values, None, 0.49, reference)) == []
    assert _kinds(compared(values, None, 0.75, reference)) == ["features"]
    assert _kinds(compared(values, None, 0.75, reference.without_features())) == []


def _script() -> Any:
    spec = importlib.util.spec_from_file_location("unlike_script", asset("export/unlike.py"))
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.parametrize("channels", [1, 3])
def test_the_exported_script_says_the_same(channels: int) -> None:
    reference = _reference(
        _drawn(40, channels),
        aspect=ValueRange(low=1, high=1.5),
        shortest=100,
        false_alarm_rate=0.01,
    )
    noise = np.random.default_rng(1).integers(0, 256, (3, SIDE, SIDE, channels), np.uint8)
    images = [
        *_drawn(3, channels),
        *(255 - _drawn(3, channels)),
        *noise,
        noise[0] * 0,
        *noise // 4,
    ]
    script = _script()
    for image in images:
        for size in (None, (200, 150), (40, 10)):
            said, _ = script.compared([script.statistics(image)], size, reference.model_dump())
            assert said == document_of(_compared(image, reference, size))


def _model(aspect: ValueRange | None) -> ModelSource:
    reference = _reference(_drawn(40), aspect=aspect)
    recipe = DatasetRecipe(source="", width=SIDE, height=SIDE, color="gray")
    return ModelSource(file="", name="disks", recipe=recipe, reference=reference)


@pytest.mark.parametrize("mode", ["L", "RGB", "RGBA", "1", "P", "I;16"])
def test_an_inverted_copy_swaps_light_and_dark(mode: str, tmp_path: Path) -> None:
    original = Image.new("L", (20, 10), 255).convert(mode) if mode != "I;16" else None
    if original is None:
        original = Image.fromarray(np.full((10, 20), 65535, np.uint16))
    original.save(tmp_path / "a.png")

    copy = changed(Picture(tmp_path / "a.png"), "invert", _model(None), tmp_path / "b.png")

    with Image.open(copy.path) as image:
        assert image.size == (20, 10)
        assert image.getextrema() == (0, 0)
    assert copy.name == str(tmp_path / "a.png")


@pytest.mark.parametrize(
    ("size", "expected"), [((40, 10), (15, 10)), ((10, 40), (10, 10)), ((12, 10), (12, 10))]
)
def test_a_cut_has_the_nearest_shape_of_training_images(
    size: tuple[int, int], expected: tuple[int, int], tmp_path: Path
) -> None:
    Image.new("L", size).save(tmp_path / "a.png")
    model = _model(ValueRange(low=1, high=1.5))

    copy = changed(Picture(tmp_path / "a.png"), "crop", model, tmp_path / "b.png")

    with Image.open(copy.path) as image:
        assert image.size == expected


@pytest.mark.parametrize("change", ["invert", "crop"])
def test_an_unreadable_image_has_its_reason(change: Change, tmp_path: Path) -> None:
    (tmp_path / "a.png").write_text("no image")

    copy = changed(
        Picture(tmp_path / "a.png"), change, _model(ValueRange(low=1, high=1)), tmp_path / "b.png"
    )

    assert copy.problem
    assert not (tmp_path / "b.png").exists()


def test_without_a_known_shape_nothing_is_cut(tmp_path: Path) -> None:
    Image.new("L", (9, 9)).save(tmp_path / "a.png")

    with pytest.raises(StudioError, match="shape of the training images of disks is unknown"):
        changed(Picture(tmp_path / "a.png"), "crop", _model(None), tmp_path / "b.png")


@pytest.mark.parametrize("low", [0, -1, float("nan")])
def test_a_damaged_reference_is_refused(low: float, tmp_path: Path) -> None:
    text = _reference(_drawn(9), aspect=ValueRange(low=1, high=1)).model_dump_json()
    (tmp_path / REFERENCE_NAME).write_text(text.replace('"low":1.0', f'"low":{low}'))

    with pytest.raises(BadDataError, match="reference"):
        read_reference(tmp_path)
