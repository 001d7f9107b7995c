"""Model files whose content is much larger than they are: refused before anything is unpacked."""

from __future__ import annotations

import json
import zipfile
from pathlib import Path

import h5py
import numpy as np
import pytest

from studio.engine.errors import BadDataError
from studio.engine.training import model_format
from studio.engine.training.weight_files import open_weights

ZEROS = bytes(3 * 2**20)


def _zip(path: Path, **entries: bytes) -> Path:
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in entries.items():
            archive.writestr(name.replace("__", "."), data)
    return path


@pytest.mark.parametrize(
    "entries",
    [
        {"config__json": b"{}", "model__weights__h5": ZEROS},
        {"labels__json": b"{}", "model__keras": ZEROS},
    ],
    ids=["keras", "export"],
)
def test_weights_that_are_packed_too_tightly_are_refused(
    tmp_path: Path, entries: dict[str, bytes]
) -> None:
    path = _zip(tmp_path / "bomb.keras", **entries)

    with pytest.raises(BadDataError, match="compression ratio"), open_weights(path):
        pass


def test_many_weights_that_are_larger_than_their_file_are_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "many.h5"
    with h5py.File(path, "w") as file:
        file.attrs["model_config"] = json.dumps({})
        for at in range(20):  # each of them is harmless
            file.create_dataset(str(at), data=np.zeros(2**16, np.uint8), compression="gzip")
    model_format.check_hdf5(path)

    monkeypatch.setattr(model_format, "_SMALL", 2**16)

    with pytest.raises(ValueError, match="larger than it is"):
        model_format.check_hdf5(path)
