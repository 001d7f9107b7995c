"""Images keep the values of their files: 16 bits, fractions and any number of channels."""

from __future__ import annotations

import tarfile
from io import BytesIO
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import pytest
import tifffile
from dataset_pictures import Listener, recipe
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays
from numpy.typing import NDArray
from PIL import Image

from studio.engine.datasets import pixel_sample
from studio.engine.datasets.audit.findings import AuditPlan
from studio.engine.datasets.audit.run import audit_dataset
from studio.engine.datasets.decode import load_image
from studio.engine.datasets.encoding import decode, encode
from studio.engine.datasets.export import export_dataset
from studio.engine.datasets.importer import import_dataset
from studio.engine.datasets.picture_values import array_file
from studio.engine.datasets.pixel_sample import format_for_files
from studio.engine.datasets.preview import preview_import
from studio.engine.datasets.recipe import DatasetRecipe
from studio.engine.datasets.requests import recipe_to_add
from studio.engine.datasets.store import FILE_NAME, Store
from studio.engine.datasets.suggestion import suggest_recipe
from studio.engine.datasets.summary import SUMMARY_NAME, read_summary
from studio.engine.datasets.value_ranges import camera_range
from studio.engine.errors import BadDataError, StudioError
from studio.engine.pixel_format import PixelFormat
from studio.engine.progress import Cancelled


def imported(source: Path, **changes: object) -> Store:
    """Import into a folder beside the source, without test images."""
    folder = source.with_name(source.name + "-dataset")
    settings = {"width": 64, "height": 64, "color": "gray", "test_percent": 0.0} | changes
    import_dataset(recipe(source=str(source), **settings), folder, Listener())
    return Store.open(folder)


def imported_recipe(made: DatasetRecipe, folder: Path) -> Store:
    """Import by a recipe."""
    import_dataset(made, folder, Listener())
    return Store.open(folder)


@pytest.fixture
def camera(tmp_path: Path) -> Path:
    """Return a folder with two classes of 12 bit images in PNG files of 16 bits."""
    levels = np.arange(4096, dtype=np.uint16).reshape(64, 64)
    for index in range(8):
        path = tmp_path / "in" / "ab"[index % 2] / f"{index}.png"
        path.parent.mkdir(parents=True, exist_ok=True)
        Image.fromarray(np.roll(levels, index * 7, axis=1)).save(path)
    return tmp_path / "in"


@pytest.mark.parametrize("encoding", ["raw", "png"])
def test_12_bits_keep_4096_levels(camera: Path, encoding: str) -> None:
    store = imported(camera, encoding=encoding)
    assert store.pixel_format == PixelFormat.uniform("uint16", 1, 0, 4095)
    assert store.images.dtype == np.uint16
    assert np.array_equal(np.unique(store.images[0]), np.arange(4096))
    assert read_summary(store.path.parent).pixel_format == store.pixel_format
    assert read_summary(store.path.parent).mean_color == [127.5]


def test_8_bits_on_request_use_the_whole_range(camera: Path) -> None:
    store = imported(camera, bit_depth="8")
    assert store.pixel_format.is_standard
    assert len(np.unique(store.images[0])) == 256


@pytest.mark.parametrize(
    ("text", "expected"),
    [("100-3000", (100.0, 3000.0)), ("per_image", (0.0, 4095.0))],
)
def test_value_range_of_the_recipe(camera: Path, text: str, expected: tuple[float, float]) -> None:
    pixels = imported(camera, value_range=text).pixel_format
    assert (pixels.low[0], pixels.high[0]) == expected
    assert pixels.per_image == (text == "per_image")


@pytest.mark.parametrize("text", ["4095", "9-1", "0-1,", "a-b", "0-1e999"])
def test_value_ranges_of_another_form_are_refused(text: str) -> None:
    with pytest.raises(StudioError, match="LOW-HIGH"):
        DatasetRecipe.parse({"source": "x", "value_range": text})


def test_a_range_for_each_channel_needs_as_many_channels(camera: Path) -> None:
    with pytest.raises(StudioError, match="Channels of the value range: 2"):
        preview_import(recipe(source=str(camera), value_range="0-1,0-2"), Listener())


