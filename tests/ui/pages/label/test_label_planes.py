"""Planes of a stack on the page Label."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import tifffile
from label_pages import Opener
from pytestqt.qtbot import QtBot


def test_another_plane_of_a_stack_is_shown(opened: Opener, qtbot: QtBot, folder: Path) -> None:
    for path in folder.iterdir():
        path.unlink()
    planes = np.zeros((3, 40, 50), np.uint16)
    planes[2] = 4095
    planes[:, 0, 0] = 4095  # the range of each plane is the same
    tifffile.imwrite(folder / "stack.tif", planes, photometric="minisblack")
    view = opened("classification", "cat")
    session = view.session
    qtbot.waitUntil(lambda: not session.is_standard)
    qtbot.waitUntil(lambda: not view.display_button.isHidden())

    def brightness() -> int:
        found = session.picture
        assert found is not None
        return found.image.pixelColor(30, 30).lightness()

    assert brightness() == 0
    view.display_button.plane_changed.emit(2)

    qtbot.waitUntil(lambda: session.picture is not None and brightness() > 250)
    facts = session.display_facts()
    assert (facts.plane, facts.planes) == (2, 3)
