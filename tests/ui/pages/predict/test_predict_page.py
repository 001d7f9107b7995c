"""The prediction page with hand-written records: what it shows and offers, and how it looks."""

from __future__ import annotations

from pathlib import Path

import pytest
from page_checks import show_in_window
from page_records import add_dataset, add_model, add_run, picture_folder, start_jobs
from PySide6.QtCore import QMimeData, QPoint, Qt, QUrl
from PySide6.QtGui import QDragEnterEvent, QGuiApplication, QImage
from PySide6.QtWidgets import QAbstractButton, QComboBox, QMainWindow
from pytestqt.qtbot import QtBot

from helpers.runs import append_events
from studio.engine.inference.requests import ImagePrediction
from studio.engine.inference.sources import Picture
from studio.engine.jobs.events import Artifact, StateChanged
from studio.engine.jobs.states import State
from studio.engine.workspace import Record, Workspace
from studio.ui.bridge.run_choices import RunChoice
from studio.ui.context import AppContext
from studio.ui.navigation import ChoosePictures, OpenPage, PastePicture
from studio.ui.pages.predict import preview
from studio.ui.pages.predict.page import CHOICE_KEY, View
from studio.ui.pages.predict.pictures import Batch
from studio.ui.pages.predict.preview import HistoryStrip


@pytest.fixture
def dataset(workspace: Workspace, tmp_path: Path) -> Record:
    return add_dataset(workspace, "colors", picture_folder(tmp_path / "src", {"a": 8, "b": 8}))


def open_page(qtbot: QtBot, context: AppContext) -> tuple[View, QMainWindow]:
    view = View(context)
    window = show_in_window(qtbot, view)
    start_jobs(qtbot, context)
    qtbot.waitUntil(lambda: context.jobs.is_loaded, timeout=5000)
    return view, window


def stage(view: View) -> str:
    return view.content.name


def names_on(view: View) -> dict[str, str]:
    """Accessible name or text of everything that can be pressed or chosen."""
    controls = [*view.findChildren(QAbstractButton), *view.findChildren(QComboBox)]
    return {
        str(control): control.accessibleName() or getattr(control, "text", str)()
        for control in controls
        if control.objectName() != "qt_tableview_cornerbutton"  # hidden, with the row headings
    }


def test_without_a_model_it_leads_to_training(qtbot: QtBot, context: AppContext) -> None:
    view, _ = open_page(qtbot, context)
    assert stage(view) == "NO_MODEL"
    assert view.empty.isVisible()
    assert view.drop_offer([Path("x.png")]) == ""
    buttons = {b.text(): b for b in view.empty.findChildren(QAbstractButton)}
    for text, page in (("Train a network", "train"), ("Import images", "datasets")):
        with qtbot.waitSignal(context.navigator.open_requested) as requested:
            buttons[text].click()
        assert requested.args == [OpenPage(page)]
    with qtbot.waitSignal(context.navigator.tour_requested):
        buttons["Try the handwritten digits"].click()


def test_models_are_listed_newest_first_and_the_choice_is_remembered(
    qtbot: QtBot, context: AppContext, workspace: Workspace, dataset: Record
) -> None:
    old = add_model(workspace, "old", dataset, 0.5)
    new = add_model(workspace, "new", dataset, 0.987)
    add_run(workspace, "without", dataset.id, [])
    view, _ = open_page(qtbot, context)
    chosen = view.chooser
    assert [choice.id for choice in chosen.listed()] == [new.id, old.id]
    assert "new" in chosen.currentText()
    assert "98.7" in chosen.currentText()
    assert "colors" in chosen.currentText()
    view.show_record(old.id)
    assert chosen.currentText().startswith("old")
    again = View(context)
    qtbot.addWidget(again)
    choice = again.chooser.choice()
    assert choice is not None
    assert choice.id == old.id


def test_a_model_is_named_whole_where_there_is_room(
    qtbot: QtBot, context: AppContext, workspace: Workspace, dataset: Record
) -> None:
    add_model(workspace, "membranes with a large network", dataset, 0.113)
    view, window = open_page(qtbot, context)
    window.resize(1300, 700)
    qtbot.waitUntil(lambda: view.chooser.shown_text() == view.chooser.currentText())