def test_jpeg_cannot_store_16_bits(camera: Path) -> None:
    with pytest.raises(StudioError, match="JPEG cannot store"):
        preview_import(recipe(source=str(camera), encoding="jpeg"), Listener())


@pytest.mark.parametrize(
    ("dtype", "low", "high", "expected"),
    [
        (np.uint16, 0, 1023, ("uint16", 0, 1023)),
        (np.int64, 0, 60000, ("uint16", 0, 65535)),
        (np.float32, 0, 1, ("float32", 0, 1)),
        (np.float64, -1, 1, ("float32", -1, 1)),
        (np.uint8, 0, 255, ("uint8", 0, 255)),
    ],
)
def test_five_channels_of_an_array(
    tmp_path: Path, dtype: Any, low: float, high: float, expected: tuple[str, float, float]
) -> None:
    values = np.linspace(low, high, 6 * 8 * 8 * 5).reshape(6, 8, 8, 5).astype(dtype)
    np.savez(tmp_path / "in.npz", x=values, y=np.array([0, 1, 0, 1, 0, 1]))
    store = imported(tmp_path / "in.npz", width=8, height=8, color="all")
    dtype_, low_, high_ = expected
    assert store.pixel_format == PixelFormat.uniform(dtype_, 5, low_, high_)  # type: ignore[arg-type]  # of the table
    assert store.shape == (8, 8, 5)
    assert np.array_equal(store.images, values[[0, 2, 4, 1, 3, 5]].astype(dtype_))


@pytest.mark.parametrize("channels", [1, 5])
@pytest.mark.parametrize("dtype", [np.bool_, np.int64, np.float32])
def test_arrays_of_0_and_1_are_black_and_white(tmp_path: Path, dtype: Any, channels: int) -> None:
    values = np.random.default_rng(0).integers(0, 2, (6, 8, 8, channels))
    np.savez(tmp_path / "in.npz", x=values.astype(dtype), y=np.array([0, 1, 0, 1, 0, 1]))
    store = imported(tmp_path / "in.npz", width=8, height=8, color="all")
    assert np.array_equal(store.images, values[[0, 2, 4, 1, 3, 5]] * 255)


def test_five_channels_are_no_color(tmp_path: Path) -> None:
    values = np.zeros((4, 8, 8, 5), np.uint8)
    np.savez(tmp_path / "in.npz", x=values, y=np.array([0, 1, 0, 1]))
    with pytest.raises(StudioError, match="import all channels"):
        imported(tmp_path / "in.npz", color="rgb")


@pytest.mark.parametrize("channels", [2, 4])
def test_channels_of_8_bits_without_an_opacity_are_no_color(channels: int) -> None:
    values = np.full((8, 8, channels), 200, np.uint8)
    file = BytesIO()
    kinds = ["unspecified"] * (channels - 1 if channels == 2 else 1)
    photometric = "rgb" if channels == 4 else "minisblack"
    tifffile.imwrite(
        file, values, photometric=photometric, extrasamples=kinds, planarconfig="contig"
    )
    for data in (file.getvalue(), array_file(values)):
        with pytest.raises(BadDataError, match="import all channels"):
            load_image(BytesIO(data), recipe(color="rgb"))


def test_planes_as_channels_are_no_color() -> None:
    stack = BytesIO()
    tifffile.imwrite(stack, np.full((4, 8, 8), 9, np.uint8), photometric="minisblack")
    with pytest.raises(BadDataError, match="import all channels"):
        load_image(stack, recipe(color="rgb", planes="channels"))


def test_missing_values_become_the_end_of_the_range_of_their_channel() -> None:
    values = np.full((8, 8, 2), 3, np.float32)
    values[0, 0], values[0, 1] = np.nan, (np.inf, 7)
    pixels = PixelFormat(dtype="float32", channels=2, low=(-5, 2), high=(4, 90))
    read = load_image(BytesIO(array_file(values)), recipe(color="all", pixels=pixels))
    assert read[0, 0].tolist() == [-5, 2]
    assert read[0, 1].tolist() == [4, 7]


def test_missing_values_are_no_part_of_a_sample() -> None:
    values = np.linspace(200, 300, 64, dtype=np.float32).reshape(8, 8, 1)
    values[0, :4] = np.nan
    pixels = format_for_files(recipe(color="gray"), [array_file(values)]).pixel_format
    assert pixels.low[0] > 200


