"""Files with several planes, DICOM files and arrays become images of a dataset."""

from __future__ import annotations

import threading
from contextlib import nullcontext
from pathlib import Path

import numpy as np
import pydicom
import pytest
import tifffile
from dataset_pictures import Listener, recipe
from PIL import Image

from helpers.picture_kinds import DICOM_FILES
from studio.engine.arrays import Pixels
from studio.engine.datasets import decode
from studio.engine.datasets.channel_files import proposed_channels
from studio.engine.datasets.decode import load_image
from studio.engine.datasets.importer import import_dataset
from studio.engine.datasets.planes import _STOPPED
from studio.engine.datasets.preview import preview_import
from studio.engine.datasets.sources.base import part_path, plane_of, split_part_path
from studio.engine.datasets.store import Store
from studio.engine.errors import StudioError
from studio.engine.pictures.tiff import TiffPicture
from studio.engine.progress import Cancelled, SilentProgress
from studio.engine.tasks.annotations import IGNORE

PLANES, SIDE, FIELD = 5, 16, 32


def imported(source: Path, **changes: object) -> Store:
    """Import into a folder beside the source, in its own size."""
    folder = source.with_name(f"{source.name}-{len(list(source.parent.iterdir()))}")
    settings = {"width": SIDE, "height": SIDE, "color": "gray", "test_percent": 0.0} | changes
    import_dataset(recipe(source=str(source), **settings), folder, Listener())
    return Store.open(folder)


@pytest.fixture
def stacks(tmp_path: Path) -> Path:
    """Return a folder with two classes of four stacks of 12 bit planes; plane n has n * 100."""
    generator = np.random.default_rng(0)
    for index in range(8):
        path = tmp_path / "in" / "ab"[index % 2] / f"{index}.ome.tif"
        path.parent.mkdir(parents=True, exist_ok=True)
        values = (
            generator.integers(0, 4000, (1, SIDE, SIDE)) + 10 * np.arange(PLANES)[:, None, None]
        )
        tifffile.imwrite(path, values.astype(np.uint16), ome=True, metadata={"axes": "ZYX"})
    return tmp_path / "in"


@pytest.mark.parametrize(
    ("planes", "offset"), [("first", 0), ("3", 20), ("maximum", 40), ("mean", 20)]
)
def test_one_image_of_each_stack(stacks: Path, planes: str, offset: int) -> None:
    store = imported(stacks, planes=planes)

    whole = tifffile.imread(stacks / "a" / "0.ome.tif")
    assert len(store.paths) == 8
    assert store.pixel_format.dtype == "uint16"
    assert np.array_equal(store.images[0][..., 0], whole[0] + offset)


def test_each_plane_is_an_image_and_those_of_a_file_stay_together(stacks: Path) -> None:
    store = imported(stacks, planes="images", val_percent=40)

    assert len(store.paths) == 8 * PLANES
    assert store.paths[1] == "a/0.ome.tif#plane=2"
    assert np.array_equal(store.images[1][..., 0], tifffile.imread(stacks / "a" / "0.ome.tif")[1])
    assert store.origins.kind == "stack"
    for number in np.unique(store.pictures):
        assert len(np.unique(store.split[store.pictures == number])) == 1


def test_planes_become_channels(stacks: Path) -> None:
    store = imported(stacks, planes="channels", color="all")

    assert store.shape == (SIDE, SIDE, PLANES)
    whole = tifffile.imread(stacks / "a" / "0.ome.tif")
    assert np.array_equal(store.images[0], np.moveaxis(whole, 0, -1))


def test_unused_planes_are_reported(stacks: Path) -> None:
    def warnings(planes: str) -> str:
        report = preview_import(recipe(source=str(stacks), planes=planes), Listener())
        return " ".join(map(str, report.warnings))

    assert "8 files have several planes" in warnings("2")
    assert "several planes" not in warnings("mean")


def test_a_plane_that_a_file_lacks_leaves_it_out(stacks: Path) -> None:
    tifffile.imwrite(stacks / "a" / "0.ome.tif", np.zeros((SIDE, SIDE), np.uint16))

    report = preview_import(recipe(source=str(stacks), planes="4"), Listener())

    assert [each.reason for each in report.skipped] == ["it has 1 plane; plane 4 was chosen"]


@pytest.mark.parametrize("planes", ["0", "-1", "all", ""])
def test_other_choices_are_refused(planes: str) -> None:
    with pytest.raises(StudioError, match="planes"):
        recipe(source="x").changed(planes=planes)


