"""The library in the window: licenses, the switch, files from a folder, and the way to a run."""

from __future__ import annotations

import importlib.util
import threading
from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest
from page_checks import show_in_window
from PySide6.QtCore import QLocale
from pytestqt.qtbot import QtBot

from helpers.presets import small_retinanet
from helpers.runs import fake_run
from helpers.weights import hdf5_bytes
from studio.engine.networks.library import read_export
from studio.engine.pretrained.licenses import LICENSES
from studio.engine.pretrained.sources import SOURCES, PretrainedSource
from studio.engine.pretrained.speeds import MeasuredSpeed, write_speed
from studio.engine.pretrained.store import PretrainedStore
from studio.ui.context import AppContext
from studio.ui.pages.networks.library import LibraryPane, _figure_text

NAME = "dinov2_small_registers"


@pytest.fixture
def pane(
    qtbot: QtBot, context: AppContext, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Iterator[LibraryPane]:
    monkeypatch.setenv("STUDIO_WEIGHTS", str(tmp_path / "library"))
    monkeypatch.setenv("KAGGLEHUB_CACHE", str(tmp_path / "none"))
    made = LibraryPane(context)
    window = show_in_window(qtbot, made)
    qtbot.waitUntil(lambda: bool(made.table.texts()), timeout=5000)
    yield made
    window.close()


def test_every_source_is_listed_with_its_licenses(pane: LibraryPane) -> None:
    assert len(pane.table.texts()) == len(SOURCES.names())
    pane.table.select(NAME)
    lines = pane.details.text().splitlines()
    assert len(lines) == 3
    assert "Apache 2.0. You may use it commercially" in lines[1]
    assert "model.weights.h5" in pane.status.text()


def test_own_runs_are_listed_and_shown(
    pane: LibraryPane, context: AppContext, qtbot: QtBot
) -> None:
    run = fake_run(context.workspace, "mine", [0.5, 0.75])
    pane.reload()
    qtbot.waitUntil(lambda: len(pane.table.texts()) == len(SOURCES.names()) + 1, timeout=5000)
    pane.table.select("run:mine")

    assert not pane.get_button.isEnabled()
    assert not pane.remove_button.isEnabled()
    assert "Your own" in pane.details.text()
    with qtbot.waitSignal(pane.run_asked) as asked:
        pane.use_button.click()
    assert asked.args == [run.id]


def test_the_speed_on_this_computer_is_measured_by_a_click(
    pane: LibraryPane, monkeypatch: pytest.MonkeyPatch, qtbot: QtBot
) -> None:
    def measured(_host: object, source: PretrainedSource) -> MeasuredSpeed:
        found = MeasuredSpeed(
            milliseconds=12.3,
            width=96,
            height=96,
            backend="tensorflow",
            measured=datetime.now(UTC),
        )
        write_speed(source.name, found)
        return found

    monkeypatch.setattr("studio.ui.pages.networks.library.measured_speed", measured)
    pane.table.select("mobilenet_v2")
    pane.speed_button.click()
    assert not pane.speed_button.isEnabled()
    qtbot.waitUntil(lambda: any("12 ms" in texts for texts in pane.table.texts()), timeout=5000)
    assert pane.speed_button.isEnabled()
    pane.table.select(DETECTOR)
    assert not pane.speed_button.isEnabled(), "its network was not made"


def test_the_switch_hides_what_is_not_commercial(
    pane: LibraryPane, monkeypatch: pytest.MonkeyPatch, qtbot: QtBot
) -> None:
    made = replace(
        SOURCES[NAME], passport=replace(SOURCES[NAME].passport, weights=LICENSES["cc-by-nc-4.0"])
    )
    monkeypatch.setitem(SOURCES._ours, NAME, made)
    pane.reload()
    pane.commercial.setChecked(True)
    hidden = {made.label, "DINOv3 small", "DINOv3 base"}
    wanted = len(SOURCES.names()) - len(hidden)
    qtbot.waitUntil(lambda: len(pane.table.texts()) == wanted, timeout=5000)
    assert hidden.isdisjoint(texts[0] for texts in pane.table.texts())


def test_files_come_from_a_folder_and_go_again(
    pane: LibraryPane, tmp_path: Path, qtbot: QtBot
) -> None:
    stick = tmp_path / "stick" / NAME
    stick.mkdir(parents=True)
    (stick / "model.weights.h5").write_bytes(hdf5_bytes())
    pane.table.select(NAME)
    assert not pane.remove_button.isEnabled()

    pane.add_folder(stick.parent)
    qtbot.waitUntil(pane.remove_button.isEnabled, timeout=5000)
    with qtbot.waitSignal(pane.network_asked) as asked:
        pane.use_button.click()
    assert asked.args == [NAME]

    pane.remove_button.click()
    qtbot.waitUntil(pane.get_button.isEnabled, timeout=5000)


def test_a_failed_download_says_what_to_fetch(
    pane: LibraryPane, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("KAGGLE_API_ENDPOINT", "http://127.0.0.1:9")
    pane.table.select(NAME)
    pane.get_button.click()
    assert pane.files.cancel_button.isVisible()
    qtbot.waitUntil(pane.files.problem.isVisible, timeout=10_000)
    assert "studio models add" in pane.files.problem.text()
    qtbot.waitUntil(pane.get_button.isEnabled, timeout=5000)


def test_a_download_goes_on_while_others_are_imported_and_removed(
    pane: LibraryPane, tmp_path: Path, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    may_end, ended = threading.Event(), threading.Event()

    def fetch(_store: PretrainedStore, _source: object, _progress: object) -> None:
        may_end.wait(20)
        ended.set()

    monkeypatch.setattr(PretrainedStore, "fetch", fetch)
    own = tmp_path / "library" / NAME / "model.weights.h5"
    own.parent.mkdir(parents=True)
    own.write_bytes(hdf5_bytes())
    pane.reload()
    pane.table.select("dinov2_small")
    pane.get_button.click()
    pane.table.select(NAME)
    qtbot.waitUntil(pane.remove_button.isEnabled, timeout=5000)
    pane.remove_button.click()
    assert not pane.remove_button.isEnabled()
    assert not pane.add_button.isEnabled()
    qtbot.waitUntil(pane.add_button.isEnabled, timeout=5000)
    assert not own.exists()
    assert pane.files.bar.isVisible()
    assert pane.files.cancel_button.isVisible()
    assert not pane.get_button.isEnabled(), "a download is under way"
    assert not ended.is_set()
    may_end.set()
    qtbot.waitUntil(pane.get_button.isEnabled, timeout=5000)
    assert not pane.files.bar.isVisible()


DETECTOR = "retinanet_resnet50_fpn_coco"


@pytest.mark.skipif(bool(importlib.util.find_spec("keras_hub")), reason="KerasHub is installed")
def test_a_detector_without_kerashub_downloads_nothing(pane: LibraryPane, qtbot: QtBot) -> None:
    pane.table.select(DETECTOR)
    assert pane.use_button.text() == "Open its network"
    pane.use_button.click()
    qtbot.waitUntil(pane.files.problem.isVisible, timeout=5000)
    assert "keras-hub" in pane.files.problem.text()
    assert "install" in pane.files.problem.text()
    assert not PretrainedStore().folder_of(SOURCES[DETECTOR]).exists()


@pytest.mark.slow
def test_one_click_opens_the_network_of_a_detector(
    pane: LibraryPane, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    hub = pytest.importorskip("keras_hub", minversion="0.32")
    source = SOURCES[DETECTOR]
    files: list[object] = []

    def fetch(store: PretrainedStore, source: PretrainedSource, _progress: object) -> Path:
        files.append(source)
        folder = store.folder_of(source)
        small_retinanet(hub).save_to_preset(str(folder))
        return folder

    monkeypatch.setattr(PretrainedStore, "fetch", fetch)
    opened: list[Path] = []
    pane.network_made.connect(opened.append)
    pane.table.select(DETECTOR)
    pane.use_button.click()
    qtbot.waitUntil(lambda: bool(opened or pane.files.problem.text()), timeout=120_000)
    assert pane.files.problem.text() == ""
    path = opened[0]
    exported = read_export(path)
    assert exported.spec.name == f"RetinaNet ({DETECTOR})"
    assert exported.weights == str(path)
    assert PretrainedStore().source_of(path) == source, "its licenses go with it"

    pane.use_button.click()
    qtbot.waitUntil(lambda: len(opened) == 2, timeout=5000)
    assert (opened[1], files) == (path, [source]), "made once"
    assert PretrainedStore().size() > path.stat().st_size
    PretrainedStore().remove(source)
    assert not path.exists()


def test_percentages_of_the_catalog_are_written_as_the_language_does() -> None:
    before = QLocale()
    try:
        QLocale.setDefault(QLocale("pt_BR"))
        assert _figure_text("71.3 % ImageNet top-1").startswith("71,3")
        assert _figure_text("0.89 IoU") == "0.89 IoU"
    finally:
        QLocale.setDefault(before)
