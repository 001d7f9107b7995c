"""Every page opens on records of every task, and answers a dropped picture."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot
from visible_texts import KINDS, texts_of

from helpers.digits import do_here
from helpers.sampling import sample
from helpers.task_cases import TaskCase, make_case
from studio.engine.embeddings.requests import EmbeddingPlan
from studio.engine.evaluation.report import EvaluationPlan
from studio.engine.exporting.plan import ExportPlan
from studio.engine.jobs.states import State
from studio.engine.messages import in_sentence
from studio.engine.tasks import TASKS
from studio.engine.training.plan import RUN_PREFIX
from studio.ui.app import StudioApp
from studio.ui.navigation import OpenRecord, page_intent
from studio.ui.pages import PAGES
from studio.ui.pages.explore.page import View as ExplorePage
from studio.ui.pages.predict.page import View as PredictPage
from studio.ui.settings import Settings
from studio.ui.shell.main_window import MainWindow
from studio.ui.theme.theme import Theme

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module", params=sample(TASKS, ("regression",)))
def case(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> TaskCase:
    """A dataset, a run, an evaluation and an export of a task."""
    folder = tmp_path_factory.mktemp(request.param)
    case = make_case(folder, request.param)
    run = case.run.record.id
    evaluation = EvaluationPlan(run=run, split="val", resamples=20)
    export = ExportPlan(run=run, variants=["keras:float32"], to=str(folder / "out"))
    images = EmbeddingPlan(model=f"{RUN_PREFIX}{run}", dataset=case.dataset.record.id)
    for plan, name in ((evaluation, "evaluation"), (export, "export"), (images, "map")):
        job = do_here(case.workspace, plan, name)
        assert job.history.state == State.COMPLETED, job.history.detail
    return case


@pytest.fixture
def window(theme: Theme, tmp_path: Path, case: TaskCase, qtbot: QtBot) -> Iterator[MainWindow]:
    app = StudioApp(Settings(tmp_path / "window.ini"), theme)
    shown = app.open(case.workspace.root)
    qtbot.waitUntil(lambda: shown.context.jobs.is_loaded)
    yield shown
    app.close()


def test_every_page_opens(window: MainWindow, case: TaskCase, qtbot: QtBot) -> None:
    text: dict[str, str] = {}
    for page in PAGES:
        kind = KINDS.get(page.name)
        records = window.context.workspace.records(kind) if kind is not None else []
        window.open(page_intent(page.name, records[0].id if records else ""))
        qtbot.waitUntil(lambda: window.context.background.is_idle)
        QApplication.processEvents()
        text[page.name] = "\n".join(texts_of(window))

    task = case.store.task
    for name in ("datasets", "evaluation"):
        for output in case.store.classes:
            assert output in text[name], name
    assert task.primary.label in text["train"]
    assert task.metrics[0].label in text["evaluation"]
    assert in_sentence(task.primary.label) in text["home"]


def test_a_dropped_picture_is_answered(window: MainWindow, case: TaskCase, qtbot: QtBot) -> None:
    window.open(OpenRecord("predict", case.run.record.id))
    page = window.page("predict")
    assert isinstance(page, PredictPage)
    picture = min(case.pictures.iterdir())

    page.take_drop([picture])

    def answered() -> None:
        texts = "\n".join(texts_of(window))
        assert picture.name in texts
        assert any(output in texts for output in case.store.classes)

    qtbot.waitUntil(answered, timeout=60_000)


@pytest.mark.thorough
def test_a_map_groups_images_by_their_targets(
    window: MainWindow, case: TaskCase, qtbot: QtBot
) -> None:
    window.open(OpenRecord("explore", case.run.record.id))
    page = window.page("explore")
    assert isinstance(page, ExplorePage)
    panel = page.map
    qtbot.waitUntil(lambda: panel.drawn is not None)
    drawn, store, task = panel.drawn, case.store, case.store.task
    assert drawn is not None
    assert (drawn.embedding.right() is None) == task.targets.in_file
    assert panel.bar.outputs.isVisible() == task.targets.in_file
    outputs = range(len(store.classes)) if task.targets.in_file else range(1)
    for output in outputs:
        points = drawn.points(output)
        assert 1 < len(points.classes) <= 4
        # A class that every image has, such as the background, leaves the other group empty.
        in_all = task.geometry.part_type is not None and store.targets[:, output].all()
        groups = {0} if in_all else set(range(len(points.classes)))
        assert set(points.labels.tolist()) == groups
    row = int(drawn.embedding.rows[0])
    assert drawn.label(0)
    if not task.targets.in_file:
        assert drawn.label(0) == store.annotation(row)

    panel.bar.outputs.activated.emit(outputs[-1])
    qtbot.waitUntil(lambda: window.context.background.is_idle)
    shown = panel.plot.points
    assert shown is not None
    assert shown.classes == drawn.points(outputs[-1]).classes
