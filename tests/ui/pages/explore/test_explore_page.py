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
from page_records import start_jobs
from PySide6.QtCore import QPoint
from PySide6.QtWidgets import QAbstractButton
from pytestqt.qtbot import QtBot
from trained_run import TrainedRun

from helpers.digits import end_workers
from studio.engine.embeddings.embedding import Embedding
from studio.engine.workspace import Workspace
from studio.ui.context import AppContext
from studio.ui.navigation import OpenPage
from studio.ui.pages.explore.page import View

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
    images = panel.gallery.images()
    assert [image.row for image in images] == embedding.rows[wrong].tolist()
    assert all("→" in image.caption and image.wrong for image in images)
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
