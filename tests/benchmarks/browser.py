"""How fast a million images open, filter and scroll in the browser of the datasets page.

1. From the click to the first grid with all its pictures. Aim: under 1 s.
2. Filters and orders, each once in a background thread. Aim: filters under 0.1 s.
3. Time to paint a frame while scrolling at speed, p50 and p99. Aim: p99 under 16.7 ms.
4. Memory of the process before the dataset is opened, and after all of that.

    xvfb-run -a python tests/benchmarks/browser.py [--images 1000000] [--frames 600]
"""

from __future__ import annotations

import argparse
import os
import platform
import statistics
import sys
import tempfile
import time
from functools import partial
from pathlib import Path

import psutil
from PySide6.QtWidgets import QApplication

sys.path.append(str(Path(__file__).parents[1] / "ui" / "pages"))

from million_images import write_many

from studio.engine.datasets.summary import DatasetSummary
from studio.ui.bridge.background import Background
from studio.ui.pages.datasets.browsing.browser import ImageBrowser
from studio.ui.pages.datasets.browsing.images import LEFT_OUT, DatasetImages, ImageQuery
from studio.ui.pages.datasets.versions.editor import DatasetEditor
from studio.ui.settings import Settings
from studio.ui.tasks.classification.view import of_class
from studio.ui.theme.theme import Theme

QUERIES = {
    "class": ImageQuery(target=partial(of_class, 3)),
    "class and split": ImageQuery(target=partial(of_class, 3), split="val"),
    "left out": ImageQuery(split=LEFT_OUT),
    "text, first time": ImageQuery(text="7/7000"),
    "text": ImageQuery(text="99"),
    "by name, first time": ImageQuery(order="name"),
    "by name": ImageQuery(order="name"),
    "by class": ImageQuery(order="class"),
    "by split": ImageQuery(order="split"),
}


def megabytes() -> float:
    return float(psutil.Process().memory_info().rss) / 2**20


def wait_until_idle(app: QApplication, browser: ImageBrowser) -> None:
    loader = browser.grid._loader
    while loader is None or loader.is_pending or browser.grid.model() is None:
        app.processEvents()
        loader = browser.grid._loader


def measure_open(
    app: QApplication, browser: ImageBrowser, folder: Path, summary: DatasetSummary
) -> DatasetImages:
    began = time.perf_counter()
    pictures = DatasetImages(folder)
    browser.show_images(summary, pictures, -1)
    wait_until_idle(app, browser)
    print(f"open: {time.perf_counter() - began:.2f} s")
    return pictures


def measure_queries(pictures: DatasetImages) -> None:
    for name, query in QUERIES.items():
        began = time.perf_counter()
        found = len(pictures.select(query).rows)
        seconds = time.perf_counter() - began
        print(f"{name}: {seconds * 1000:.0f} ms, {found:,} images")


def measure_scroll(app: QApplication, browser: ImageBrowser, frames: int) -> None:
    bar, spent = browser.grid.verticalScrollBar(), []
    for number in range(frames):
        bar.setValue(number * bar.maximum() // frames)
        began = time.perf_counter()
        browser.grid.viewport().repaint()
        app.processEvents()
        spent.append((time.perf_counter() - began) * 1000)
    spent.sort()
    p99 = spent[int(len(spent) * 0.99)]
    print(f"scroll: p50 {statistics.median(spent):.1f} ms, p99 {p99:.1f} ms, of {frames} frames")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--images", type=int, default=1_000_000)
    parser.add_argument("--frames", type=int, default=600)
    options = parser.parse_args()
    print(f"{platform.platform()}, {os.cpu_count()} cores, Python {platform.python_version()}")
    app = QApplication([])
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name) / "many"
        summary = write_many(folder, options.images)
        settings = Settings(Path(name) / "settings.ini")
        theme = Theme(settings.theme)
        theme.apply(app)
        background = Background()
        browser = ImageBrowser(theme, background, DatasetEditor(background, background), settings)
        browser.resize(1200, 800)
        browser.show()
        app.processEvents()
        before = megabytes()
        pictures = measure_open(app, browser, folder, summary)
        after = megabytes()
        measure_scroll(app, browser, options.frames)
        print(
            f"memory: {before:.0f} MB before, {after:.0f} MB open, {megabytes():.0f} MB scrolled"
        )
        measure_queries(pictures)
        print(f"memory after every filter and order: {megabytes():.0f} MB")
        browser.clear()
        background.close()


if __name__ == "__main__":
    main()
