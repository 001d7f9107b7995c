"""The page Inside with a real model, a real worker and a real engine host."""

from __future__ import annotations

import shutil
from functools import partial
from pathlib import Path

import numpy as np
import pytest
from page_checks import (
    cut_buttons,
    fits_smallest_window,
    lightness,
    nameless_controls,
    show_in_window,
    styles,
    unexplained_buttons,
)
from page_records import add_dataset, add_model, picture_folder, start_jobs
from PySide6.QtCore import QPoint
from PySide6.QtWidgets import QAbstractButton
from pytestqt.qtbot import QtBot
from trained_run import TrainedRun

from helpers.digits import end_workers
from helpers.runs import append_events
from studio.engine.datasets.summary import SUMMARY_NAME
from studio.engine.embeddings.embedding import Embedding
from studio.engine.embeddings.requests import EmbeddingPlan
from studio.engine.errors import StudioError
from studio.engine.jobs.events import StateChanged
from studio.engine.jobs.states import State
from studio.engine.workspace import RecordKind, Workspace
from studio.ui.bridge.run_choices import RunChoice
from studio.ui.context import AppContext
from studio.ui.navigation import OpenPage
from studio.ui.pages.explore import maps
from studio.ui.pages.explore.maps import DrawnMap, MapForm, MapPanel, PointImages
from studio.ui.pages.explore.page import View
from studio.ui.shared.dataset_pictures import DatasetPictures
from studio.ui.theme.theme import Theme
from studio.ui.widgets.notices import Notice
from studio.ui.widgets.picture_grid import KEY_ROLE, WRONG_ROLE, ImageGrid

LONG = 120_000


def checked(view: View) -> None:
    """What is true of every page."""
    assert nameless_controls(view) == []
    assert unexplained_buttons(view) == []
    assert cut_buttons(view) == []
    assert fits_smallest_window(view)


def test_without_a_model_it_leads_to_training(qtbot: QtBot, context: AppContext) -> None:
    view = View(context)
    window = show_in_window(qtbot, view)
    start_jobs(qtbot, context)
    qtbot.waitUntil(view.empty.isVisible, timeout=LONG)
    with qtbot.waitSignal(context.navigator.open_requested) as went:
        view.empty.findChildren(QAbstractButton)[0].click()
    assert went.args == [OpenPage("train")]
    assert view.drop_offer([Path("a.png")]) == ""
    checked(view)
    window.close()


def test_layers_that_failed_are_asked_for_again_with_a_picture_alone(
    qtbot: QtBot, workspace: Workspace, request: pytest.FixtureRequest, tmp_path: Path
) -> None:
    source = picture_folder(tmp_path / "source", {"a": 4, "b": 4})
    dataset = add_dataset(workspace, "letters", source)
    add_model(workspace, "lenet", dataset)
    (dataset.folder / SUMMARY_NAME).write_text("damaged")
    context: AppContext = request.getfixturevalue("context")
    notices: list[Notice] = []
    context.navigator.notice_requested.connect(notices.append)
    view = View(context)
    window = show_in_window(qtbot, view)
    start_jobs(qtbot, context)
    problem = view.picture.layers.problem
    qtbot.waitUntil(lambda: "cannot be read" in problem.text(), timeout=LONG)
    assert len(notices) == 1

    view.chooser.changed.emit(view.chooser.choice())
    qtbot.waitUntil(lambda: context.background.is_idle, timeout=LONG)
    assert len(notices) == 1
    assert "cannot be read" in problem.text()

    view.take_drop([next(source.rglob("*.png"))])
    qtbot.waitUntil(lambda: len(notices) == 2, timeout=LONG)
    assert "cannot be read" in problem.text()
    window.close()


def test_a_map_says_what_its_stop_button_keeps(
    qtbot: QtBot, theme: Theme, workspace: Workspace, context: AppContext
) -> None:
    plan = EmbeddingPlan(model="run:r", dataset="d")
    workspace.create(RecordKind.EMBEDDING, "map", plan.to_json())
    form = MapForm(theme)
    qtbot.addWidget(form)
    start_jobs(qtbot, context)
    (entry,) = context.jobs.entries(RecordKind.EMBEDDING)
    form.show_work(entry)
    assert "previous map is kept" in form.progress.cancel_button.toolTip()
    assert form.progress.open_button.toolTip() == "Open"


