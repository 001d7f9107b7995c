"""Packages that add sources, networks and loggers: `tests/samples/scanner_plug_ins`."""

from __future__ import annotations

import shutil
import sys
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

import studio
from helpers.command_line import Call, caller
from helpers.plug_ins import SAMPLES, forget_loaded, importable, write_package
from studio.engine import plug_ins
from studio.engine.datasets.sources import SOURCES, source_for
from studio.engine.errors import StudioError
from studio.engine.exporting.formats import FORMATS
from studio.engine.networks.zoo import ZOO
from studio.engine.plug_ins import TABLES
from studio.engine.tasks import TASKS
from studio.engine.training.loggers import LOGGERS

PACKAGE = "scanner_plug_ins"
ENTRY_POINTS = {
    "studio.sources": {"scans": f"{PACKAGE}.scans:SOURCE"},
    "studio.networks": {"wide_line": f"{PACKAGE}.networks:WIDE_LINE"},
    "studio.losses": {"margin": f"{PACKAGE}.losses:MARGIN"},
    "studio.metrics": {"margins": f"{PACKAGE}.metrics:MARGINS"},
    "studio.augmentations": {"scan_lines": f"{PACKAGE}.augmentations:SCAN_LINES"},
    "studio.loggers": {"lines": f"{PACKAGE}.lines:LOGGER"},
    "studio.export_formats": {"numpy": f"{PACKAGE}.numpy_format:FORMAT"},
}
BROKEN = {
    "studio.sources": {"absent": "no_such_package:SOURCE"},
    "studio.networks": {"raises": f"{PACKAGE}_broken:NETWORK"},
    "studio.loggers": {"other": f"{PACKAGE}.lines:LOGGER"},
    "studio.losses": {"margins": f"{PACKAGE}.metrics:MARGINS"},
    "studio.mask_formats": {"scans": f"{PACKAGE}.scans:SOURCE"},
}


SCAN_LINES = f"{PACKAGE}.scan_lines"
CHOSEN = {
    "loss": "margin",
    "metrics": "margins",
    "monitor": "val_margin",
    "augmentation": {"added": "scan_lines", "added_strength": 80.0},
}
"""Settings of a training that use the package."""


@pytest.fixture
def packages(tmp_path: Path) -> Iterator[Path]:
    """A folder of packages with the sample, and one of which nothing works."""
    folder = tmp_path / "packages"
    shutil.copytree(SAMPLES / PACKAGE, folder / PACKAGE)
    write_package(folder, PACKAGE, {}, ENTRY_POINTS)
    code = "raise ZeroDivisionError('of the package')"
    write_package(folder, f"{PACKAGE}_broken", {f"{PACKAGE}_broken.py": code}, BROKEN)
    with importable(folder, ()):
        yield folder
    for name in [each for each in sys.modules if each.startswith(PACKAGE)]:
        del sys.modules[name]
    forget_loaded()


@pytest.fixture
def scans(tmp_path: Path) -> Path:
    """A file of the scanner with 24 pictures of two classes, and one that is missing."""
    random = np.random.default_rng(0)
    lines = ["missing.png\tdark"]
    for index in range(24):
        label = ("dark", "light")[index % 2]
        pixels = random.integers(0, 99, (8, 8)) + 150 * (index % 2)
        Image.fromarray(pixels.astype(np.uint8)).save(tmp_path / f"{index}.png")
        lines.append(f"{index}.png\t{label}")
    path = tmp_path / "day.scan"
    path.write_text("\n".join(lines), encoding="utf-8")
    return path


def test_tables_hold_what_works_and_name_what_does_not(packages: Path, tmp_path: Path) -> None:
    assert next(iter(SOURCES)).name == "scans"
    assert source_for(tmp_path / "x.scan").name == "scans"
    assert "wide_line" in ZOO.names()
    assert ZOO["wide_line"].build((8, 8, 1), 2).name == "Wide line"
    assert [each.name for each in LOGGERS] == ["lines"]
    assert [each.name for each in FORMATS][-1] == "numpy", "its formats come last"
    assert "absent" not in SOURCES
    with pytest.raises(StudioError, match="The source absent cannot be loaded from no_such"):
        SOURCES["absent"]
    with pytest.raises(StudioError, match="of the package"):
        ZOO["raises"]
    with pytest.raises(StudioError, match='There is no network called "wide_lin"'):
        ZOO["wide_lin"]


def test_the_list_says_what_works(
    packages: Path, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    call: Call = caller(capsys, tmp_path / "w")
    listed = call("plugins", "--json").document

    works = {(each["group"], each["name"]): not each["problem"] for each in listed}
    assert {key: True for key, value in works.items() if value} == {
        (group, name): True for group, names in ENTRY_POINTS.items() for name in names
    }
    assert len(works) == 12
    problems = {each["name"]: each["problem"] for each in listed if each["problem"]}
    assert not [name for name in sys.modules if name in (f"{PACKAGE}.learning", SCAN_LINES)]
    assert "ZeroDivisionError" not in problems["raises"]
    assert "of the package" in problems["raises"]
    assert "is not a logger named other" in problems["other"]
    assert "is not a loss named margins" in problems["margins"]
    assert f"{PACKAGE} 1.0" in call("plugins").out


def test_nothing_is_installed(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    said = caller(capsys, tmp_path / "w")("plugins")

    assert all(group in said.out for group in TABLES)


@pytest.mark.slow
def test_pictures_of_a_package_train_a_network_of_it(
    packages: Path, scans: Path, tmp_path: Path
) -> None:
    # Real processes, which find the package by themselves.
    with studio.open(tmp_path / "workspace", progress=False) as workspace:
        dataset = workspace.datasets.import_folder(scans, name="day", width=8, height=8)
        run = workspace.train(dataset, "wide_line", epochs=2, **CHOSEN)  # type: ignore[arg-type]

        assert sum(dataset.count.values()) == 24
        report = workspace.datasets.preview(scans, width=8, height=8)
        assert [each.path for each in report.skipped] == ["missing.png"]
        lines = (run.record.folder / "lines.txt").read_text(encoding="utf-8").split("\n")
        assert [line.partition(":")[0] for line in lines] == ["1", "2", "completed", ""]
        notes = [str(event.message) for event in run.read().notes]
        assert any("is not a logger named other" in note for note in notes)
        exported = run.export(tmp_path / "exported", "numpy")  # type: ignore[arg-type]  # not ours
        assert exported.certificate is not None
        assert exported.certificate.certified
        pixels, _ = dataset["train"][0]
        predicted = workspace.model(exported.path).predict(pixels).scores
        expected = run.predict(pixels).scores
        assert predicted is not None
        assert expected is not None
        assert predicted.classes[0].label == expected.classes[0].label
        plain = workspace.train(dataset, "perceptron", epochs=1)
        assert not (plain.record.folder / "lines.txt").exists()


def test_entry_points_are_read_once_for_all_tables() -> None:
    """The window would stand still for each table that it lists for the first time."""
    forget_loaded()
    assert len(TASKS) + len(SOURCES) + len(ZOO) > 3
    assert plug_ins.entry_points.cache_info().misses == 1
