"""Nothing that was drawn is lost: late answers, drawings set aside, drafts, files written."""

from __future__ import annotations

from pathlib import Path

import pytest
from PySide6.QtGui import QImage
from PySide6.QtWidgets import QFileDialog
from pytestqt.qtbot import QtBot

from helpers.windows import choose_target
from studio.engine.errors import StudioError
from studio.engine.networks import edits
from studio.engine.networks.drafts import FOLDER, DraftFolder, NetworkDocument
from studio.engine.networks.spec import Examination, NetworkReport, NetworkSpec, ReadNetwork
from studio.engine.networks.zoo import ZOO
from studio.ui.context import AppContext
from studio.ui.pages.networks.designer.designer import Designer
from studio.ui.pages.networks.designer.files import StoredNetwork, save_png
from studio.ui.pages.networks.designer.reporting import ReportLine
from studio.ui.widgets.notices import Notice
from studio.ui.widgets.save_dialog import save_dialog


def lenet() -> NetworkSpec:
    return ZOO["lenet"].build((28, 28, 1), 10)


def freeze(designer: Designer) -> None:
    designer.drawing.set_frozen(["c1"], frozen=True)


def test_layers_that_come_late_leave_another_drawing_alone(designer: Designer) -> None:
    designer.open(lenet(), "first")
    sent = designer.drawing.document
    designer.open(lenet(), "second", "its-record")
    before = designer.spec()
    designer.files.expanded.emit(sent, ZOO["squeezenet"].build((64, 64, 3), 10))
    assert designer.spec() == before
    assert designer.record_id == "its-record"


def test_layers_that_come_late_overwrite_no_edit(designer: Designer) -> None:
    designer.open(lenet())
    sent = designer.drawing.document
    freeze(designer)
    designer.files.expanded.emit(sent, ZOO["squeezenet"].build((64, 64, 3), 10))
    assert designer.spec().node("c1").frozen
    now = designer.drawing.document
    designer.files.expanded.emit(now, edits.remove(now.spec, ["c3"]))
    assert designer.spec().node("c1").frozen
    assert "c3" not in edits.ids_of(designer.spec())


def test_a_drawing_saved_late_gives_its_record_to_itself(designer: Designer) -> None:
    designer.open(lenet(), "first")
    freeze(designer)
    sent = designer.drawing.document
    designer.open(lenet(), "second")
    designer.files.stored.emit(StoredNetwork(sent, "record-1", "first 2"))
    assert (designer.name, designer.record_id) == ("second", "")
    designer.bring_back(sent.key)
    assert (designer.name, designer.record_id) == ("first 2", "record-1")
    assert not designer.is_dirty


def test_every_notice_brings_its_own_drawing_back(designer: Designer, context: AppContext) -> None:
    received: list[Notice] = []
    context.navigator.notice_requested.connect(received.append)
    for name in ("one", "two"):
        designer.open(lenet(), name)
        freeze(designer)
    designer.open_new()
    assert len({notice.key for notice in received}) == 2
    for notice, name in zip(received[:2], ("one", "two"), strict=True):
        assert notice.action is not None
        notice.action()
        assert designer.name == name
        assert designer.spec().node("c1").frozen


def test_a_closed_window_offers_the_drawing_the_next_time(
    designer: Designer, context: AppContext, qtbot: QtBot
) -> None:
    designer.open(lenet(), "mine", "a-record")
    freeze(designer)
    context.background.closing.emit()  # what the window does before it goes
    with qtbot.waitSignal(context.navigator.notice_requested, timeout=5000) as text:
        again = Designer(context)
        qtbot.addWidget(again)
    (notice,) = text.args or [None]
    assert isinstance(notice, Notice)
    assert notice.action is not None
    assert again.name != "mine"
    notice.action()
    assert (again.spec(), again.record_id, again.is_dirty) == (designer.spec(), "a-record", True)
    again.commands.actions["revert"].trigger()
    context.background.closing.emit()
    assert not again.is_dirty
    assert list((context.workspace.root / FOLDER).glob("*.json")) == []


