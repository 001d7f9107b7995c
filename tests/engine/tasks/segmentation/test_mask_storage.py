"""Conformance of masks: written by Pillow in every mode, read back pixel by pixel, and counted."""

from __future__ import annotations

from collections.abc import Callable
from io import BytesIO
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray
from PIL import Image, ImageFilter

from studio.engine.errors import BadDataError, StudioError
from studio.engine.messages import Message, Text
from studio.engine.tasks.annotation_files.classes import ClassTable
from studio.engine.tasks.annotations import IGNORE
from studio.engine.tasks.segmentation.mask_coding import MaskCoding, coding_of
from studio.engine.tasks.segmentation.mask_statistics import inspect
from studio.engine.tasks.segmentation.mask_survey import MaskSurvey

Labels = NDArray[np.uint8]
NO_CLASSES = ClassTable()


def labels(count: int, seed: int = 0, width: int = 60, height: int = 40) -> Labels:
    """A mask with rectangles of every class."""
    random = np.random.default_rng(seed)
    mask = np.zeros((height, width), np.uint8)
    for label in range(1, count):
        left, top = int(random.integers(0, 2)) + 9 * label, int(random.integers(2, 10))
        mask[top : top + 20, left : left + 8] = label
    return mask


def encoded(image: Image.Image, kind: str = "PNG", **options: Any) -> bytes:
    buffer = BytesIO()
    image.save(buffer, kind, **options)
    return buffer.getvalue()


def coded(
    *files: bytes, known: ClassTable = NO_CLASSES, mode: str = "auto", ignore: str = ""
) -> MaskCoding:
    survey = MaskSurvey()
    for number, data in enumerate(files):
        survey.add(f"masks/{number}.png", inspect(data))
    return coding_of(survey, known, mode, ignore)


def read(coding: MaskCoding, data: bytes, size: tuple[int, int] = (60, 40)) -> Labels:
    return coding.table.mask(data, size)


def numbers(values: list[int], mode: str) -> Callable[[Labels], Image.Image]:
    kind = np.uint16 if max(values) > IGNORE else np.uint8
    return lambda mask: Image.fromarray(np.array(values, kind)[mask]).convert(mode)


def paletted(mask: Labels) -> Image.Image:
    image = Image.fromarray(mask)
    image.putpalette([0, 0, 0, 200, 10, 20, 20, 100, 240])
    return image


def transparent(colors: list[tuple[int, int, int, int]]) -> Callable[[Labels], Image.Image]:
    return lambda mask: Image.fromarray(np.array(colors, np.uint8)[mask])


THREE: dict[str, Callable[[Labels], Image.Image]] = {
    "L": numbers([0, 1, 2], "L"),
    "gray levels": numbers([0, 128, 255], "L"),
    "gray levels as RGB": numbers([0, 128, 255], "RGB"),
    "gray levels with alpha": numbers([0, 128, 255], "LA"),
    "RGBA": numbers([0, 128, 255], "RGBA"),
    "palette": paletted,
    "16 bit": lambda mask: Image.fromarray(np.array([0, 300, 60_000], np.uint16)[mask]),
    "colors": lambda mask: Image.fromarray(
        np.array([[0, 0, 0], [0, 128, 0], [255, 0, 0]], np.uint8)[mask]
    ),
    "colors on transparent ground": transparent(
        [(0, 0, 0, 0), (0, 128, 0, 255), (255, 0, 0, 255)]
    ),
    "alpha levels": transparent([(9, 9, 9, 0), (9, 9, 9, 128), (9, 9, 9, 255)]),
}
TWO: dict[str, Callable[[Labels], Image.Image]] = {
    "1 bit": lambda mask: Image.fromarray(mask * 255).convert("1"),
    "black and white": numbers([0, 255], "L"),
    "black and white as RGB": numbers([0, 255], "RGB"),
    "16 bit": lambda mask: Image.fromarray(mask.astype(np.uint16) * 65_535),
    "white with alpha": transparent([(255, 255, 255, 0), (255, 255, 255, 255)]),
    "red with alpha": transparent([(0, 0, 0, 0), (255, 0, 0, 255)]),
    "black with alpha": transparent([(0, 0, 0, 0), (0, 0, 0, 255)]),
    "half transparent": transparent([(0, 0, 0, 0), (255, 0, 0, 100)]),
}


