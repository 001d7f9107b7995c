"""The designer as a page shows it: sizes, names, looks, opening, saving, exporting."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from page_checks import (
    cut_buttons,
    fits_smallest_window,
    lightness,
    nameless_controls,
    styles,
    unexplained_buttons,
)
from PySide6.QtCore import QLocale, Qt
from PySide6.QtGui import QImage, QKeySequence
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QToolButton
from pytestqt.qtbot import QtBot

from helpers.windows import choose_target
from studio.engine.networks import library
from studio.engine.networks.spec import NetworkSpec
from studio.engine.networks.zoo import ZOO
from studio.ui.context import AppContext
from studio.ui.pages.commands import DESIGNER
from studio.ui.pages.networks.designer import files
from studio.ui.pages.networks.designer.designer import Designer
from studio.ui.widgets.notices import Notice


def lenet() -> NetworkSpec:
    return ZOO["lenet"].build((28, 28, 1), 10)


def test_it_fits_the_smallest_window(open_designer: Callable[..., Designer]) -> None:
    designer = open_designer(952, 600)
    designer.open(lenet())
    assert fits_smallest_window(designer)
    assert cut_buttons(designer) == []


def test_all_controls_have_names_and_disabled_ones_say_why(designer: Designer) -> None:
    designer.open(lenet())
    for selection in ([], ["c1"], ["c1", "c3"]):
        designer.drawing.select(selection)
        assert nameless_controls(designer) == []
        assert unexplained_buttons(designer) == []


def test_light_and_dark_differ(designer: Designer, context: AppContext) -> None:
    designer.open(lenet())
    seen = styles(designer, context.theme)
    assert lightness(seen["light"]) > 0.8
    assert lightness(seen["dark"]) < 0.3


def test_without_an_engine_host_the_strip_says_so(designer: Designer, qtbot: QtBot) -> None:
    qtbot.waitUntil(lambda: designer.strip.texts() != [], timeout=5000)
    (text,) = designer.strip.texts()
    assert "computed" in text
    button = designer.strip.rows[0].action_button
    assert button is not None
    assert button.text() == "Try again"


def test_a_drawing_opened_out_of_sight_is_shown_from_its_beginning(
    designer: Designer, context: AppContext
) -> None:
    window = designer.window()
    window.resize(1400, 900)
    designer.open(ZOO["squeezenet"].build((64, 64, 3), 10))
    window.resize(952, 600)
    images = designer.scene.graphics.boxes["input"].box()
    assert designer.view.seen().contains(images)
    assert images.top() - designer.view.seen().top() < 60
    designer.drawing.select(["fire9_concat"])
    designer.view.jump("fire9_concat")
    window.resize(1000, 640)
    assert designer.view.seen().contains(designer.scene.graphics.boxes["fire9_concat"].box())


def open_resnet(designer: Designer, qtbot: QtBot) -> None:
    """Open a network whose places are found in the background."""
    designer.open(ZOO["resnet50"].build((224, 224, 3), 1000))
    qtbot.waitUntil(lambda: len(designer.spec().nodes) > 100, timeout=5000)


def test_a_large_network_opens_with_its_blocks_folded(designer: Designer, qtbot: QtBot) -> None:
    open_resnet(designer, qtbot)
    assert "#stage1_block1" in designer.scene.graphics.boxes
    assert len(designer.scene.graphics.boxes) < 40
    assert not designer.is_dirty


def test_the_form_changes_the_drawing_and_typing_is_one_step(
    designer: Designer, qtbot: QtBot
) -> None:
    designer.open(lenet())
    designer.drawing.select(["c1"])
    form = designer.inspector.node.form
    assert form is not None
    field = form.editor("filters")
    field.set_value(12)
    field.changed.emit()
    field.set_value(120)
    field.changed.emit()
    assert designer.spec().node("c1").parameters["filters"] == 120
    designer.drawing.undo()
    assert designer.spec().node("c1").parameters["filters"] == 6
    assert form.editor("filters").value() == 6


def test_renaming_in_the_inspector(designer: Designer) -> None:
    designer.open(lenet())
    designer.drawing.select(["c1"])
    name = designer.inspector.node.name
    name.setText("first")
    name.editingFinished.emit()
    assert designer.spec().node("first").layer == "conv2d"
    assert designer.drawing.selection == ("first",)
    name.setText("c3")
    name.editingFinished.emit()
    assert name.text() == "first"


def test_several_layers_share_rate_and_block(designer: Designer) -> None:
    designer.open(lenet())
    designer.drawing.select(["c1", "s2"])
    fields = designer.inspector.several.training
    fields.frozen.click()
    fields.rate.setText(QLocale().toString(0.1))
    fields.rate.editingFinished.emit()
    QTest.keyClicks(fields.block, "stem")
    fields.block.editingFinished.emit()
    chosen = [designer.spec().node(key) for key in ("c1", "s2")]
    assert [(n.frozen, n.rate, n.block) for n in chosen] == [(True, 0.1, "stem")] * 2
    frame = designer.scene.graphics.frames["#stem"]
    assert frame.rect().contains(designer.scene.graphics.boxes["c1"].box())
    assert designer.scene.graphics.boxes["c1"].style.rate == ""  # its frame says it
    designer.drawing.set_frozen(["c1", "s2"], frozen=False)
    designer.drawing.set_rate(["c1"], 0.5)
    assert designer.scene.graphics.boxes["c1"].style.rate == "×0.5"
    assert designer.scene.graphics.boxes["s2"].style.rate == "×0.1"


def test_sizes_of_the_network_are_changed_and_the_head_follows(designer: Designer) -> None:
    designer.open(lenet())
    designer.inspector.network.classes.setValue(4)
    designer.inspector.network.sides["height"].setValue(32)
    spec = designer.spec()
    assert (spec.classes, spec.input.height) == (4, 32)
    assert spec.node(spec.output).parameters["units"] == 4


def test_the_slider_freezes_up_to_a_block_and_is_one_step(designer: Designer) -> None:
    designer.open(ZOO["squeezenet"].build((64, 64, 3), 10))
    freezing = designer.inspector.network.freezing
    names = ["subtract_mean", "conv1", "fire2"]
    for value in (1, 2, 3):
        freezing.slider.setValue(value)
        assert names[value - 1] in freezing.label.text()
    frozen = {node.block or node.id for node in designer.spec().nodes if node.frozen}
    assert frozen == set(names)
    freezing.slider.setValue(2)
    assert not designer.spec().node("fire2_concat").frozen
    freezing.slider.setValue(freezing.slider.maximum())
    assert all(node.frozen != (node.block == "head") for node in designer.spec().nodes)
    designer.drawing.undo()
    assert not any(node.frozen for node in designer.spec().nodes)
    assert freezing.slider.value() == 0


def test_saving_keeps_it_in_the_workspace_and_updates_it_later(
    designer: Designer, context: AppContext, qtbot: QtBot
) -> None:
    designer.open_new()
    designer.drawing.set_name("mine")
    with qtbot.waitSignal(designer.saved, timeout=5000) as saved:
        designer.commands.actions["save"].trigger()
    assert designer.drawing.document.saved == designer.spec()
    assert designer.record_id == (saved.args or [""])[0]
    designer.drawing.add("conv2d", (0.0, 0.0))
    with qtbot.waitSignal(designer.saved, timeout=5000):
        designer.commands.actions["save"].trigger()
    (network,) = library.saved(context.workspace)
    assert network.name == "mine"
    assert network.spec == designer.spec()
    with qtbot.waitSignal(designer.saved, timeout=5000):
        designer.commands.actions["save_as"].trigger()
    assert len(library.saved(context.workspace)) == 2
    assert designer.name != "mine"


def test_an_unsaved_drawing_is_stored_and_restored(
    designer: Designer, context: AppContext, qtbot: QtBot
) -> None:
    designer.drawing.add("conv2d", (0.0, 0.0))
    before = designer.spec()
    with qtbot.waitSignal(context.navigator.notice_requested, timeout=2000) as text:
        designer.open(lenet())
    notice = (text.args or [None])[0]
    assert isinstance(notice, Notice)
    assert notice.action is not None
    assert not designer.drawing.document.past
    notice.action()
    assert designer.spec() == before
    assert designer.drawing.document.undo_word


@pytest.mark.parametrize(("kind", "name"), [("png", "a.png"), ("svg", "a.svg"), ("json", "a")])
def test_exports(
    designer: Designer,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    qtbot: QtBot,
    kind: str,
    name: str,
) -> None:
    designer.open(ZOO["squeezenet"].build((64, 64, 3), 10))
    choose_target(monkeypatch, tmp_path / name)
    designer.commands.actions[kind].trigger()
    path = (tmp_path / name).with_suffix(f".{kind}")
    qtbot.waitUntil(path.exists, timeout=5000)
    if kind == "png":
        image = QImage(str(path))
        assert image.height() > 2000
        assert 0.5 < lightness(image) < 1
    elif kind == "svg":
        text = path.read_text(encoding="utf-8")
        assert "<svg" in text
        assert "squeeze1x1" in text
        assert "<image" not in text or text.count("<image") < 200
    else:
        read = library.read_network(path)
        assert read == designer.spec()


def test_code_is_exported_that_python_takes(
    designer: Designer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, qtbot: QtBot
) -> None:
    designer.open(lenet())
    choose_target(monkeypatch, tmp_path / "net")
    designer.commands.actions["code"].trigger()
    qtbot.waitUntil((tmp_path / "net.py").exists, timeout=5000)
    text = (tmp_path / "net.py").read_text(encoding="utf-8")
    compile(text, "net.py", "exec")
    assert "keras" in text
    assert "c5" in text


def test_a_picture_that_cannot_be_written_is_reported(
    designer: Designer,
    context: AppContext,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    qtbot: QtBot,
) -> None:
    (tmp_path / "a file").write_text("no folder", encoding="utf-8")
    target = tmp_path / "a file" / "a.svg"
    choose_target(monkeypatch, target)
    with qtbot.waitSignal(context.navigator.notice_requested, timeout=2000) as text:
        designer.commands.actions["svg"].trigger()
    notice = (text.args or [None])[0]
    assert isinstance(notice, Notice)
    assert notice.kind == "error"


def test_a_file_is_opened(
    designer: Designer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, qtbot: QtBot
) -> None:
    path = tmp_path / "lenet.json"
    path.write_text(lenet().to_json(), encoding="utf-8")
    monkeypatch.setattr(files, "ask_network_file", lambda *_: path)
    designer.commands.actions["open"].trigger()
    qtbot.waitUntil(lambda: designer.name == lenet().name, timeout=5000)
    assert [node.id for node in designer.spec().nodes] == [node.id for node in lenet().nodes]


def test_a_network_of_the_zoo_is_opened_by_its_name(designer: Designer, qtbot: QtBot) -> None:
    designer.set_data((28, 28, 1), 7)
    designer.open_new()
    designer.commands.actions["open_known"].trigger()
    qtbot.waitUntil(designer.search.isVisible, timeout=5000)
    QTest.keyClicks(designer.search.edit, "lenet")
    QTest.keyClick(designer.search.edit, Qt.Key.Key_Return)
    assert [node.id for node in designer.spec().nodes] == [node.id for node in lenet().nodes]
    assert designer.spec().classes == 7


def with_ids(*ids: str) -> str:
    data = json.loads(lenet().to_json())
    for node, node_id in zip(data["nodes"], ids, strict=False):
        node["id"] = node_id
    return json.dumps(data)


@pytest.mark.parametrize(
    "text",
    [
        '{"name": "x", "nodes": 3}',
        with_ids("@classes"),
        with_ids("#block"),
        with_ids("c1", "c1"),
        "\0",
    ],
    ids=["no network", "classes", "block", "twice", "no text"],
)
def test_a_foreign_file_is_refused_with_a_reason(
    designer: Designer, context: AppContext, tmp_path: Path, qtbot: QtBot, text: str
) -> None:
    path = tmp_path / "bad.json"
    path.write_text(text, encoding="utf-8")
    before = designer.spec()
    with qtbot.waitSignal(context.background.failed, timeout=5000):
        designer.show_file(path)
    assert designer.spec() == before


def test_out_of_range_positions_are_laid_out_again(designer: Designer) -> None:
    far = dict.fromkeys((node.id for node in lenet().nodes), (1e300, -1e300))
    designer.open(lenet().model_copy(update={"positions": far}))
    assert designer.scene.sceneRect().width() < 10_000
    some = {"c1": (0.0, 0.0), "c3": (1e200, 0.0)}
    designer.open(lenet().model_copy(update={"positions": some}))
    assert designer.scene.sceneRect().width() < 10_000
    assert designer.spec().positions["c1"] == (0.0, 0.0)


def test_train_this_uses_the_drawing(designer: Designer, qtbot: QtBot) -> None:
    designer.open(lenet(), "my lenet")
    with qtbot.waitSignal(designer.train_asked, timeout=1000):
        designer.toolbar.train.click()
    assert designer.name == "my lenet"


def test_the_last_opened_drawing_is_shown_even_if_its_layout_comes_late(
    designer: Designer, context: AppContext, qtbot: QtBot
) -> None:
    designer.open(ZOO["resnet50"].build((224, 224, 3), 1000))
    designer.open(lenet(), "the last")
    qtbot.waitUntil(lambda: context.background.is_idle, timeout=5000)
    assert designer.name == "the last"


def test_tips_name_the_keys_that_the_user_chose(designer: Designer, context: AppContext) -> None:
    command = {each.name.removeprefix("designer."): each for each in DESIGNER}
    shortcuts = context.settings.shortcuts
    buttons = {
        button.defaultAction().text(): button
        for button in designer.toolbar.findChildren(QToolButton)
        if button.defaultAction() is not None
    }
    fit = buttons["Show all"]
    assert "Ctrl+Shift+9" in fit.toolTip()
    shortcuts.choose(command["fit"], QKeySequence("Ctrl+Alt+F"))
    shortcuts.choose(command["zoom_one"], QKeySequence("Ctrl+Alt+1"))
    assert fit.toolTip() == "Show all (Ctrl+Alt+F)"
    assert designer.toolbar.scale.toolTip() == "Actual size (Ctrl+Alt+1)"
    undo = buttons["Undo"]
    why = undo.toolTip()
    shortcuts.choose(command["undo"], QKeySequence("Ctrl+Alt+U"))
    assert undo.isEnabled() or undo.toolTip() == why, "why it cannot be done stays there"
    shortcuts.choose(command["fit"], QKeySequence())
    assert fit.toolTip() == "Show all"
