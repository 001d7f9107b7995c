"""Every control of augmentation acts, on gray and on color, and is reproducible."""

from __future__ import annotations

from collections import Counter
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from studio.engine.arrays import Pixels
from studio.engine.datasets.augment.augmenter import Augmenter, one_hot, preview
from studio.engine.datasets.augment.operation import Operation
from studio.engine.datasets.augment.operations import OPERATIONS
from studio.engine.datasets.augment.plan import PRESETS, AugmentationPlan, check_augmentation
from studio.engine.errors import StudioError
from studio.engine.plans import FieldKind, PlanField, fields_of

Images = Pixels

ON: dict[str, Any] = {
    "horizontal_flip": True,
    "vertical_flip": True,
    "quarter_turns": "all",
    "rotation": 30,
    "shear": 20,
    "rescale": 20,
    "zoom": 30,
    "translation": 20,
    "crop": 16,
    "brightness": 20,
    "contrast": 50,
    "hue": 40,
    "saturation": 60,
    "value": 30,
    "blur": 2,
    "noise": 5,
    "shot_noise": 20,
    "channel_intensity": 30,
    "erasing": 30,
    "rand_augment": 8,
    "aug_mix": 5,
    "mix_up": 1,
    "cut_mix": 1,
}
OF_BOXES = {"mosaic": 50, "object_crop": 50, "least_visible": 0.5}
IN_NETWORK = {"subtract_mean": "pixel", "whitening": True}
NEEDS_COLOR = {"hue", "saturation"}


def pictures(channels: int = 3, count: int = 8, height: int = 24, width: int = 32) -> Images:
    """Smooth pictures, no two alike, none symmetric."""
    y, x = np.mgrid[0:height, 0:width]
    made = np.empty((count, height, width, channels))
    for n in range(count):
        for c in range(channels):
            made[n, :, :, c] = 40 + 3 * n + 3.1 * x * (c + 1) / channels + 1.7 * y * (3 - c)
            made[n, :, :, c] += 20 * np.sin((x + 2 * y) / (3 + n))
    return np.clip(made, 0, 255).astype(np.uint8)


def augmented(plan: AugmentationPlan, images: Images, seed: int = 1, epoch: int = 0) -> Images:
    return Augmenter(plan, seed).changed(images.copy(), np.arange(len(images)), epoch)


OF_PACKAGES = {"added", "added_strength"}


def test_every_field_belongs_to_one_operation_that_it_switches_on() -> None:
    owners = Counter(field for operation in OPERATIONS for field in operation.fields)

    assert owners == Counter(set(AugmentationPlan.model_fields) - {"run_on", *OF_PACKAGES})
    assert set(owners) == {*ON, *IN_NETWORK, *OF_BOXES, "fill"}
    for name, value in (ON | IN_NETWORK | OF_BOXES | {"fill": "black"}).items():
        plan = AugmentationPlan.parse({name: value})
        assert [o.name for o in OPERATIONS if o.is_on(plan)] == [
            o.name for o in OPERATIONS if name in o.fields
        ]


@pytest.mark.parametrize("operation", OPERATIONS, ids=lambda operation: operation.name)
def test_every_operation_does_something(operation: Operation) -> None:
    # The fill is part of every turn, and tested there, as boxes are in a module of their own.
    elsewhere = {*IN_NETWORK, *OF_BOXES, "fill"}
    assert operation.change or operation.mix or operation.name in elsewhere
    assert not operation.is_on(AugmentationPlan())


@pytest.mark.parametrize("field", fields_of(AugmentationPlan), ids=lambda field: field.name)
def test_every_field_can_be_shown(field: PlanField) -> None:
    assert field.label
    assert field.help.endswith(".")
    assert len(set(field.choice_labels)) == len(field.choices)
    if field.kind in (FieldKind.INTEGER, FieldKind.NUMBER):
        assert field.minimum == 0
        defaults = {"least_visible": 0.3, "added_strength": 50}
        assert field.default == defaults.get(field.name, 0)
        assert field.maximum is not None


@pytest.mark.parametrize("channels", [1, 3])
@pytest.mark.parametrize("name", ON)
def test_every_control_works_alone(name: str, channels: int) -> None:
    images = pictures(channels, 16)
    plan = AugmentationPlan.parse({name: ON[name]})

    seen = preview(images, plan, 1, 0)

    if channels == 1 and name in NEEDS_COLOR:
        assert np.array_equal(seen, images)
        assert [p.where for p in check_augmentation(plan, (24, 32, 1), 8)] == [name]
        return
    if name == "crop":
        assert seen.shape == (16, 16, 16, channels)
        windows = [
            tuple(np.argwhere(_window_corners(i, s))[0]) for i, s in zip(images, seen, strict=True)
        ]
        assert len(set(windows)) > 8, "each image is cut somewhere else, and nothing is resampled"
        return
    assert seen.shape == images.shape
    assert seen.dtype == np.uint8
    changed = [not np.array_equal(a, b) for a, b in zip(images, seen, strict=True)]
    assert sum(changed) >= 4


def _window_corners(image: Images, part: Images) -> NDArray[np.bool_]:
    """Where in an image a part of it was cut out."""
    height, width = part.shape[:2]
    windows = np.lib.stride_tricks.sliding_window_view(image, (height, width), axis=(0, 1))
    found: NDArray[np.bool_] = (windows == np.moveaxis(part, 2, 0)).all(axis=(2, 3, 4))
    return found


def _strength(plan: AugmentationPlan, images: Images) -> float:
    difference = augmented(plan, images).astype(float) - images
    return float(np.abs(difference).mean())


GRADED = [name for name, value in ON.items() if isinstance(value, int) and value is not True]


