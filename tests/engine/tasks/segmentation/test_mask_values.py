"""How mask files hold classes: numbers, palettes, colors, black and white."""

from __future__ import annotations

from collections.abc import Callable
from io import BytesIO
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from PIL import Image

from studio.engine.errors import BadDataError, StudioError
from studio.engine.tasks.annotation_files.classes import ClassTable
from studio.engine.tasks.annotations import IGNORE
from studio.engine.tasks.segmentation.mask_coding import MaskCoding, coding_of
from studio.engine.tasks.segmentation.mask_statistics import inspect
from studio.engine.tasks.segmentation.mask_survey import MaskSurvey
from studio.engine.tasks.segmentation.values import ValueTable

RED, GREEN, BLACK = (255, 0, 0), (0, 128, 0), (0, 0, 0)


def file_of(pixels: NDArray[Any], kind: str = "PNG", mode: str | None = None) -> bytes:
    image = Image.fromarray(pixels)
    buffer = BytesIO()
    (image if mode is None else image.convert(mode)).save(buffer, kind)
    return buffer.getvalue()


def coded(
    *files: bytes, known: ClassTable | None = None, mode: str = "auto", ignore: str = ""
) -> MaskCoding:
    survey = MaskSurvey()
    for number, data in enumerate(files):
        survey.add(f"{number}.png", inspect(data))
    return coding_of(survey, known or ClassTable(), mode, ignore)


def table_of(
    *files: bytes, known: ClassTable | None = None, mode: str = "auto", ignore: str = ""
) -> tuple[ValueTable, ClassTable]:
    found = coded(*files, known=known, mode=mode, ignore=ignore)
    return found.table, found.classes


def with_palette(values: list[list[int]], colors: dict[int, tuple[int, int, int]]) -> bytes:
    pixels = np.array(values, np.uint8)
    image = Image.new("P", (pixels.shape[1], pixels.shape[0]))
    image.putdata(pixels.ravel().tolist())
    palette = [0] * 768
    for value, color in colors.items():
        palette[3 * value : 3 * value + 3] = color
    image.putpalette(palette)
    buffer = BytesIO()
    image.save(buffer, "PNG")
    return buffer.getvalue()


def test_numbers_are_classes_in_their_order_and_255_is_one_unless_it_is_ignored() -> None:
    data = file_of(np.array([[0, 7], [2, 255]], np.uint8))
    found = coded(data)
    assert found.table == ValueTable("index", (0, 2, 7, 255))
    assert found.classes == ClassTable(("0", "2", "7", "255"))
    assert any("255 (1 pixels, 25.0%) is a class" in text for text in found.warnings)
    found = coded(data, ignore="255")
    assert found.table == ValueTable("index", (0, 2, 7), 255)
    assert found.table.mask(data, (2, 2)).tolist() == [[0, 2], [1, IGNORE]]


@pytest.mark.parametrize("is_lossless", [False, True])
@pytest.mark.parametrize("has_alpha", [False, True])
def test_lossy_webp_is_recognized_by_its_chunks(*, is_lossless: bool, has_alpha: bool) -> None:
    pixels = np.zeros((32, 32), np.uint8)
    pixels[8:20, 8:20] = 1
    image = Image.fromarray(pixels).convert("RGBA" if has_alpha else "RGB")
    if has_alpha:
        image.putalpha(Image.fromarray(pixels * 100 + 100))
    buffer = BytesIO()
    image.save(buffer, "WEBP", lossless=is_lossless, quality=80)
    assert inspect(buffer.getvalue()).is_lossy == (not is_lossless)


@pytest.mark.parametrize("levels", [(0, 255), (20, 230)])
def test_levels_of_lossy_webp_are_those_before_its_noise(levels: tuple[int, int]) -> None:
    rows, columns = np.mgrid[:96, :96]
    classes = ((rows - 30) ** 2 + (columns - 30) ** 2 < 400).astype(np.uint8)
    data = file_of(np.array(levels, np.uint8)[classes], "WEBP")
    found = coded(data)
    assert len(found.classes.names) == 2
    assert np.mean(found.table.mask(data, (96, 96)) == classes) > 0.99
    assert any("were assigned to the near" in text for text in found.warnings)


