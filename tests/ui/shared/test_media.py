"""Pictures that are read for the screen."""

from __future__ import annotations

import threading
from pathlib import Path

import numpy as np
import pytest
import tifffile
from PIL import Image

from studio.engine.datasets.picture_display import facts_of_file
from studio.engine.datasets.recipe import DatasetRecipe
from studio.engine.datasets.summary import DatasetSummary, write_summary
from studio.engine.display_mapping import DisplayMapping
from studio.engine.pixel_format import PixelFormat
from studio.ui.shared import media
from studio.ui.shared.media import network_input, read_file_picture, read_picture
from studio.ui.widgets.pictures import pixels_of

SVG = (
    b'<svg xmlns="http://www.w3.org/2000/svg" width="4" height="4">'
    b'<rect width="4" height="4"/></svg>'
)
PDF = b"%PDF-1.4\n1 0 obj<</Type/Catalog>>endobj\n"


@pytest.mark.parametrize("data", [SVG, b"<?xml version='1.0'?>" + SVG, PDF])
@pytest.mark.parametrize("name", ["picture.png", "picture.svg"])
def test_only_pictures_reach_a_reader_of_qt(tmp_path: Path, data: bytes, name: str) -> None:
    path = tmp_path / name
    path.write_bytes(data)
    assert read_picture(path).isNull()


@pytest.mark.parametrize("ending", ["png", "jpg", "bmp", "gif", "tif", "webp", "ppm"])
def test_pictures_of_every_format_are_read(tmp_path: Path, ending: str) -> None:
    path = tmp_path / f"picture.{ending}"
    Image.new("RGB", (40, 20), "red").save(path)
    image = read_picture(path, 10)
    assert (image.width(), image.height()) == (10, 5)


@pytest.mark.parametrize("ending", ["png", "tif"])
def test_large_pictures_are_decoded_one_at_a_time(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, ending: str
) -> None:
    path = tmp_path / f"large.{ending}"
    Image.new("L", (40, 20)).save(path)
    monkeypatch.setattr(media, "_LARGE_PIXELS", 40 * 20 - 1)
    done = threading.Event()

    def read() -> None:
        read_picture(path)
        done.set()

    with media._LARGE:
        thread = threading.Thread(target=read)
        thread.start()
        assert not done.wait(0.1)
    thread.join(10)
    assert done.is_set()
    monkeypatch.setattr(media, "_LARGE_PIXELS", 40 * 20)
    with media._LARGE:
        assert not read_picture(path).isNull()


@pytest.mark.parametrize("ending", ["png", "tif"])
def test_12_bits_are_shown_in_all_their_brightness(tmp_path: Path, ending: str) -> None:
    path = tmp_path / f"camera.{ending}"
    levels = np.linspace(0, 4095, 64 * 64).reshape(64, 64).astype(np.uint16)
    Image.fromarray(levels).save(path)

    found = read_file_picture(path)

    assert not found.is_standard
    gray = pixels_of(found.image)[..., 0]
    assert (gray[0, 0], gray[-1, -1]) == (0, 255)
    assert len(np.unique(gray)) > 200


def test_channels_of_a_microscope_have_the_colors_that_were_chosen(tmp_path: Path) -> None:
    path = tmp_path / "cells.tif"
    pixels = np.zeros((2, 8, 8), np.uint16)
    pixels[0, :4], pixels[1, 4:] = 4095, 4095
    facts = {"axes": "CYX", "Channel": {"Name": ["DAPI", "actin"]}}
    tifffile.imwrite(path, pixels, ome=True, photometric="minisblack", metadata=facts)
    chosen = DisplayMapping(
        shown=(0, 1), colors=("#ff0000", "#ffff00"), low=(0, 0), high=(4095, 8190)
    )

    usual, colored = pixels_of(read_picture(path)), pixels_of(read_picture(path, display=chosen))

    assert (usual[0, 0].tolist(), usual[7, 0].tolist()) == ([0, 0, 255], [0, 255, 0])
    assert (colored[0, 0].tolist(), colored[7, 0].tolist()) == ([255, 0, 0], [128, 128, 0])


def test_planes_of_a_stack_are_shown_one_at_a_time(tmp_path: Path) -> None:
    path = tmp_path / "stack.tif"
    planes = np.stack([np.full((8, 8), level, np.uint8) for level in (10, 200)])
    tifffile.imwrite(path, planes, photometric="minisblack")

    first, last = (read_file_picture(path, plane=number).image for number in (0, 9))

    assert (pixels_of(first).max(), pixels_of(last).max()) == (10, 200)
    assert facts_of_file(path, None, 1).planes == 2


def test_the_input_of_a_network_has_the_pixels_that_its_dataset_found(tmp_path: Path) -> None:
    path = tmp_path / "camera.png"
    Image.fromarray(np.full((8, 8), 4095, np.uint16)).save(path)
    facts = {"count": {}, "classes": [], "class_counts": {}, "task": "classification"}
    summary = DatasetSummary.model_validate(
        facts
        | {"width": 8, "height": 8, "channels": 1, "skipped": 0, "mean_color": [0]}
        | {"pixels": PixelFormat.uniform("uint16", 1, 0, 4095)}
    )
    write_summary(tmp_path, summary)
    planned = DatasetRecipe(source=str(tmp_path), width=8, height=8, color="gray")

    found = network_input(path, planned, tmp_path)
    assert pixels_of(found.image).min() == 255
    assert found.channels == 1
    deep = np.zeros((8, 8, 5), np.uint16)
    np.save(tmp_path / "channels.npy", deep)
    five = summary.model_copy(update={"pixels": PixelFormat.uniform("uint16", 5, 0, 4095)})
    write_summary(tmp_path, five)
    planned = planned.model_copy(update={"color": "all"})
    assert network_input(tmp_path / "channels.npy", planned, tmp_path).channels == 5
