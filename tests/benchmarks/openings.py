"""How long the window is busy when a page or a form is opened for the first time.

Processor time of the window's thread until the page is painted, in a new window each turn, beside
that of a plain Qt window with a table of 100 rows, in turns. Aim: under 100 ms.

    xvfb-run -a python tests/benchmarks/openings.py [--turns 3]
"""

from __future__ import annotations

import argparse
import importlib
import statistics
import tempfile
import time
from collections import defaultdict
from collections.abc import Callable
from pathlib import Path

from pictures import class_folders, completed_dataset
from PySide6.QtWidgets import QApplication, QMainWindow, QTableWidget

from studio.engine.datasets.recipe import DatasetRecipe
from studio.engine.workspace import RecordKind, Workspace
from studio.ui.app import StudioApp, _window_modules
from studio.ui.navigation import ImportImages, Intent, OpenPage, PlanRun, PlanSweep
from studio.ui.pages import PAGES
from studio.ui.settings import Settings
from studio.ui.theme.theme import Theme


def milliseconds(work: Callable[[], object]) -> float:
    """Processor time of this thread for some work and what it leaves to the event loop."""
    began = time.thread_time()
    work()
    QApplication.processEvents()
    return (time.thread_time() - began) * 1000


def plain() -> float:
    """Open a plain window with a table."""
    window = QMainWindow()
    window.setCentralWidget(QTableWidget(100, 8, window))
    took = milliseconds(window.show)
    window.close()
    return took


def openings(settings: Settings, theme: Theme, workspace: Workspace) -> dict[str, float]:
    """Open every page and form of a new window once."""
    studio = StudioApp(settings, theme)
    window = studio.open(workspace.root)
    while not window.context.jobs.is_loaded:
        QApplication.processEvents()
    (dataset,) = window.context.jobs.entries(RecordKind.DATASET)
    intents: dict[str, Intent] = {each.name: OpenPage(each.name) for each in PAGES}
    intents["new run"] = PlanRun(dataset.record.id)
    intents["new sweep"] = PlanSweep()
    intents["import"] = ImportImages(workspace.root)
    took = {}
    for name, intent in intents.items():
        took[name] = milliseconds(lambda intent=intent: window.open(intent))  # type: ignore[misc]
    studio.close()
    return took


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--turns", type=int, default=3)
    options = parser.parse_args()
    app = QApplication([])
    for name in _window_modules():  # as a few seconds after the start
        importlib.import_module(name)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        workspace = Workspace.open(folder / "workspace")
        recipe = DatasetRecipe(source=str(class_folders(folder, 50)), width=32, height=32)
        completed_dataset(workspace, recipe, "pictures")
        settings = Settings(folder / "settings.ini")
        theme = Theme(settings.theme)
        theme.apply(app)
        found: dict[str, list[float]] = defaultdict(list)
        beside = []
        for _ in range(options.turns):
            beside.append(plain())
            for page, took in openings(settings, theme, workspace).items():
                found[page].append(took)
    usual = statistics.median(beside)
    print(f"a plain window with a table: {usual:.0f} ms (median of {options.turns})")
    for page, times in found.items():
        median = statistics.median(times)
        print(f"{page:12} {median:5.0f} ms, ratio {median / usual:.1f}")


if __name__ == "__main__":
    main()
