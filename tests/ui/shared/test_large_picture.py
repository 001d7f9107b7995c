"""The view of a picture that is too large for memory, with its regions."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
import tifffile
from PySide6.QtCore import QPointF, Qt
from PySide6.QtGui import QColor, QImage
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot

from studio.engine.display_mapping import DisplayMapping
from studio.engine.errors import BadDataError
from studio.engine.pictures.pyramid_file import pyramid_file
from studio.engine.pictures.pyramids import Pyramid, read_pyramid
from studio.engine.tasks.parts.large_map import LargeMap
from studio.ui.bridge.background import Background
from studio.ui.shared import large_picture
from studio.ui.shared.large_picture import LargePictureView
from studio.ui.theme.theme import Theme
from studio.ui.widgets.canvas.tiles import TileKey
from studio.ui.widgets.overlay import MaskOverlay, OverlayStyle

_SIDE = 3000
_PLAIN = OverlayStyle("none")
_MASK = OverlayStyle("mask")


def _opened(path: Path) -> Pyramid:
    found = read_pyramid(path, 0, 0)
    assert found is not None
    return found


@pytest.fixture(scope="module")
def picture(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A blue picture whose lower right corner is red, without smaller copies."""
    path = tmp_path_factory.mktemp("large") / "picture.tif"
    pixels = np.zeros((_SIDE, _SIDE, 3), np.uint8)
    pixels[..., 2] = 200
    pixels[2900:, 2900:] = (200, 0, 0)
    tifffile.imwrite(path, pixels, photometric="rgb", tile=(256, 256), compression="zlib")
    return path