def test_a_later_window_of_the_process_continues_without_a_notice(
    designer: Designer, context: AppContext, qtbot: QtBot
) -> None:
    for name in ("aside", "open"):
        designer.open(lenet(), name)
        freeze(designer)
        designer._drafts._write()
    folder = DraftFolder(context.workspace.root / FOLDER)
    qtbot.waitUntil(lambda: len(folder.read()[0]) == 2)
    received: list[Notice] = []
    context.navigator.notice_requested.connect(received.append)
    again = Designer(context)
    qtbot.addWidget(again)
    with qtbot.waitSignal(again._drafts.found):
        again.restore(designer.state())
    assert received == []
    assert (again.name, again.is_dirty) == ("open", True)
    assert [each.spec.name for each in again.parked.values()] == ["aside"]


def test_an_overtaken_draft_and_a_damaged_one_do_no_harm(tmp_path: Path) -> None:
    folder = DraftFolder(tmp_path)
    document = NetworkDocument.opened(lenet())
    dirty = document.changed(edits.change(lenet(), ["c1"], frozen=True), "Freeze")
    folder.put(dirty, 2)
    folder.put(document, 1)
    (tmp_path / "bad.json").write_text("{", encoding="utf-8")
    (read,), (unread,) = folder.read()
    assert "bad.json" in str(unread)
    assert (read, read.key) == (NetworkDocument(dirty.spec, dirty.saved), document.key)
    folder.put(document, 3)
    assert folder.read()[0] == []


def test_a_model_read_from_a_file_remembers_its_weights(
    designer: Designer, context: AppContext, tmp_path: Path, qtbot: QtBot
) -> None:
    assert designer.weights_file == ""
    path = tmp_path / "foreign.keras"
    with qtbot.waitSignal(context.navigator.notice_requested, timeout=2000) as text:
        designer.files._take_model(path, ReadNetwork(spec=lenet()))
    (notice,) = text.args or [None]
    assert isinstance(notice, Notice)
    assert "weights" in notice.hint
    assert designer.weights_file == str(path)
    freeze(designer)
    designer.drawing.undo()
    assert designer.weights_file == str(path)
    designer.open_new()
    assert designer.weights_file == ""


def test_an_ending_that_was_added_replaces_nothing(
    designer: Designer,
    context: AppContext,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    qtbot: QtBot,
) -> None:
    (tmp_path / "net.json").write_text("precious", encoding="utf-8")
    choose_target(monkeypatch, tmp_path / "net")
    with qtbot.waitSignal(context.navigator.notice_requested, timeout=5000) as text:
        designer.commands.actions["json"].trigger()
    (notice,) = text.args or [None]
    assert isinstance(notice, Notice)
    assert notice.kind == "error"
    assert (tmp_path / "net.json").read_text(encoding="utf-8") == "precious"


def test_the_dialog_knows_the_ending(designer: Designer) -> None:
    dialog = save_dialog(designer, "Export", Path("mine.png"))
    assert dialog.defaultSuffix() == "png"
    assert dialog.acceptMode() == QFileDialog.AcceptMode.AcceptSave


def test_a_picture_that_cannot_be_encoded_is_reported(tmp_path: Path) -> None:
    with pytest.raises(StudioError):
        save_png(QImage(), tmp_path / "a.png")
    assert not (tmp_path / "a.png").exists()


def test_figures_and_lines_move_nothing(designer: Designer) -> None:
    strip = designer.strip
    height = strip.height()
    figures = NetworkReport(name="n", input_shape=(28, 28, 1), classes=10, layers=())
    strip.show_totals(Examination(network=figures, nodes={}), stale=False)
    assert strip.totals.text()
    for lines in ([], [ReportLine("hint", "c1", "Better.", "Do it")] * 5):
        strip.show_lines(lines, "Ready to train")
        assert strip.sizeHint().height() == strip.minimumSizeHint().height() == height
