"""Masks of a dataset: storage, import, continuation, versions, adding, tiles."""

from __future__ import annotations

import sys
import tarfile
import zipfile
from pathlib import Path
from typing import Any

import h5py
import numpy as np
import pytest
from dataset_pictures import Listener, import_until_killed
from mask_pictures import imported, mask_folders, mask_recipe, save, squares
from PIL import Image

from studio.engine.datasets.edits import AddClass, Edit, Exclude, Move, RenameClass, SetTarget
from studio.engine.datasets.import_report import read_import
from studio.engine.datasets.importer import read_skipped
from studio.engine.datasets.requests import recipe_to_add
from studio.engine.datasets.sources import evident_task
from studio.engine.datasets.split_plan import SplitPlan
from studio.engine.datasets.store import FILE_NAME, Store
from studio.engine.datasets.summary import SKIPPED_NAME, SUMMARY_NAME
from studio.engine.datasets.versions import edit_dataset, resplit_dataset, undo
from studio.engine.datasets.writer import TARGETS_NAME
from studio.engine.errors import BadDataError, StudioError
from studio.engine.progress import Cancelled
from studio.engine.tasks import TASKS
from studio.engine.tasks.annotations import IGNORE

MEMBRANES = Path(__file__).resolve().parents[4] / "shared" / "data" / "membrane-masks.tar.xz"


