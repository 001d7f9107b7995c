"""What every source must do, whatever it reads."""

from __future__ import annotations

import contextlib
import io
from pathlib import Path

import numpy as np
import pytest
from dataset_pictures import Listener, recipe
from numpy.typing import NDArray
from PIL import Image
from source_cases import CASES, Case, Picture, pictures

from studio.engine.datasets.importer import import_dataset, read_skipped, suggest_recipe
from studio.engine.datasets.sources import SOURCES, source_for
from studio.engine.datasets.store import FILE_NAME, Store
from studio.engine.errors import BadDataError, StudioError
from studio.engine.progress import Cancelled, SilentProgress

SILENT = SilentProgress()


@pytest.fixture(params=CASES, ids=str)
def case(request: pytest.FixtureRequest) -> Case:
    found: Case = request.param
    if found.source == "parquet":
        pytest.importorskip("pyarrow")
    return found


def test_every_source_is_tested() -> None:
    # Those of the web need a server, and have tests of their own.
    web = {"web_file", "web_folder", "s3"}
    assert {case.source for case in CASES} | web == set(SOURCES.names())


def seen_by(case: Case, image: Picture) -> NDArray[np.uint8]:
    """The pixels as imported in color; MNIST's files keep the first channel alone."""
    return np.repeat(image.pixels[..., :1], 3, axis=2) if case.source == "mnist" else image.pixels


def test_every_pixel_and_class_arrives(tmp_path: Path, case: Case) -> None:
    images = pictures(["größe ± 日本", "b 2", "b 10"], 5)
    path = case.make(tmp_path, images)
    assert source_for(path).name == case.source
    asked = recipe(path, width=32, height=32, val_percent=0, test_percent=0)
    summary = import_dataset(asked, tmp_path / "out", SILENT)
    assert summary.skipped == []
    assert summary.count == 15 * case.copies
    store = Store.open(tmp_path / "out")
    assert store.classes == ["b 2", "b 10", "größe ± 日本"]
    requested = {(image.class_name, seen_by(case, image).tobytes()) for image in images}
    found = {
        (store.classes[store.labels[row]], store.images[row].tobytes())
        for row in range(len(store.images))
    }
    assert found == requested


def test_open_gives_what_read_gives(tmp_path: Path, case: Case) -> None:
    path = case.make(tmp_path, pictures(["a", "b"], 3))
    source = source_for(path)
    scan = source.scan(path, SILENT)
    found = {index: fetch() for index, fetch in source.read(path, scan.items)}
    assert sorted(found) == list(range(len(scan.items)))
    for index in (0, len(scan.items) - 1):
        with source.open(path, scan.items[index]) as file:
            assert file.read() == found[index]
    some = [scan.items[4], scan.items[1]]
    assert {i: fetch() for i, fetch in source.read(path, some)} == {0: found[4], 1: found[1]}
    assert [item.key for item in scan.items] == [i.key for i in source.scan(path, SILENT).items]


def test_suggestion_fits(tmp_path: Path, case: Case) -> None:
    path = case.make(tmp_path, pictures(["a", "b"], 3))
    found = suggest_recipe(path)
    assert (found.width, found.height) == (32, 32)
    assert found.color == ("gray" if case.source == "mnist" else "rgb")


def test_nothing_and_one_class_are_refused_clearly(tmp_path: Path, case: Case) -> None:
    for name, images in (("empty", []), ("one", pictures(["only"], 3))):
        if case.source == "studio_dataset" or (str(case) == "split_folders" and not images):
            continue  # neither can be made like this
        root = tmp_path / name
        root.mkdir()
        path = case.make(root, images)
        if not path.exists():
            path.mkdir()
        with pytest.raises(StudioError) as caught:
            import_dataset(recipe(path), root / "out", SILENT)
        assert caught.value.hint
        assert str(path) in caught.value.message
        assert not (root / "out").exists()


def test_broken_images_are_listed_and_the_rest_comes(tmp_path: Path, case: Case) -> None:
    if not case.keeps_files:
        pytest.skip("arrays hold no files that could be broken")
    bad = [Picture("a", "zero.png", b""), Picture("b", "text.png", b"hello, I am a text")]
    bad.append(Picture("b", "cut.png", pictures(["x"], 1)[0].data[:-300]))
    path = case.make(tmp_path, [*pictures(["a", "b"], 4), *bad])
    summary = import_dataset(recipe(path), tmp_path / "out", SILENT)
    assert summary.count == 8 * case.copies
    reasons = sorted(entry.reason for entry in read_skipped(tmp_path / "out"))
    assert len(reasons) == 3 * case.copies
    expected = {"not an image, or damaged at its beginning", "the image is damaged or truncated"}
    assert set(reasons) == expected | {"the file is empty"}


def test_cancelled_and_continued(tmp_path: Path, case: Case) -> None:
    path = case.make(tmp_path, pictures(["a", "b"], 20))
    asked = recipe(path)
    import_dataset(asked, tmp_path / "whole", SILENT)
    before = Listener()
    source_for(path).scan(path, before)
    with pytest.raises(Cancelled):
        import_dataset(asked, tmp_path / "out", Listener(cancel_after=len(before.steps) + 12))
    assert (tmp_path / "out" / f"{FILE_NAME}.partial").exists()
    listener = Listener()
    import_dataset(asked, tmp_path / "out", listener)
    imported = [done for done, _, what in listener.steps if what == "Importing images"]
    assert imported[0] > 5
    one, two = Store.open(tmp_path / "whole"), Store.open(tmp_path / "out")
    assert np.array_equal(one.images, two.images)
    assert one.paths == two.paths
    assert np.array_equal(one.labels, two.labels)
    assert np.array_equal(one.split, two.split)


def test_scan_hears_that_it_is_cancelled(tmp_path: Path, case: Case) -> None:
    path = case.make(tmp_path, pictures(["a", "b"], 2))
    with pytest.raises(Cancelled):
        source_for(path).scan(path, Listener(cancel_after=0))


def test_source_that_shrinks_in_between_gives_lines(tmp_path: Path, case: Case) -> None:
    path = case.make(tmp_path, pictures(["a", "b"], 4))
    source = source_for(path)
    items = source.scan(path, SILENT).items
    other = tmp_path / "other"
    other.mkdir()
    shorter = case.make(other, pictures(["a", "b"], 2))
    given = 0
    with contextlib.suppress(BadDataError, OSError):  # the importer makes lines of these
        for _, fetch in source.read(shorter, items):
            with contextlib.suppress(BadDataError, OSError):
                Image.open(io.BytesIO(fetch()))
                given += 1
    assert given <= 4 * case.copies
