"""The import sheet with images that are elsewhere."""

from __future__ import annotations

import shutil
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from page_checks import cut_buttons, fits_smallest_window, nameless_controls, unexplained_buttons
from page_records import picture_folder
from PySide6.QtGui import QStandardItemModel
from pytestqt.qtbot import QtBot

from helpers.web import serving
from studio.engine.datasets.recipe import DatasetRecipe
from studio.engine.datasets.store import Store
from studio.engine.datasets.survey import SurveyedLocation
from studio.engine.installation import install_command
from studio.engine.workspace import RecordKind
from studio.ui.context import AppContext
from studio.ui.pages.datasets.importing.rules import idle_fields
from studio.ui.pages.datasets.importing.sheet import ImportSheet
from studio.ui.pages.datasets.page import View

Open = Callable[[], View]


@pytest.fixture
def base(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    picture_folder(tmp_path / "web" / "pets", {"cat": 9, "dog": 14})
    shutil.make_archive(str(tmp_path / "web" / "packed"), "zip", tmp_path / "web" / "pets")
    with serving(tmp_path / "web", monkeypatch) as address:
        yield address


def asked(open_page: Open) -> ImportSheet:
    view = open_page()
    view.list.import_button.click()
    return view.sheet


def look_at(qtbot: QtBot, sheet: ImportSheet, text: str) -> None:
    sheet.search.address.location.setText(text)
    sheet.search.address.button.click()
    qtbot.waitUntil(
        lambda: sheet.import_button.isVisible() or sheet.search.currentIndex() == 0, timeout=10_000
    )


def test_a_web_folder_is_scanned_and_imported(
    qtbot: QtBot, context: AppContext, base: str, open_page: Open
) -> None:
    view = open_page()
    view.list.import_button.click()
    sheet = view.sheet
    assert not sheet.search.address.button.isEnabled()
    assert sheet.search.address.button.toolTip()
    look_at(qtbot, sheet, f"{base}/pets/")
    qtbot.waitUntil(sheet.import_button.isVisible, timeout=10_000)
    assert not sheet.search.isVisible()
    assert sheet.recipe.name.name() == "pets"
    assert sheet.recipe.classes.content.rows == [("cat", "9"), ("dog", "14")]
    qtbot.waitUntil(lambda: bool(sheet.recipe.preview.after_images()), timeout=10_000)
    sheet.import_button.click()
    gallery = view.panel.gallery
    qtbot.waitUntil(lambda: view.panel.stack.currentWidget() is gallery, timeout=60_000)
    (entry,) = context.jobs.entries(RecordKind.DATASET)
    assert sum(Store.open(entry.record.folder).counts().values()) == 23
    assert isinstance(entry.plan, DatasetRecipe)
    assert entry.plan.source == f"{base}/pets"


def test_the_empty_page_leads_to_the_line_for_an_address(open_page: Open) -> None:
    view = open_page()
    view.start.address_button.click()
    assert view.sheet.search.address.location.isVisible()
    assert not cut_buttons(view)


def test_an_archive_of_the_web(qtbot: QtBot, base: str, open_page: Open) -> None:
    sheet = asked(open_page)
    received: list[str] = []
    show = sheet.search.show_progress

    def listen(done: int, total: int, what: str) -> None:
        show(done, total, what)
        received.append(what)

    sheet._survey.advanced.connect(listen)
    look_at(qtbot, sheet, f"{base}/packed.zip")
    qtbot.waitUntil(sheet.import_button.isVisible, timeout=10_000)
    assert sheet.recipe.name.name() == "packed"
    assert "Downloading packed.zip" in received


def test_progress_of_a_download_is_in_bytes(open_page: Open) -> None:
    search = asked(open_page).search
    search.show_progress(3_000_000, 6_000_000, "Downloading packed.zip")
    assert search._number.text().replace("\xa0", " ") == (
        "Downloading packed.zip · 3.0 MB of 6.0 MB"
    )
    search.show_progress(500, 0, "Searching for images")
    assert search._number.text() == "500 images so far"


@pytest.mark.parametrize(
    ("text", "part"),
    [
        ("{base}/nothing/", "404"),
        ("http://me:word@h/x", "password"),
        ("https://", "not an address"),
    ],
)
def test_errors_are_reported(
    qtbot: QtBot, base: str, open_page: Open, text: str, part: str
) -> None:
    sheet = asked(open_page)
    look_at(qtbot, sheet, text.format(base=base))
    shown = sheet.search.problem.message.text() + sheet.search.address.hint.text()
    assert part in shown
    assert "word@" not in shown
    assert not sheet.import_button.isVisible()


def test_s3_has_a_server_and_a_region(qtbot: QtBot, open_page: Open) -> None:
    pytest.importorskip("boto3")
    view = open_page()
    view.list.import_button.click()
    address = view.sheet.search.address
    assert not address.endpoint.isVisible()
    address.kind.setCurrentIndex(1)
    assert address.endpoint.isVisible()
    address.endpoint.setText("minio")
    address.location.setText("pets/2024")
    address.button.click()
    assert "The S3 endpoint must be an address" in address.hint.text()
    address.endpoint.setText("http://minio:9000")
    address.region.setText("eu")
    with qtbot.waitSignal(address.requested) as text:
        address._on_search()
    assert text.args == ["s3://pets/2024?endpoint=http%3A%2F%2Fminio%3A9000&region=eu"]
    assert not unexplained_buttons(view)
    assert not nameless_controls(view)
    assert not cut_buttons(view)
    assert fits_smallest_window(view)


def test_s3_without_its_package(open_page: Open, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "boto3", None)
    address = asked(open_page).search.address
    model = address.kind.model()
    assert isinstance(model, QStandardItemModel)
    assert not model.item(1).isEnabled()
    assert install_command("s3") in model.item(1).toolTip()
    assert install_command("s3") in address.hint.text()


def locations(source: str, **splits: int) -> list[SurveyedLocation]:
    return [SurveyedLocation("/x", source, source, 9, splits)]


def test_limits_and_prefixes_are_open_where_they_act() -> None:
    plain = DatasetRecipe.parse({"source": "/x"})
    idle = idle_fields(locations("folder"), plain)
    own = {"val_path_prefix", "test_path_prefix"}
    limits = {f"{split}_{end}_per_class" for split in ("val", "test") for end in ("min", "max")}
    assert own | limits | {"path_prefix"} <= set(idle)
    listed = plain.changed(val_source="/y/list.csv")
    assert {"val_path_prefix", "path_prefix", "val_min_per_class", "val_max_per_class"}.isdisjoint(
        idle_fields(locations("folder"), listed)
    )
    assert "test_max_per_class" not in idle_fields(locations("folder", test=3), plain)
    # What was typed can be taken back.
    assert "val_path_prefix" not in idle_fields(
        locations("folder"), plain.changed(val_path_prefix="/z")
    )
    assert "seed" not in idle_fields(
        locations("folder", val=3, test=3), plain.changed(val_max_per_class=2)
    )
