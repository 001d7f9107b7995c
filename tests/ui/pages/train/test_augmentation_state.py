"""Decisions about augmentation, without a window."""

from __future__ import annotations

from pathlib import Path

import pytest
from page_records import add_dataset, picture_folder

from helpers.box_datasets import import_shapes
from studio.engine.datasets.augment.plan import PRESETS, AugmentationPlan
from studio.engine.datasets.display import display_of
from studio.engine.datasets.store import Store
from studio.engine.plans import fields_of
from studio.engine.tasks import TASKS
from studio.engine.tasks.detection.task import DETECTION
from studio.engine.workspace import Workspace
from studio.ui.pages.train.plan.augmentation import (
    CUSTOM,
    PICTURES,
    PreviewRequest,
    PreviewSource,
    acts_in_network,
    changes_pictures,
    preset_of,
    refusals,
    sample_rows,
)
from studio.ui.widgets.pictures import to_image

GRAY, COLOR = (28, 28, 1), (28, 28, 3)


def test_every_field_has_a_heading() -> None:
    assert all(field.group for field in fields_of(AugmentationPlan))


def test_presets_are_known_by_their_plans() -> None:
    for preset in PRESETS:
        assert preset_of(preset.plan) == preset.name
    assert preset_of(PRESETS["light"].plan.changed(rotation=11)) == CUSTOM


def test_only_gray_images_lose_the_colors() -> None:
    assert refusals(COLOR, None) == refusals(None, None) == {}
    assert refusals(GRAY, None) == {"hue": "gray images", "saturation": "gray images"}


@pytest.mark.parametrize(
    ("values", "seen", "inside"),
    [
        ({}, False, False),
        ({"fill": "black"}, False, False),
        ({"whitening": True}, False, True),
        ({"subtract_mean": "image", "blur": 1}, True, True),
        ({"crop": 8}, True, False),
    ],
)
def test_what_a_picture_can_show(values: dict[str, object], seen: bool, inside: bool) -> None:
    plan = AugmentationPlan.parse(values)
    assert changes_pictures(plan) == seen
    assert acts_in_network(plan) == inside


@pytest.mark.parametrize(
    ("counts", "expected"),
    [
        ({"a": 5, "b": 5, "c": 5, "d": 5, "e": 5, "f": 5}, ["a", "b", "d", "e"]),
        ({"a": 3, "b": 5}, ["a", "b", "a", "b"]),
        ({"a": 2, "b": 5}, ["a", "b", "a", "b"]),
        ({"a": 2, "b": 1}, ["a", "b", "a"]),
    ],
)
def test_the_samples_are_of_many_classes(
    counts: dict[str, int], expected: list[str], workspace: Workspace, tmp_path: Path
) -> None:
    pictures = picture_folder(tmp_path / "pictures", counts)
    record = add_dataset(workspace, "some", pictures, val_percent=0, test_percent=0)
    store = Store.open(record.folder)
    rows = sample_rows(store, PICTURES)
    assert [store.classes[store.labels[row]] for row in rows] == expected
    assert len(set(rows.tolist())) == len(rows)


def test_only_training_images_are_sampled(workspace: Workspace, tmp_path: Path) -> None:
    pictures = picture_folder(tmp_path / "pictures", {"a": 20, "b": 20})
    record = add_dataset(workspace, "some", pictures, val_percent=60, test_percent=20)
    store = Store.open(record.folder)
    assert set(sample_rows(store, PICTURES).tolist()) <= set(store.rows("train").tolist())


def test_a_preview_shows_boxes_over_the_images(workspace: Workspace, tmp_path: Path) -> None:
    folder = import_shapes(workspace, tmp_path / "shapes", 24).record.folder
    plan = AugmentationPlan.parse({"mosaic": 100, "horizontal_flip": True})
    request = PreviewRequest(folder, None, plan, 1, 0)

    found = PreviewSource(folder).pictures(request)

    store = Store.open(folder)
    plain = [
        to_image(pixels, display_of(store))
        for pixels in store.images[sample_rows(store, PICTURES)]
    ]
    assert len(found.before) == len(found.after) == PICTURES
    assert any(one != other for one, other in zip(found.before, plain, strict=True))
    assert all(one.size() == plain[0].size() for one in found.after)
    assert found.before != found.after


def test_only_boxes_have_mosaics() -> None:
    names = {"mosaic", "object_crop", "mix_up"}

    assert names - refusals(COLOR, TASKS["classification"]).keys() == {"mix_up"}
    assert names - refusals(COLOR, DETECTION).keys() == {"mosaic", "object_crop"}