@pytest.mark.parametrize("name", [n for n in GRADED if n not in ("crop", "mix_up", "cut_mix")])
def test_more_does_more(name: str) -> None:
    images = pictures(count=24)
    little, much = (
        _strength(AugmentationPlan.parse({name: ON[name] * share}), images) for share in (0.3, 1)
    )

    assert 0 < little < much


@pytest.mark.parametrize("name", ON)
def test_same_key_same_bytes_and_other_key_other_bytes(name: str) -> None:
    images = pictures()
    plan = AugmentationPlan.parse({name: ON[name]})

    seen = preview(images, plan, 5, 3)

    assert np.array_equal(preview(images, plan, 5, 3), seen)
    assert not np.array_equal(preview(images, plan, 5, 4), seen)
    assert not np.array_equal(preview(images, plan, 6, 3), seen)


def test_what_an_image_gets_depends_on_its_row_and_not_on_its_neighbors() -> None:
    images = pictures()
    augmenter = Augmenter(PRESETS["strong"].plan, 2)
    rows = np.arange(8) + 1000

    together = augmenter.changed(images.copy(), rows, 1)
    backwards = augmenter.changed(images[::-1].copy(), rows[::-1], 1)[::-1]
    alone = augmenter.changed(images[3:4].copy(), rows[3:4], 1)
    elsewhere = augmenter.changed(images[3:4].copy(), rows[4:5], 1)

    assert np.array_equal(together, backwards)
    assert np.array_equal(together[3:4], alone)
    assert not np.array_equal(together[3:4], elsewhere)


def test_switching_one_on_leaves_the_draws_of_the_others() -> None:
    images = pictures()
    flipped = AugmentationPlan(horizontal_flip=True)
    both = flipped.changed(noise=2)

    plain, noisy = augmented(flipped, images), augmented(both, images)

    assert np.abs(plain.astype(int) - noisy).mean() < 10, "the same images are mirrored"


def test_off_is_exactly_nothing() -> None:
    images = pictures()
    augmenter = Augmenter(AugmentationPlan(), 0)

    assert augmenter.is_idle
    assert augmenter.changed(images, np.arange(8), 0) is images
    assert AugmentationPlan() == PRESETS["off"].plan


@pytest.mark.parametrize("name", PRESETS.names())
def test_presets_are_whole_plans_without_advice_for_photographs(name: str) -> None:
    plan = PRESETS[name].plan

    assert check_augmentation(plan, (24, 32, 3), 8) == []
    assert Augmenter(plan, 0).is_idle == (name == "off")
    assert PRESETS[name].summary.endswith(".")


@given(data=st.data())
def test_anything_within_the_ranges_works(data: st.DataObject) -> None:
    values: dict[str, object] = {}
    for field in fields_of(AugmentationPlan):
        if not data.draw(st.booleans()):
            continue
        if field.kind == FieldKind.SWITCH:
            values[field.name] = True
        elif field.choices:
            values[field.name] = data.draw(st.sampled_from(field.choices))
        elif field.name == "crop":
            values[field.name] = data.draw(st.integers(1, 7))
        else:
            values[field.name] = data.draw(st.floats(0, field.maximum))
    height, width = data.draw(st.sampled_from([(7, 11), (12, 7), (9, 9)]))
    images = pictures(data.draw(st.sampled_from([1, 3])), 2, height, width)

    seen = preview(images, AugmentationPlan.parse(values), 3, 0)

    side = values.get("crop")
    assert seen.shape == ((2, side, side, images.shape[3]) if side else images.shape)
    assert seen.dtype == np.uint8


def test_the_preview_leaves_the_pictures_alone() -> None:
    images = pictures()
    before = images.copy()

    preview(images, PRESETS["strong"].plan.changed(mix_up=1, cut_mix=1), 0, 0)

    assert np.array_equal(images, before)


def test_a_crop_that_does_not_fit_is_refused() -> None:
    plan = AugmentationPlan(crop=25)

    (problem,) = check_augmentation(plan, (24, 32, 3), 8)

    assert problem.serious
    assert "32x24" in problem.message
    with pytest.raises(StudioError, match="32x24"):
        preview(pictures(), plan, 0, 0)


@pytest.mark.parametrize("name", ["mix_up", "cut_mix"])
def test_mixing_uses_the_fractions_of_the_labels(name: str) -> None:
    images = np.zeros((6, 10, 14, 3), np.uint8)
    images[3:] = 200
    labels = one_hot(np.array([0, 0, 0, 1, 1, 1], np.int32), 2)
    augmenter = Augmenter(AugmentationPlan.parse({name: 1}), 3)

    for batch in range(5):
        mixed, fractions = augmenter.mixed(images.copy(), labels.copy(), 0, batch)

        assert augmenter.mixes
        assert fractions.dtype == np.float32
        assert fractions.sum(axis=1) == pytest.approx(np.ones(6))
        assert mixed.mean(axis=(1, 2, 3)) / 200 == pytest.approx(fractions[:, 1], abs=0.004)
    again, _ = augmenter.mixed(images.copy(), labels.copy(), 0, 4)
    other, _ = augmenter.mixed(images.copy(), labels.copy(), 1, 4)
    assert np.array_equal(mixed, again)
    assert not np.array_equal(mixed, other)


def test_with_both_ways_of_mixing_batches_take_turns() -> None:
    augmenter = Augmenter(AugmentationPlan(mix_up=1, cut_mix=1), 0)
    images = np.zeros((2, 8, 8, 1), np.uint8)
    images[1] = 255
    labels = one_hot(np.array([0, 1], np.int32), 2)

    blended = [
        bool(((m := augmenter.mixed(images.copy(), labels, 0, n)[0]) % 255).any()) and m.any()
        for n in range(40)
    ]

    assert 5 < sum(map(bool, blended)) < 35
