"""Memory of an idle window and of its engine host, around a prediction.

The real window on its home page; then with the answer for a dropped picture by MobileNetV2 at
224 x 224 (random weights, on the processor); then the host was idle for long enough and has ended.
Of each process: resident memory, and what it shares with no other process, in MB.

    QT_QPA_PLATFORM=offscreen python tests/benchmarks/memory.py
"""

from __future__ import annotations

import math
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import psutil
from bare_model import CLASSES, make_pictures
from drop_to_answer import make_workspace
from PySide6.QtCore import QEventLoop
from PySide6.QtWidgets import QApplication

from studio.engine.jobs.host import EngineHost
from studio.ui.app import StudioApp
from studio.ui.navigation import DropFiles
from studio.ui.pages.predict.page import View as PredictPage
from studio.ui.settings import Settings
from studio.ui.theme.theme import Theme


def wait(is_over: Callable[[], bool]) -> float:
    """Run the window until something is over; the seconds that took."""
    began = time.perf_counter()
    while not is_over():  # the window looks at its jobs several times a second
        QApplication.processEvents(QEventLoop.ProcessEventsFlag.WaitForMoreEvents)
    return time.perf_counter() - began


def megabytes(pid: int | None) -> str:
    """Resident and own memory of a process."""
    if pid is None:
        return "   not there"
    memory = psutil.Process(pid).memory_full_info()
    return f"{memory.rss / 1e6:5.0f} ({memory.uss / 1e6:.0f})"


def tell(what: str, engine: EngineHost) -> None:
    """Print a line."""
    print(f"{what:32} window {megabytes(psutil.Process().pid)}   host {megabytes(engine.pid)}")


def is_at_rest(process: psutil.Process) -> bool:
    """Whether a process computes nothing for half a second."""
    return process.cpu_percent(0.5) < 2


def measure(folder: Path) -> None:
    """Print the table."""
    app = QApplication.instance() or QApplication([])
    pictures = make_pictures(folder / "pictures", 2 * CLASSES)
    workspace = make_workspace(folder, pictures)
    theme = Theme("light")
    if isinstance(app, QApplication):
        theme.apply(app)
    studio = StudioApp(Settings(folder / "window.ini"), theme)
    window = studio.open(workspace.root)
    engine = window.context.engine
    wait(lambda: engine.pid is not None)
    host = psutil.Process(engine.pid)
    host.cpu_percent()
    wait(lambda: host.cpu_times().user > 1 and is_at_rest(host))
    tell("idle, nothing predicted yet", engine)
    window.show_page("predict")
    page = window.page("predict")
    if not isinstance(page, PredictPage):
        raise TypeError(type(page).__name__)
    wait(lambda: page.chooser.choice() is not None)
    for name, picture in zip(("a prediction", "another prediction"), pictures, strict=False):
        window.open(DropFiles("predict", (picture,)))
        seconds = wait(lambda: page.batch is not None and page.batch.is_complete)
        tell(f"after {name} ({seconds:.1f} s)", engine)
    engine.set_idle_seconds(0)
    wait(lambda: not host.is_running() or host.status() == psutil.STATUS_ZOMBIE)
    tell("after the idle time", engine)
    engine.set_idle_seconds(math.inf)
    window.open(DropFiles("predict", (pictures[2],)))
    seconds = wait(lambda: page.batch is not None and page.batch.is_complete)
    tell(f"after the next one ({seconds:.1f} s)", engine)
    studio.close()


def main() -> None:
    """Measure in a temporary folder."""
    with tempfile.TemporaryDirectory() as folder:
        measure(Path(folder))


if __name__ == "__main__":
    main()
