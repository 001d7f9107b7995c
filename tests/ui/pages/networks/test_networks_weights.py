"""The published weights of a backbone in the window: there or not, downloaded, deleted."""

from __future__ import annotations

import hashlib
import threading
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from page_checks import show_in_window
from pytestqt.qtbot import QtBot

from helpers.web import serving
from studio.engine.pretrained.sources import SOURCES, SourceFile
from studio.engine.pretrained.store import PretrainedStore, backbones_here
from studio.ui.context import AppContext
from studio.ui.shared import weights_row
from studio.ui.shared.weights_row import WeightsRow

DATA = bytes(range(256)) * 4096
Answer = Callable[[str], None]


@pytest.fixture
def store(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> PretrainedStore:
    monkeypatch.setenv("STUDIO_WEIGHTS", str(tmp_path / "weights"))
    return PretrainedStore()


@pytest.fixture
def answer(monkeypatch: pytest.MonkeyPatch) -> Answer:
    """Say where the weights are, in the place of the library, which knows real addresses."""

    def set_address(address: str) -> None:
        file = SourceFile("good.h5", address, 0, hashlib.sha256(DATA).hexdigest())
        made = replace(SOURCES["mobilenet_v2"], files=(file,))
        monkeypatch.setattr(weights_row, "source_of_backbone", lambda _name: made)
        monkeypatch.setitem(SOURCES._ours, "mobilenet_v2", made)

    set_address("http://127.0.0.1:9/good.h5")
    return set_address


@pytest.fixture
def row(
    qtbot: QtBot, context: AppContext, store: PretrainedStore, answer: Answer
) -> Iterator[WeightsRow]:
    made = WeightsRow(context)
    window = show_in_window(qtbot, made)
    made.show_backbone("mobilenet_v2")
    yield made
    window.close()


def test_weights_are_downloaded_shown_and_deleted(
    row: WeightsRow,
    answer: Answer,
    store: PretrainedStore,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    qtbot: QtBot,
) -> None:
    (tmp_path / "served").mkdir()
    (tmp_path / "served" / "good.h5").write_bytes(DATA)
    qtbot.waitUntil(row.get_button.isVisible, timeout=5000)
    assert "not on this computer" in row.text.text()

    with serving(tmp_path / "served", monkeypatch) as address:
        answer(f"{address}/good.h5")
        row.get_button.click()
        qtbot.waitUntil(row.delete_button.isVisible, timeout=10_000)

    assert backbones_here() == ["mobilenet_v2"]
    assert "1.0" in row.text.text()
    assert not row.files.bar.isVisible()

    row.delete_button.click()
    qtbot.waitUntil(row.get_button.isVisible, timeout=5000)
    assert backbones_here() == []


def test_without_a_network_one_sentence_says_what_to_do(
    row: WeightsRow, answer: Answer, store: PretrainedStore, qtbot: QtBot
) -> None:
    answer("http://127.0.0.1:9/good.h5")

    row.get_button.click()
    qtbot.waitUntil(row.files.problem.isVisible, timeout=10_000)

    assert f"as {store.folder / 'good.h5'}" in row.files.problem.text()
    qtbot.waitUntil(row.get_button.isVisible, timeout=10_000)
    assert backbones_here() == []


def test_a_file_that_was_downloaded_elsewhere_is_taken(
    row: WeightsRow, answer: Answer, store: PretrainedStore, tmp_path: Path, qtbot: QtBot
) -> None:
    answer("http://127.0.0.1:9/good.h5")
    qtbot.waitUntil(row.file_button.isVisible, timeout=5000)
    (tmp_path / "other.h5").write_bytes(b"something else")
    row.use_file(tmp_path / "other.h5")
    qtbot.waitUntil(row.files.problem.isVisible, timeout=10_000)
    assert "does not hold the published weights" in row.files.problem.text()
    assert backbones_here() == []

    (tmp_path / "mine.h5").write_bytes(DATA)
    row.use_file(tmp_path / "mine.h5")
    qtbot.waitUntil(row.delete_button.isVisible, timeout=10_000)
    assert not row.file_button.isVisible()
    assert (store.folder / "good.h5").read_bytes() == DATA
    assert (tmp_path / "mine.h5").exists()


def test_a_network_without_published_weights_has_no_row(row: WeightsRow) -> None:
    row.show_backbone("")

    assert not row.isVisible()


def test_a_download_is_cancelled_by_the_end_of_the_window(
    row: WeightsRow, answer: Answer, context: AppContext, store: PretrainedStore
) -> None:
    answer("http://127.0.0.1:9/good.h5")
    row.get_button.click()

    context.background.close()

    assert backbones_here() == []


def test_a_download_goes_on_while_other_weights_are_deleted(
    row: WeightsRow, store: PretrainedStore, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    sources = {
        name: replace(SOURCES[name], files=(SourceFile(f"{name}.h5", "http://127.0.0.1:9/x"),))
        for name in ("mobilenet_v2", "vgg16")
    }
    monkeypatch.setattr(weights_row, "source_of_backbone", sources.__getitem__)
    store.folder.mkdir(exist_ok=True)
    (store.folder / "vgg16.h5").write_bytes(DATA)
    may_end = threading.Event()
    monkeypatch.setattr(PretrainedStore, "fetch", lambda *_: may_end.wait(20))
    row.get_button.click()
    row.show_backbone("vgg16")
    qtbot.waitUntil(row.delete_button.isVisible, timeout=5000)
    row.delete_button.click()
    assert not row.delete_button.isEnabled()
    qtbot.waitUntil(row.get_button.isVisible, timeout=5000)
    assert not row.get_button.isEnabled(), "the other download is under way"
    row.show_backbone("mobilenet_v2")
    assert row.files.bar.isVisible()
    assert row.files.cancel_button.isVisible()
    may_end.set()
    qtbot.waitUntil(lambda: not row.files.bar.isVisible(), timeout=5000)
