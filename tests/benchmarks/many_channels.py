"""Scrolling a picture of five channels of 16 bits, against the same picture as 8 bit color.

Both stand in the canvas of the page Label at their actual size; each frame moves the picture and
is painted and flushed. The two alternate, so that other work on the machine slows both. Aims: 60
frames per second, and a ratio of 1. The time to show the picture in another contrast is measured
as well: it passes in another thread.

    xvfb-run -a -s "-screen 0 1700x1100x24" python tests/benchmarks/many_channels.py
    QT_QPA_PLATFORM=offscreen python tests/benchmarks/many_channels.py
"""

from __future__ import annotations

import argparse
import os
import platform
import statistics
import time

import numpy as np
from PySide6.QtWidgets import QApplication

from studio.engine.arrays import BytePixels, Pixels
from studio.engine.display_mapping import DisplayMapping
from studio.engine.pixel_format import PixelFormat
from studio.ui.theme.theme import Theme
from studio.ui.widgets.canvas.picture import PictureCanvas
from studio.ui.widgets.canvas.pyramid import ImagePyramid
from studio.ui.widgets.pictures import to_image

SIDE = 2048
CHANNELS = 5
STEP = 7.0
"""Pixels of the window by which a frame moves the picture."""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rounds", type=int, default=20)
    parser.add_argument("--frames", type=int, default=60)
    options = parser.parse_args()
    print(f"{platform.platform()}, {os.cpu_count()} cores, Python {platform.python_version()}")
    app = QApplication(["studio"])
    theme = Theme("light")
    theme.apply(app)
    deep = _picture()
    mapping = DisplayMapping.of(PixelFormat.uniform("uint16", CHANNELS, 0, 4095))
    plain: BytePixels = mapping.to_rgb(deep)
    identity = DisplayMapping.of(PixelFormat.bytes_of(3))
    canvases = {
        "uint16 x 5": _canvas(theme, deep, mapping),
        "uint8 color": _canvas(theme, plain, identity),
    }
    rates: dict[str, list[float]] = {name: [] for name in canvases}
    for number in range(options.rounds):
        order = list(canvases) if number % 2 else list(reversed(canvases))
        for name in order:
            rates[name].append(_frames_per_second(app, canvases[name], options.frames))
    for name, found in rates.items():
        print(f"{name}: {statistics.median(found):.0f} frames per second")
    one, other = rates.values()
    ratio = statistics.median(a / b for a, b in zip(one, other, strict=True))
    print(f"ratio: {ratio:.2f}")
    spent = [_seconds_to_show(deep, mapping.with_window(0, 0, 4000 - n)) for n in range(10)]
    print(f"another contrast: {statistics.median(spent) * 1000:.0f} ms in another thread")


def _picture() -> Pixels:
    generator = np.random.default_rng(0)
    rows = np.linspace(0, 12, SIDE)
    waves = np.sin(rows[:, None, None] + np.arange(CHANNELS)) * np.cos(rows[None, :, None])
    noisy = 1500 + 1200 * waves + generator.normal(0, 60, (SIDE, SIDE, CHANNELS))
    return np.clip(noisy, 0, 4095).astype(np.uint16)


def _canvas(theme: Theme, pixels: Pixels, mapping: DisplayMapping) -> PictureCanvas:
    canvas = PictureCanvas(theme)
    canvas.resize(1200, 800)
    canvas.show()
    canvas.show_picture(ImagePyramid(to_image(pixels, mapping)))
    canvas.show_actual_pixels()
    return canvas


def _frames_per_second(app: QApplication, canvas: PictureCanvas, frames: int) -> float:
    canvas.raise_()
    app.processEvents()
    began = time.perf_counter()
    for number in range(frames):
        step = STEP if number % 40 < 20 else -STEP
        canvas.pan_by(step, step / 2)
        canvas.repaint()
        app.processEvents()
    return frames / (time.perf_counter() - began)


def _seconds_to_show(pixels: Pixels, mapping: DisplayMapping) -> float:
    began = time.perf_counter()
    ImagePyramid(to_image(pixels, mapping))
    return time.perf_counter() - began


if __name__ == "__main__":
    main()
