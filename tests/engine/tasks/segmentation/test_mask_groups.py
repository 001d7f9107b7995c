"""Several masks of one image: one for each object, class or person."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from io import BytesIO

import numpy as np
import pytest
from PIL import Image

from studio.engine.errors import BadDataError, StudioError
from studio.engine.messages import Text
from studio.engine.progress import SilentProgress
from studio.engine.tasks.annotations import AnnotatedFiles, AnnotationOptions, MaskAnnotations
from studio.engine.tasks.segmentation.formats.mask_folders import MaskFolders

FORM = MaskFolders()
SIZE = (6, 1)


@dataclass
class Files:
    """Files in memory."""

    content: Mapping[str, bytes]
    location: str = "the folder"

    @property
    def paths(self) -> Sequence[str]:
        return list(self.content)

    @property
    def pictures(self) -> Sequence[str]:
        return list(self.content)

    def __contains__(self, path: object) -> bool:
        return path in self.content

    def head(self, path: str) -> bytes:
        return self.content[path]

    def read(self, path: str) -> bytes:
        return self.content[path]


def png(*values: int) -> bytes:
    buffer = BytesIO()
    Image.fromarray(np.array([values], np.uint8)).save(buffer, "PNG")
    return buffer.getvalue()


PHOTO = png(9, 8, 7, 6, 5, 4)
OBJECTS = (png(0, 255, 0, 0, 0, 0), png(0, 0, 255, 255, 0, 0))
"""Masks of two objects that lie beside each other."""


def read(content: Mapping[str, bytes], **options: object) -> MaskAnnotations:
    files = Files(content)
    both = AnnotatedFiles(files, files)
    assert FORM.accepts(both)
    found = FORM.read(both, AnnotationOptions(**options), SilentProgress())  # type: ignore[arg-type]  # of tests
    assert isinstance(found, MaskAnnotations)
    return found


def pixels(found: MaskAnnotations, picture: str) -> list[int]:
    annotation = next(each.annotation for each in found.pictures if each.path == picture)
    values: list[int] = found.mask(annotation, SIZE)[0][0].tolist()
    return values


def starting(found: MaskAnnotations, text: str) -> list[Text]:
    return [each for each in found.warnings if text in each]


@pytest.mark.parametrize(
    ("picture", "masks"),
    [
        ("{}.png", ("{}_mask_0.png", "{}_mask_1.png")),
        ("{} (1).png", ("{} (1)_mask.png", "{} (1)_mask_1.png")),  # BUSI
        ("train/{0}/images/{0}.png", ("train/{0}/masks/3f{0}.png", "train/{0}/masks/7d{0}.png")),
        ("images/{}.png", ("masks/{}/0.png", "masks/{}/1.png")),
        ("images/{}.png", ("masks/{}-1.png", "masks/{}-2.png")),
        ("images/{}.png", ("masks/mask_{}_01.png", "masks/mask_{}_02.png")),
        ("images/{}.png", ("masks/{}_nucleus1.png", "masks/{}_nucleus2.png")),
    ],
)
def test_masks_of_objects_are_merged(picture: str, masks: tuple[str, str]) -> None:
    content: dict[str, bytes] = {}
    for name in ("ab", "cd"):
        content[picture.format(name)] = PHOTO
        content |= {mask.format(name): data for mask, data in zip(masks, OBJECTS, strict=True)}
    found = read(content)
    assert len(found.names) == 2
    for name in ("ab", "cd"):
        assert pixels(found, picture.format(name)) == [0, 1, 1, 1, 0, 0]
    assert starting(found, "The masks of each image were merged (masks: 4, images: 2)")
    assert not found.problems


@pytest.mark.parametrize(
    "mask", ["masks/{0}_{1}.png", "masks/{1}/{0}.png", "masks/{0}/{1}.png", "masks/{1}/{0}_x.png"]
)
def test_words_that_recur_are_classes(mask: str) -> None:
    content = {f"images/{name}.png": PHOTO for name in "ab"}
    for name in "ab":
        content[mask.format(name, "Road")] = png(0, 255, 255, 255, 0, 0)
        content[mask.format(name, "car")] = png(0, 0, 255, 0, 0, 0)
    found = read(content)
    assert found.names == ("background", "car", "Road")
    # The car is on the road: the smaller region counts, and the pixel is reported.
    values, remarks = found.mask("images/a.png", SIZE)
    assert values.tolist() == [[0, 2, 1, 2, 0, 0]]
    assert [each.reason for each in remarks] == [
        "one pixel is in several of its 2 masks; the smallest one counts"
    ]
    assert starting(found, "car (2), Road (2)")
    renamed = read(content, class_names=("ground", "vehicle", "street"))
    assert renamed.names == ("ground", "vehicle", "street")


def test_masks_may_have_a_value_for_each_object() -> None:
    content = {f"images/{name}.png": PHOTO for name in "ab"}
    for name in "ab":
        content[f"masks/{name}_1.png"] = png(0, 1, 0, 0, 0, 0)
        content[f"masks/{name}_2.png"] = png(0, 0, 2, 2, 0, 0)
        content[f"masks/{name}_3.png"] = png(0, 0, 0, 0, 0, 3)
    assert pixels(read(content), "images/b.png") == [0, 1, 1, 1, 0, 1]


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("{}_1stHO.png", "{}_2ndHO.png"),  # CHASE_DB1
        ("expert 1/masks/{}.png", "expert 2/masks/{}.png"),
        ("1st_manual/{}_manual1.gif", "2nd_manual/{}_manual2.gif"),  # DRIVE
    ],
)
def test_masks_of_the_first_person_are_used(first: str, second: str) -> None:
    folder = "images/" if "/" in first else ""
    content: dict[str, bytes] = {}
    for name in ("ab", "cd"):
        content[f"{folder}{name}.png"] = PHOTO
        content |= {first.format(name): OBJECTS[0], second.format(name): OBJECTS[1]}
    found = read(content)
    assert pixels(found, f"{folder}ab.png") == [0, 1, 0, 0, 0, 0]
    assert sorted(each.path for each in found.problems) == [
        second.format("ab"),
        second.format("cd"),
    ]
    assert starting(found, "2 others")


def test_fields_of_view_are_no_classes() -> None:
    content: dict[str, bytes] = {}
    for folder, number in (("training", 21), ("test", 1)):
        name = f"{number:02}_{folder}"
        content[f"{folder}/images/{name}.tif"] = PHOTO
        content[f"{folder}/mask/{name}_mask.gif"] = png(0, 255, 255, 255, 255, 0)
        content[f"{folder}/1st_manual/{number:02}_manual1.gif"] = OBJECTS[0]
    found = read(content)
    assert pixels(found, "training/images/21_training.tif") == [0, 1, 0, 0, 0, 0]
    assert pixels(found, "test/images/01_test.tif") == [0, 1, 0, 0, 0, 0]
    assert {each.path for each in found.problems} == {
        "training/mask/21_training_mask.gif",
        "test/mask/01_test_mask.gif",
    }


WIDE = png(0, 255, 255, 255, 255, 0)


@pytest.mark.parametrize(
    ("masks", "message"),
    [
        ({"{}_1.png": WIDE, "{}_2.png": WIDE}, "overlap for the most part"),
        ({"{}_1.png": png(0, 1, 2, 3, 0, 0), "{}_2.png": OBJECTS[1]}, "instead of two"),
        ({"{}_1.png": OBJECTS[0], "{}_road.png": OBJECTS[1]}, "says the class “road”"),
        ({"{0}_one{0}.png": OBJECTS[0], "{0}_two{0}.png": OBJECTS[1]}, "unclear whether"),
    ],
)
def test_masks_whose_meaning_is_unclear_are_refused(
    masks: Mapping[str, bytes], message: str
) -> None:
    content = {f"images/{name}.png": PHOTO for name in ("ab", "cd", "ef")}
    for name in ("ab", "cd", "ef"):
        content |= {f"masks/{mask.format(name)}": data for mask, data in masks.items()}
    with pytest.raises(StudioError, match=message):
        read(content)


def test_a_damaged_mask_costs_its_image() -> None:
    content = {f"images/{name}.png": PHOTO for name in "ab"}
    content |= {f"masks/{name}_{part}.png": OBJECTS[part] for name in "ab" for part in (0, 1)}
    content["masks/a_1.png"] = b"no picture"
    found = read(content)
    assert pixels(found, "images/b.png") == [0, 1, 1, 1, 0, 0]
    with pytest.raises(BadDataError, match=r"masks/a_1\.png cannot be used"):
        pixels(found, "images/a.png")


def test_other_images_beside_a_mask_are_reported() -> None:
    content = {f"images/{name}.png": PHOTO for name in "ab"}
    content |= {f"images/{name}_seg.png": OBJECTS[0] for name in "ab"}
    content |= {f"images/{name}_parts_1.png": OBJECTS[1] for name in "ab"}
    found = read(content)
    assert pixels(found, "images/a.png") == [0, 1, 0, 0, 0, 0]
    assert {each.path for each in found.problems} == {
        "images/a_parts_1.png",
        "images/b_parts_1.png",
    }
