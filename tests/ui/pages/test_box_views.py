"""Boxes of a run, of predictions and of an evaluation, as pages show them; nothing is trained."""

from __future__ import annotations

import json
from collections.abc import Iterator
from functools import partial
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray
from page_checks import captions
from PIL import Image
from PySide6.QtCore import Qt
from pytestqt.qtbot import QtBot

from helpers.box_datasets import NAMES, SIDE, import_shapes
from helpers.picture_kinds import RGB_16, opencv
from studio.engine.datasets.store import Store
from studio.engine.evaluation.evaluated_outputs import EvaluatedOutputs
from studio.engine.evaluation.report import EvaluatedModel
from studio.engine.evaluation.report_builder import Answered, report_on_outputs
from studio.engine.inference.models import ModelSource
from studio.engine.inference.requests import ImagePrediction
from studio.engine.inference.sources import Picture
from studio.engine.progress import SilentProgress
from studio.engine.tasks import TASKS
from studio.engine.tasks.boxes import empty
from studio.engine.tasks.calibration import Calibration
from studio.engine.tasks.detection.prediction import PREDICTOR
from studio.engine.tasks.detection.report import REPORTER
from studio.engine.tasks.parts.objects import DetectedObject, Objects
from studio.engine.tasks.prediction import FALSE, MISSED, RIGHT, Meaning
from studio.engine.training.insights import FixedPictureBoxes, TargetAnswers
from studio.engine.workspace import Workspace
from studio.ui.bridge.run_choices import RunChoice
from studio.ui.context import AppContext
from studio.ui.pages.evaluation.pictures import OpenOutputs
from studio.ui.pages.evaluation.report import OutputsPanel
from studio.ui.pages.predict.folder import FolderBar, PredictionSaver, ResultsGrid, ResultsTable
from studio.ui.pages.predict.pictures import Batch, Content
from studio.ui.pages.predict.preview import CountsChart
from studio.ui.shared import part_views
from studio.ui.shared.dataset_pictures import DatasetPictures
from studio.ui.tasks import view_of
from studio.ui.tasks.detection.view import VIEW
from studio.ui.tasks.region_results import RegionInsights
from studio.ui.tasks.view import ValidationInsight
from studio.ui.theme.theme import Theme
from studio.ui.widgets.notices import Notice
from studio.ui.widgets.overlay import BoxOverlay, OverlaidImage