def test_a_border_keeps_the_range_of_an_image() -> None:
    values = np.linspace(1000, 1100, 32, dtype=np.uint16).reshape(4, 8, 1)
    pixels = PixelFormat.uniform("uint16", 1, 0, 65535).model_copy(update={"per_image": True})
    plan = recipe(color="gray", pixels=pixels, resize="fill", background="#ffffff")
    read = load_image(BytesIO(array_file(values)), plan)
    assert (read.min(), read.max()) == (1000, 1100)


def test_color_of_16_bits_keeps_its_values(tmp_path: Path) -> None:
    values = np.random.default_rng(1).integers(0, 65536, (4, 8, 8, 3), np.uint16)
    for index, pixels in enumerate(values):
        path = tmp_path / "in" / "ab"[index % 2] / f"{index}.png"
        path.parent.mkdir(parents=True, exist_ok=True)
        cv2.imwrite(str(path), pixels[..., ::-1])
    store = imported(tmp_path / "in", width=8, height=8, color="rgb")
    assert store.pixel_format == PixelFormat.uniform("uint16", 3, 0, 65535)
    assert np.array_equal(store.images, values[[0, 2, 1, 3]])


def test_a_few_deep_images_do_not_change_a_set_of_8_bits(tmp_path: Path) -> None:
    for index in range(6):
        pixels = np.full((8, 8), index, np.uint16 if index == 5 else np.uint8)
        path = tmp_path / "in" / "ab"[index % 2] / f"{index}.png"
        path.parent.mkdir(parents=True, exist_ok=True)
        Image.fromarray(pixels).save(path)
    assert imported(tmp_path / "in").pixel_format.is_standard


@settings(max_examples=30)
@given(
    arrays.arrays(
        st.sampled_from([np.uint16, np.float32, np.uint8]),
        st.tuples(st.integers(1, 9), st.integers(1, 9), st.integers(1, 6)),
        elements={"allow_nan": False, "allow_infinity": False},
    )
)
def test_arrays_come_back_as_they_are(pixels: NDArray[Any]) -> None:
    height, width, channels = pixels.shape
    name: Any = pixels.dtype.name
    kept = recipe(
        width=width, height=height, color="all", pixels=PixelFormat.uniform(name, channels, 0, 1)
    )
    found = load_image(BytesIO(array_file(pixels)), kept)
    assert found.dtype == pixels.dtype
    assert np.array_equal(found, pixels)


@given(
    arrays.arrays(
        np.uint16, st.tuples(st.integers(1, 9), st.integers(1, 9), st.sampled_from([1, 3]))
    )
)
def test_png_of_16_bits_comes_back(pixels: NDArray[np.uint16]) -> None:
    height, width, channels = pixels.shape
    stated = PixelFormat.uniform("uint16", channels, 0, 65535)
    data = encode(pixels, recipe(encoding="png", pixels=stated))
    assert np.array_equal(decode(data, (height, width, channels), "uint16"), pixels)


def test_histograms_of_channels(tmp_path: Path) -> None:
    many = np.linspace(0, 1, 6 * 8 * 8 * 5, dtype=np.float32).reshape(6, 8, 8, 5)
    np.savez(tmp_path / "many.npz", x=many, y=np.array([0, 1, 0, 1, 0, 1]))
    report = preview_import(recipe(tmp_path / "many.npz", color="all"), Listener())
    assert [sum(each.counts) for each in report.histograms] == [6 * 8 * 8] * 5
    assert report.document()["pixel_format"] == {
        "dtype": "float32",
        "channels": 5,
        "low": 0,
        "high": 1,
    }


def test_loss_is_reported(camera: Path) -> None:
    def warnings(**values: object) -> list[str]:
        chosen = recipe(source=str(camera), color="gray", **values)
        return [str(each) for each in preview_import(chosen, Listener()).warnings]

    assert warnings() == []
    assert "at most 256 gray levels remain" in warnings(bit_depth="8")[0]
    assert "the value range is 0 to 1000" in warnings(value_range="0-1000")[0]