@pytest.fixture
def scans(tmp_path: Path) -> Path:
    """Return a folder with two classes of six images of six patients."""
    data = pydicom.dcmread(DICOM_FILES / "CT_small.dcm")
    for index in range(36):
        path = tmp_path / "in" / "ab"[index % 2] / f"{index}.dcm"
        path.parent.mkdir(parents=True, exist_ok=True)
        data.PatientID = f"number {index % 6}"
        data.save_as(path)
    return tmp_path / "in"


def test_medical_images_keep_their_units_and_patients_stay_together(scans: Path) -> None:
    store = imported(scans, width=128, height=128, val_percent=40)

    assert store.pixel_format.dtype == "float32"
    assert (store.images[0].min(), store.images[0].max()) == (-896, 1167)
    assert store.origins.kind == "patient"
    names = [store.origins.name(row) for row in range(36)]
    assert len(set(names)) == 6
    assert not any("number" in name for name in names)
    for name in set(names):
        assert len({store.split[row] for row in range(36) if names[row] == name}) == 1


def test_the_first_plane_of_an_array_is_predicted(tmp_path: Path) -> None:
    path = tmp_path / "x.npy"
    np.save(path, np.full((4, SIDE, SIDE, 3), 7, np.uint8))

    assert (load_image(path, recipe(source="x", width=8, height=8)) == 7).all()


@pytest.mark.parametrize("tile", [None, (1, 2, 3, 4)])
@pytest.mark.parametrize("plane", [None, 0, 12])
def test_paths_of_parts(tile: tuple[int, int, int, int] | None, plane: int | None) -> None:
    path = part_path("a/b#1.tif", tile, plane)

    assert split_part_path(path) == ("a/b#1.tif", tile)
    assert plane_of(path) == plane


@pytest.fixture
def channel_folder(tmp_path: Path) -> Path:
    """Return a folder with two classes of four images in two files each, 12 bit."""
    generator = np.random.default_rng(0)
    for index in range(8):
        folder = tmp_path / "in" / "ab"[index % 2]
        folder.mkdir(parents=True, exist_ok=True)
        for name in ("DAPI", "GFP"):
            values = generator.integers(0, 4096, (SIDE, SIDE)).astype(np.uint16)
            tifffile.imwrite(folder / f"{index}_{name}.tif", values)
    return tmp_path / "in"


def test_files_of_channels_are_proposed_and_joined_on_request(channel_folder: Path) -> None:
    proposed = preview_import(recipe(source=str(channel_folder), color="all"), Listener())
    assert proposed.count == 16
    assert any("2 files per image (DAPI, GFP)" in str(each) for each in proposed.warnings)

    store = imported(channel_folder, color="all", channel_files="_GFP,_DAPI")

    assert len(store.paths) == 8
    assert store.pixel_format.names == ("GFP", "DAPI")
    for channel, name in enumerate(("GFP", "DAPI")):
        expected = tifffile.imread(channel_folder / "a" / f"0_{name}.tif")
        assert np.array_equal(store.images[0][..., channel], expected)


def test_incomplete_sets_of_channels_are_left_out(channel_folder: Path) -> None:
    (channel_folder / "a" / "0_GFP.tif").unlink()
    (channel_folder / "a" / "notes.png").write_bytes(b"x")
    tifffile.imwrite(channel_folder / "b" / "1_GFP.tif", np.zeros((8, 8), np.uint16))

    options = recipe(source=str(channel_folder), color="all", channel_files="_DAPI,_GFP")
    report = preview_import(options, Listener())

    assert report.count == 6
    assert {each.path: str(each.reason) for each in report.skipped} == {
        "a/0_DAPI.tif": "its image lacks the channels GFP",
        "a/notes.png": "its name ends in none of the channels",
        "b/1_DAPI.tif": "the files of its channels have different sizes",
    }


@pytest.mark.parametrize(
    ("names", "expected"),
    [
        (["a_ch00", "a_ch01", "b_ch00", "b_ch01"], ["_ch00", "_ch01"]),
        (["a_B02", "a_B10", "b_B10", "b_B02"], ["_B02", "_B10"]),
        (["a_R", "a_G", "a_B", "b_R", "b_G", "b_B"], ["_B", "_G", "_R"]),
        (["a_r", "a_l", "b_r", "b_l"], []),
        (["a_w1", "a_w2", "b_w1"], []),
        (["a_C1", "a_C2", "b"], []),
        (["a_C1", "a_C2"], []),
        (["a_1", "a_2", "b_1", "b_2"], []),
    ],
)
def test_channels_are_proposed_where_all_sets_are_complete(
    names: list[str], expected: list[str]
) -> None:
    assert proposed_channels([f"x/{name}.tif" for name in names]) == expected