def agrees(store: Store) -> bool:
    """True if each pixel of `squares` has the class that its red tells, in every row."""
    rows = np.flatnonzero(store.split >= 0)
    return np.array_equal(store.images[rows][..., 0] // 60, store.required_regions[rows])


def test_masks_lie_beside_the_images_with_their_pixels_counted(tmp_path: Path) -> None:
    store = imported(mask_recipe(mask_folders(tmp_path / "in")), tmp_path / "out")

    assert store.required_regions.shape == (10, 16, 16)
    assert agrees(store)
    assert store.classes == ["0", "1", "2"]
    assert len(set(store.colors)) == 3
    counts = [np.bincount(mask.ravel(), minlength=3) for mask in store.required_regions[:]]
    assert np.array_equal(store.targets, counts)
    assert store.targets.dtype == np.int32
    assert store.has_output(1).all()
    loaded = np.load(tmp_path / "out" / "masks.npy")
    assert np.array_equal(loaded, store.required_regions[:])
    copy = store.required_regions[[3, 1]]
    copy[:] = 9  # writable, and no view of the file
    assert agrees(store)


@pytest.mark.parametrize("encoding", ["raw", "png"])
def test_an_import_goes_on_where_it_stopped(tmp_path: Path, encoding: str) -> None:
    recipe = mask_recipe(mask_folders(tmp_path / "in", 60), encoding=encoding)
    for number in (2, 50):
        deep = squares(number)[1].astype(np.uint16) * (60 * 257)
        Image.fromarray(deep).save(tmp_path / "in" / "images" / f"{number:03}.png")
    whole = imported(recipe, tmp_path / "whole")
    with pytest.raises(Cancelled):
        imported(recipe, tmp_path / "out", Listener(cancel_after=30))
    assert not (tmp_path / "out" / FILE_NAME).exists()

    store = imported(recipe, tmp_path / "out")

    assert np.array_equal(store.required_regions[:], whole.required_regions[:])
    assert np.array_equal(store.targets, whole.targets)
    assert agrees(store)
    reports = [read_import(tmp_path / name) for name in ("out", "whole")]
    assert reports[0] == reports[1]
    assert reports[0] is not None
    assert [(each.dtype, each.count) for each in reports[0].pixels] == [
        ("uint8", 58),
        ("uint16", 2),
    ]


def test_masks_of_a_partial_import_that_are_damaged_are_written_again(tmp_path: Path) -> None:
    recipe = mask_recipe(mask_folders(tmp_path / "in", 60))
    for damage in (b"", b"rubbish"):
        with pytest.raises(Cancelled):
            imported(recipe, tmp_path / "out", Listener(cancel_after=30))
        (tmp_path / "out" / "masks.npy").write_bytes(damage)
    assert agrees(imported(recipe, tmp_path / "out"))


@pytest.mark.parametrize("damage", ["gone", "short", "other"])
def test_missing_and_damaged_masks_are_reported(tmp_path: Path, damage: str) -> None:
    imported(mask_recipe(mask_folders(tmp_path / "in", 4)), tmp_path / "out")
    path = tmp_path / "out" / "masks.npy"
    data = path.read_bytes()
    if damage == "gone":
        path.unlink()
    elif damage == "short":
        path.write_bytes(data[:-1])
    else:
        np.save(path, np.zeros((4, 8, 8), np.uint8))
    with pytest.raises(BadDataError, match="masks of the dataset"):
        Store.open(tmp_path / "out")


def test_edits_leave_masks_alone_and_can_be_undone(tmp_path: Path) -> None:
    folder = tmp_path / "out"
    store = imported(mask_recipe(mask_folders(tmp_path / "in")), folder)
    row = int(store.rows("train")[0])
    edits: list[Edit] = [
        Exclude(rows=str(row)),
        RenameClass(label=0, name="ground"),
        AddClass(name="new"),
        Move(rows=str(int(store.rows("train")[1])), split="test"),
    ]
    edit_dataset(folder, edits)

    edited = Store.open(folder)
    assert edited.classes == ["ground", "1", "2", "new"]
    assert edited.targets.shape == (10, 4)
    assert not edited.has_output(3).any()
    assert len(edited.colors) == 4
    assert edited.colors[:3] == store.colors
    assert np.array_equal(edited.required_regions[:], store.required_regions[:])
    with pytest.raises(StudioError, match="counted in its mask"):
        edit_dataset(folder, [SetTarget(rows="1", output=0, value=3.0)])
    undo(folder)
    assert Store.open(folder).classes == store.classes


def test_images_are_added_with_their_masks(tmp_path: Path) -> None:
    old = mask_recipe(mask_folders(tmp_path / "in"), class_names=["ground", "a", "b"])
    folder = tmp_path / "old"
    store = imported(old, folder)
    edit_dataset(folder, [Exclude(rows="0"), RenameClass(label=2, name="c")])
    more = mask_folders(tmp_path / "more", 4, classes=2)

    recipe = recipe_to_add(folder, old, store.counts(), [more])
    both = imported(recipe, tmp_path / "new")

    assert both.classes == ["ground", "a", "c"]
    assert len(both.labels) == 9 + 4
    assert agrees(both)


def test_places_with_other_classes_are_merged_by_name(tmp_path: Path) -> None:
    first = mask_folders(tmp_path / "one", 4)
    (first / "classes.txt").write_text("ground\na\nb\n")
    second = mask_folders(tmp_path / "two", 4)
    (second / "classes.txt").write_text("ground\nb\nz\n")

    store = imported(mask_recipe(first, more_sources=[str(second)]), tmp_path / "out")

    assert store.classes == ["ground", "a", "b", "z"]
    red = store.images[:][..., 0] // 60
    paths = np.array(["two" in path for path in store.paths])
    assert np.array_equal(store.required_regions[~paths], red[~paths])
    assert np.array_equal(store.required_regions[paths], np.array([0, 2, 3])[red[paths]])


def test_misfits_are_reported_by_file_and_the_rest_is_imported(tmp_path: Path) -> None:
    root = mask_folders(tmp_path / "in", 8)
    (root / "classes.txt").write_text("ground\na\nb\n")
    save(squares(0, 16, 12)[1], root / "masks" / "001.png")
    save(np.full((16, 16), 7, np.uint8), root / "masks" / "002.png")
    (root / "masks" / "003.png").write_bytes(b"no picture")
    (root / "masks" / "004.png").unlink()
    save(squares(0)[1], root / "masks" / "lonely.png")

    store = imported(mask_recipe(root), tmp_path / "out")

    reasons = {entry.path: entry.reason for entry in read_skipped(tmp_path / "out")}
    assert len(store.labels[store.split >= 0]) == 4
    assert "16x12 pixels, but its image has 16x16" in reasons["images/001.png"]
    assert "the value 7 belongs to no class" in reasons["images/002.png"]
    assert "not an image" in reasons["images/003.png"]
    assert "no mask" in reasons["images/004.png"]
    assert "no image belongs" in reasons["masks/lonely.png"]
    assert "classes.txt" not in " ".join(reasons)
    assert agrees(store)


@pytest.mark.parametrize("resize", ["squash", "crop", "fill", "half_crop"])
@pytest.mark.parametrize("border", ["background", "reflect"])
def test_masks_are_fitted_as_their_pictures_are(tmp_path: Path, resize: str, border: str) -> None:
    # Each half is of one color, so that the border between them tells where a pixel went.
    picture = np.zeros((40, 100, 3), np.uint8)
    picture[:, 50:] = 200
    for index in range(3):
        save(picture, tmp_path / "in" / "images" / f"{index}.png")
        save((picture[..., 0] > 0).astype(np.uint8), tmp_path / "in" / "masks" / f"{index}.png")

    recipe = mask_recipe(tmp_path / "in", resize=resize, border=border, background="#640000")
    store = imported(recipe, tmp_path / "out")

    image, mask = store.images[0][..., 0].astype(int), store.required_regions[0]
    assert set(np.unique(mask)) <= {0, 1, IGNORE}
    ignored = mask == IGNORE
    assert ignored.any() == (resize in {"fill", "half_crop"} and border == "background")
    assert (image[ignored] == 100).all()
    clear = ~ignored & ((image < 20) | (image > 180))
    assert clear.sum() > 0.7 * (~ignored).sum()
    assert np.array_equal(image[clear] > 100, mask[clear] == 1)


def test_pictures_that_are_turned_by_exif_have_upright_masks(tmp_path: Path) -> None:
    picture, mask = squares(1, 24, 16)
    for index in range(3):
        path = tmp_path / "in" / "images" / f"{index}.jpg"
        path.parent.mkdir(parents=True, exist_ok=True)
        exif = Image.Exif()
        exif[0x0112] = 6
        Image.fromarray(np.rot90(picture)).save(path, exif=exif, quality=100, subsampling=0)
        save(mask, tmp_path / "in" / "masks" / f"{index}.png")

    store = imported(mask_recipe(tmp_path / "in", width=24, height=16), tmp_path / "out")

    assert np.array_equal(store.required_regions[0], mask)
    assert (np.abs(store.images[0][..., 0] / 60 - mask) < 0.4).mean() > 0.95


def test_tiles_know_their_picture_and_place(tmp_path: Path) -> None:
    root = mask_folders(tmp_path / "in", 6, width=40, height=25)
    recipe = mask_recipe(root, tile_size=16, tile_overlap=2, encoding="png")

    store = imported(recipe, tmp_path / "out")

    assert (
        store.paths[:4]
        == [f"images/000.png#xywh={x},{y},16,16" for y in (0, 9) for x in (0, 14, 24)][:4]
    )
    assert len(store.paths) == 36
    assert agrees(store)
    picture, mask = squares(0, 40, 25)
    for row in range(6):
        left, top, width, height = store.tile(row) or (0, 0, 0, 0)
        part = np.s_[top : top + height, left : left + width]
        assert np.array_equal(store.images[row], picture[part])
        assert np.array_equal(store.required_regions[row], mask[part])
        assert store.origin(row) == str(root / "images" / "000.png")


def test_a_picture_smaller_than_a_tile_is_filled(tmp_path: Path) -> None:
    root = mask_folders(tmp_path / "in", 4, width=10, height=30)
    store = imported(mask_recipe(root, tile_size=16, background="#00ff00"), tmp_path / "out")
    assert len(store.paths) == 8
    assert (store.required_regions[:][..., 10:] == IGNORE).all()
    assert (store.images[:][:, :, 10:] == (0, 255, 0)).all()
    assert (store.targets.sum(axis=1) == 160).all()


def test_tiles_of_a_picture_stay_in_one_split(tmp_path: Path) -> None:
    root = mask_folders(tmp_path / "in", 12, width=40, height=40)
    folder = tmp_path / "out"
    imported(mask_recipe(root, tile_size=16, val_percent=25, test_percent=25), folder)

    def pictures() -> dict[str, set[int]]:
        store = Store.open(folder)
        return {name: {*store.pictures[store.rows(name)].tolist()} for name in store.counts()}

    first = pictures()
    assert {name: len(found) for name, found in first.items()} == {"train": 6, "val": 3, "test": 3}
    assert len(set.union(*first.values())) == 12
    resplit_dataset(folder, SplitPlan(val_percent=50, test_percent=25, seed=3))
    again = pictures()
    assert {name: len(found) for name, found in again.items()} == {"train": 3, "val": 6, "test": 3}
    assert len(set.union(*again.values())) == 12


def test_too_many_tiles_are_refused_by_picture(tmp_path: Path) -> None:
    root = mask_folders(tmp_path / "in", 3)
    huge = np.zeros((1, 1000 * 1000), np.uint8)
    save(huge, root / "images" / "huge.png")
    save(huge, root / "masks" / "huge.png")
    imported(mask_recipe(root, tile_size=16), tmp_path / "out")
    (entry,) = read_skipped(tmp_path / "out")
    assert entry.path == "images/huge.png"
    assert "62,500 tiles" in entry.reason


@pytest.mark.skipif(not MEMBRANES.exists(), reason="needs the shared data")
def test_membranes_are_imported_in_tiles(tmp_path: Path) -> None:
    import tarfile

    with tarfile.open(MEMBRANES) as archive:
        archive.extractall(tmp_path / "in", filter="data")
    recipe = mask_recipe(
        tmp_path / "in", tile_size=128, width=128, height=128, color="gray", val_percent=17,
        test_percent=17, class_names=["membrane", "cell"],
    )  # fmt: skip
    store = imported(recipe, tmp_path / "out")
    assert store.counts() == {"train": 320, "val": 80, "test": 80}
    share = store.targets.sum(axis=0) / store.targets.sum()
    assert share[1] == pytest.approx(0.78, abs=0.01)
    assert store.images[store.required_regions[:] == 0].mean() < 100


@pytest.mark.skipif(sys.platform == "win32", reason="there is no SIGKILL")
@pytest.mark.parametrize("values", [{}, {"tile_size": 16, "encoding": "png"}], ids=str)
def test_a_killed_import_goes_on_to_the_same_bytes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, values: dict[str, Any]
) -> None:
    side = 32 if values else 16
    root = mask_folders(tmp_path / "in", 12 if values else 40, width=side, height=side)
    recipe = mask_recipe(root, **values)
    import_until_killed(recipe, tmp_path / "out")
    assert not (tmp_path / "out" / FILE_NAME).exists()

    listener = Listener()
    imported(recipe, tmp_path / "out", listener)

    begun = next(done for done, _, what in listener.steps if what == "Importing images")
    assert begun >= 20, "what was flushed is not decoded again"
    imported(recipe, tmp_path / "whole")
    for name in ("masks.npy", TARGETS_NAME, SUMMARY_NAME, SKIPPED_NAME):
        assert (tmp_path / "out" / name).read_bytes() == (tmp_path / "whole" / name).read_bytes()
    with (
        h5py.File(tmp_path / "out" / FILE_NAME) as one,
        h5py.File(tmp_path / "whole" / FILE_NAME) as other,
    ):
        assert set(one) == set(other)
        for column in one:
            assert np.array_equal(one[column][:], other[column][:]), column


