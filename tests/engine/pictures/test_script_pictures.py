"""The script of an export reads picture files as Studio does."""

from __future__ import annotations

import importlib.util
import sys
from types import ModuleType

import numpy as np
import pytest

from helpers.picture_kinds import DICOM_FILES
from studio.engine.assets import asset
from studio.engine.errors import BadDataError
from studio.engine.pictures import open_picture

_WITH_MARK = [
    path for path in sorted(DICOM_FILES.glob("*.dcm")) if path.read_bytes()[128:132] == b"DICM"
]
_FORMATS = ("PNG", "JPEG", "TIFF")


@pytest.fixture(scope="module")
def script() -> ModuleType:
    """The module of exports that reads pictures."""
    spec = importlib.util.spec_from_file_location("script_pixels", asset("export/pixels.py"))
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_medical_images_have_the_same_values(script: ModuleType) -> None:
    compared = 0
    for path in _WITH_MARK:
        try:
            with open_picture(path) as picture:
                ours = np.stack([picture.plane(at) for at in range(picture.info.planes)])
            theirs, _ = script.planes_of(path, _FORMATS)
        except (BadDataError, ValueError):
            continue
        assert theirs.dtype == ours.dtype, path.name
        assert np.array_equal(theirs, ours, equal_nan=True), path.name
        compared += 1
    assert compared > 50


def test_a_palette_is_refused_with_what_to_do(script: ModuleType) -> None:
    with pytest.raises(ValueError, match="save their values as TIFF"):
        script.planes_of(DICOM_FILES / "examples_palette.dcm", _FORMATS)


def test_without_the_library_it_says_what_to_install(
    script: ModuleType, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "pydicom", None)
    with pytest.raises(ValueError, match="pip install pydicom"):
        script.planes_of(DICOM_FILES / "CT_small.dcm", _FORMATS)
