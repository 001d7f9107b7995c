"""Half an hour of a window in which runs, evaluations, imports and predictions come and go.

Every minute: memory of the window, threads, timers, child processes, open files. At the end the
first steady quarter is compared with the last: memory within 5 %, everything else as many.

    PYTHONPATH=tests QT_QPA_PLATFORM=offscreen python tests/benchmarks/soak.py [--minutes 30]
"""

from __future__ import annotations

import argparse
import gc
import json
import statistics
import sys
import tempfile
import threading
import time
from collections import Counter
from functools import partial
from pathlib import Path

import psutil
from PySide6.QtCore import QObject, QTimer
from PySide6.QtWidgets import QApplication, QWidget

from studio.engine.datasets.importer import import_dataset
from studio.engine.datasets.recipe import DatasetRecipe
from studio.engine.datasets.requests import request_import
from studio.engine.datasets.samples import SAMPLES
from studio.engine.evaluation.report import EvaluationPlan
from studio.engine.evaluation.requests import request_evaluation
from studio.engine.jobs.events import StateChanged
from studio.engine.jobs.job import Job
from studio.engine.jobs.queue import JobQueue
from studio.engine.jobs.states import State
from studio.engine.jobs.trash import request_trash
from studio.engine.progress import SilentProgress
from studio.engine.training.plan import TrainingPlan
from studio.engine.training.requests import request_training
from studio.engine.workspace import Record, RecordKind, Workspace
from studio.ui.app import StudioApp
from studio.ui.documents.record import RecordChange, RecordDocument
from studio.ui.navigation import page_intent
from studio.ui.pages import PAGES
from studio.ui.pages.predict.page import View as PredictPage
from studio.ui.settings import Settings
from studio.ui.shell.main_window import MainWindow
from studio.ui.theme.theme import Theme

STORED = 4
"""Records of a kind that stay; older ones go to the trash, so that there are always as many."""
PAGE_SECONDS, SAMPLE_SECONDS, LINE_SECONDS = 1.5, 2.0, 60.0
GROWTH = 1.05


class Soak(QObject):
    """Uses a window as a busy person does, and counts what it holds.

    Args:
        window: Of a workspace with a dataset.
        dataset: That dataset.
        pictures: The folder of its pictures.
        seconds: How long.
    """

    def __init__(
        self, window: MainWindow, dataset: Record, pictures: Path, seconds: float
    ) -> None:
        super().__init__()
        self.samples: list[dict[str, float]] = []
        self.done: Counter[str] = Counter()
        self.troubles: list[str] = []
        self._window = window
        self._dataset = dataset
        self._pictures = sorted(pictures.rglob("*.png"))
        self._recipe = SAMPLES["digits"].recipe(pictures)
        self._turn = self._page = 0
        self._is_asking = False
        self._began = self._next_line = time.monotonic()
        self._end = self._began + seconds
        self._process = psutil.Process()
        window.context.jobs.damaged.connect(self._on_trouble)
        window.context.navigator.bug_found.connect(self._on_trouble)
        window.context.jobs.changed.connect(self._on_changed)
        self._timers = []
        for every, slot in (
            (PAGE_SECONDS, self._turn_page),
            (SAMPLE_SECONDS, self._sample),
            (0.5, self._keep_busy),
        ):
            timer = QTimer(self)
            timer.timeout.connect(slot)
            timer.start(round(every * 1000))
            self._timers.append(timer)

    # What a person does

    def _keep_busy(self) -> None:
        context = self._window.context
        if time.monotonic() > self._end:
            for timer in self._timers:
                timer.stop()
            QApplication.quit()
        elif not self._is_asking and context.jobs.is_loaded and not context.jobs.active():
            self._is_asking = True
            self._turn += 1
            work = partial(
                _next_job, context.jobs.queue, self._turn, self._dataset.id, self._recipe
            )
            context.background.run(self, work, self._on_asked, self._on_failed)

    def _on_asked(self, _job: object) -> None:
        self._is_asking = False
        self._window.context.jobs.wake()

    def _on_failed(self, error: BaseException) -> None:
        self._is_asking = False
        self._on_trouble(error)

    def _turn_page(self) -> None:
        self._page += 1
        name = PAGES.names()[self._page % len(PAGES)]
        kinds = {
            "datasets": RecordKind.DATASET,
            "train": RecordKind.RUN,
            "predict": RecordKind.RUN,
            "explore": RecordKind.RUN,
            "export": RecordKind.RUN,
            "evaluation": RecordKind.EVALUATION,
        }
        found = self._window.context.jobs.entries(kinds[name]) if name in kinds else []
        record = next((each.record.id for each in found if each.state == State.COMPLETED), "")
        self._window.open(page_intent(name, record))
        page = self._window.page(name)
        if isinstance(page, PredictPage) and record:
            picture = self._pictures[self._page % len(self._pictures)]
            page.take_drop([picture])
            self.done["prediction"] += 1

    def _on_changed(self, entry: RecordDocument, change: RecordChange) -> None:
        if change.is_state and entry.state.is_finished:
            self.done[f"{entry.key[0].value} {entry.state.value}"] += 1

    def _on_trouble(self, error: object) -> None:
        self.troubles.append(str(error))
        print(f"TROUBLE {error!r}", flush=True)

    # What it holds

    def _sample(self) -> None:
        now = time.monotonic()
        with self._process.oneshot():
            sample = {
                "seconds": round(now - self._began),
                "memory": self._process.memory_info().rss / 2**20,
                "threads": float(threading.active_count()),
                "system_threads": float(self._process.num_threads()),
            }
        # Each view of a dataset holds its file, as soon as it is shown first: they count as one.
        opened = self._open_files()
        sample["files"] = float(self._process.num_fds() - len(opened) + len(set(opened)))
        everything = [self._window, *_below(self._window)]
        sample["timers"] = float(sum(isinstance(each, QTimer) for each in everything))
        sample["running_timers"] = float(
            sum(isinstance(each, QTimer) and each.isActive() for each in everything)
        )
        sample["widgets"] = float(sum(isinstance(each, QWidget) for each in everything))
        sample["objects"] = float(len(everything))
        sample["top_levels"] = float(len(QApplication.topLevelWidgets()))
        children = self._process.children()
        sample["children"] = float(len(children))
        sample["zombies"] = float(sum(_is_zombie(child) for child in children))
        self.samples.append(sample)
        if now >= self._next_line:
            self._next_line = now + LINE_SECONDS
            sample["python_objects"] = float(len(gc.get_objects()))
            shown = {key: round(value, 1) for key, value in sample.items()}
            print(json.dumps({**shown, "done": self.done, "open": opened}), flush=True)

    def _open_files(self) -> list[str]:
        return sorted(Path(each.path).as_posix() for each in self._process.open_files())


