"""How fast the window opens, and how late it is while a run trains on the same cores.

1. From the start of the process to the first paint of the window, against a process that shows an
   empty Qt window, in turns. Aim: under 0.8 s.
2. Lateness of a 16 ms timer in the window, while it is idle and while it draws a run that trains,
   in turns. Aim: p99 of the second within 10 ms of the first.

    xvfb-run -a python tests/benchmarks/window.py [--turns 5] [--seconds 15]
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

from pictures import class_folders, completed_dataset

from studio.engine.datasets.recipe import DatasetRecipe
from studio.engine.jobs.queue import JobQueue
from studio.engine.training.plan import TrainingPlan
from studio.engine.training.requests import request_training
from studio.engine.workspace import Workspace

STUDIO_WINDOW = """
import sys, time
from pathlib import Path
from PySide6.QtCore import QEvent, QObject
from PySide6.QtWidgets import QApplication
class Watch(QObject):
    def eventFilter(self, watched, event):
        if event.type() == QEvent.Type.Paint:
            print(time.time(), flush=True)
            import os
            os._exit(0)
        return False
app = QApplication([])
watch = Watch()
"""
EMPTY = (
    STUDIO_WINDOW
    + """
from PySide6.QtWidgets import QMainWindow
window = QMainWindow()
window.installEventFilter(watch)
window.show()
app.exec()
"""
)
FULL = (
    STUDIO_WINDOW
    + """
import studio.__main__  # which sets up what the entry sets up
import gc
gc.disable()  # as `studio.__main__` does
from studio.ui.app import StudioApp
from studio.ui.settings import Settings
from studio.ui.theme.theme import Theme
settings = Settings(Path(sys.argv[1]) / "settings.ini")
theme = Theme(settings.theme)
theme.apply(app)
studio = StudioApp(settings, theme)
window = studio.open(Path(sys.argv[1]) / "workspace")
window.centralWidget().installEventFilter(watch)
app.exec()
"""
)


def start_seconds(script: str, folder: Path) -> float:
    """Seconds from the start of a process to the first paint of its window."""
    began = time.time()
    done = subprocess.run(
        [sys.executable, "-c", script, str(folder)], check=True, capture_output=True
    )
    return float(done.stdout.splitlines()[-1]) - began


def lateness(folder: Path, seconds: float, run: str) -> list[float]:
    """Lateness in ms of every tick of a 16 ms timer in a window of its own process."""
    words = [sys.executable, __file__, "--ticks", str(folder), str(seconds), run]
    done = subprocess.run(words, check=True, capture_output=True)
    ticks: list[float] = json.loads(done.stdout.splitlines()[-1])
    return ticks


def ticks(folder: Path, seconds: float, run: str) -> list[float]:
    """Open the window, show the run, and note how late each tick comes."""
    from PySide6.QtCore import Qt, QTimer
    from PySide6.QtWidgets import QApplication

    from studio.ui.app import StudioApp
    from studio.ui.navigation import OpenRecord
    from studio.ui.settings import Settings
    from studio.ui.theme.theme import Theme

    app = QApplication([])
    settings = Settings(folder / "settings.ini")
    theme = Theme(settings.theme)
    theme.apply(app)
    studio = StudioApp(settings, theme)
    window = studio.open(folder / "workspace")
    late: list[float] = []
    timer = QTimer()
    timer.setTimerType(Qt.TimerType.PreciseTimer)
    expected = [0.0]

    def tick() -> None:
        now = time.perf_counter()
        late.append(max(0.0, (now - expected[0]) * 1000))
        expected[0] = now + 0.016

    def begin() -> None:
        expected[0] = time.perf_counter() + 0.016
        timer.timeout.connect(tick)
        timer.start(16)
        QTimer.singleShot(int(seconds * 1000), app.quit)

    window.open(OpenRecord("train", run))
    # The engine host loads Keras in its first seconds, and the first chart imports pyqtgraph.
    QTimer.singleShot(9000, begin)
    app.exec()
    studio.close()
    return late


def figures(late: list[float]) -> str:
    ordered = sorted(late)
    p99 = ordered[int(len(ordered) * 0.99)]
    return f"p50 {statistics.median(ordered):.1f} ms, p99 {p99:.1f} ms, max {ordered[-1]:.1f} ms"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--turns", type=int, default=5)
    parser.add_argument("--seconds", type=float, default=15)
    options = parser.parse_args()
    print(f"{platform.platform()}, {os.cpu_count()} cores, Python {platform.python_version()}")
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        workspace = Workspace.open(folder / "workspace")
        measure_start(folder, options.turns)
        measure_lateness(workspace, folder, options.seconds)


def measure_start(folder: Path, turns: int) -> None:
    start_seconds(FULL, folder)  # the first one reads everything from the disk
    full, empty = [], []
    for _ in range(turns):
        empty.append(start_seconds(EMPTY, folder))
        full.append(start_seconds(FULL, folder))
    print(
        f"start to first paint: Studio {statistics.median(full):.2f} s, an empty Qt window "
        f"{statistics.median(empty):.2f} s, ratio "
        f"{statistics.median(full) / statistics.median(empty):.2f} (medians of {turns})"
    )


def measure_lateness(workspace: Workspace, folder: Path, seconds: float) -> None:
    recipe = DatasetRecipe(
        source=str(class_folders(folder, 500)), width=32, height=32, test_percent=0
    )
    dataset = completed_dataset(workspace, recipe, "pictures")
    idle = lateness(folder, seconds, "")
    print(f"timer of 16 ms, idle:     {figures(idle)}", flush=True)
    queue = JobQueue(workspace)
    plan = TrainingPlan(dataset=dataset.id, network="small_cnn", epochs=10_000)
    job = request_training(queue, plan, "busy")
    pause = threading.Event()
    while len(job.history.steps_of("loss")) < 5:
        pause.wait(0.1)
        queue.dispatch()
        job.refresh()
    busy = lateness(folder, seconds, job.record.id)
    print(f"timer of 16 ms, training: {figures(busy)}")
    queue.stop(job)
    while not job.history.state.is_finished:
        pause.wait(0.1)
        queue.dispatch()
        job.refresh()


if __name__ == "__main__":
    if sys.argv[1:2] == ["--ticks"]:
        print(json.dumps(ticks(Path(sys.argv[2]), float(sys.argv[3]), sys.argv[4])))
    else:
        main()
