"""Images, masks and pixels that are read or reported are those of the files."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray
from PIL import Image

from helpers.accounting import Contents, check_accounting
from studio.engine.datasets.recipe import DatasetRecipe

WIDTH, HEIGHT = 8, 6
CLASSES = ("background", "car", "road")
FAULTS = ("", "", "no mask", "no image", "damaged mask", "damaged image", "other size")
_EXAMPLES = settings(max_examples=6, deadline=None)


@dataclass(frozen=True)
class Drawn:
    """A picture with a mask of classes.

    Attributes:
        name: Name of its file without suffix.
        mask: Its classes, shape (HEIGHT, WIDTH).
        fault: One of `FAULTS`.
    """

    name: str
    mask: NDArray[np.uint8]
    fault: str


@st.composite
def drawn_masks(draw: st.DrawFn) -> list[Drawn]:
    """Generate pictures with rectangles of classes; the first two are fine and have all."""
    found = []
    for number in range(draw(st.integers(3, 6))):
        mask = np.zeros((HEIGHT, WIDTH), np.uint8)
        if number < 2:
            mask[0, :2], mask[1, :2] = 1, 2
        for label in (1, 2):
            top, left = draw(st.integers(0, HEIGHT - 2)), draw(st.integers(0, WIDTH - 2))
            mask[top : top + 2, left : left + draw(st.integers(0, 3))] = label
        fault = "" if number < 2 else draw(st.sampled_from(FAULTS))
        found.append(Drawn(f"picture {number}", mask, fault))
    return found


def write_picture(folder: Path, each: Drawn) -> None:
    folder.mkdir(exist_ok=True)
    path = folder / f"{each.name}.png"
    if each.fault == "damaged image":
        path.write_bytes(b"no picture")
    elif each.fault != "no image":
        size = (WIDTH + (each.fault == "other size"), HEIGHT)
        Image.new("RGB", size, (90, 40, 120)).save(path)


def write_mask(path: Path, values: NDArray[np.uint8], *, is_damaged: bool) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    if is_damaged:
        path.write_bytes(b"no mask")
    elif path.suffix == ".npy":
        np.save(path, values)
    else:
        Image.fromarray(values).save(path)


def contents_of(pictures: Sequence[Drawn], suffix: str) -> Contents:
    """Count what the files have: names of pictures, and of masks without a picture."""
    names = {f"{each.name}.png" for each in pictures if each.fault != "no image"}
    lost = {f"{each.name}{suffix}" for each in pictures if each.fault == "no image"}
    pixels = {
        f"{each.name}.png": {
            CLASSES[label]: int((each.mask == label).sum()) for label in np.unique(each.mask)
        }
        for each in pictures
    }
    return Contents(names | lost, pixels=pixels)


def recipe(folder: Path, **fields: object) -> DatasetRecipe:
    plan = {"task": "segmentation", "source": str(folder), "val_percent": 0, "test_percent": 0}
    return DatasetRecipe.parse(plan | {"width": WIDTH, "height": HEIGHT} | fields)


@_EXAMPLES
@given(drawn_masks(), st.sampled_from([".png", ".npy", ".tif"]))
def test_one_mask_of_each_image(pictures: list[Drawn], suffix: str) -> None:
    with TemporaryDirectory() as name:
        folder = Path(name)
        for each in pictures:
            write_picture(folder / "images", each)
            if each.fault != "no mask":
                is_damaged = each.fault == "damaged mask"
                path = folder / "masks" / f"{each.name}{suffix}"
                write_mask(path, each.mask, is_damaged=is_damaged)
        plan = recipe(folder, class_names=[*CLASSES])
        check_accounting(plan, contents_of(pictures, suffix), folder / "out")


@_EXAMPLES
@given(drawn_masks(), st.sampled_from(["{0}_{1}.png", "{1}/{0}.png", "{0}/{1}.png"]))
def test_a_mask_of_each_class(pictures: list[Drawn], place: str) -> None:
    with TemporaryDirectory() as name:
        folder = Path(name)
        lost: set[str] = set()
        if "/" in place:  # masks of several classes have one name, which reports tell apart
            pictures = [each for each in pictures if each.fault != "no image"]
        for each in pictures:
            write_picture(folder / "images", each)
            for label in (1, 2) if each.fault != "no mask" else ():
                path = folder / "masks" / place.format(each.name, CLASSES[label])
                is_damaged = each.fault == "damaged mask" and label == 2
                values = np.where(each.mask == label, 255, 0).astype(np.uint8)
                write_mask(path, values, is_damaged=is_damaged)
                lost |= {path.name} if each.fault == "no image" else set()
        contents = contents_of([each for each in pictures if each.fault != "no image"], "")
        contents.images |= lost
        check_accounting(recipe(folder), contents, folder / "out")


@_EXAMPLES
@given(
    st.lists(st.lists(st.integers(0, HEIGHT - 1), min_size=1, max_size=3), min_size=3, max_size=5)
)
def test_masks_of_objects(rows: list[list[int]]) -> None:
    """Each object is a row; the union of all is the foreground."""
    with TemporaryDirectory() as name:
        folder = Path(name)
        pixels: dict[str, dict[str, int]] = {}
        for number, objects in enumerate([[0, 1], *rows]):
            drawn = Drawn(f"p{number}", np.zeros((HEIGHT, WIDTH), np.uint8), "")
            write_picture(folder / "images", drawn)
            for at, row in enumerate(dict.fromkeys(objects)):
                values = np.zeros((HEIGHT, WIDTH), np.uint8)
                values[row] = 255
                path = folder / "masks" / f"p{number}_{at}.png"
                write_mask(path, values, is_damaged=False)
            inside = len({*objects}) * WIDTH
            ground = HEIGHT * WIDTH - inside
            pixels[f"p{number}.png"] = {"foreground": inside} | (
                {"background": ground} if ground else {}
            )
        contents = Contents({*pixels}, pixels=pixels)
        assert not check_accounting(recipe(folder), contents, folder / "out")
