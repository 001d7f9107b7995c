"""Masks of a run, of predictions and of an evaluation, as pages show them; nothing is trained."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray
from PIL import Image
from PySide6.QtCore import Qt
from PySide6.QtGui import QImage
from pytestqt.qtbot import QtBot

from helpers.mask_datasets import NAMES, import_shapes
from studio.engine.datasets.store import Store
from studio.engine.evaluation.evaluated_outputs import EvaluatedOutputs
from studio.engine.evaluation.report import EvaluatedModel
from studio.engine.evaluation.report_builder import Answered, report_on_outputs
from studio.engine.inference.models import ModelSource
from studio.engine.inference.requests import ImagePrediction
from studio.engine.inference.sources import Picture
from studio.engine.progress import SilentProgress
from studio.engine.tasks import TASKS
from studio.engine.tasks.annotations import IGNORE
from studio.engine.tasks.calibration import Calibration
from studio.engine.tasks.parts.class_map import ClassMap
from studio.engine.tasks.prediction import Meaning
from studio.engine.tasks.segmentation.prediction import PREDICTOR
from studio.engine.tasks.segmentation.report import REPORTER, confusion
from studio.engine.training.insights import PictureMasks, TargetAnswers
from studio.engine.workspace import Workspace
from studio.ui.bridge.run_choices import RunChoice
from studio.ui.context import AppContext
from studio.ui.pages.evaluation.pictures import OpenOutputs
from studio.ui.pages.evaluation.report import OutputsPanel
from studio.ui.pages.predict.folder import FolderBar, PredictionSaver, ResultsGrid, ResultsTable
from studio.ui.pages.predict.pictures import Batch, Content
from studio.ui.shared import part_views
from studio.ui.shared.dataset_pictures import DatasetPictures
from studio.ui.tasks import view_of
from studio.ui.tasks.region_results import FALSE_COLOR, MISSED_COLOR, RegionInsights
from studio.ui.tasks.segmentation.view import VIEW
from studio.ui.tasks.view import ValidationInsight
from studio.ui.theme.theme import Theme
from studio.ui.widgets.overlay import MaskOverlay, OverlayStyle, painted

TASK = TASKS["segmentation"]
COLORS = ("#000000", "#e69f00", "#56b4e9")
SOURCE = ModelSource(name="m", file="m", task=TASK.name, classes=NAMES, colors=COLORS)
Labels = NDArray[np.uint8]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A dataset of 24 images with squares and discs."""
    place = tmp_path_factory.mktemp("shapes")
    job = import_shapes(Workspace.open(place / "workspace"), place / "src", 24)
    return job.record.folder


@pytest.fixture
def store(folder: Path) -> Store:
    return Store.open(folder)


def shifted(masks: Labels) -> Labels:
    """The masks of a network that sees everything two pixels too far to the right."""
    return np.roll(masks, 2, axis=2)


def insight_of(store: Store, folder: Path, predicted: Labels) -> ValidationInsight:
    rows = store.rows("val")
    truth = store.required_regions[rows]
    counts = REPORTER.evidence(predicted, truth, len(NAMES))[:, :, :3].astype(np.float32)
    targets = store.targets[rows].astype(np.float32)
    found = TargetAnswers(rows, targets, counts, len(rows))
    masks = PictureMasks(rows[:4], predicted[:4])
    return ValidationInsight(found, NAMES, [""] * 3, DatasetPictures(folder), COLORS, masks)


def test_a_run_shows_metrics_of_classes_and_predicted_masks(
    theme: Theme, qtbot: QtBot, folder: Path, store: Store
) -> None:
    view = RegionInsights(theme, VIEW.report)
    qtbot.addWidget(view)
    rows = store.rows("val")
    truth = store.required_regions[rows]
    view.show_insight(insight_of(store, folder, truth.copy()))
    assert [row.name for row in view.table.content.rows] == ["All classes", *NAMES]
    headings = [column.heading for column in view.table.content.columns]
    assert headings == ["Class", "IoU", "Dice", "Precision", "Recall"]
    assert list(view.table.content.rows[1].values) == [1, 1, 1, 1]
    assert {image.caption for image in view.grid.images()} == {"IoU 100.0\N{NO-BREAK SPACE}%"}
    assert view.key.isHidden()

    predicted = shifted(truth)
    view.show_insight(insight_of(store, folder, predicted))
    evidence = REPORTER.evidence(predicted, truth, 3)
    wanted = REPORTER.measure(evidence, np.zeros((len(rows), 3)), Calibration())
    assert view.table.content.rows[2].values[0] == pytest.approx(wanted.outputs["iou"][1])
    assert [image.row for image in view.grid.images()] == rows[:4].tolist()
    source = view.grid._images_of
    assert source is not None
    shown = source.overlay_of(int(rows[0]))
    assert isinstance(shown, MaskOverlay)
    assert (shown.labels == predicted[0]).all()
    assert tuple(shown.colors) == COLORS

    view.box.setCurrentIndex(1)
    assert not view.key.isHidden()
    wrong = source.overlay_of(int(rows[0]))
    assert isinstance(wrong, MaskOverlay)
    assert ((wrong.labels == 1) == (predicted[0] != truth[0])).all()
    view.table.selectRow(2)
    of_class = source.overlay_of(int(rows[0]))
    assert isinstance(of_class, MaskOverlay)
    assert ((of_class.labels == 1) == ((truth[0] == 1) & (predicted[0] != 1))).all()
    assert ((of_class.labels == 2) == ((truth[0] != 1) & (predicted[0] == 1))).all()
    assert tuple(of_class.colors) == ("", MISSED_COLOR, FALSE_COLOR)

    view.box.setCurrentIndex(2)
    errors = REPORTER.errors(REPORTER.evidence(predicted, truth, 3), np.zeros(0), 1)
    worst = [image.row for image in view.grid.images()]
    assert worst == [int(rows[at]) for at in np.argsort(-errors, kind="stable") if errors[at] >= 0]