def test_suggested_colors(tmp_path: Path, camera: Path) -> None:
    assert suggest_recipe(camera).color == "gray"
    for channels, color in ((1, "gray"), (3, "rgb"), (5, "all")):
        pixels = np.random.default_rng(0).integers(0, 4000, (6, 8, 8, channels), np.uint16)
        np.savez(tmp_path / f"{channels}.npz", x=pixels, y=np.array([0, 1, 0, 1, 0, 1]))
        assert suggest_recipe(tmp_path / f"{channels}.npz").color == color


def named_channels(tmp_path: Path) -> None:
    """Write images of two channels with names."""
    for index in range(8):
        file = tmp_path / "in" / "ab"[index % 2] / f"{index}.ome.tif"
        file.parent.mkdir(parents=True, exist_ok=True)
        values = np.full((2, 8, 8), index, np.uint16)
        names = {"Channel": {"Name": ["DAPI", "GFP"]}}
        tifffile.imwrite(file, values, metadata={"axes": "CYX", **names})


def test_names_of_channels_are_kept(tmp_path: Path) -> None:
    named_channels(tmp_path)
    store = imported(tmp_path / "in", width=8, height=8, color="all")
    assert store.pixel_format.names == ("DAPI", "GFP")


def test_added_images_have_the_format_of_the_dataset(camera: Path) -> None:
    store = imported(camera)
    folder = store.path.parent
    added = recipe_to_add(folder, store.recipe, store.counts(), [camera])
    report = preview_import(added, Listener())
    assert report.stored == store.pixel_format
    assert report.count == 16
    assert report.warnings == ()


def test_images_reduced_to_8_bits_stay_as_they_are_where_others_are_added(camera: Path) -> None:
    store = imported(camera, bit_depth="8", value_range="0-2047")
    asked = store.recipe.changed(pixels=None)
    added = recipe_to_add(store.path.parent, asked, store.counts(), [camera])
    both = imported_recipe(added, camera.with_name("both"))
    assert len(both.images) == 16
    found = {image.tobytes() for image in both.images[:]}
    assert found == {image.tobytes() for image in store.images[:]}


def test_added_images_keep_the_names_of_channels(tmp_path: Path) -> None:
    named_channels(tmp_path)
    store = imported(tmp_path / "in", width=8, height=8, color="all")
    asked = store.recipe.changed(pixels=None)
    added = recipe_to_add(store.path.parent, asked, store.counts(), [tmp_path / "in"])
    assert added.pixels == store.pixel_format


def test_a_value_range_of_8_bits_is_kept_with_8_bits(tmp_path: Path) -> None:
    files = [array_file(np.full((8, 8), 9, np.uint8))]
    found = format_for_files(recipe(color="gray", bit_depth="8", value_range="5-90"), files)
    assert found.pixel_format == PixelFormat.uniform("uint8", 1, 5, 90)


def test_declared_bits_decide_about_the_range_of_dark_images() -> None:
    file = BytesIO()
    dark = np.full((1, 8, 8), 40, np.uint16)
    tifffile.imwrite(file, dark, ome=True, metadata={"axes": "CYX", "SignificantBits": 12})
    found = format_for_files(recipe(color="gray"), [file.getvalue()])
    assert found.pixel_format.high == (4095,)


@pytest.mark.parametrize("channels", [2, 4])
def test_two_or_four_channels_of_an_array_are_kept(tmp_path: Path, channels: int) -> None:
    values = np.random.default_rng(0).integers(0, 256, (4, 8, 8, channels), np.uint8)
    np.savez(tmp_path / "in.npz", x=values, y=np.array([0, 0, 1, 1]))
    assert suggest_recipe(tmp_path / "in.npz").color == "all"
    store = imported(tmp_path / "in.npz", color="all", width=8, height=8)
    assert np.array_equal(store.images, values)


@pytest.mark.parametrize("dtype", [np.uint8, np.float32])
def test_images_of_another_type_are_left_out(camera: Path, dtype: Any) -> None:
    Image.fromarray(np.full((8, 8), 200, dtype)).save(camera / "a" / "other.tif")
    report = preview_import(recipe(source=str(camera), color="gray"), Listener())
    assert report.count == 8
    assert [each.path for each in report.skipped] == ["a/other.tif"]
    assert "brightness cannot be compared" in str(report.skipped[0].reason)