def test_a_run_completed_since_the_choice_is_taken_at_the_next_start(
    qtbot: QtBot, context: AppContext, workspace: Workspace, dataset: Record
) -> None:
    old = add_model(workspace, "old", dataset, 0.9)
    append_events(old, [StateChanged(state=State.COMPLETED)])
    view, _ = open_page(qtbot, context)
    view.show_record(old.id)
    new = add_model(workspace, "new", dataset, 0.5)
    append_events(new, [StateChanged(state=State.COMPLETED)])
    context.jobs.wake()
    qtbot.waitUntil(lambda: len(view.chooser.listed()) == 2)
    assert view.chooser.currentText().startswith("old"), "new runs do not change the choice"
    again = View(context)
    qtbot.addWidget(again)
    assert again.chooser.currentText().startswith("new")
    again.show_record(old.id)
    third = View(context)
    qtbot.addWidget(third)
    assert third.chooser.currentText().startswith("old")


def test_pictures_of_another_dataset_leave_the_page_with_their_model(
    qtbot: QtBot,
    context: AppContext,
    workspace: Workspace,
    dataset: Record,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    other = add_dataset(workspace, "other", picture_folder(tmp_path / "other", {"x": 2, "y": 2}))
    first, second = add_model(workspace, "first", dataset), add_model(workspace, "second", other)
    view, _ = open_page(qtbot, context)
    view.show_record(first.id)
    asked: list[str] = []

    def classify(batch: Batch, choice: RunChoice) -> None:
        batch.model, batch.pictures = choice, batch.known
        asked.append(choice.id)

    monkeypatch.setattr(view.classifier, "classify", classify)
    examples = [Picture(path, "red") for path in sorted((tmp_path / "other").rglob("*.png"))]
    view.take_pictures(examples)
    view.show_record(second.id)
    assert asked == [first.id]
    assert view.batch is None
    assert len(view.history.batches()) == 1


def test_choosing_and_pasting_pictures_leave_the_remembered_model_alone(
    qtbot: QtBot,
    context: AppContext,
    workspace: Workspace,
    dataset: Record,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    old = add_model(workspace, "old", dataset, 0.5)
    add_model(workspace, "new", dataset, 0.987)
    context.settings.set_text(CHOICE_KEY, "open:")  # as earlier versions stored it
    view, _ = open_page(qtbot, context)
    assert view.chooser.currentText().startswith("new")
    view.show_record(old.id)
    asked: list[str] = []
    monkeypatch.setattr(view.pictures, "open_files", lambda: asked.append("files"))
    monkeypatch.setattr(view.pictures, "paste", lambda _data: asked.append("clipboard"))

    view.open(ChoosePictures())
    view.open(PastePicture())

    assert asked == ["files", "clipboard"]
    assert view.chooser.currentText().startswith("old")
    assert context.settings.text(CHOICE_KEY) == old.id


def test_it_follows_new_models_live(
    qtbot: QtBot, context: AppContext, workspace: Workspace, dataset: Record
) -> None:
    view, _ = open_page(qtbot, context)
    run = add_run(workspace, "fresh", dataset.id, [0.7], State.RUNNING)
    view.show_record(run.id)
    assert stage(view) == "NO_MODEL"
    with qtbot.waitSignal(view.chooser.changed, timeout=5000):
        append_events(run, [Artifact(name="model", path="model.keras")])
    assert stage(view) == "INVITE"
    assert "still training" in view.chooser.currentText()
    newer = add_model(workspace, "newer", dataset)
    qtbot.waitUntil(lambda: len(view.chooser.listed()) == 2, timeout=5000)
    choice = view.chooser.choice()
    assert choice is not None
    assert choice.id == run.id, "a newer run must not take the place of the one in use"
    workspace.trash(run)
    qtbot.waitUntil(lambda: len(view.chooser.listed()) == 1, timeout=5000)
    choice = view.chooser.choice()
    assert choice is not None
    assert choice.id == newer.id


def test_a_run_without_its_dataset_cannot_be_chosen(
    qtbot: QtBot, context: AppContext, workspace: Workspace, dataset: Record
) -> None:
    add_model(workspace, "orphan", dataset)
    workspace.trash(dataset)
    view, _ = open_page(qtbot, context)
    assert stage(view) == "NO_MODEL"
    reason = view.chooser.itemData(0, Qt.ItemDataRole.ToolTipRole)
    assert "dataset was deleted" in reason


def test_it_offers_what_a_drop_would_do(
    qtbot: QtBot, context: AppContext, workspace: Workspace, dataset: Record, tmp_path: Path
) -> None:
    add_model(workspace, "net", dataset)
    view, window = open_page(qtbot, context)
    one, two = tmp_path / "1.png", tmp_path / "2.jpg"
    assert view.drop_offer([one]) == "Classify this image with net"
    assert view.drop_offer([one, two]) == "Classify 2 images with net"
    assert view.drop_offer([tmp_path / "src"]) == "Classify the images in src with net"
    assert view.drop_offer([tmp_path / "letter.pdf"]) == ""
    data = QMimeData()
    data.setUrls([QUrl("ftp://example.org/cat.png")])
    event = _enter(data)
    view.dragEnterEvent(event)
    assert not event.isAccepted(), "only http and https are fetched"
    data.setUrls([QUrl("https://example.org/cat.png")])
    event = _enter(data)
    view.dragEnterEvent(event)
    assert event.isAccepted()
    data.setImageData(QImage(8, 8, QImage.Format.Format_RGB32))
    event = _enter(data)
    view.dragEnterEvent(event)
    assert event.isAccepted(), "a browser gives the picture itself as well"
    window.close()


def _enter(data: QMimeData) -> QDragEnterEvent:
    none = Qt.KeyboardModifier.NoModifier
    return QDragEnterEvent(
        QPoint(5, 5), Qt.DropAction.CopyAction, data, Qt.MouseButton.LeftButton, none
    )


def test_paste_says_why_it_is_off(
    qtbot: QtBot, context: AppContext, workspace: Workspace, dataset: Record
) -> None:
    add_model(workspace, "net", dataset)
    clipboard = QGuiApplication.clipboard()
    clipboard.setText("words")
    view, _ = open_page(qtbot, context)
    assert not view.header.paste_button.isEnabled()
    assert "no image" in view.header.paste_button.toolTip()
    clipboard.setImage(QImage(8, 8, QImage.Format.Format_RGB32))
    assert view.header.paste_button.isEnabled()
    clipboard.clear()


def test_a_folder_without_pictures_is_explained(
    qtbot: QtBot, context: AppContext, workspace: Workspace, dataset: Record, tmp_path: Path
) -> None:
    add_model(workspace, "net", dataset)
    view, _ = open_page(qtbot, context)
    (tmp_path / "nothing").mkdir()
    with qtbot.waitSignal(view.classifier.changed):
        view.take_drop([tmp_path / "nothing"])
    assert "contains no images" in view.card.line.text()
    assert view.card.retry_button.isVisible()
    assert view.preview.unreadable.isVisible()


@pytest.mark.parametrize("with_model", [False, True])
def test_it_fits_the_smallest_window_in_both_themes(
    qtbot: QtBot, context: AppContext, workspace: Workspace, dataset: Record, with_model: bool
) -> None:
    if with_model:
        add_model(workspace, "a name that is much too long for any chooser to show", dataset)
    view, window = open_page(qtbot, context)
    for mode in ("light", "dark"):
        context.theme.mode = mode
        least = view.minimumSizeHint()
        assert least.width() <= 940
        assert least.height() <= 560
        shot = window.grab().toImage()
        assert shot.pixelColor(4, 4).name().upper() == context.theme.palette.ground
    nameless = [control for control, name in names_on(view).items() if not name]
    assert not nameless


def test_a_thumbnail_that_cannot_be_read_is_marked_and_stops_nothing(
    qtbot: QtBot, context: AppContext, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(path: Path, _side: int) -> QImage:
        if path.name == "bad.png":
            raise OSError("no disk")
        image = QImage(8, 8, QImage.Format.Format_RGB32)
        image.fill(0)
        return image

    monkeypatch.setattr(preview, "read_picture", fail)
    strip = HistoryStrip(context)
    qtbot.addWidget(strip)
    for name in ("bad.png", "good.png"):
        path = tmp_path / name
        batch = Batch(
            (path,), pictures=(Picture(path),), predictions=[ImagePrediction(image=str(path))]
        )
        strip.add(batch)
        strip.refresh(batch)
    bad, good = (strip.button(each) for each in reversed(strip.batches()))
    qtbot.waitUntil(lambda: not good.icon().isNull() and not bad.icon().isNull())
    assert context.background.is_idle