def prediction(image: str, labels: Labels) -> ImagePrediction:
    answer = PREDICTOR.of_decoded(labels, labels.shape[::-1], Meaning(NAMES, colors=COLORS))
    return ImagePrediction(image=image, **dict(answer))


def test_a_predicted_mask_becomes_regions_areas_and_a_headline() -> None:
    labels = np.zeros((10, 20), np.uint8)
    labels[:5, :4] = 1
    labels[5:, :8] = 2
    labels[0, 19] = IGNORE
    found = prediction("a.png", labels)
    overlay = part_views.overlay_of(found, NAMES, COLORS)
    assert isinstance(overlay, MaskOverlay)
    assert (overlay.labels == labels).all()
    assert tuple(overlay.colors) == COLORS
    assert overlay.counts() == [139, 20, 40]
    assert overlay.ignored == 1
    assert part_views.headline(found).startswith("disc 20")
    assert part_views.strongest(found)[0] == "disc"
    lines = part_views.bar_lines(found)
    assert [line.name for line in lines] == ["background", "disc", "square"]
    assert lines[1].text.endswith("40 px")
    empty = prediction("b.png", np.zeros((4, 4), np.uint8))
    assert part_views.headline(empty) == "Only background"
    unreadable = ImagePrediction(image="c.png", error="unreadable")
    assert part_views.overlay_of(unreadable, NAMES, COLORS) is None


@pytest.fixture
def batch(tmp_path: Path) -> Batch:
    """Three predicted pictures with a mask each."""
    pictures = []
    for at in range(3):
        path = tmp_path / f"{at}.png"
        Image.fromarray(np.full((10, 20, 3), 100, np.uint8)).save(path)
        pictures.append(Picture(path))
    made = Batch(tuple(each.path for each in pictures), pictures=tuple(pictures))
    labels = np.zeros((10, 20), np.uint8)
    for at, each in enumerate(pictures):
        labels[: 3 * at, :10] = 1
        made.add([prediction(str(each.path), labels)])
    return made


@pytest.fixture
def masked(batch: Batch, monkeypatch: pytest.MonkeyPatch) -> Batch:
    """The same, of a model that gives masks."""
    monkeypatch.setattr(Batch, "task", property(lambda _self: TASK))
    batch.source = SOURCE
    return batch


def test_pictures_of_a_folder_are_painted_and_listed_with_their_areas(
    theme: Theme, qtbot: QtBot, masked: Batch
) -> None:
    grid, table, bar = ResultsGrid(theme), ResultsTable(theme), FolderBar(theme)
    for each in (grid, table, bar):
        qtbot.addWidget(each)
    grid.set_style(OverlayStyle("mask"))
    grid.show_batch(masked)
    picture = grid._thumbnails.load(str(masked.pictures[2].path))
    assert isinstance(picture, QImage)
    assert picture.pixelColor(5, 2).name() == COLORS[1]
    assert picture.pixelColor(15, 8).name() == COLORS[0]
    table.show_batch(masked)
    model = table.model()
    across = Qt.Orientation.Horizontal
    heads = [model.headerData(at, across) for at in range(model.columnCount())]
    assert heads == ["Image", *NAMES]
    assert str(model.index(1, 2).data()).startswith("15")
    assert model.index(0, 2).data() == "–"
    bar.show_batch(Content.PICTURE, masked)
    assert bar.save_button.isVisibleTo(bar)
    assert "mask" in bar.save_button.toolTip()
    grid.stop()