# Archives


def packed(root: Path, path: Path, *, folder: str = "wrapped/") -> Path:
    """Write the files below a folder into an archive, in another order."""
    files = sorted(file for file in root.rglob("*") if file.is_file())
    files = files[1::2] + files[::2]
    names = [folder + file.relative_to(root).as_posix() for file in files]
    if path.suffix == ".zip":
        with zipfile.ZipFile(path, "w") as archive:
            for file, name in zip(files, names, strict=True):
                archive.write(file, name)
    else:
        mode: Any = f"w:{path.suffix[1:]}" if path.suffix != ".tar" else "w:"
        with tarfile.open(path, mode) as archive:
            for file, name in zip(files, names, strict=True):
                archive.add(file, name)
    return path


@pytest.mark.parametrize("name", ["in.zip", "in.tar", "in.tar.gz", "in.tar.xz"])
def test_masks_in_archives(tmp_path: Path, name: str) -> None:
    root = mask_folders(tmp_path / "in", 12)
    (root / "classes.txt").write_text("ground\na\nb\n")
    save(squares(0, 16, 12)[1], root / "masks" / "001.png")
    archive = packed(root, tmp_path / name)
    assert evident_task(archive) is TASKS["segmentation"]

    store = imported(mask_recipe(archive), tmp_path / "out")

    assert store.classes == ["ground", "a", "b"]
    assert len(np.flatnonzero(store.split >= 0)) == 11
    assert agrees(store)
    assert store.origin(0).endswith(f"{name}/wrapped/images/000.png")
    (entry,) = read_skipped(tmp_path / "out")
    assert entry.path == "wrapped/images/001.png"
    assert "16x12 pixels, but its image has 16x16" in entry.reason


