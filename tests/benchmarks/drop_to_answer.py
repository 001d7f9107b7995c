"""Milliseconds from a dropped picture to its painted answer, against the bare model's call.

The real page without a screen, the real engine host, warm; every picture is another file. After
each drop comes a bare `predict_on_batch` of one decoded picture in another process. MobileNetV2 at
224 x 224 with random weights on the processor. Aims: p50 under 80 ms, and under 1.3 times the bare
call. The same bare calls one right after the other are printed as well: TensorFlow's threads and
the caches of the processor are then a few milliseconds faster than for any single picture.

    QT_QPA_PLATFORM=offscreen python tests/benchmarks/drop_to_answer.py [--drops 60] [--turns 3]
"""

from __future__ import annotations

import argparse
import os
import shutil
import tempfile
import time
from pathlib import Path

import numpy as np
from bare_model import CLASSES, SIDE, BareModel, make_model, make_pictures
from pictures import completed_dataset
from PySide6.QtCore import QEvent, QEventLoop, QMimeData, QObject, QPointF, Qt, QUrl
from PySide6.QtGui import QDropEvent
from PySide6.QtWidgets import QApplication, QMainWindow

from studio.engine.datasets.decode import load_image
from studio.engine.datasets.recipe import DatasetRecipe
from studio.engine.jobs.events import Artifact
from studio.engine.jobs.host import EngineHost
from studio.engine.jobs.job import Job
from studio.engine.training.plan import TrainingPlan
from studio.engine.workspace import RecordKind, Workspace
from studio.ui.bridge.background import Background
from studio.ui.bridge.jobs import Jobs
from studio.ui.context import AppContext, Navigator
from studio.ui.pages.predict.page import View
from studio.ui.settings import Settings
from studio.ui.theme.theme import Theme
from studio.ui.widgets.bars import ScoreBars


class Painted(QObject):
    """Remembers when the bars were painted last, and with which scores."""

    def __init__(self) -> None:
        super().__init__()
        self.at = 0.0
        self.scores: list[tuple[str, float]] = []

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:  # noqa: N802 - Qt's name
        """Watch only."""
        if event.type() == QEvent.Type.Paint and isinstance(watched, ScoreBars):
            self.at = time.perf_counter()
            self.scores = watched.scores()
        return super().eventFilter(watched, event)

    def shows_answer(self, view: View) -> bool:
        """Return True if the prediction of the picture on the page was painted."""
        prediction = None if view.batch is None else view.batch.prediction
        return prediction is not None and self.scores == [
            (each.label, each.score) for each in prediction.class_scores
        ]


def make_workspace(folder: Path, pictures: list[Path]) -> Workspace:
    """A dataset and a run whose model is the bare one."""
    for index, path in enumerate(pictures[: 2 * CLASSES]):
        target = folder / "classes" / str(index % CLASSES) / path.name
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(path, target)
    workspace = Workspace.open(folder / "workspace")
    recipe = DatasetRecipe(source=str(folder / "classes"), width=SIDE, height=SIDE)
    dataset = completed_dataset(workspace, recipe, "pictures")
    plan = TrainingPlan(dataset=dataset.id, network="mobilenet_v2")
    run = workspace.create(RecordKind.RUN, "mobilenet", plan.to_json())
    make_model(run.folder / "model.keras")
    Job(run).append(Artifact(name="model", path="model.keras"))
    return workspace


def drop(view: View, path: Path, painted: Painted) -> float:
    """Seconds until the answer for a dropped picture was painted."""
    data = QMimeData()
    data.setUrls([QUrl.fromLocalFile(str(path))])
    event = QDropEvent(
        QPointF(view.rect().center()),
        Qt.DropAction.CopyAction,
        data,
        Qt.MouseButton.LeftButton,
        Qt.KeyboardModifier.NoModifier,
    )
    began = time.perf_counter()
    view.dropEvent(event)
    # The loop sleeps until something happens, as Qt's own does.
    while not (painted.at > began and painted.shows_answer(view)):
        QApplication.processEvents(QEventLoop.ProcessEventsFlag.WaitForMoreEvents)
    return painted.at - began


def percentile(seconds: list[float], share: float) -> float:
    """In milliseconds."""
    return float(np.quantile(seconds, share)) * 1000


def measure(folder: Path, drops: int, turns: int) -> None:
    """Print a line per turn and the whole."""
    app = QApplication.instance() or QApplication([])
    pictures = make_pictures(folder / "pictures", max(drops, 2 * CLASSES))
    recipe = DatasetRecipe(source="", width=SIDE, height=SIDE)
    np.save(folder / "images.npy", np.stack([load_image(path, recipe) for path in pictures]))
    workspace = make_workspace(folder, pictures)
    background = Background()
    context = AppContext(
        workspace=workspace,
        settings=Settings(folder / "window.ini"),
        theme=Theme("light"),
        background=background,
        jobs=Jobs(workspace, background),
        engine=EngineHost(),
        navigator=Navigator(),
    )
    view, window, painted = View(context), QMainWindow(), Painted()
    view.card.bars.installEventFilter(painted)
    window.setCentralWidget(view)
    window.resize(1280, 800)
    window.show()
    context.jobs.start()
    while view.chooser.choice() is None:
        app.processEvents()
    model = workspace.records(RecordKind.RUN)[0].folder / "model.keras"
    ours: list[float] = []
    plain: list[float] = []
    loop: list[float] = []
    with BareModel(model, folder / "images.npy") as bare:
        bare.single(3)
        for path in pictures[:3]:
            drop(view, path, painted)
        for _ in range(turns):
            loop += bare.single(drops)
            for path in pictures[:drops]:
                ours.append(drop(view, path, painted))
                plain += bare.single(1)
            print(
                f"drop to answer p50 {percentile(ours[-drops:], 0.5):5.1f} ms, "
                f"bare p50 {percentile(plain[-drops:], 0.5):5.1f} ms, "
                f"in a loop {percentile(loop[-drops:], 0.5):5.1f} ms"
            )
    print(
        f"drop to answer p50 {percentile(ours, 0.5):.1f} ms, p95 {percentile(ours, 0.95):.1f} ms; "
        f"bare p50 {percentile(plain, 0.5):.1f} ms, p95 {percentile(plain, 0.95):.1f} ms; "
        f"ratio of p50 {percentile(ours, 0.5) / percentile(plain, 0.5):.2f}; "
        f"bare in a loop p50 {percentile(loop, 0.5):.1f} ms, "
        f"ratio {percentile(ours, 0.5) / percentile(loop, 0.5):.2f}; "
        f"{os.cpu_count()} cores, load {os.getloadavg()[0]:.1f}"
    )
    window.close()
    context.jobs.close()
    background.close()
    context.engine.close()


def main() -> None:
    """Measure in a temporary folder."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--drops", type=int, default=60)
    parser.add_argument("--turns", type=int, default=3)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        measure(Path(folder), options.drops, options.turns)


if __name__ == "__main__":
    main()