def test_channel_files_and_planes_exclude_each_other() -> None:
    with pytest.raises(StudioError, match="first planes only"):
        recipe(source="x").changed(planes="mean", channel_files="_a,_b")
    with pytest.raises(StudioError, match="its own end"):
        recipe(source="x").changed(channel_files="_a,_a")


@pytest.fixture
def fields(tmp_path: Path) -> Path:
    """Return four satellite images with masks; the left column of each has no data."""
    for index in range(4):
        values = np.full((FIELD, FIELD), 500 + index, np.uint16)
        values[:, 0] = 0
        (tmp_path / "in" / "images").mkdir(parents=True, exist_ok=True)
        (tmp_path / "in" / "masks").mkdir(exist_ok=True)
        no_data = [(42113, "s", 0, "0", True)]
        tifffile.imwrite(tmp_path / "in" / "images" / f"{index}.tif", values, extratags=no_data)
        mask = np.zeros((FIELD, FIELD), np.uint8)
        mask[FIELD // 2 :] = 1
        Image.fromarray(mask).save(tmp_path / "in" / "masks" / f"{index}.png")
    return tmp_path / "in"


def test_pixels_without_data_are_ignored_in_masks(fields: Path) -> None:
    plan = recipe(source=str(fields), task="segmentation", width=FIELD, height=FIELD, color="gray")

    store = imported(fields, task="segmentation", width=FIELD, height=FIELD)
    report = preview_import(plan, Listener())

    masks = np.asarray(store.required_regions[:])
    assert (masks[:, :, 0] == IGNORE).all()
    assert (masks[:, :, 1:] != IGNORE).all()
    assert {str(each.reason) for each in report.skipped} == {
        "32 pixels without data count neither in training nor in metrics"
    }
    assert report.count == 4


def test_pixels_without_data_of_the_tiles_of_a_large_picture_are_ignored(
    fields: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(decode, "LARGE_PIXELS", 1)
    store = imported(fields, task="segmentation", tile_size=FIELD // 2)

    masks = np.asarray(store.required_regions[:])
    assert len(masks) == 4 * 4
    assert (masks == IGNORE).sum() == 4 * FIELD
    overlapping = recipe(source=str(fields), task="segmentation", tile_size=20, tile_overlap=8)
    report = preview_import(overlapping.changed(color="gray"), Listener())
    assert [(str(each.reason), each.path) for each in report.skipped] == [
        ("32 pixels without data count neither in training nor in metrics", f"images/{index}.tif")
        for index in range(4)
    ]


def test_regions_of_a_large_picture_take_room(
    fields: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(decode, "LARGE_PIXELS", 1)
    taken: list[int] = []

    def noted(_room: object, size: int) -> nullcontext[None]:
        taken.append(size)
        return nullcontext()

    monkeypatch.setattr(decode.DecodingMemory, "taken", noted)
    imported(fields, task="segmentation", tile_size=FIELD // 2)
    assert min(taken) >= FIELD**2 + (FIELD // 2) ** 2


def test_contents_that_are_not_read_are_reported(tmp_path: Path) -> None:
    for index in range(4):
        path = tmp_path / "in" / "ab"[index % 2] / f"{index}.tif"
        path.parent.mkdir(parents=True, exist_ok=True)
        with tifffile.TiffWriter(path) as writer:
            writer.write(np.full((SIDE, SIDE), index, np.uint16))
            writer.write(np.zeros((7, 9), np.uint8))

    report = preview_import(recipe(source=str(tmp_path / "in"), color="gray"), Listener())

    assert report.count == 4
    assert [str(each.reason) for each in report.skipped] == [
        "One more image of another size or type in the file is not read."
    ] * 4


class _Cancels(SilentProgress):
    """Cancels the work once an event is set."""

    def __init__(self, event: threading.Event) -> None:
        self._event = event

    def check(self) -> None:
        if self._event.is_set():
            raise Cancelled


def test_a_projection_is_cancelled_between_its_planes(
    stacks: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    requested, decoded, original = threading.Event(), set[int](), TiffPicture.plane

    def plane(picture: TiffPicture, number: int) -> Pixels:
        stopped = _STOPPED.get()
        if stopped is not None:  # not while the import looks at a sample
            decoded.add(number)
            if number == 2:
                requested.set()
                assert stopped.wait(30)
        return original(picture, number)

    monkeypatch.setattr(TiffPicture, "plane", plane)

    with pytest.raises(Cancelled):
        import_dataset(
            recipe(source=str(stacks), width=SIDE, height=SIDE, planes="mean", color="gray"),
            stacks.with_name("out"),
            _Cancels(requested),
        )

    assert decoded == {0, 1, 2}