def _below(parent: QObject) -> list[QObject]:
    return parent.findChildren(QObject)


def _is_zombie(child: psutil.Process) -> bool:
    try:
        return bool(child.status() == psutil.STATUS_ZOMBIE)
    except psutil.NoSuchProcess:
        return False


def _next_job(queue: JobQueue, turn: int, dataset: str, recipe: DatasetRecipe) -> Job:
    """Ask for the next thing, and put away what is old; outside of the window's thread."""
    workspace = queue.workspace
    for kind in (RecordKind.EVALUATION, RecordKind.RUN, RecordKind.DATASET):
        pairs = [(r, i) for r, i in workspace.infos(kind) if r.id != dataset]
        for record, _ in pairs[: -STORED or None]:
            request_trash(queue, record)
    jobs = [Job(record) for record, _ in workspace.infos(RecordKind.RUN)]
    for job in jobs:
        job.refresh()
    # The window, which asks, may be a moment behind the disk.
    runs = [job.record for job in jobs if job.history.state == State.COMPLETED]
    if turn % 4 == 0:
        return request_import(queue, recipe, f"digits {turn}")
    if turn % 4 == 2 and runs:
        return request_evaluation(queue, EvaluationPlan(run=runs[-1].id))
    plan = TrainingPlan(dataset=dataset, network="mlp", epochs=2)
    return request_training(queue, plan, f"run {turn}")


def compared(samples: list[dict[str, float]]) -> list[str]:
    """What grew from the second quarter, the first steady one, to the last; empty for nothing."""
    quarter = len(samples) // 4
    early, late = samples[quarter : 2 * quarter], samples[-quarter:]
    grown = []
    for name in early[0]:
        if name in {"seconds", "python_objects"}:
            continue
        before = statistics.median(each[name] for each in early)
        after = statistics.median(each[name] for each in late)
        limit = before * GROWTH if name == "memory" else before * 1.02 + 1
        verdict = "ok" if after <= limit else "GREW"
        print(f"{name:16} {before:10.1f} {after:10.1f}  {verdict}")
        if after > limit:
            grown.append(name)
    return grown


def main() -> int:
    """Run, and print what was measured; the exit code is 1 where something grew."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--minutes", type=float, default=30)
    options = parser.parse_args()
    app = QApplication([])
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as name:
        root = Path(name)
        workspace = Workspace.open(root / "workspace")
        pictures = SAMPLES["digits"].write(root / "samples", SilentProgress())
        recipe = SAMPLES["digits"].recipe(pictures)
        record = workspace.create(RecordKind.DATASET, "digits", recipe.to_json())
        import_dataset(recipe, record.folder, SilentProgress())
        Job(record).append(StateChanged(state=State.COMPLETED))
        theme = Theme("light")
        theme.apply(app)
        studio = StudioApp(Settings(root / "window.ini"), theme)
        studio.catch_bugs()
        window = studio.open(workspace.root)
        soak = Soak(window, record, pictures, options.minutes * 60)
        app.exec()
        samples, done, troubles = soak.samples, soak.done, soak.troubles
        queue = JobQueue(workspace)
        for entry in window.context.jobs.active():
            queue.stop(Job(entry.record))
        studio.close()
        left = [each.name for each in threading.enumerate() if each is not threading.main_thread()]
        print(f"done: {dict(done)}; troubles: {troubles}; threads after closing: {left}")
    grown = compared(samples)
    return 1 if grown or troubles else 0


if __name__ == "__main__":
    sys.exit(main())