@pytest.mark.parametrize("mode", ["L", "1", "RGB", "LA", "RGBA"])
def test_black_and_white_is_recognized_in_every_mode(mode: str) -> None:
    data = file_of(np.array([[0, 255], [255, 0]], np.uint8), mode=mode)
    table, classes = table_of(data)
    assert classes.names == ("background", "foreground")
    assert table.mask(data, (2, 2)).tolist() == [[0, 1], [1, 0]]


def test_a_binary_mask_with_soft_edges_or_as_jpeg_is_read_by_its_halves() -> None:
    pixels = np.zeros((16, 16), np.uint8)
    pixels[:, 8:] = 255
    soft = file_of(np.asarray(Image.fromarray(pixels).resize((32, 32))))
    jpeg = file_of(pixels, "JPEG")
    table, _ = table_of(soft, jpeg, mode="binary")
    assert np.array_equal(table.mask(jpeg, (16, 16)), pixels // 255)
    assert np.array_equal(table.mask(soft, (32, 32))[:, [0, 15, 16, 31]], [[0, 0, 1, 1]] * 32)
    with pytest.raises(StudioError, match="two classes; received 3"):
        table_of(jpeg, known=ClassTable(("a", "b", "c")), mode="binary")


def test_a_palette_gives_colors_to_numbers() -> None:
    data = with_palette([[0, 1], [15, 255]], {0: BLACK, 1: RED, 15: GREEN, 255: (224, 224, 192)})
    table, classes = table_of(data)
    assert classes == ClassTable(("0", "1", "15"), ("#000000", "#ff0000", "#008000"))
    assert table.mask(data, (2, 2)).tolist() == [[0, 1], [2, IGNORE]]


def test_palettes_that_differ_by_file_are_read_by_their_colors_if_those_are_known() -> None:
    one = with_palette([[0, 1]], {0: BLACK, 1: RED})
    other = with_palette([[0, 1]], {0: RED, 1: BLACK})
    known = ClassTable(("ground", "car"), ("#000000", "#ff0000"))
    table, classes = table_of(one, other, known=known)
    assert classes == known
    assert table.mask(one, (2, 1)).tolist() == [[0, 1]]
    assert table.mask(other, (2, 1)).tolist() == [[1, 0]]


def test_colors_are_classes() -> None:
    data = file_of(np.array([[BLACK, RED], [GREEN, RED]], np.uint8))
    table, classes = table_of(data)
    assert classes == ClassTable(*[("#000000", "#008000", "#ff0000")] * 2)
    assert table.mask(data, (2, 2)).tolist() == [[0, 2], [1, 2]]
    table, classes = table_of(data, ignore="#000000")
    assert table.mask(data, (2, 2)).tolist() == [[IGNORE, 1], [0, 1]]


def test_a_color_without_a_class_refuses_the_file() -> None:
    data = file_of(np.array([[BLACK, RED], [GREEN, RED]], np.uint8))
    known = ClassTable(("a", "b"), ("#000000", "#ff0000"))
    table, _ = table_of(data, known=known)
    with pytest.raises(BadDataError, match="the color #008000 belongs to no class"):
        table.mask(data, (2, 2))
    with pytest.raises(StudioError, match="only names"):
        table_of(data, known=ClassTable(("a", "b")))


def test_named_numbers_pass_over_the_ignored_one() -> None:
    data = file_of(np.array([[0, 1, 2, 3]], np.uint8))
    known = ClassTable(("wall", "floor"))
    table, _ = table_of(data, known=known, ignore="0")
    assert table.codes == (1, 2)
    with pytest.raises(BadDataError, match="the value 3 belongs to no class"):
        table.mask(data, (4, 1))
    assert table.mask(file_of(np.array([[0, 1, 2]], np.uint8)), (3, 1)).tolist() == [
        [IGNORE, 0, 1]
    ]


@pytest.mark.parametrize("kind", ["PNG", "TIFF"])
def test_large_numbers_are_read(kind: str) -> None:
    data = file_of(np.array([[0, 1000], [60_000, 1000]], np.uint16), kind)
    table, classes = table_of(data)
    assert classes.names == ("0", "1000", "60000")
    assert table.mask(data, (2, 2)).tolist() == [[0, 1], [2, 1]]


@pytest.mark.parametrize("value", [np.nan, np.inf, -1.0, 0.5, 1e9])
def test_numbers_that_are_none_are_refused(value: float) -> None:
    data = file_of(np.array([[0, value]], np.float32), "TIFF")
    with pytest.raises(BadDataError, match="not integers"):
        inspect(data)
    with pytest.raises(BadDataError, match="not integers"):
        ValueTable("index", (0, 1)).mask(data, (2, 1))


def test_photographs_are_no_masks() -> None:
    noise = np.random.default_rng(0).integers(0, 256, (40, 40, 3), np.uint8)
    with pytest.raises(BadDataError, match="looks like a photo"):
        inspect(file_of(noise))
    with pytest.raises(BadDataError, match="1,600 of its 1,600 pixels have"):
        ValueTable("color", (0,)).mask(file_of(noise), (40, 40))
    with pytest.raises(BadDataError, match="is colored"):
        ValueTable("index", (0,)).mask(file_of(noise), (40, 40))


def test_another_size_and_damage_are_refused() -> None:
    data = file_of(np.zeros((4, 6), np.uint8))
    table = ValueTable("index", (0,))
    with pytest.raises(BadDataError, match="6x4 pixels, but its image has 4x6"):
        table.mask(data, (4, 6))
    for broken in (b"", b"no", data[:40]):
        with pytest.raises(BadDataError):
            table.mask(broken, (6, 4))


@pytest.mark.parametrize("ignore", ["x", "-1", "70000", "#12345", "#ffffffff", "1.5"])
def test_an_ignored_value_that_is_none_is_refused(ignore: str) -> None:
    number = file_of(np.array([[0, 1]], np.uint8))
    color = file_of(np.array([[BLACK, RED]], np.uint8))
    for data in (number, color):
        with pytest.raises(StudioError, match="received"):
            table_of(data, ignore=ignore)


def numbered(*values: int) -> bytes:
    return file_of(np.repeat(np.array([values], np.uint8), 4, axis=0).repeat(4, axis=1))


@pytest.mark.parametrize("first", [lambda _: 1, lambda number: 1 + 4 * number])
def test_values_that_number_objects_are_pointed_out(first: Callable[[int], int]) -> None:
    counts = range(1, 9)
    masks = [numbered(0, *range(first(count), first(count) + count)) for count in counts]
    assert any("appear to number objects" in str(text) for text in coded(*masks).warnings)


def test_values_of_classes_are_no_numbers_of_objects() -> None:
    masks = [numbered(0, *{1 + index % 11, 1 + index * 5 % 11, 11}) for index in range(20)]
    assert coded(*masks).warnings == []
    masks = [numbered(*range(1 + index % 3)) for index in range(9)]
    assert coded(*masks).warnings == []


def test_the_middle_of_black_and_white_is_white() -> None:
    data = file_of(np.array([[0, 49, 50, 51, 100]], np.uint8))
    table = ValueTable("binary", (0, 100))
    assert table.mask(data, (5, 1)).tolist() == [[0, 0, 1, 1, 1]]


@pytest.mark.parametrize(("values", "ignored"), [([[0, 0, 255]], None), ([[0, 1, 255]], IGNORE)])
def test_white_beside_black_alone_is_not_ignored_for_more_names(
    values: list[list[int]], ignored: int | None
) -> None:
    data = file_of(np.array(values, np.uint8))
    table, _ = table_of(data, known=ClassTable(("a", "b", "c", "d")), mode="index")
    assert table.ignored == ignored