def test_an_audit_works_on_the_scale_of_8_bits(camera: Path) -> None:
    Image.open(camera / "a" / "0.png").save(camera / "a" / "copy.png")
    folder = imported(camera).path.parent
    report = audit_dataset(folder, AuditPlan(dataset="d", doubt_labels=False), Listener())
    assert ("exact_duplicates", 1) in [(each.kind, each.count) for each in report.findings]
    assert report.statistics.color_mean == [pytest.approx(127.5, abs=0.1)]


@pytest.mark.parametrize("form", ["folders", "npz"])
def test_exported_pixels_come_back(camera: Path, tmp_path: Path, form: str) -> None:
    store = imported(camera)
    made = export_dataset(store, form, ["train", "val"], tmp_path / "out", "set", Listener())
    again = imported(made)
    assert again.pixel_format == store.pixel_format
    assert np.array_equal(
        np.sort(again.images[:][:, 0, 0, 0]), np.sort(store.images[:][:, 0, 0, 0])
    )


def test_fractions_are_no_png(tmp_path: Path) -> None:
    values = np.random.default_rng(0).random((6, 8, 8), np.float32)
    np.savez(tmp_path / "in.npz", x=values, y=np.array([0, 1, 0, 1, 0, 1]))
    store = imported(tmp_path / "in.npz", width=8, height=8)
    with pytest.raises(StudioError, match="PNG files cannot hold"):
        export_dataset(store, "folders", ["train"], tmp_path / "out", "set", Listener())


def test_an_audit_of_many_channels(tmp_path: Path) -> None:
    values = np.random.default_rng(0).random((8, 8, 8, 5), np.float32)
    np.savez(tmp_path / "in.npz", x=values, y=np.array([0, 1] * 4))
    store = imported(tmp_path / "in.npz", width=8, height=8, color="all")
    report = audit_dataset(
        store.path.parent, AuditPlan(dataset="d", doubt_labels=False), Listener()
    )
    assert len(report.statistics.color_mean) == 5
    with Image.open(store.path.parent / report.statistics.mean_images["train"]) as mean:
        assert mean.mode == "RGB"


@pytest.mark.parametrize("encoding", ["raw", "png"])
def test_a_canceled_import_of_16_bits_continues(
    camera: Path, tmp_path: Path, encoding: str
) -> None:
    chosen = recipe(camera, width=16, height=16, color="gray", encoding=encoding)
    import_dataset(chosen, tmp_path / "whole", Listener())
    counted = Listener()
    preview_import(chosen, counted)
    with pytest.raises(Cancelled):
        import_dataset(chosen, tmp_path / "part", Listener(cancel_after=len(counted.steps) - 3))
    assert not (tmp_path / "part" / FILE_NAME).exists()
    import_dataset(chosen, tmp_path / "part", Listener())
    whole, part = (Store.open(tmp_path / name) for name in ("whole", "part"))
    assert np.array_equal(whole.images[:], part.images[:])
    summaries = [(tmp_path / name / SUMMARY_NAME).read_bytes() for name in ("whole", "part")]
    assert summaries[0] == summaries[1]


def test_only_the_beginning_of_a_large_archive_is_sampled(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def pixels() -> PixelFormat:
        report = preview_import(recipe(tmp_path / "in.tar", color="gray"), Listener())
        assert report.stored is not None
        return report.stored

    with tarfile.open(tmp_path / "in.tar", "w") as archive:
        for index in range(150):
            data = BytesIO()
            value = np.full((8, 8), index, np.uint8 if index < 70 else np.uint16)
            Image.fromarray(value).save(data, "PNG")
            entry = tarfile.TarInfo(f"{'ab'[index % 2]}/{index:03}.png")
            entry.size = data.tell()
            data.seek(0)
            archive.addfile(entry, data)
    assert pixels().dtype == "uint16"
    monkeypatch.setattr(pixel_sample, "_READ_AHEAD", 0)
    assert pixels().is_standard


@pytest.mark.parametrize(
    ("highest", "most"), [(255, 255), (256, 1023), (4095, 4095), (4096, 16383), (65535, 65535)]
)
def test_the_range_of_a_camera_is_that_of_the_fewest_bits(highest: float, most: float) -> None:
    assert camera_range(highest) == (0, most)
