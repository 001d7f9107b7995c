from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from io import BytesIO
from pathlib import Path

import numpy as np
import pytest
from dataset_pictures import encoded, noise, noise_png, png_that_claims, recipe
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray
from PIL import Image

from studio.engine.arrays import Pixels
from studio.engine.datasets.decode import DecodingMemory, describe, load_image
from studio.engine.errors import BadDataError
from studio.engine.pixel_format import PixelFormat


def load(data: bytes, **values: object) -> Pixels:
    return load_image(BytesIO(data), recipe().changed(**values))


def quarters(width: int, height: int) -> NDArray[np.uint8]:
    """Four corners in four colors: every turn and mirror image looks different."""
    pixels = np.zeros((height, width, 3), np.uint8)
    pixels[: height // 2, : width // 2] = (255, 0, 0)
    pixels[: height // 2, width // 2 :] = (0, 255, 0)
    pixels[height // 2 :, : width // 2] = (0, 0, 255)
    pixels[height // 2 :, width // 2 :] = (250, 250, 0)
    return pixels


# How a camera stores an upright picture for each orientation (EXIF 2.3, figure 6).
STORED_AS = {
    1: lambda a: a,
    2: lambda a: a[:, ::-1],
    3: lambda a: a[::-1, ::-1],
    4: lambda a: a[::-1],
    5: lambda a: a.transpose(1, 0, 2),
    6: lambda a: np.rot90(a, 1),
    7: lambda a: np.rot90(a, 2).transpose(1, 0, 2),
    8: lambda a: np.rot90(a, -1),
}


@pytest.mark.parametrize("kind", ["PNG", "JPEG", "TIFF", "WEBP"])
@pytest.mark.parametrize("orientation", range(1, 9))
def test_exif_turn_is_applied_once(orientation: int, kind: str) -> None:
    upright = quarters(96, 64)
    exif = Image.Exif()
    exif[0x0112] = orientation
    stored = Image.fromarray(np.ascontiguousarray(STORED_AS[orientation](upright)))
    options: dict[str, object] = {"exif": exif}
    if kind == "JPEG":
        options |= {"quality": 95, "subsampling": 0}
    if kind == "WEBP":
        options |= {"lossless": True}
    data = encoded(stored, kind, **options)
    for mode in ("squash", "crop", "fill", "half_crop"):
        turned = load(data, width=24, height=16, resize=mode).astype(int)
        expected = load(encoded(Image.fromarray(upright)), width=24, height=16, resize=mode)
        assert np.abs(turned - expected).mean() < 6
    assert describe(BytesIO(data))[:2] == (96, 64)


def test_shape_and_type_follow_the_recipe() -> None:
    assert load(noise_png(1), width=7, height=5).shape == (5, 7, 3)
    gray = load(noise_png(1), width=7, height=5, color="gray")
    assert gray.shape == (5, 7, 1)
    assert gray.dtype == np.uint8


def test_pixels_of_the_right_size_are_untouched() -> None:
    pixels = noise(3, 8, 8)
    assert np.array_equal(load(encoded(Image.fromarray(pixels))), pixels)


def test_large_jpeg_is_drafted_and_close_to_the_whole_decode() -> None:
    smooth = Image.fromarray(noise(4, 16, 12)).resize((800, 600), Image.Resampling.BICUBIC)
    data = encoded(smooth, "JPEG", quality=95)
    full = np.asarray(
        Image.open(BytesIO(data)).resize((64, 48), Image.Resampling.BILINEAR), np.int16
    )
    assert np.abs(load(data, width=64, height=48) - full).mean() < 1
    gray = load(data, width=64, height=48, color="gray")
    assert gray.shape == (48, 64, 1)


@pytest.mark.parametrize(
    ("kind", "image"),
    [
        ("PNG", Image.new("RGBA", (4, 4), (10, 20, 30, 0))),
        ("PNG", Image.new("LA", (4, 4), (10, 0))),
        ("WEBP", Image.new("RGBA", (4, 4), (10, 20, 30, 0))),
        ("TIFF", Image.new("RGBA", (4, 4), (10, 20, 30, 0))),
    ],
)
def test_transparent_pixels_show_the_background(kind: str, image: Image.Image) -> None:
    options = {"lossless": True} if kind == "WEBP" else {}
    data = encoded(image, kind, **options)
    assert (load(data, background="#c80a14") == (200, 10, 20)).all()


def test_half_transparent_is_blended() -> None:
    data = encoded(Image.new("RGBA", (4, 4), (0, 0, 0, 128)))
    assert abs(int(load(data)[0, 0, 0]) - 127) <= 1
    assert abs(int(load(data, color="gray")[0, 0, 0]) - 127) <= 1


@pytest.mark.parametrize("kind", ["PNG", "GIF"])
def test_palette_with_a_transparent_color(kind: str) -> None:
    image = Image.new("P", (4, 4), 1)
    image.putpalette([255, 0, 0, 0, 0, 255])
    image.putpixel((0, 0), 0)
    pixels = load(encoded(image, kind, transparency=1), width=4, height=4, background="#00ff00")
    assert tuple(pixels[0, 0]) == (255, 0, 0)
    assert tuple(pixels[3, 3]) == (0, 255, 0)


def test_color_key_of_png() -> None:
    data = encoded(Image.new("RGB", (4, 4), (1, 2, 3)), transparency=(1, 2, 3))
    assert (load(data) == 255).all()


@pytest.mark.parametrize("kind", ["PNG", "TIFF", "PPM"])
def test_16_bit_gray_keeps_its_scale(kind: str) -> None:
    values = np.full((4, 4), 32896, np.uint16)  # 128 * 257
    values[0, 0] = 65535
    values[3, 3] = 0
    pixels = load(encoded(Image.fromarray(values), kind), width=4, height=4, color="gray")
    assert (pixels[0, 0, 0], pixels[1, 1, 0], pixels[3, 3, 0]) == (255, 128, 0)


@pytest.mark.parametrize("resize", ["squash", "fill"])
def test_gray_as_color_is_the_gray_picture_three_times(resize: str) -> None:
    values = np.random.default_rng(0).integers(0, 4096, (60, 90), np.uint16)
    data, sizes = encoded(Image.fromarray(values), "PNG"), {"width": 48, "height": 48}
    loaded = {
        color: load(
            data,
            color=color,
            resize=resize,
            bit_depth="source",
            pixels=PixelFormat.uniform("uint16", channels, 0, 4095),
            **sizes,
        )
        for color, channels in (("gray", 1), ("rgb", 3))
    }
    assert loaded["rgb"].shape == (48, 48, 3)
    assert loaded["rgb"].flags.c_contiguous
    assert np.array_equal(loaded["rgb"], np.repeat(loaded["gray"], 3, axis=2))


def test_dark_16_bit_stays_dark() -> None:
    values = np.full((4, 4), 257, np.uint16)
    assert (load(encoded(Image.fromarray(values), "TIFF")) == 1).all()


def test_float_and_32_bit_gray() -> None:
    fraction = np.array([[0.0, 0.5], [1.0, np.nan]], np.float32)
    pixels = load(encoded(Image.fromarray(fraction), "TIFF"), width=2, height=2, color="gray")
    assert pixels[..., 0].tolist() == [[0, 128], [255, 0]]
    wide = np.array([[-100_000, 0], [100_000, 100_000]], np.int32)
    pixels = load(encoded(Image.fromarray(wide), "TIFF"), width=2, height=2, color="gray")
    assert pixels[..., 0].tolist() == [[0, 128], [255, 255]]


@pytest.mark.parametrize("kind", ["JPEG", "TIFF"])
def test_cmyk(kind: str) -> None:
    image = Image.new("CMYK", (16, 16), (0, 255, 255, 0))
    red, green, blue = load(encoded(image, kind))[4, 4].astype(int)
    assert red > 200
    assert max(green, blue) < 60


@pytest.mark.parametrize("kind", ["BMP", "GIF", "PNG", "TIFF"])
def test_black_and_white(kind: str) -> None:
    image = Image.new("1", (4, 4), 1)
    image.putpixel((0, 0), 0)
    pixels = load(encoded(image, kind), width=4, height=4, color="gray")
    assert (pixels[0, 0, 0], pixels[1, 1, 0]) == (0, 255)


def test_first_frame_of_a_moving_gif() -> None:
    frames = [Image.new("RGB", (4, 4), color) for color in ("red", "blue")]
    data = encoded(frames[0], "GIF", save_all=True, append_images=frames[1:])
    assert tuple(load(data)[0, 0]) == (255, 0, 0)


def test_lab_is_refused_by_name() -> None:
    with pytest.raises(BadDataError, match="LAB"):
        load(encoded(Image.new("LAB", (4, 4)), "TIFF"))


def test_the_four_ways_of_resizing() -> None:
    pixels = np.zeros((10, 30, 3), np.uint8)
    pixels[:, 10:20] = 255
    data = encoded(Image.fromarray(pixels))
    options: dict[str, object] = {"width": 30, "height": 30, "background": "#ff0000"}
    squash = load(data, resize="squash", **options)
    assert (squash[:, 15] == 255).all()
    assert (squash[:, 2] == 0).all()
    crop = load(data, resize="crop", **options)
    assert (crop[:, 3:27] == 255).all()
    fill = load(data, resize="fill", **options)
    assert (fill[:10] == (255, 0, 0)).all()
    assert (fill[20:] == (255, 0, 0)).all()
    assert np.array_equal(fill[10:20], pixels)
    half = load(data, resize="half_crop", **options)
    assert (half[:5] == (255, 0, 0)).all()
    assert (half[5:25, 7:23] == 255).all()
    assert (half[25:] == (255, 0, 0)).all()
    gray = load(data, **options, resize="fill", color="gray")
    assert gray[0, 0, 0] == 76  # luma of red


@pytest.mark.parametrize("color", ["rgb", "gray"])
def test_border_of_a_reflection(color: str) -> None:
    pixels = np.repeat(np.arange(0, 240, 8, dtype=np.uint8)[None, :, None], 10, 0)
    pixels = np.repeat(pixels, 3, 2)  # 30 wide, 10 high, brighter to the right
    data = encoded(Image.fromarray(pixels.transpose(1, 0, 2).copy()))
    options: dict[str, object] = {"width": 30, "height": 30, "resize": "fill", "color": color}
    filled = load(data, border="reflect", **options)
    middle = filled[:, 10:20]
    assert np.array_equal(filled[:, 0:10], middle[:, ::-1])
    assert np.array_equal(filled[:, 20:30], middle[:, ::-1])
    assert (filled[:, 15, 0] == pixels[0, :, 0]).all()
    small = load(encoded(Image.new("RGB", (1, 300), (7, 8, 9))), border="reflect", **options)
    assert small.shape == (30, 30, 1 if color == "gray" else 3)


def test_large_pictures_wait_for_room() -> None:
    room = DecodingMemory(12 * 12 * 9 + 100)  # one picture of 12 x 9 and a little more
    running: list[int] = []
    most: list[int] = []

    def decode(seed: int) -> None:
        with room.taken(12 * 12 * 9):
            running.append(seed)
            most.append(len(running))
            load_image(BytesIO(noise_png(seed)), recipe())
            running.remove(seed)

    with ThreadPoolExecutor(4) as pool:
        list(pool.map(decode, range(12)))
    assert max(most) == 1
    with room.taken(10**12):  # more than there is: alone, and not never
        pass
    assert load_image(BytesIO(noise_png(1)), recipe(), room).shape == (8, 8, 3)
    with pytest.raises(BadDataError):
        load_image(BytesIO(noise_png(1)[:-50]), recipe(), room)
    with room.taken(12 * 12 * 9):  # the failed one gave its room back
        pass


@given(
    size=st.tuples(st.integers(1, 300), st.integers(1, 300)),
    target=st.tuples(st.integers(1, 64), st.integers(1, 64)),
    mode=st.sampled_from(["squash", "crop", "fill", "half_crop"]),
    kind=st.sampled_from(["PNG", "JPEG"]),
    border=st.sampled_from(["background", "reflect"]),
)
def test_every_shape_fits(
    size: tuple[int, int], target: tuple[int, int], mode: str, kind: str, border: str
) -> None:
    data = encoded(Image.new("RGB", size, (9, 9, 9)), kind)
    asked = {"width": target[0], "height": target[1], "resize": mode, "border": border}
    pixels = load(data, background="#090909", **asked)
    assert pixels.shape == (target[1], target[0], 3)
    assert (np.abs(pixels.astype(int) - 9) <= 1).all()


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (b"", "empty"),
        (b"this is a text, not a picture", "not an image"),
        (noise_png(1, 64, 64)[:-200], "damaged"),
        (encoded(Image.fromarray(noise(1, 64, 64)), "JPEG")[:-300], "damaged"),
        (png_that_claims(60000, 60000), "million pixels"),
        (png_that_claims(2000, 2000), "damaged"),
        (encoded(Image.new("RGB", (8, 8)), "ICO"), "not an image"),
    ],
)
def test_bad_files_give_a_reason(data: bytes, reason: str) -> None:
    with pytest.raises(BadDataError, match=reason):
        load(data)


@pytest.mark.filterwarnings("ignore::PIL.Image.DecompressionBombWarning")
def test_wide_and_large_pictures_are_read() -> None:
    data = encoded(Image.new("L", (20_000, 5_000), 7))
    assert (load(data, color="gray") == 7).all()


@pytest.mark.filterwarnings("ignore::UserWarning:PIL")
def test_damaged_exif_does_not_cost_the_picture() -> None:
    good = encoded(Image.fromarray(noise(2, 32, 32)), "JPEG")
    broken = b"Exif\x00\x00II*\x00\xff\xff\xff\x7f"
    segment = b"\xff\xe1" + (len(broken) + 2).to_bytes(2, "big") + broken
    assert np.array_equal(load(good[:2] + segment + good[2:]), load(good))


def test_path_and_bytes_give_the_same(tmp_path: Path) -> None:
    path = tmp_path / "ein Bild ä.png"
    path.write_bytes(noise_png(5))
    assert np.array_equal(load_image(path, recipe()), load(noise_png(5)))
    assert describe(path) == (12, 9, "RGB")
    with pytest.raises(BadDataError, match="No such file") as caught:
        load_image(tmp_path / "gone.png", recipe())
    assert caught.value.where.endswith("gone.png")


SEEDS = [
    noise_png(1),
    encoded(Image.fromarray(noise(2, 32, 32)), "JPEG"),
    encoded(Image.fromarray(noise(2, 32, 32)), "JPEG", progressive=True),
    encoded(Image.fromarray(noise(3)), "GIF"),
    encoded(Image.fromarray(noise(3)), "BMP"),
    encoded(Image.fromarray(noise(3)), "TIFF", compression="tiff_lzw"),
    encoded(Image.fromarray(noise(3)), "TIFF"),
    encoded(Image.fromarray(noise(3)), "WEBP"),
    encoded(Image.fromarray(noise(3)), "PPM"),
    encoded(Image.fromarray(noise(3, channels=1)).convert("P"), "PNG", transparency=3),
]


def loads_or_says_why(data: bytes) -> None:
    reasons = []
    try:
        shape = load(data).shape
    except BadDataError as error:
        shape = (8, 8, 3)
        reasons.append(error.message)
    try:
        describe(BytesIO(data))
    except BadDataError as error:
        reasons.append(error.message)
    assert shape == (8, 8, 3)
    assert all(reason and "\n" not in reason for reason in reasons)


@pytest.mark.filterwarnings("ignore::UserWarning:PIL")
@given(st.binary(max_size=200), st.sampled_from([seed[:n] for seed in SEEDS for n in (0, 8, 24)]))
def test_arbitrary_bytes(tail: bytes, head: bytes) -> None:
    loads_or_says_why(head + tail)


@pytest.mark.filterwarnings("ignore::UserWarning:PIL")
@given(
    st.sampled_from(SEEDS),
    st.lists(st.tuples(st.integers(0, 4000), st.integers(0, 255)), max_size=8),
    st.integers(0, 200),
)
def test_flipped_bytes(seed: bytes, changes: list[tuple[int, int]], cut: int) -> None:
    data = bytearray(seed[: len(seed) - cut])
    for index, value in changes:
        if data:
            data[index % len(data)] = value
    loads_or_says_why(bytes(data))
