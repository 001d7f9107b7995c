"""The script of an export reads picture files as Studio does."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest

from helpers.picture_kinds import DICOM_FILES, kinds
from studio.engine.assets import asset
from studio.engine.errors import BadDataError
from studio.engine.picture_files import FORMATS
from studio.engine.pictures import open_picture

_WITH_TABLES = {"DICOM examples_palette"}
"""Kinds that the script refuses with what to do."""


@pytest.fixture(scope="module")
def script() -> ModuleType:
    """The module of exports that reads pictures."""
    spec = importlib.util.spec_from_file_location("script_pixels", asset("export/pixels.py"))
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_the_script_reads_every_kind_as_studio_does(script: ModuleType, tmp_path: Path) -> None:
    path, compared = tmp_path / "picture", 0
    for kind in kinds():
        path.write_bytes(kind.data)
        try:
            with open_picture(path) as picture:
                ours = np.stack([picture.plane(at) for at in range(picture.info.planes)])
        except BadDataError:
            with pytest.raises((ValueError, OSError)):
                script.planes_of(path, FORMATS)
            continue
        if kind.name in _WITH_TABLES:
            continue
        theirs, has_alpha = script.planes_of(path, FORMATS)
        assert has_alpha == picture.info.has_alpha, kind.name
        assert theirs.dtype == ours.dtype, kind.name
        assert np.array_equal(theirs, ours, equal_nan=ours.dtype.kind == "f"), kind.name
        compared += 1
    assert compared > 130


def test_a_palette_is_refused_with_what_to_do(script: ModuleType) -> None:
    with pytest.raises(ValueError, match="save their values as TIFF"):
        script.planes_of(DICOM_FILES / "examples_palette.dcm", FORMATS)


def test_without_the_library_it_says_what_to_install(
    script: ModuleType, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "pydicom", None)
    with pytest.raises(ValueError, match="pip install pydicom"):
        script.planes_of(DICOM_FILES / "CT_small.dcm", FORMATS)