@pytest.mark.parametrize("kind", ClassMap.file_kinds)
def test_masks_are_written_with_progress(
    qtbot: QtBot, context: AppContext, masked: Batch, tmp_path: Path, kind: str
) -> None:
    masked.model = RunChoice.__new__(RunChoice)
    bar = FolderBar(context.theme)
    qtbot.addWidget(bar)
    saver = PredictionSaver(context, lambda _model: SOURCE, bar)
    seen: list[tuple[int, int]] = []
    saver.advanced.connect(lambda done, total: seen.append((done, total)))
    names = [action.text() for action in saver.menu(masked).actions()]
    assert len(names) == len(ClassMap.file_kinds) + 1
    folder = tmp_path / "out"
    saver.save_files(masked, ClassMap, kind, folder)
    qtbot.waitUntil(lambda: seen[-1:] == [(3, 3)] and (folder.exists()))
    qtbot.waitUntil(lambda: len(list(folder.iterdir())) == (1 if kind == "coco" else 3))
    if kind == "coco":
        document = json.loads(next(folder.iterdir()).read_text(encoding="utf-8"))
        assert len(document["images"]) == 3
    else:
        with Image.open(sorted(folder.iterdir())[2]) as image:
            assert image.mode == ("P" if kind == "index" else "RGB")
            assert image.size == (20, 10)


@pytest.fixture
def opened(folder: Path, store: Store) -> OpenOutputs:
    """The evaluation of a network that sees everything two pixels too far to the right."""
    rows = store.rows("val")
    truth = store.required_regions[rows]
    predicted = shifted(truth)
    evidence = REPORTER.evidence(predicted, truth, len(NAMES))
    targets = store.targets[rows]
    subject = EvaluatedModel(
        model="m", dataset="d", dataset_name="d", dataset_version=0, split="val"
    )
    counts = confusion(truth, predicted, len(NAMES))
    answered = Answered(TASK, subject, Meaning(NAMES, colors=COLORS), evidence, targets, counts)
    report = report_on_outputs(answered, 20, 0, SilentProgress())
    evaluation = EvaluatedOutputs(report, predicted, evidence, targets, rows, store)
    view = view_of(TASK).report
    return OpenOutputs(DatasetPictures(folder), evaluation, view.together(evaluation))


@pytest.fixture
def panel(qtbot: QtBot, context: AppContext, opened: OpenOutputs) -> Iterator[OutputsPanel]:
    made = OutputsPanel(context)
    qtbot.addWidget(made)
    made.resize(1000, 700)
    made.show()
    made.show_report(opened)
    yield made
    made.worst.grid.stop()
    made.drawer.grid.stop()


def test_a_report_shows_the_worst_images_with_error_maps(
    qtbot: QtBot, panel: OutputsPanel, opened: OpenOutputs
) -> None:
    found = opened.evaluation
    assert [panel.tabs.tabText(at) for at in range(2)] == ["Classes", "Pixel confusion"]
    assert panel.worst.isVisible()
    assert panel.charts.isHidden()
    images = panel.worst.grid.images()
    assert [each.row for each in images] == found.rows[found.worst(None, 200)].tolist()
    assert all(each.caption.startswith("IoU ") for each in images)
    assert not panel.worst.all_button.isVisible()

    panel.table.row_clicked.emit(2)
    assert panel.worst.title.text() == "disc: lowest IoU first"
    assert panel.worst.all_button.isVisible()
    row = panel.worst.grid.images()[0].row
    overlay_of = opened.view.overlay_of(found, 2)
    assert overlay_of is not None
    errors = overlay_of(row)
    assert isinstance(errors, MaskOverlay)
    place = found.rows.tolist().index(row)
    truth = opened.pictures.overlay(row)
    assert isinstance(truth, MaskOverlay)
    missed = (truth.labels == 2) & (found.outputs[place] != 2)
    assert ((errors.labels == 1) == missed).all()
    image = painted(opened.pictures.picture(row), errors, OverlayStyle("mask"))
    down, left = map(int, np.argwhere(missed)[0])
    assert image.pixelColor(left, down).name() == MISSED_COLOR
    panel.worst.all_button.click()
    assert panel.worst.title.text() == "All classes: lowest IoU first"


def test_a_cell_of_the_matrix_leads_to_the_images_with_its_pixels(
    qtbot: QtBot, panel: OutputsPanel, opened: OpenOutputs
) -> None:
    found = opened.evaluation
    assert opened.together is not None
    assert opened.together.has_mistakes
    assert (opened.together.counts == np.array(found.report.confusion)).all()
    panel.tabs.setCurrentIndex(1)
    panel.matrix.chosen.emit((1, 0))
    qtbot.waitUntil(panel.drawer.isVisible)
    images = panel.drawer.grid.images()
    truth = {row: opened.pictures.overlay(row) for row in found.rows.tolist()}
    pixels = {
        row: int(np.count_nonzero((each.labels == 1) & (found.outputs[place] == 0)))
        for place, (row, each) in enumerate(truth.items())
        if isinstance(each, MaskOverlay)
    }
    assert [each.row for each in images] == sorted(
        (row for row, number in pixels.items() if number), key=lambda row: -pixels[row]
    )
    assert images[0].caption == f"{pixels[images[0].row]} px"
    assert "“square” are predicted as “background”" in panel.drawer.title()
