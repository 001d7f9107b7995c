"""Pictures that are read for the screen."""

from __future__ import annotations

import threading
from pathlib import Path

import pytest
from PIL import Image

from studio.ui.shared import media
from studio.ui.shared.media import read_picture

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