@pytest.mark.parametrize("suffix", ["zip", "tar.gz"])
def test_masks_in_an_archive_of_their_own(tmp_path: Path, suffix: str) -> None:
    root = mask_folders(tmp_path / "in", 6)
    pictures = packed(root / "images", tmp_path / f"pictures.{suffix}", folder="")
    masks = packed(root / "masks", tmp_path / f"masks.{suffix}", folder="")
    for source in (root / "images", pictures):
        recipe = mask_recipe(source, annotations=str(masks), tile_size=16)
        assert agrees(imported(recipe, tmp_path / source.name.replace(".", "-")))


def test_an_archive_that_is_cut_off_is_reported(tmp_path: Path) -> None:
    root = mask_folders(tmp_path / "in", 40)
    (root / "classes.txt").write_text("ground\na\nb\n")
    archive = packed(root, tmp_path / "in.tar.gz")
    data = archive.read_bytes()
    archive.write_bytes(data[: len(data) * 3 // 4])

    store = imported(mask_recipe(archive), tmp_path / "out")

    assert agrees(store)
    assert 0 < len(store.rows("train")) < 40
    reasons = {entry.path: entry.reason for entry in read_skipped(tmp_path / "out")}
    assert "what comes after is missing" in reasons["in.tar.gz"]


def test_masks_that_all_have_one_class_are_refused(tmp_path: Path) -> None:
    for index in range(3):
        save(squares(index)[0], tmp_path / "images" / f"{index}.png")
        save(np.full((16, 16), 7, np.uint8), tmp_path / "masks" / f"{index}.png")
    with pytest.raises(BadDataError, match='All images have one class: "7"') as caught:
        imported(mask_recipe(tmp_path), tmp_path / "out")
    assert "At least two classes are needed" in caught.value.hint


def test_an_archive_of_class_folders_is_no_archive_of_masks(tmp_path: Path) -> None:
    for index in range(4):
        save(squares(index)[0], tmp_path / "in" / "ab"[index % 2] / f"{index}.png")
    archive = packed(tmp_path / "in", tmp_path / "in.zip")
    assert evident_task(archive) is None
    with pytest.raises(StudioError, match="No annotations for"):
        imported(mask_recipe(archive), tmp_path / "out")