@pytest.fixture(scope="module")
def mask(tmp_path_factory: pytest.TempPathFactory) -> MaskOverlay:
    """The upper half is the first class, the lower one the second."""
    path = tmp_path_factory.mktemp("mask") / "mask.tif"
    labels = np.zeros((_SIDE, _SIDE, 1), np.uint8)
    labels[_SIDE // 2 :] = 1
    with pyramid_file(path, (_SIDE, _SIDE), np.dtype("uint8")) as writer:
        writer.add(labels)
    large = LargeMap(file=str(path), width=_SIDE, height=_SIDE)
    small = labels[::8, ::8, 0]
    return MaskOverlay(small, ["up", "down"], ["#00ff00", "#ffff00"], large, [5, 7])


@pytest.fixture
def background() -> Iterator[Background]:
    made = Background()
    yield made
    made.close()


@pytest.fixture
def view(qtbot: QtBot, theme: Theme, background: Background) -> LargePictureView:
    made = LargePictureView(theme, background)
    qtbot.addWidget(made)
    made.resize(500, 500)
    made.show()
    return made


def _wait(qtbot: QtBot, view: LargePictureView) -> None:
    def nothing_is_missing() -> None:
        view.repaint()
        assert view.is_ready

    qtbot.waitUntil(lambda: not view.pyramid.is_null)
    qtbot.waitUntil(lambda: _settled(view))
    nothing_is_missing()


def _settled(view: LargePictureView) -> bool:
    view.repaint()
    return view.is_ready


def _color(view: LargePictureView, x: float, y: float) -> QColor:
    """Return the color at fractions of the widget."""
    shown = view.grab().toImage()
    return shown.pixelColor(int(x * (shown.width() - 1)), int(y * (shown.height() - 1)))


def test_the_whole_picture_is_shown_from_smaller_copies(
    qtbot: QtBot, view: LargePictureView, picture: Path
) -> None:
    view.show_file(_opened(picture), None)
    _wait(qtbot, view)

    assert _color(view, 0.5, 0.5).blue() == 200
    assert _color(view, 0.965, 0.965).red() > 150


def test_zoom_reads_the_own_pixels_of_the_part_that_is_seen(
    qtbot: QtBot, view: LargePictureView, picture: Path
) -> None:
    view.show_file(_opened(picture), None)
    _wait(qtbot, view)
    view.zoom_to(1.0, QPointF(480, 480))
    _wait(qtbot, view)

    assert _color(view, 0.96, 0.96).red() == 200
    assert _color(view, 0.5, 0.96).blue() == 200


def test_the_left_button_and_the_keyboard_pan(
    qtbot: QtBot, view: LargePictureView, picture: Path
) -> None:
    view.show_file(_opened(picture), None)
    _wait(qtbot, view)
    view.setFocus()
    view.show_actual_pixels()
    _wait(qtbot, view)
    before = view.visible_part()
    QTest.mousePress(view, Qt.MouseButton.LeftButton, pos=view.rect().center())
    QTest.mouseMove(view, view.rect().center() / 2)
    QTest.mouseRelease(view, Qt.MouseButton.LeftButton)
    dragged = view.visible_part()
    QTest.keyClick(view, Qt.Key.Key_Right, Qt.KeyboardModifier.ControlModifier)

    assert dragged.left() > before.left()
    assert view.visible_part().left() > dragged.left()


def test_regions_are_read_tile_by_tile(
    qtbot: QtBot, view: LargePictureView, picture: Path, mask: MaskOverlay
) -> None:
    view.show_file(_opened(picture), None)
    view.show_overlay(mask, _MASK)
    _wait(qtbot, view)
    qtbot.waitUntil(lambda: _settled(view) and _color(view, 0.5, 0.2) == QColor("#00ff00"))
    assert _color(view, 0.5, 0.8) == QColor("#ffff00")

    view.show_overlay(mask, OverlayStyle("mask", hidden=frozenset({1})))
    qtbot.waitUntil(lambda: _settled(view) and _color(view, 0.5, 0.8).blue() == 200)

    view.show_overlay(mask, _PLAIN)
    _wait(qtbot, view)
    assert _color(view, 0.5, 0.2).blue() == 200
    assert mask.counts() == [5, 7]


def test_regions_that_come_before_their_picture_stay(
    qtbot: QtBot, view: LargePictureView, picture: Path, mask: MaskOverlay
) -> None:
    view.show_overlay(mask, _MASK)
    qtbot.waitUntil(lambda: view.is_ready)
    view.show_file(_opened(picture), None)
    _wait(qtbot, view)
    qtbot.waitUntil(lambda: _settled(view) and _color(view, 0.5, 0.2) == QColor("#00ff00"))


def test_an_unreadable_tile_leaves_the_others(
    qtbot: QtBot, view: LargePictureView, picture: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    read = large_picture._read_tile

    def broken(pyramid: Pyramid, key: TileKey, display: DisplayMapping) -> QImage:
        if key == (0, 4, 4):
            raise BadDataError("the image is damaged or truncated")
        return read(pyramid, key, display)

    monkeypatch.setattr(large_picture, "_read_tile", broken)
    view.show_file(_opened(picture), None)
    _wait(qtbot, view)
    view.zoom_to(1.0, QPointF(480, 480))
    _wait(qtbot, view)
    assert _color(view, 0.96, 0.96).red() == 200


def test_another_picture_clears_the_one_before(
    qtbot: QtBot, view: LargePictureView, picture: Path, tmp_path: Path
) -> None:
    view.show_file(_opened(picture), None)
    _wait(qtbot, view)
    copy = tmp_path / "copy.tif"
    copy.write_bytes(picture.read_bytes())
    view.show_file(_opened(copy), None)
    _wait(qtbot, view)
    view.show_file(_opened(picture), None)  # its smaller copies are known
    assert "Reading" in view.message
    assert view.pyramid.is_null


def test_a_damaged_file_is_said_in_the_view(
    qtbot: QtBot, view: LargePictureView, picture: Path, tmp_path: Path
) -> None:
    copy = tmp_path / "copy.tif"
    copy.write_bytes(picture.read_bytes())
    pyramid = _opened(copy)
    copy.write_bytes(b"II*\0")
    view.show_file(pyramid, None)

    qtbot.waitUntil(lambda: "cannot be read" in view.message)
    assert view.pyramid.is_null
