"""Masks as arrays: NumPy and MATLAB."""

from __future__ import annotations

import io
import tracemalloc
import zipfile
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays
from numpy.typing import NDArray
from PIL import Image
from scipy.io import savemat

from studio.engine.datasets.preview import preview_import
from studio.engine.datasets.recipe import DatasetRecipe
from studio.engine.errors import BadDataError, StudioError
from studio.engine.progress import SilentProgress
from studio.engine.tasks.segmentation.array_masks import array_image

Array = NDArray[np.generic]


def npy(array: Array) -> bytes:
    buffer = io.BytesIO()
    np.save(buffer, array, allow_pickle=True)
    return buffer.getvalue()


def npz(**named: Array) -> bytes:
    buffer = io.BytesIO()
    np.savez_compressed(buffer, **named)  # type: ignore[arg-type]  # the names are those of arrays
    return buffer.getvalue()


def mat(**named: Array) -> bytes:
    buffer = io.BytesIO()
    savemat(buffer, named, do_compression=True)
    return buffer.getvalue()


WRITERS: tuple[Callable[[Array], bytes], ...] = (
    npy,
    lambda array: npz(mask=array),
    lambda array: mat(mask=array),
    lambda array: npy(np.asfortranarray(array)),
)


@pytest.mark.parametrize("write", WRITERS)
@given(
    array=arrays.arrays(
        st.sampled_from(["bool", "uint8", ">u2", "int16", "int64"]),
        st.tuples(st.integers(2, 5), st.integers(2, 5)),
        elements=st.integers(0, 1),
    )
)
def test_values_are_those_of_the_array(write: Callable[[Array], bytes], array: Array) -> None:
    assert np.array_equal(np.asarray(array_image(write(array))), array)


def test_an_axis_of_one_is_left_out() -> None:
    mask = np.arange(6, dtype=np.uint8).reshape(2, 3)
    for array in (mask[None], mask[..., None]):
        assert np.array_equal(np.asarray(array_image(npy(array))), mask)
    assert array_image(npy(mask.astype(np.int32) * 300)).size == (3, 2)


SMALL = np.zeros((4, 4), np.uint8)
CELLS = np.empty((1, 2), object)
CELLS[0, 0] = CELLS[0, 1] = SMALL


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (npy(np.zeros((4, 4))), "its values are float64, not integers"),
        (npy(np.zeros((2, 4, 4), np.uint8)), "shape 2x4x4"),
        (npy(np.zeros(4, np.uint8)), "shape 4;"),
        (npy(np.zeros((0, 4), np.uint8)), "no pixels"),
        (npy(np.array([[1, -1]])), "not integers from 0 to 65535"),
        (npy(np.array([[1, 2**20]])), "not integers from 0 to 65535"),
        (npy(np.array([[{}, {}]])), "its values are object"),
        (npz(a=SMALL, b=SMALL), r"2 arrays \(a, b\)"),
        (npz(), "no array"),
        (mat(a=SMALL, b=SMALL), "2 arrays"),
        (mat(a=np.zeros((3, 3))), "float64|double"),
        (mat(a=CELLS), "its values are cell"),
        (npy(SMALL)[:-3], "damaged"),
        (npz(a=SMALL)[:-30], "damaged"),
        (mat(a=SMALL)[:-30], "damaged"),
        (b"MATLAB 7.3 MAT-file" + bytes(600), "MATLAB 7.3"),
    ],
)
def test_other_arrays_are_refused(data: bytes, message: str) -> None:
    with pytest.raises(BadDataError, match=message):
        array_image(data)


def test_sizes_are_checked_before_values_are_read() -> None:
    header = io.BytesIO()
    np.lib.format.write_array_header_1_0(
        header, {"descr": "|u1", "fortran_order": False, "shape": (10**6, 10**6)}
    )
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        archive.writestr("a.npy", header.getvalue())
    tracemalloc.start()
    for data in (header.getvalue(), packed.getvalue()):
        with pytest.raises(BadDataError, match="million pixels"):
            array_image(data)
    assert tracemalloc.get_traced_memory()[1] < 50 * 2**20
    tracemalloc.stop()


@pytest.mark.parametrize("suffix", ["npy", "npz", "mat"])
def test_folders_of_arrays_are_imported(tmp_path: Path, suffix: str) -> None:
    write: dict[str, Callable[[Array], bytes]] = {
        "npy": npy,
        "npz": lambda array: npz(a=array),
        "mat": lambda array: mat(a=array),
    }
    for folder in ("images", "masks"):
        (tmp_path / folder).mkdir()
    for name in ("a", "b"):
        Image.new("RGB", (8, 4), (9, 120, 30)).save(tmp_path / "images" / f"{name}.png")
        mask = np.zeros((4, 8), np.int64)
        mask[1:3] = 5
        (tmp_path / "masks" / f"{name}.{suffix}").write_bytes(write[suffix](mask))
    plan = {"source": str(tmp_path), "task": "segmentation", "width": 8, "height": 4}
    report = preview_import(DatasetRecipe.parse(plan), SilentProgress())
    assert dict(zip(report.classes, report.class_regions, strict=True)) == {"0": 32, "5": 32}
    # The same beside the images, with a word, and a file that is no mask.
    for path in sorted((tmp_path / "masks").iterdir()):
        path.rename(tmp_path / "images" / f"{path.stem}_mask.{suffix}")
    plan["source"] = str(tmp_path / "images")
    report = preview_import(DatasetRecipe.parse(plan), SilentProgress())
    assert report.count == 2


def test_unreadable_arrays_are_refused_with_the_reason(tmp_path: Path) -> None:
    Image.new("RGB", (8, 4)).save(tmp_path / "a.png")
    (tmp_path / "a.npy").write_bytes(npy(np.zeros((4, 8))))
    plan = {"source": str(tmp_path), "task": "segmentation", "width": 8, "height": 4}
    with pytest.raises(StudioError, match=r"a\.npy: its values are float64, not integers"):
        preview_import(DatasetRecipe.parse(plan), SilentProgress())