@pytest.mark.parametrize("name", THREE)
def test_three_classes_in_every_mode(name: str) -> None:
    masks = [labels(3, seed) for seed in range(3)]
    files = [encoded(THREE[name](mask)) for mask in masks]
    coding = coded(*files)
    assert len(coding.classes.names) == 3
    for mask, data in zip(masks, files, strict=True):
        assert np.array_equal(read(coding, data), mask)


@pytest.mark.parametrize("name", TWO)
def test_two_classes_in_every_mode(name: str) -> None:
    masks = [labels(2, seed) for seed in range(3)]
    files = [encoded(TWO[name](mask)) for mask in masks]
    coding = coded(*files)
    assert coding.classes.names == ("background", "foreground")
    for mask, data in zip(masks, files, strict=True):
        assert np.array_equal(read(coding, data), mask)


def test_the_alpha_of_a_cut_out_photo_is_the_mask() -> None:
    random = np.random.default_rng(0)
    mask = labels(2)
    photo = random.integers(0, 256, (40, 60, 4), np.uint8)
    photo[..., 3] = mask * 255
    coding = coded(data := encoded(Image.fromarray(photo)))
    assert np.array_equal(read(coding, data), mask)
    assert "transparency" in coding.warnings[0]


def test_colors_and_alpha_that_both_may_be_the_classes_are_refused() -> None:
    image = transparent([(0, 0, 0, 0), (0, 0, 0, 255), (255, 0, 0, 255)])(labels(3))
    with pytest.raises(StudioError, match=r"Transparent pixels .*masks/0\.png"):
        coded(encoded(image))


def test_several_frames_are_refused() -> None:
    frames = [Image.fromarray(labels(2, seed)) for seed in range(2)]
    data = encoded(frames[0], "TIFF", save_all=True, append_images=frames[1:])
    with pytest.raises(BadDataError, match="2 frames"):
        inspect(data)


# Noise


def nearest(values: list[int], image: Image.Image) -> Labels:
    pixels = np.asarray(image, np.int64)[..., None]
    apart = np.abs(pixels - values)[..., ::-1]
    found: Labels = (len(values) - 1 - apart.argmin(axis=-1)).astype(np.uint8)
    return found


def enlarged(mask: Labels) -> Labels:
    return mask.repeat(4, axis=0).repeat(4, axis=1)[2:-2, 2:-2]


def shrunk(image: Image.Image) -> Image.Image:
    return image.resize((60, 40), Image.Resampling.BICUBIC)


@pytest.mark.parametrize("values", [[0, 255], [0, 128, 255], [0, 200]], ids=str)
@pytest.mark.parametrize("kind", ["soft", "blurred", "jpeg", "jpeg as png"])
def test_noise_is_assigned_to_the_nearest_level_with_counts(values: list[int], kind: str) -> None:
    files, images = [], []
    for seed in range(4):
        large = numbers(values, "L")(enlarged(labels(len(values), seed)))
        image = shrunk(large)
        if kind == "blurred":
            image = numbers(values, "L")(labels(len(values), seed)).filter(
                ImageFilter.GaussianBlur(1)
            )
        if kind.startswith("jpeg"):
            image = numbers(values, "L")(labels(len(values), seed))
            image = Image.open(BytesIO(encoded(image, "JPEG", quality=75)))
        files.append(encoded(image, "JPEG" if kind == "jpeg" else "PNG"))
        images.append(Image.open(BytesIO(files[-1])))
    coding = coded(*files)

    assert len(coding.classes.names) == len(values)
    for data, image in zip(files, images, strict=True):
        assert np.array_equal(read(coding, data), nearest(list(coding.table.codes), image))
    pixels = np.concatenate([np.asarray(image).ravel() for image in images])
    changed = int((~np.isin(pixels, coding.table.codes)).sum())
    assert counts_in(coding.warnings, "count") == [changed]
    assert counts_in(coding.warnings, "total") == [pixels.size]


def counts_in(warnings: list[Text], name: str) -> list[int]:
    """Values of a name in the warnings about noise."""
    return [
        int(each.values[name])
        for each in warnings
        if isinstance(each, Message) and "assigned" in each.template
    ]


def test_a_stray_pixel_is_no_class() -> None:
    masks = [labels(2, seed) * 255 for seed in range(4)]
    masks[2][1, 1] = 37
    coding = coded(*(encoded(Image.fromarray(mask)) for mask in masks))
    assert coding.classes.names == ("background", "foreground")
    (warning,) = coding.warnings
    assert "1 of 9,600 pixels" in warning
    assert "neither 0 nor 255" in warning
    assert "masks/2.png" in warning


