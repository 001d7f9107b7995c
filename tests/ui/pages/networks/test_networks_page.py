"""The gallery of networks: search, details, what can be done with one's own."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from page_checks import (
    cut_buttons,
    fits_smallest_window,
    lightness,
    nameless_controls,
    press,
    show_in_window,
    styles,
    unexplained_buttons,
)
from page_records import add_dataset, picture_folder
from PySide6.QtCore import Qt
from pytestqt.qtbot import QtBot

from helpers.target_datasets import squares, target_recipe
from studio.engine.networks.catalog import matching, own_entries, zoo_entries
from studio.engine.networks.checks import check
from studio.engine.networks.library import SavedNetwork, save, saved
from studio.engine.networks.zoo import ZOO
from studio.engine.workspace import Workspace
from studio.ui.context import AppContext
from studio.ui.language import Translation
from studio.ui.navigation import PlanRun
from studio.ui.pages.networks.designer.inspector import NetworkPanel
from studio.ui.pages.networks.gallery import NetworkCard
from studio.ui.pages.networks.page import View
from studio.ui.theme.theme import Theme
from studio.ui.widgets.figures import count, large
from studio.ui.widgets.notices import Notice


@pytest.fixture
def drawn(workspace: Workspace) -> SavedNetwork:
    return save(workspace, ZOO["mlp"].build((28, 28, 1), 10), "My own")


@pytest.fixture
def open_page(qtbot: QtBot, context: AppContext) -> Callable[[], View]:
    windows = []  # Python would delete a window without a reference

    def make() -> View:
        view = View(context)
        windows.append(show_in_window(qtbot, view))
        with qtbot.waitSignal(context.jobs.loaded, timeout=10_000):
            context.jobs.start()
        qtbot.waitUntil(lambda: view.gallery.card("lenet") is not None, timeout=10_000)
        return view

    return make


def test_an_empty_workspace_shows_every_network_that_comes_with_studio(
    open_page: Callable[[], View],
) -> None:
    view = open_page()

    assert view.gallery.shown() == ZOO.names()
    assert view.details.entry is not None
    assert view.details.train_button.isEnabled()


def test_the_search_takes_every_word_and_the_group(drawn: SavedNetwork) -> None:
    entries = [*own_entries([drawn]), *zoo_entries()]

    assert next(entry.name for entry in matching(entries, "my OWN", None)) == drawn.id
    assert [entry.name for entry in matching(entries, "lecun digits", None)] == ["lenet"]
    assert matching(entries, "lenet nonsense", None) == []
    assert {entry.group for entry in matching(entries, "", "pretrained")} == {"pretrained"}


def test_what_is_typed_leaves_the_cards_that_match(
    open_page: Callable[[], View], drawn: SavedNetwork
) -> None:
    view = open_page()

    view.gallery.search.setText("squeezenet 1.1")

    card = view.gallery.card("squeezenet")
    other = view.gallery.card("lenet")
    assert card is not None
    assert other is not None
    assert card.isVisible()
    assert not other.isVisible()


def test_the_search_matches_translated_and_english_texts(
    open_page: Callable[[], View], qtbot: QtBot
) -> None:
    translation = Translation()
    translation.use("pt_BR")
    view = open_page()

    view.gallery.search.setText("dígitos manuscritos")
    assert "lenet" in view.gallery.shown()
    view.gallery.search.setText("handwritten digits")
    assert "lenet" in view.gallery.shown()
    view.gallery.search.setText("dígitos nonsense")
    assert not view.gallery.shown()
    translation.remove()


def test_all_cards_appear_though_the_first_ones_are_made_first(
    open_page: Callable[[], View], qtbot: QtBot
) -> None:
    view = open_page()

    names = view.gallery.shown()
    qtbot.waitUntil(lambda: len(view.gallery.findChildren(NetworkCard)) == len(names))

    assert all(card.isVisible() for card in view.gallery.findChildren(NetworkCard))
    assert [card.entry.name for card in view.gallery.findChildren(NetworkCard)] == names


def test_the_designer_is_built_for_a_draft_only(
    open_page: Callable[[], View], context: AppContext, qtbot: QtBot
) -> None:
    assert "designer" not in vars(open_page())
    (context.workspace.root / "drafts").mkdir()
    (context.workspace.root / "drafts" / "damaged.json").write_text("{")

    view = View(context)
    qtbot.addWidget(view)
    with qtbot.waitSignal(context.navigator.notice_requested):
        qtbot.waitUntil(lambda: "designer" in vars(view))


def test_a_card_opens_by_keyboard_first_its_details_then_the_designer(
    open_page: Callable[[], View],
) -> None:
    view = open_page()
    card = view.gallery.card("small_cnn")
    assert card is not None

    press(card, Qt.Key.Key_Return)
    assert view.details.entry == card.entry
    assert not view.designer.isVisible()

    press(card, Qt.Key.Key_Return)
    assert view.designer.isVisible()
    assert [node.id for node in view.designer.spec().nodes][-1] == "predictions"


def test_the_images_at_hand_decide_what_can_be_trained(
    open_page: Callable[[], View],
    workspace: Workspace,
    context: AppContext,
    tmp_path: Path,
    qtbot: QtBot,
) -> None:
    folder = picture_folder(tmp_path / "shapes", {"round": 12, "square": 12})
    add_dataset(workspace, "tiny", folder, width=16, height=16)
    view = open_page()
    view.gallery.chosen.emit("vgg16")
    qtbot.waitUntil(lambda: not view.details.train_button.isEnabled(), timeout=5000)
    assert "16x16" in view.details.why_not.text()

    view.gallery.chosen.emit("lenet")
    assert view.details.train_button.isEnabled()
    with qtbot.waitSignal(context.navigator.open_requested) as asked:
        view.details.train_button.click()
    assert asked.args == [PlanRun(network="lenet")]


def test_a_drawing_is_renamed_deleted_and_brought_back(
    open_page: Callable[[], View],
    workspace: Workspace,
    context: AppContext,
    drawn: SavedNetwork,
    qtbot: QtBot,
) -> None:
    notices: list[Notice] = []
    context.navigator.notice_requested.connect(notices.append)
    view = open_page()
    qtbot.waitUntil(lambda: view.gallery.card(drawn.id) is not None, timeout=5000)
    view.show_record(drawn.id)

    view.details.rename_edit.setText("A better name")
    view.details.rename_edit.editingFinished.emit()
    qtbot.waitUntil(lambda: [n.name for n in saved(workspace)] == ["A better name"], timeout=5000)
    qtbot.waitUntil(lambda: view.gallery.shown()[0] == drawn.id, timeout=5000)

    view.details.delete_button.click()
    qtbot.waitUntil(lambda: view.gallery.card(drawn.id) is None, timeout=5000)
    assert saved(workspace) == []

    assert notices[0].action is not None
    notices[0].action()
    qtbot.waitUntil(lambda: view.gallery.card(drawn.id) is not None, timeout=5000)
    assert saved(workspace)[0].spec == drawn.spec.model_copy(update={"name": "A better name"})


def test_a_name_that_is_taken_is_refused_and_the_old_one_stands(
    open_page: Callable[[], View],
    workspace: Workspace,
    context: AppContext,
    drawn: SavedNetwork,
    qtbot: QtBot,
) -> None:
    save(workspace, drawn.spec, "Taken")
    view = open_page()
    qtbot.waitUntil(lambda: view.gallery.card(drawn.id) is not None, timeout=5000)
    view.show_record(drawn.id)
    view.details.rename_edit.setText("Taken")

    with qtbot.waitSignal(context.navigator.notice_requested, timeout=5000) as text:
        view.details.rename_edit.editingFinished.emit()

    assert "Taken" in text.args[0].text
    assert view.details.rename_edit.text() == "My own"


def test_what_was_drawn_is_kept_before_it_is_trained(
    open_page: Callable[[], View], workspace: Workspace, context: AppContext, qtbot: QtBot
) -> None:
    view = open_page()
    spec = ZOO["lenet"].build((28, 28, 1), 10)
    view.designer.open(spec, "Sketch")

    with qtbot.waitSignal(context.navigator.open_requested, timeout=5000) as asked:
        view.designer.train_asked.emit()

    assert [network.name for network in saved(workspace)] == ["Sketch"]
    assert asked.args == [PlanRun(network=saved(workspace)[0].id)]


def test_files_of_networks_can_be_dropped(open_page: Callable[[], View], tmp_path: Path) -> None:
    view = open_page()

    assert "net.json" in view.drop_offer([tmp_path / "net.json"])
    assert view.drop_offer([tmp_path / "picture.png"]) == ""


def test_the_page_fits_and_has_names(open_page: Callable[[], View], drawn: SavedNetwork) -> None:
    view = open_page()

    assert fits_smallest_window(view)
    assert nameless_controls(view) == []
    assert unexplained_buttons(view) == []
    assert cut_buttons(view) == []


@pytest.mark.thorough
def test_it_is_light_and_dark(open_page: Callable[[], View], theme: Theme) -> None:
    pictures = styles(open_page(), theme)

    assert lightness(pictures["light"]) > 0.7
    assert lightness(pictures["dark"]) < 0.3


@pytest.mark.slow
def test_the_figures_of_a_network_come_from_keras(
    open_page: Callable[[], View], qtbot: QtBot
) -> None:
    view = open_page()

    view.show_record("lenet")

    # The card has the number that was published.
    assert view.details.entry is not None
    assert view.details.entry.parameters is not None
    published = large(view.details.entry.parameters)
    both = f"{count(61_706)} here, {published} as published"
    qtbot.waitUntil(lambda: view.details.figures.facts["Parameters"] == both, timeout=60_000)
    assert view.details.figures.facts["Multiply-adds"] == large(416_520)

    view.show_record("lenet")
    assert view.details.figures.facts["Parameters"] == both


def test_networks_answer_the_task_of_the_images_at_hand(
    open_page: Callable[[], View], workspace: Workspace, tmp_path: Path, qtbot: QtBot
) -> None:
    tables = squares(tmp_path / "squares", 30)
    values = target_recipe(tables, "regression").model_dump(mode="json", exclude={"source"})
    add_dataset(workspace, "amounts", tables["regression"], **values)
    view = open_page()

    qtbot.waitUntil(lambda: "2 quantities" in view.details._for.text(), timeout=5000)
    assert view._asked is not None
    assert (view._asked.task, view._asked.classes) == ("regression", 2)

    view.designer.open_new()
    spec = view.designer.spec()
    assert spec.task == "regression"
    assert spec.node(spec.output).parameters["activation"] == "linear"
    assert not [problem for problem in check(spec) if problem.serious]
    panel = view.designer.inspector.findChild(NetworkPanel)
    assert panel is not None
    assert panel.classes.accessibleName() == "Quantities"
    panel.classes.setValue(1)
    assert view.designer.spec().classes == 1
