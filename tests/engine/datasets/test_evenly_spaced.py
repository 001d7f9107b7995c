from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from dataset_pictures import class_folders, encoded, recipe
from PIL import Image

from studio.engine.datasets.importer import import_dataset
from studio.engine.datasets.store import Store, evenly_spaced
from studio.engine.progress import SilentProgress


@pytest.fixture
def store(tmp_path: Path) -> Store:
    def make(seed: int) -> bytes:  # class 0 is dark by index, class 1 bright by index
        return encoded(Image.new("L", (10, 6), seed % 1000 + (100 if seed >= 1000 else 0)))

    root = class_folders(tmp_path / "in", {"a": 20, "b": 2}, make)
    (root / "a" / "image 5.png").write_bytes(b"broken")
    import_dataset(
        recipe(root, width=10, height=6, color="gray"), tmp_path / "out", SilentProgress()
    )
    return Store.open(tmp_path / "out")


def test_rows_are_spread_over_the_class_and_skip_holes(store: Store) -> None:
    rows = evenly_spaced(store.class_rows(0), 4)
    assert rows.tolist() == evenly_spaced(store.class_rows(0), 4).tolist()
    assert len(rows) == 4
    assert rows[0] == 0
    assert 13 <= rows[-1] <= 19
    assert (np.diff(rows) > 0).all()
    everything = evenly_spaced(store.class_rows(0), 100)
    assert len(everything) == 19
    assert 5 not in everything
    assert len(evenly_spaced(store.class_rows(0), 0)) == 0