TASK = TASKS["detection"]
COLORS = ("#e69f00", "#56b4e9")
THRESHOLDS = (0.5, 0.4)
CALIBRATION = Calibration(thresholds=THRESHOLDS)
SOURCE = ModelSource(name="m", file="m", task=TASK.name, classes=NAMES, colors=COLORS)
Rows = NDArray[np.float32]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A dataset of 24 images with squares and discs; four have none."""
    place = tmp_path_factory.mktemp("boxes")
    return import_shapes(Workspace.open(place / "workspace"), place / "src", 24).record.folder


@pytest.fixture
def store(folder: Path) -> Store:
    return Store.open(folder)


def truth_of(store: Store, rows: NDArray[np.int64]) -> Rows:
    found: Rows = np.asarray(store.required_regions[rows])
    return found


def detections_of(truth: Rows, *, flawed: bool) -> Rows:
    """Exact boxes with a score of 0.9; the flawed network misses all first objects of an image,
    and sees a square in the upper left corner of each."""
    found = empty(len(truth), 100)
    for at, boxes in enumerate(truth):
        rows = boxes[boxes[:, 0] >= 0].copy()
        rows[:, 5] = 0.9
        if flawed:
            false = np.array([[0, 0, 0, 8, 8, 0.7]], np.float32)
            rows = np.concatenate([rows[1:], false])
        found[at, : len(rows)] = rows
    return found


def insight_of(store: Store, folder: Path, *, flawed: bool) -> ValidationInsight:
    rows = store.rows("val")
    truth = truth_of(store, rows)
    detections = detections_of(truth, flawed=flawed)
    evidence = REPORTER.evidence(detections, truth, len(NAMES))
    targets = store.targets[rows].astype(np.float32)
    found = TargetAnswers(rows, targets, evidence, len(rows))
    boxes = FixedPictureBoxes(rows[:4], detections[:4])
    pictures = DatasetPictures(folder)
    return ValidationInsight(found, NAMES, [""] * 2, pictures, COLORS, boxes=boxes)


def test_a_run_shows_metrics_of_classes_and_predicted_boxes(
    theme: Theme, qtbot: QtBot, folder: Path, store: Store
) -> None:
    view = RegionInsights(theme, VIEW.report)
    qtbot.addWidget(view)
    rows = store.rows("val")
    view.show_insight(insight_of(store, folder, flawed=False))
    assert [row.name for row in view.table.content.rows] == ["All classes", *NAMES]
    headings = [column.heading for column in view.table.content.columns]
    assert headings == ["Class", "AP", "AP50", "Precision", "Recall"]
    assert list(view.table.content.rows[0].values) == pytest.approx([1, 1, 1, 1])
    assert view.key.isHidden()
    assert [image.row for image in view.grid.images()] == rows[:4].tolist()

    view.show_insight(insight_of(store, folder, flawed=True))
    assert view.table.content.rows[1].values[3] < 1
    source = view.grid._images_of
    assert source is not None
    truth = truth_of(store, rows)
    busiest = int(np.argmax((truth[:4, :, 0] >= 0).sum(axis=1)))
    row, number = int(rows[busiest]), int((truth[busiest, :, 0] >= 0).sum())
    shown = source.overlay_of(row)
    assert isinstance(shown, BoxOverlay)
    assert len(shown.boxes) == number, "one is missed, one is false"
    assert tuple(shown.colors) == COLORS

    view.box.setCurrentIndex(1)
    assert not view.key.isHidden()
    wrong = source.overlay_of(row)
    assert isinstance(wrong, BoxOverlay)
    assert [sum(box.label == kind for box in wrong.boxes) for kind in range(3)] == [
        number - 1,
        1,
        1,
    ]
    view.box.setCurrentIndex(2)
    assert view.grid.images()[0].caption.startswith("F1 ")
    view.grid.stop()


def prediction(image: str, rows: Rows, size: tuple[int, int] = (40, 20)) -> ImagePrediction:
    answer = PREDICTOR.of_decoded(rows, size, Meaning(NAMES, (), CALIBRATION, COLORS))
    return ImagePrediction(image=image, **dict(answer))


SEEN = np.array(
    [
        [1, 2, 2, 12, 12, 0.9],
        [0, 20, 2, 30, 12, 0.8],
        [1, 5, 5, 15, 15, 0.6],
        [0, 0, 0, 5, 5, 0.3],
    ],
    np.float32,
)


def test_predicted_boxes_become_numbers_and_regions() -> None:
    found = prediction("a.png", SEEN)
    assert part_views.headline(found) == "3 objects"
    assert part_views.caption(found) == "disc 2 · square 1"
    assert part_views.strongest(found)[0] == "disc"
    assert found.objects is not None
    assert found.objects.counts() == {"disc": 2, "square": 1}
    assert [line.name for line in part_views.bar_lines(found)] == ["disc", "square"]
    overlay = part_views.overlay_of(found, NAMES, COLORS)
    assert isinstance(overlay, BoxOverlay)
    assert overlay.size == (40, 20)
    assert len(overlay.boxes) == 4, "a candidate may be shown, too"
    assert overlay.counts() == [1, 2], "but it is below the threshold of its class"
    assert overlay.counts(0.25) == [2, 2]
    assert overlay.counts(0.7) == [1, 1]
    assert found.at_score(None) is found
    assert part_views.headline(found.at_score(0.25)) == "4 objects"
    assert part_views.caption(found.at_score(0.7)) == "disc 1 · square 1"
    none = prediction("b.png", SEEN[:0])
    assert part_views.headline(none) == part_views.caption(none) == "No objects"


@pytest.fixture
def batch(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Batch:
    """Three predicted pictures of a model that gives boxes."""
    pictures = []
    for at in range(3):
        path = tmp_path / f"{at}.png"
        Image.fromarray(np.full((20, 40, 3), 100, np.uint8)).save(path)
        pictures.append(Picture(path))
    made = Batch(tuple(each.path for each in pictures), pictures=tuple(pictures))
    monkeypatch.setattr(Batch, "task", property(lambda _self: TASK))
    made.source = SOURCE
    for at, each in enumerate(pictures):
        made.add([prediction(str(each.path), SEEN[:at])])
    return made


def test_pictures_of_a_folder_are_painted_and_listed_with_their_numbers(
    theme: Theme, qtbot: QtBot, batch: Batch
) -> None:
    grid, table, bar = ResultsGrid(theme), ResultsTable(theme), FolderBar(theme)
    for each in (grid, table, bar):
        qtbot.addWidget(each)
    grid.show_batch(batch)
    assert captions(grid) == ["No objects", "disc 1", "disc 1 · square 1"]
    picture = grid._thumbnails.load(str(batch.pictures[2].path))
    assert isinstance(picture, OverlaidImage)
    assert len(picture.overlay.counts()) == 2
    batch.set_score(0.85)
    assert captions(grid) == ["No objects", "disc 1", "disc 1"]
    batch.set_score(None)
    table.show_batch(batch)
    model = table.model()
    across = Qt.Orientation.Horizontal
    heads = [model.headerData(at, across) for at in range(model.columnCount())]
    assert heads == ["Image", "disc", "square"]
    assert [model.index(2, at).data() for at in (1, 2)] == ["1", "1"]
    assert model.index(0, 1).data() == "–"
    bar.show_batch(Content.GRID, batch)
    assert "boxes" in bar.save_button.toolTip()
    grid.stop()


@pytest.mark.parametrize("kind", Objects.file_kinds)
def test_boxes_are_written_with_progress(
    qtbot: QtBot, context: AppContext, batch: Batch, tmp_path: Path, kind: str
) -> None:
    batch.model = RunChoice.__new__(RunChoice)
    bar = FolderBar(context.theme)
    qtbot.addWidget(bar)
    saver = PredictionSaver(context, lambda _model: SOURCE, bar)
    seen: list[tuple[int, int]] = []
    saver.advanced.connect(lambda done, total: seen.append((done, total)))
    names = [action.text() for action in saver.menu(batch).actions()]
    assert len(names) == len(Objects.file_kinds) + 1
    assert all("mask" not in name.casefold() for name in names)
    place = tmp_path / "out"
    saver.save_files(batch, Objects, kind, place)
    qtbot.waitUntil(lambda: seen[-1:] == [(3, 3)] and place.exists())
    qtbot.waitUntil(lambda: bool(list(place.iterdir())))
    if kind == "coco":
        document = json.loads(next(place.glob("*.json")).read_text("utf-8"))
        assert len(document["images"]) == 3
        assert len(document["annotations"]) == 3


def test_files_without_intensities_are_named(
    qtbot: QtBot, context: AppContext, batch: Batch, tmp_path: Path
) -> None:
    path = tmp_path / "damaged.png"
    path.write_bytes(opencv(".png", RGB_16)[:-40])
    corners = ((2.0, 2.0), (9.0, 2.0), (9.0, 9.0), (2.0, 9.0))
    disc = DetectedObject(
        label="disc", score=0.9, left=2, top=2, right=9, bottom=9, outline=(corners,)
    )
    objects = Objects(candidates=(disc,), size=(32, 24), has_outlines=True)
    batch.predictions = [ImagePrediction(image=str(path), objects=objects)]
    batch.model = RunChoice.__new__(RunChoice)
    notices: list[Notice] = []
    context.navigator.notice_requested.connect(notices.append)
    saver = PredictionSaver(context, lambda _model: SOURCE, FolderBar(context.theme))

    saver.save_files(batch, Objects, "csv", tmp_path / "out")
    qtbot.waitUntil(lambda: len(notices) == 2)

    assert [each.kind for each in notices] == ["warning", "success"]
    assert "no intensities" in notices[0].text


def test_numbers_of_objects_are_drawn_along_a_video(
    theme: Theme, qtbot: QtBot, batch: Batch
) -> None:
    chart = CountsChart(theme)
    qtbot.addWidget(chart)
    batch.times, batch.selected = (0.0, 0.5, 1.0), 1
    chart.show_batch(batch)
    lines = {line.name: [y for _, y in line.points] for line in chart.figure.lines}
    assert lines == {"disc": [0, 1, 1], "square": [0, 0, 1]}
    assert {line.name: line.color for line in chart.figure.lines} == dict(
        zip(NAMES, COLORS, strict=True)
    )
    assert chart.mark == 0.5
    with qtbot.waitSignal(chart.chosen) as asked:
        chart.position_chosen.emit(0.9)
    assert asked.args == [2]
    batch.reset()
    chart.show_batch(batch)
    assert chart.isHidden()


@pytest.fixture
def opened(folder: Path, store: Store) -> OpenOutputs:
    """The evaluation of a network with one miss and one false box in each image."""
    rows = store.rows("val")
    truth = truth_of(store, rows)
    predicted = detections_of(truth, flawed=True)
    evidence = REPORTER.evidence(predicted, truth, len(NAMES))
    targets = store.targets[rows]
    subject = EvaluatedModel(
        model="m", dataset="d", dataset_name="d", dataset_version=0, split="val"
    )
    counts = REPORTER.confusion(predicted, truth, len(NAMES), CALIBRATION)
    meaning = Meaning(NAMES, (), CALIBRATION, COLORS)
    answered = Answered(TASK, subject, meaning, evidence, targets, counts)
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


def shows(panel: OutputsPanel, label: int) -> bool:
    """True if the first image has boxes of one kind alone."""
    source, images = panel.worst.grid._images_of, panel.worst.grid.images()
    found = source.overlay_of(images[0].row) if source is not None and images else None
    return isinstance(found, BoxOverlay) and {each.label for each in found.boxes} == {label}


def test_a_report_shows_right_missed_and_false_boxes(
    qtbot: QtBot, panel: OutputsPanel, opened: OpenOutputs
) -> None:
    found = opened.evaluation
    tabs = [panel.tabs.tabText(at) for at in range(3)]
    assert tabs == ["Classes", "Object confusion", "Precision and recall"]
    assert panel.worst.isVisible()
    assert len(panel.worst.grid.images()) == len(found.rows)
    overlay_of = opened.view.overlay_of(found, None)
    assert overlay_of is not None
    with_objects = int(found.rows[np.argmax(found.targets.sum(axis=1))])
    shown = overlay_of(with_objects)
    assert isinstance(shown, BoxOverlay)
    labels = [box.label for box in shown.boxes]
    assert labels.count(MISSED) == 1
    assert labels.count(FALSE) == 1
    texts = {box.label: box.text for box in shown.boxes}
    assert "no object" in texts[FALSE]
    assert texts[MISSED] in NAMES

    box = panel.worst.box
    kinds = [box.itemData(at) for at in range(box.count())]
    assert kinds[:3] == ["", "right", "missed"]
    for kind, label in (("missed", MISSED), ("background", FALSE), ("right", RIGHT)):
        box.setCurrentIndex(box.findData(kind))
        box.activated.emit(box.currentIndex())
        qtbot.waitUntil(partial(shows, panel, label))
        images = panel.worst.grid.images()
        assert panel.worst.title.text() == f"{len(images)} images"
        assert images[0].caption.endswith(("box", "boxes"))
        source = panel.worst.grid._images_of
        assert source is not None
        only = source.overlay_of(images[0].row)
        assert isinstance(only, BoxOverlay)
        assert {each.label for each in only.boxes} == {label}
    panel.table.row_clicked.emit(1)
    qtbot.waitUntil(panel.worst.all_button.isVisible)


def test_curves_of_a_class_stand_in_a_tab(
    qtbot: QtBot, panel: OutputsPanel, opened: OpenOutputs
) -> None:
    charts = opened.view.charts_of(opened.evaluation, 1)
    titles = [each.figure.title for each in charts]
    assert titles == ["Precision by recall: disc", "By threshold: disc"]
    assert all(each.is_apart for each in charts)
    names = [line.name for line in charts[1].figure.lines]
    assert names == ["Precision", "Recall", "F1", "threshold"]
    panel.tabs.setCurrentIndex(2)
    qtbot.waitUntil(panel.output_charts.charts.widgets[0].isVisible)
    panel.output_charts.output_chosen.emit(1)
    widget = panel.output_charts.charts.widgets[0]
    qtbot.waitUntil(lambda: "disc" in widget.figure.title)


def test_a_class_without_curves_says_so(qtbot: QtBot, panel: OutputsPanel) -> None:
    """Below the choice of a class that was predicted nowhere the tab was blank."""
    charts = panel.output_charts
    charts.show_output(0, [])
    assert charts.charts.isHidden()
    assert not charts.empty.isHidden()
    assert f"“{charts.box.itemText(0)}”" in charts.empty.accessibleDescription()
    panel.show_output(1)
    qtbot.waitUntil(lambda: not charts.charts.isHidden(), timeout=5000)
    assert charts.empty.isHidden()


def test_a_cell_of_the_matrix_leads_to_the_images_with_its_objects(
    qtbot: QtBot, panel: OutputsPanel, opened: OpenOutputs
) -> None:
    together = opened.together
    assert together is not None
    assert list(together.names) == [*NAMES, "background"]
    assert together.counts.shape == (3, 3)
    panel.tabs.setCurrentIndex(1)
    panel.matrix.chosen.emit((2, 0))
    qtbot.waitUntil(panel.drawer.isVisible)
    images = panel.drawer.grid.images()
    found, numbers = opened.evaluation.cell(2, 0)
    assert numbers.sum() == together.counts[2, 0] > 0
    assert [image.row for image in images] == opened.evaluation.rows[found].tolist()
    assert "“background” are predicted as “square”" in panel.drawer.title()
    panel.matrix.chosen.emit((0, 2))
    qtbot.waitUntil(lambda: "as “background”" in panel.drawer.title())


def test_images_of_a_dataset_are_drawn_with_their_boxes(folder: Path, store: Store) -> None:
    pictures = DatasetPictures(folder)
    assert pictures.size() == (SIDE, SIDE)
    assert pictures.colors(2) == list(store.colors)
    row = int(np.argmax(store.targets.sum(axis=1)))
    shown = pictures.load(row)
    assert isinstance(shown, OverlaidImage)
    assert shown.overlay.counts() == store.targets[row].tolist()
