"""What can be imported, told from the names of what was dropped."""

from __future__ import annotations

from pathlib import Path

import pytest

from studio.engine.datasets.importable import importable

TAKEN = (
    *("a.zip", "a.tar", "a.tar.gz", "A.TGZ", "a.tar.xz", "cifar-10-python.tar.gz", "list.txt"),
    *("list.csv", "a.npz", "a.h5", "a.hdf5", "a.parquet", "train-images-idx3-ubyte"),
    *("t10k-images-idx3-ubyte.gz",),
)


@pytest.mark.parametrize("name", TAKEN)
def test_a_file_that_a_source_reads_can_be_imported(tmp_path: Path, name: str) -> None:
    (tmp_path / name).write_bytes(b"")
    assert importable([tmp_path / name]) == tmp_path / name


@pytest.mark.parametrize("name", ["a.png", "a.JPG", "a.tiff", "a.pdf", "a.keras", "noise"])
def test_pictures_and_other_files_cannot(tmp_path: Path, name: str) -> None:
    (tmp_path / name).write_bytes(b"")
    assert importable([tmp_path / name]) is None


def test_one_existing_source_is_accepted(tmp_path: Path) -> None:
    assert importable([tmp_path]) == tmp_path
    assert importable([tmp_path, tmp_path]) is None
    assert importable([]) is None
    assert importable([tmp_path / "gone.zip"]) is None