def test_a_class_of_a_single_mask_is_kept_among_noise() -> None:
    masks = [labels(2, seed) * 255 for seed in range(40)]
    masks[33][30:38, 50:58] = 128
    files = [encoded(Image.fromarray(mask), "JPEG", quality=80) for mask in masks]
    assert coded(*files).table.codes == (0, 128, 255)


@pytest.mark.parametrize("count", [3, 21, 60, 150])
def test_indexes_are_never_noise(count: int) -> None:
    mask = np.arange(count, dtype=np.uint8).repeat(36).reshape(count * 3, 12)
    mask[0, ::2] = count - 1
    coding = coded(data := encoded(Image.fromarray(mask)))
    assert coding.table.codes == tuple(range(count))
    assert np.array_equal(coding.table.mask(data, mask.shape[::-1]), mask)
    assert any("each is a class" in text for text in coding.warnings) == (count > 40)


def test_noise_that_hides_the_classes_is_refused() -> None:
    index = Image.fromarray(labels(3))
    with pytest.raises(StudioError, match=r"JPEG or lossy WebP files, for example masks/0\.png"):
        coded(encoded(index, "JPEG"))
    matte = np.linspace(0, 255, 2400).astype(np.uint8).reshape(40, 60)
    with pytest.raises(StudioError, match="it is unclear which values are classes"):
        coded(encoded(Image.fromarray(np.random.default_rng(0).permuted(matte // 4))))


def test_soft_borders_of_colors() -> None:
    colors = np.array([[0, 0, 0], [0, 128, 0], [255, 0, 0]], np.uint8)
    masks = [enlarged(labels(3, seed)) for seed in range(3)]
    files = [encoded(shrunk(Image.fromarray(colors[mask]))) for mask in masks]
    coding = coded(*files)
    assert coding.classes.names == ("#000000", "#008000", "#ff0000")
    assert counts_in(coding.warnings, "total") == [7200]
    known = ClassTable(("a", "b", "c"), coding.classes.colors)
    assert coded(*files, known=known).table.is_nearest


def test_a_color_without_a_class_is_no_noise() -> None:
    colors = np.array([[0, 0, 0], [0, 128, 0], [255, 0, 0]], np.uint8)
    data = encoded(Image.fromarray(colors[labels(3)]))
    coding = coded(data, known=ClassTable(("a", "b"), ("#000000", "#008000")))
    with pytest.raises(BadDataError, match=r"#ff0000 belongs to no class \(160 of its 2,400"):
        read(coding, data)


# The value 255, names and palettes


@pytest.mark.parametrize(
    ("values", "names", "codes", "ignored"),
    [
        ([0, 128, 255], 3, (0, 128, 255), None),
        ([0, 1, 255], 2, (0, 1), 255),
        ([0, 1, 2, 255], 3, (0, 1, 2), 255),
        ([0, 255], 2, (0, 255), None),
        ([0, 7, 9], 3, (0, 7, 9), None),
        ([0, 2], 3, (0, 1, 2), None),
    ],
)
def test_named_classes_are_values_in_their_order_or_indexes(
    values: list[int], names: int, codes: tuple[int, ...], ignored: int | None
) -> None:
    known = ClassTable(tuple("abcdef"[:names]))
    coding = coded(encoded(numbers(values, "L")(labels(len(values)))), known=known)
    assert (coding.table.codes, coding.table.ignored) == (codes, ignored)
    assert bool(coding.warnings) == (values not in ([0, 255], [0, 2]))


def test_names_that_fit_no_mask_are_refused() -> None:
    data = encoded(numbers([50, 60, 70], "L")(labels(3)))
    with pytest.raises(StudioError, match=r"values 50, 60, 70, .*received 2 classes"):
        coded(data, known=ClassTable(("a", "b")))


def test_255_is_ignored_by_the_palette_of_voc_and_only_there() -> None:
    mask = np.array([0, 1, 2, 255], np.uint8)[labels(4)]
    plain, image = Image.fromarray(mask), Image.fromarray(mask)
    image.putpalette([0, 0, 0, 128, 0, 0, 0, 128, 0] + [0] * 756 + [224, 224, 192])
    coding = coded(encoded(image))
    assert (coding.table.codes, coding.table.ignored) == ((0, 1, 2), 255)
    assert "160 pixels (6.7%) with the value 255 count as no class" in coding.warnings[0]
    assert coded(encoded(image), ignore="none").table.codes == (0, 1, 2, 255)
    assert coded(encoded(plain)).table.codes == (0, 1, 2, 255)
    assert coded(encoded(plain), ignore="255").table.codes == (0, 1, 2)


def test_palettes_that_contradict_each_other_are_read_by_color() -> None:
    first, second = paletted(labels(3)), Image.fromarray((3 - labels(3)) % 3)
    second.putpalette([0, 0, 0, 20, 100, 240, 200, 10, 20])
    files = [encoded(first), encoded(second)]
    coding = coded(*files)
    assert np.array_equal(read(coding, files[0]), read(coding, files[1]))
    assert "palettes of the masks differ" in coding.warnings[0]


def test_white_ground_is_pointed_out() -> None:
    (warning,) = coded(encoded(Image.fromarray(255 - labels(2) * 255))).warnings
    assert "93.3% of the pixels are white" in warning


@pytest.mark.parametrize("high", [1, 255])
@pytest.mark.parametrize("kind", ["one", "most", "none", "close-up", "half", "filled"])
def test_a_few_inverted_masks_are_pointed_out(kind: str, high: int) -> None:
    masks = [labels(2, seed) for seed in range(5)]
    if kind in ("one", "most"):
        masks = [1 - mask if (n == 3) == (kind == "one") else mask for n, mask in enumerate(masks)]
    if kind == "close-up":
        masks[3][1:-1, 1:-1] = 1
    if kind == "half":
        masks[3][20:] = 1
    if kind == "filled":
        masks[3][:] = 1
        masks[3][20, 30] = 0
    found = coded(*(encoded(Image.fromarray(mask * np.uint8(high))) for mask in masks)).warnings
    said = [text for text in found if "appear to be exchanged" in text]
    assert len(said) == (kind in ("one", "most"))
    border = f"is {high}, and at those of the others 0." if kind == "one" else "is 0, and at"
    assert all(text.startswith("In 1 of 5 masks, such as masks/3.png") for text in said)
    assert all(border in text for text in said)


def test_the_middle_of_dark_masks_divides_them() -> None:
    data = encoded(Image.fromarray(labels(2)))
    coding = coded(data, mode="binary")
    assert np.array_equal(read(coding, data), labels(2))


# Every pixel is read or reported.


FAULTS = st.sampled_from(["clean", "stray", "jpeg", "void", "strange", "size", "photo", "cut"])


@settings(max_examples=25, deadline=None)
@given(faults=st.lists(FAULTS, min_size=2, max_size=5), seed=st.integers(0, 100))
def test_pixels_read_and_reported_are_those_of_the_files(faults: list[str], seed: int) -> None:
    files = [faulty(fault, seed + number) for number, fault in enumerate(["clean", *faults])]
    survey = MaskSurvey()
    sizes: dict[int, int] = {}
    for number, data in enumerate(files):
        try:
            statistics = inspect(data)
        except BadDataError:
            continue
        survey.add(f"{number}", statistics)
        sizes[number] = statistics.size[0] * statistics.size[1]
    try:
        coding = coding_of(survey, NO_CLASSES, "auto", "")
    except StudioError:
        return  # refused as a whole, in words
    counted = ignored = 0
    refused = set[int]()
    for number in sizes:
        try:
            mask = read(coding, files[number])
        except BadDataError:
            refused.add(number)
            continue
        ignored += int((mask == IGNORE).sum())
        counted += int((mask < len(coding.classes.names)).sum())
    left_out = sum(sizes[number] for number in refused)
    assert counted + ignored + left_out == sum(sizes.values()) == survey.numbers.total
    exact = sum(survey.numbers.pixels[code] for code in coding.table.codes)
    reassigned = sum(counts_in(coding.warnings, "count"))
    assert exact + reassigned == survey.numbers.total


def faulty(fault: str, seed: int) -> bytes:
    mask = labels(3, seed)
    pixels = np.array([0, 128, 255], np.uint8)[mask]
    random = np.random.default_rng(seed)
    if fault == "stray":
        pixels[int(random.integers(0, 40)), int(random.integers(0, 60))] = 60
    if fault == "strange":
        pixels[30:39, 40:59] = 77
    if fault == "size":
        pixels = pixels[:30]
    if fault == "photo":
        pixels = random.integers(0, 256, (40, 60), np.uint8)
    if fault == "void":
        pixels[0] = 200
    data = encoded(Image.fromarray(pixels), "JPEG" if fault == "jpeg" else "PNG")
    return data[:60] if fault == "cut" else data