def test_in_place_of_a_map_the_page_says_that_it_is_computed(
    qtbot: QtBot, workspace: Workspace, context: AppContext
) -> None:
    panel = MapPanel(context)
    qtbot.addWidget(panel)
    assert panel.empty.accessibleName() == "No map yet"
    plan = EmbeddingPlan(model="run:r", dataset="d")
    workspace.create(RecordKind.EMBEDDING, "map", plan.to_json())
    start_jobs(qtbot, context)
    panel.show_run(RunChoice("r", "r", workspace.root, None, is_training=False))
    assert panel.empty.accessibleName() == "The map is being computed"


def test_a_map_that_could_not_be_read_is_read_again(
    qtbot: QtBot, workspace: Workspace, context: AppContext, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[Path] = []

    def fail(folder: Path, _dataset: Path, _version: int | None) -> None:
        asked.append(folder)
        raise StudioError("The map cannot be read.")

    monkeypatch.setattr(maps, "_read", fail)
    panel = MapPanel(context)
    qtbot.addWidget(panel)
    plan = EmbeddingPlan(model="run:r", dataset="d")
    record, tmp = workspace.create(RecordKind.EMBEDDING, "map", plan.to_json()), workspace.root
    append_events(record, [StateChanged(state=State.COMPLETED)])
    start_jobs(qtbot, context)
    choice = RunChoice("r", "r", tmp, None, is_training=False, dataset_folder=tmp)
    for number in (1, 2):
        with qtbot.waitSignal(context.navigator.notice_requested):
            panel.show_run(choice)
        assert asked == [record.folder] * number


@pytest.mark.usefixtures("portuguese")
def test_a_map_by_quantity_fits_the_smallest_window(qtbot: QtBot, context: AppContext) -> None:
    view = View(context)
    window = show_in_window(qtbot, view)
    panel = view.findChildren(MapPanel)[0]
    panel.bar.show_outputs(["background", "nucleus"])
    panel._stack.setCurrentIndex(1)
    view._stack.show_content(is_known=True, is_empty=False)
    qtbot.waitUntil(panel.bar.outputs.isVisible)
    assert fits_smallest_window(view)
    window.close()


def test_only_captions_in_sight_are_made(
    qtbot: QtBot, theme: Theme, monkeypatch: pytest.MonkeyPatch
) -> None:
    number = 300
    rows = np.arange(number)
    labels = (rows % 2).astype(np.int32)
    embedding = Embedding(
        rows,
        points=np.zeros((number, 2), np.float32),
        features=np.zeros((number, 1), np.float32),
        labels=labels,
        splits=np.zeros(number, np.int8),
        predictions=np.zeros(number, np.int32),
        scores=np.ones(number, np.float32),
        classes=("a", "b"),
        outputs=("a", "b"),
        paths=tuple(f"{row}.png" for row in rows),
        layer="last",
        method="pca",
    )
    made: list[int] = []
    caption = DrawnMap.caption

    def counted(drawn: DrawnMap, point: int) -> str:
        made.append(point)
        return caption(drawn, point)

    monkeypatch.setattr(DrawnMap, "caption", counted)
    drawn = DrawnMap(embedding, DatasetPictures(None))
    images = PointImages(drawn)
    grid = ImageGrid(theme)
    qtbot.addWidget(grid)
    grid.resize(400, 400)
    grid.set_source(images, drawn.pictures.load)
    images.take(rows[::-1].tolist())
    assert made == []
    grid.updateGeometries()
    grid.grab()
    assert 0 < len(set(made)) < number / 4
    assert (images.key(0), images.caption(0), images.is_wrong(0)) == (299, "b → a", True)
    assert images.tip(1) == "a · 298.png"
    assert not images.is_wrong(1)
    grid.clear()


@pytest.mark.slow
def test_from_the_map_to_a_picture_and_its_layers(
    qtbot: QtBot, workspace: Workspace, trained_run: TrainedRun, request: pytest.FixtureRequest
) -> None:
    shutil.copytree(trained_run.root, workspace.root, dirs_exist_ok=True)
    context: AppContext = request.getfixturevalue("context")
    view = View(context)
    window = show_in_window(qtbot, view)
    start_jobs(qtbot, context)
    qtbot.waitUntil(lambda: view.map.form.layer.count() > 5, timeout=LONG)
    checked(view)
    embedding = draw_the_map(qtbot, view)
    assert len(embedding.rows) == len(trained_run.held_back)
    point = select_mistakes(qtbot, view, embedding)
    light = {name: lightness(image) for name, image in styles(view, context.theme).items()}
    assert light["light"] - light["dark"] > 0.3

    grid = view.map.gallery
    grid.activated.emit(grid.model().index(0, 0))
    look_inside(qtbot, view, embedding, point)
    explain_another_output(qtbot, view)
    refuse_what_is_no_picture(qtbot, view, trained_run.root / "studio.json")
    window.close()
    end_workers(workspace)


def draw_the_map(qtbot: QtBot, view: View) -> Embedding:
    """Of the test images, by a real worker."""
    view.map.form.split.setCurrentIndex(3)
    view.map.form.draw_button.click()
    qtbot.waitUntil(lambda: view.map.drawn is not None, timeout=LONG)
    assert view.map.drawn is not None
    assert view.map.plot.points is not None
    checked(view)
    return view.map.drawn.embedding


def select_mistakes(qtbot: QtBot, view: View, embedding: Embedding) -> int:
    """See them in the gallery; gives a point of them."""
    panel = view.map
    assert panel.drawn is not None
    panel.hover.show_point(panel.drawn, 0, QPoint(0, 0))
    qtbot.waitUntil(lambda: not panel.hover.picture.pixmap().isNull(), timeout=LONG)
    panel.bar.coloring.setCurrentIndex(2)
    assert panel.chart.legend.entry("1").text() == "Wrong"
    right = embedding.right()
    assert right is not None
    wrong = np.flatnonzero(~right)[:5]
    panel.plot.select(wrong)
    panel.plot.selected.emit(wrong)
    assert panel.gallery.isVisible()
    rows = [panel.gallery.model().index(at, 0) for at in range(len(wrong))]
    assert [row.data(KEY_ROLE) for row in rows] == embedding.rows[wrong].tolist()
    assert all("→" in row.data() and row.data(WRONG_ROLE) for row in rows)
    return int(wrong[0])


def look_inside(qtbot: QtBot, view: View, embedding: Embedding, point: int) -> None:
    """Heat map and layers of a point's picture; another layer, another method."""
    heat, layers = view.picture.heat, view.picture.layers
    qtbot.waitUntil(lambda: heat.view.has_heat() and bool(layers.views), timeout=LONG)
    answer, outline = heat.answer, layers.outline
    assert answer is not None
    assert outline is not None
    assert answer.label == embedding.outputs[embedding.predictions[point]]
    assert answer.score == pytest.approx(float(embedding.scores[point]), abs=1e-3)
    assert embedding.classes[embedding.labels[point]] in view.picture.title.text()
    similar = view.picture.similar
    assert not similar.isVisible()
    similar.button.click()
    qtbot.waitUntil(lambda: similar.line.text().startswith("The nearest of"), timeout=LONG)
    label = embedding.classes[embedding.labels[point]]
    assert len(similar.classes()) == 8
    assert {answer.label, label} & set(similar.classes())
    checked(view)

    first = next(at for at, each in enumerate(outline.layers) if each.kind == "Conv2D")
    layers.table.selectRow(first)
    requested = outline.layers[first].path
    qtbot.waitUntil(
        lambda: heat.answer is not None and heat.answer.layer == requested, timeout=LONG
    )
    qtbot.waitUntil(lambda: layers.views[1].title.text() == "kernel", timeout=LONG)
    assert not layers.views[0].picture.image().isNull()
    assert "mean" in layers.views[0].words.text()

    def is_occluded() -> bool:
        known = heat.answer
        return known is not None and known.method == "occlusion" and known.is_complete

    heat.method.setCurrentIndex(1)
    qtbot.waitUntil(is_occluded, timeout=LONG)
    assert heat.answer is not None
    assert heat.answer.label == answer.label


def explain_another_output(qtbot: QtBot, view: View) -> None:
    """Choose another class for the heat map, then the one with the highest score again."""
    heat = view.picture.heat
    assert heat.answer is not None
    highest = heat.answer.label
    at = next(at for at, name in enumerate(heat.answer.outputs) if name != highest) + 1
    other = heat.output_box.itemText(at)
    for point, requested in ((at, other), (0, highest)):
        heat.output_box.setCurrentIndex(point)
        heat.output_box.activated.emit(point)
        qtbot.waitUntil(partial(_is_explained, view, requested), timeout=LONG)


def _is_explained(view: View, label: str) -> bool:
    answer = view.picture.heat.answer
    return answer is not None and answer.label == label


def refuse_what_is_no_picture(qtbot: QtBot, view: View, text: Path) -> None:
    """It is not offered; where it comes all the same, the page says what is wrong."""
    heat = view.picture.heat
    assert view.drop_offer([text]) == ""
    view.take_drop([text])
    qtbot.waitUntil(lambda: "cannot be read" in heat.problem.text(), timeout=LONG)
    assert not heat.view.has_heat()
