"""Samples that are written as image files: scanned digits, three digits side by side, shapes."""

from __future__ import annotations

import json
import math
import random
import tempfile
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from studio.engine.csv_cells import CsvWriter
from studio.engine.errors import StudioError
from studio.engine.files import PARTIAL, disk_full_is_clear, move, remove_folder
from studio.engine.messages import as_message
from studio.engine.progress import Progress

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray
    from PIL.Image import Image
    from PIL.ImageDraw import ImageDraw


def written_once(target: Path, count: int, what: str, write: Callable[[Path], None]) -> Path:
    """Let `write` fill a folder that then becomes `target`; a complete one is used as it is.

    Args:
        target: The folder, with folders of numbered files.
        count: Number of files when it is complete.
        what: Name for messages: `"digits"`.
        write: Fills a folder; may raise.

    Returns:
        `target`.

    Raises:
        StudioError: A folder with that name exists and has other content.
        DiskFullError: No space was left; nothing remains.
    """
    if target.exists():
        found = sum(file.stat().st_size > 0 for file in target.glob("*/[0-9]*.*"))
        if found != count:
            raise StudioError(
                "{folder} already exists and contains {stored} of the {count} {what}.",
                "Move or delete that folder, then try again.",
                str(target),
                folder=target,
                stored=found,
                count=count,
                what=as_message(what),
            )
        return target
    with disk_full_is_clear(target):
        target.parent.mkdir(parents=True, exist_ok=True)
        draft = Path(
            tempfile.mkdtemp(prefix=f".{target.name}-", suffix=PARTIAL, dir=target.parent)
        )
        try:
            write(draft)
            draft.chmod(0o755)  # mkdtemp gives a folder to its owner alone
            move(draft, target)
        finally:
            remove_folder(draft, ignore_errors=True)
    return target


_DIGITS = 1797


def write_digits(folder: Path, progress: Progress) -> Path:
    """Write `digits/0/0000.png` … and return the `digits` folder.

    The files contain the measured 8 x 8 pixels, in the order and with the index of scikit-learn's
    table. Its values 0 to 16 are scaled to 0 to 255 by round(value * 255 / 16). The folder appears
    complete or not at all; an existing complete one is used unchanged.

    Args:
        folder: Folder in which it is created.
        progress: Receives the progress and may cancel.

    Raises:
        StudioError: A folder of that name has other content.
        DiskFullError: No space was left; nothing remains.
        Cancelled: The job was asked to end; nothing remains.
    """
    return written_once(
        folder / "digits", _DIGITS, "digits", lambda partial: _write_digit_files(partial, progress)
    )


def _write_digit_files(folder: Path, progress: Progress) -> None:
    from PIL import Image  # noqa: PLC0415 - the window lists the samples at start

    pixels, shown = scanned_digits()
    for digit in range(10):
        (folder / str(digit)).mkdir()
    for index, (image, digit) in enumerate(zip(pixels, shown, strict=True)):
        progress.check()
        Image.fromarray(image).save(folder / str(digit) / f"{index:04}.png")
        progress.advance(index + 1, _DIGITS, "Writing the handwritten digits")


def scanned_digits() -> tuple[NDArray[np.uint8], NDArray[np.int64]]:
    """Return the pictures, 1797 x 8 x 8, and the digit that each shows."""
    # Here, because the window lists the samples at start and these imports take a second.
    import numpy as np  # noqa: PLC0415
    from sklearn.datasets import load_digits  # noqa: PLC0415

    table = load_digits()
    return np.rint(table.images * (255 / 16)).astype(np.uint8), table.target


COUNTS = {"train": 2100, "val": 600, "test": 300}
COUNT = sum(COUNTS.values())
TABLE = "targets.csv"
_TRIPLES_SEED = 20
_Cells = Callable[["NDArray[np.uint8]", list[int]], list[str]]


def write_digit_labels(folder: Path, progress: Progress) -> Path:
    """Write pictures labeled with the digits that occur, and return their table.

    Always the same 3,000 pictures of 8 x 24 pixels, in `digits_multi_label`. The digits of test
    and validation pictures occur in no training picture.

    Args:
        folder: Folder in which they are created.
        progress: Receives the progress and may cancel.

    Raises:
        StudioError: A folder of that name has other content.
        DiskFullError: No space was left; nothing remains.
        Cancelled: The job was asked to end; nothing remains.
    """
    return _write_triples_once(folder / "digits_multi_label", ["digits"], _occurring, progress)


def write_digit_numbers(folder: Path, progress: Progress) -> Path:
    """Write the same pictures to `digits_regression`, with their ink and the digits' sum.

    Args:
        folder: Folder in which they are created.
        progress: Receives the progress and may cancel.

    Raises:
        StudioError: A folder of that name has other content.
        DiskFullError: No space was left; nothing remains.
        Cancelled: The job was asked to end; nothing remains.
    """
    return _write_triples_once(
        folder / "digits_regression", ["ink [%]", "sum"], _measured, progress
    )


def _occurring(_pixels: NDArray[np.uint8], digits: list[int]) -> list[str]:
    return [";".join(map(str, sorted(set(digits))))]


def _measured(pixels: NDArray[np.uint8], digits: list[int]) -> list[str]:
    return [f"{100 * pixels.mean() / 255:.3f}", str(sum(digits))]


def _write_triples_once(
    target: Path, columns: list[str], cells: _Cells, progress: Progress
) -> Path:
    write = partial(_write_triples, columns=columns, cells=cells, progress=progress)
    return written_once(target, COUNT, "pictures", write) / TABLE


def _write_triples(folder: Path, columns: list[str], cells: _Cells, progress: Progress) -> None:
    # Here, because the window lists the samples at start and these imports take a second.
    import numpy as np  # noqa: PLC0415
    from PIL import Image  # noqa: PLC0415

    images, shown = scanned_digits()
    chance = random.Random(_TRIPLES_SEED)  # noqa: S311 - decides what is drawn, nothing more
    order = chance.sample(range(len(images)), len(images))
    (folder / "pictures").mkdir()
    with (folder / TABLE).open("w", newline="", encoding="utf-8") as file:
        table = CsvWriter(file)
        table.writerow(["path", *columns, "split"])
        done = first = 0
        for split, count in COUNTS.items():
            pool = order[first : first + len(order) * count // COUNT]
            first += len(pool)
            for _ in range(count):
                progress.check()
                three = chance.choices(pool, k=3)
                pixels = np.concatenate(images[three], axis=1)
                name = f"pictures/{done:04}.png"
                Image.fromarray(pixels).save(folder / name)
                table.writerow([name, *cells(pixels, shown[three].tolist()), split])
                done += 1
                progress.advance(done, COUNT, "Writing images of three digits")


KINDS = ("circle", "cross", "ring", "square", "star", "triangle")
PER_KIND = 150
SIDE = 64
_SEED = 20
# Drawn larger and shrunk, because Pillow draws without smooth edges.
_OVERSIZE = 4

_CONTRAST = 60

Point = tuple[float, float]
Color = tuple[int, int, int]
Ink = Color | int


def write_shapes(folder: Path, progress: Progress) -> Path:
    """Write `shapes/circle/0000.png` … and return the `shapes` folder.

    Always the same 900 images of 64 x 64 pixels. The folder appears complete or not at all.

    Args:
        folder: Folder in which it is created.
        progress: Receives the progress and may cancel.

    Raises:
        StudioError: A folder of that name has other content.
        DiskFullError: No space was left; nothing remains.
        Cancelled: The job was asked to end; nothing remains.
    """
    return written_once(
        folder / "shapes",
        len(KINDS) * PER_KIND,
        "shapes",
        lambda partial: _write_shape_files(partial, progress),
    )


def _write_shape_files(folder: Path, progress: Progress) -> None:
    chance = random.Random(_SEED)  # noqa: S311 - decides what is drawn, nothing more
    done = 0
    for kind in KINDS:
        (folder / kind).mkdir()
        for index in range(PER_KIND):
            progress.check()
            drawn(kind, chance).save(folder / kind / f"{index:04}.png")
            done += 1
            progress.advance(done, len(KINDS) * PER_KIND, "Drawing shapes")


def drawn(kind: str, chance: random.Random) -> Image:
    """Draw one shape at a random position on a plain background, 64 x 64 pixels in color.

    Args:
        kind: `circle`, `square` and so on.
        chance: Source of randomness.
    """
    from PIL import Image, ImageDraw  # noqa: PLC0415 - the window lists the samples at start

    full = SIDE * _OVERSIZE
    ground, color = _two_colors(chance)
    image = Image.new("RGB", (full, full), ground)
    draw = ImageDraw.Draw(image)
    radius = full * chance.uniform(0.16, 0.34)
    _draw_shape([(draw, color)], kind, radius, _place(radius, chance), chance)
    return image.resize((SIDE, SIDE), Image.Resampling.BOX)


def _draw_shape(
    canvases: Sequence[tuple[ImageDraw, Ink]],
    kind: str,
    radius: float,
    center: Point,
    chance: random.Random,
) -> None:
    """Draw a shape on several canvases, with a color or a number on each."""
    if kind in {"circle", "ring"}:
        box = [center[0] - radius, center[1] - radius, center[0] + radius, center[1] + radius]
        width = round(radius * chance.uniform(0.25, 0.4))
        for draw, ink in canvases:
            if kind == "circle":
                draw.ellipse(box, fill=ink)
            else:
                draw.ellipse(box, outline=ink, width=width)
    else:
        corners = _corners(kind, center, radius, chance.uniform(0, math.tau))
        for draw, ink in canvases:
            draw.polygon(corners, fill=ink)


def _place(radius: float, chance: random.Random) -> Point:
    """Return a center at which a shape lies inside of the picture."""
    high = SIDE * _OVERSIZE - radius
    return chance.uniform(radius, high), chance.uniform(radius, high)


MASKED_COUNT = 900
_MOST_SHAPES = 3
# With it, no two pictures are so much alike that an audit reports them as near duplicates.
_MASKED_SEED = 22


def write_masked_shapes(folder: Path, progress: Progress) -> Path:
    """Write `shapes_segmentation/images/0000.png` … and `masks/0000.png` … below `folder`.

    The same 900 pictures of 64 x 64 pixels with one to three shapes every time. Masks hold the
    class of each pixel, 0 for the ground; `classes.txt` names the classes. The folder appears at
    once and whole.

    Args:
        folder: Folder that the sample is written into.
        progress: Receives the progress and may cancel.

    Raises:
        StudioError: A folder of that name exists and holds something else.
        DiskFullError: No space was left; nothing remains.
        Cancelled: Through `progress`; nothing remains.
    """
    return written_once(
        folder / "shapes_segmentation",
        2 * MASKED_COUNT,
        "images and masks",
        lambda partial: _write_masked_shapes(partial, progress),
    )


def _write_masked_shapes(folder: Path, progress: Progress) -> None:
    chance = random.Random(_MASKED_SEED)  # noqa: S311 - decides what is drawn, nothing more
    for name in ("images", "masks"):
        (folder / name).mkdir()
    names = ("background", *KINDS)
    (folder / "classes.txt").write_text("".join(f"{name}\n" for name in names), encoding="utf-8")
    for index in range(MASKED_COUNT):
        progress.check()
        image, mask = _masked_shapes(chance)
        image.save(folder / "images" / f"{index:04}.png")
        mask.save(folder / "masks" / f"{index:04}.png")
        progress.advance(index + 1, MASKED_COUNT, "Drawing shapes")


def _masked_shapes(chance: random.Random) -> tuple[Image, Image]:
    """Return a picture of some shapes, and the class of each of its pixels."""
    from PIL import Image, ImageDraw  # noqa: PLC0415 - the window lists the samples at start

    full = SIDE * _OVERSIZE
    ground, color = _two_colors(chance)
    image, mask = Image.new("RGB", (full, full), ground), Image.new("L", (full, full))
    on_image, on_mask = ImageDraw.Draw(image), ImageDraw.Draw(mask)
    taken: list[tuple[Point, float]] = []
    for _ in range(chance.randint(1, _MOST_SHAPES)):
        kind, radius = chance.choice(KINDS), full * chance.uniform(0.16, 0.28)
        place = _place(radius, chance)
        if all(math.dist(place, center) > radius + other for center, other in taken):
            taken.append((place, radius))
            label = KINDS.index(kind) + 1
            _draw_shape([(on_image, color), (on_mask, label)], kind, radius, place, chance)
            color = _unlike(ground, chance)
    small = (SIDE, SIDE)
    return image.resize(small, Image.Resampling.BOX), mask.resize(small, Image.Resampling.NEAREST)


BOXED_COUNT = 600
BOXED_SIDE = 128
_MOST_BOXED = 6
_EMPTY_EVERY = 30
"""The last of each 30 pictures has no shapes."""
_RADII = (9.0, 30.0)
_BOXED_SEED = 23
_GRAIN = 10
"""Largest difference of a pixel from its surroundings, in levels."""


def write_boxed_shapes(folder: Path, progress: Progress) -> Path:
    """Write `shapes_detection/images/0000.png` … and `annotations.json` below `folder`.

    Always the same 600 pictures of 128 x 128 pixels with up to six shapes of several sizes on
    textured backgrounds. The boxes are exact, in the form of COCO. The folder appears complete or
    not at all.

    Args:
        folder: Folder in which it is created.
        progress: Receives the progress and may cancel.

    Raises:
        StudioError: A folder of that name has other content.
        DiskFullError: No space was left; nothing remains.
        Cancelled: The job was asked to end; nothing remains.
    """
    return written_once(
        folder / "shapes_detection",
        BOXED_COUNT,
        "images",
        lambda partial: _write_boxed_shapes(partial, progress),
    )


def _write_boxed_shapes(folder: Path, progress: Progress) -> None:
    chance = random.Random(_BOXED_SEED)  # noqa: S311 - decides what is drawn, nothing more
    (folder / "images").mkdir()
    images: list[dict[str, object]] = []
    annotations: list[dict[str, object]] = []
    for index in range(BOXED_COUNT):
        progress.check()
        count = 0 if index % _EMPTY_EVERY == _EMPTY_EVERY - 1 else chance.randint(1, _MOST_BOXED)
        picture, shapes = _boxed_shapes(count, chance)
        name = f"{index:04}.png"
        picture.save(folder / "images" / name)
        images.append({"id": index, "file_name": name, "width": BOXED_SIDE, "height": BOXED_SIDE})
        for kind, (left, top, right, bottom) in shapes:
            box = [left, top, right - left, bottom - top]
            annotations.append(
                {
                    "id": len(annotations) + 1,
                    "image_id": index,
                    "category_id": KINDS.index(kind) + 1,
                    "bbox": box,
                    "area": box[2] * box[3],
                    "iscrowd": 0,
                }
            )
        progress.advance(index + 1, BOXED_COUNT, "Drawing shapes")
    categories = [{"id": number, "name": kind} for number, kind in enumerate(KINDS, 1)]
    document = {"images": images, "annotations": annotations, "categories": categories}
    (folder / "annotations.json").write_text(json.dumps(document), encoding="utf-8")


def _boxed_shapes(
    count: int, chance: random.Random
) -> tuple[Image, list[tuple[str, tuple[float, float, float, float]]]]:
    """Return a picture of some shapes, with the kind and the box of each in its pixels."""
    from PIL import Image, ImageDraw  # noqa: PLC0415 - the window lists the samples at start

    full = BOXED_SIDE * _OVERSIZE
    ground, other = _any_color(chance), _any_color(chance)
    while abs(_light(ground) - _light(other)) > _CONTRAST:
        other = _any_color(chance)
    image = _texture(ground, other, chance).resize((full, full), Image.Resampling.NEAREST)
    draw = ImageDraw.Draw(image)
    taken: list[tuple[Point, float]] = []
    shapes: list[tuple[str, tuple[float, float, float, float]]] = []
    while len(shapes) < count:
        # Small and large ones are equally frequent on a logarithmic scale.
        size = math.exp(chance.uniform(*map(math.log, _RADII)))
        kind, radius = chance.choice(KINDS), size * _OVERSIZE
        low, high = radius + _OVERSIZE, full - radius - _OVERSIZE
        place = chance.uniform(low, high), chance.uniform(low, high)
        color = _unlike(ground, chance)
        while abs(_light(color) - _light(other)) <= _CONTRAST:
            color = _unlike(ground, chance)
        if all(math.dist(place, center) > radius + space for center, space in taken):
            taken.append((place, radius))
            alone = Image.new("1", (full, full))
            canvases: list[tuple[ImageDraw.ImageDraw, Ink]] = [(draw, color)]
            canvases.append((ImageDraw.Draw(alone), 1))
            _draw_shape(canvases, kind, radius, place, chance)
            drawn_box = alone.getbbox() or (0, 0, 0, 0)
            left, top, right, bottom = (side / _OVERSIZE for side in drawn_box)
            shapes.append((kind, (left, top, right, bottom)))
        elif len(taken) >= 2 and chance.random() < 0.02:
            break  # there is no room for another one
    small = image.resize((BOXED_SIDE, BOXED_SIDE), Image.Resampling.BOX)
    return _grained(small, chance), shapes


def _texture(ground: Color, other: Color, chance: random.Random) -> Image:
    """Return a texture of soft spots in two colors, `BOXED_SIDE` pixels wide."""
    from PIL import Image  # noqa: PLC0415 - the window lists the samples at start

    cells = chance.choice((4, 8, 16))
    mixture = Image.frombytes("L", (cells, cells), chance.randbytes(cells**2))
    size = (BOXED_SIDE, BOXED_SIDE)
    return Image.composite(
        Image.new("RGB", size, ground),
        Image.new("RGB", size, other),
        mixture.resize(size, Image.Resampling.BICUBIC),
    )


def _grained(image: Image, chance: random.Random) -> Image:
    """Return a picture with noise."""
    import numpy as np  # noqa: PLC0415 - the window lists the samples at start
    from PIL import Image  # noqa: PLC0415

    pixels = np.asarray(image, np.int16)
    noise = np.frombuffer(chance.randbytes(pixels[..., 0].size), np.uint8).astype(np.int16)
    grain = noise.reshape(*pixels.shape[:2], 1) % (2 * _GRAIN + 1) - _GRAIN
    return Image.fromarray(np.clip(pixels + grain, 0, 255).astype(np.uint8))


def _corners(kind: str, center: Point, radius: float, turn: float) -> list[Point]:
    if kind == "cross":
        arm = 0.3
        around = [(arm, 1), (arm, arm), (1, arm), (1, -arm), (arm, -arm), (arm, -1)]
        around += [(-x, -y) for x, y in around]
        outline = [(math.atan2(y, x), math.hypot(x, y) / math.hypot(1, arm)) for x, y in around]
    elif kind == "star":
        outline = [(math.tau * step / 10, 1.0 if step % 2 else 0.42) for step in range(10)]
    else:
        count = {"triangle": 3, "square": 4}[kind]
        outline = [(math.tau * step / count, 1.0) for step in range(count)]
    return [
        (
            center[0] + radius * length * math.cos(angle + turn),
            center[1] + radius * length * math.sin(angle + turn),
        )
        for angle, length in outline
    ]


def _two_colors(chance: random.Random) -> tuple[Color, Color]:
    """Return a ground and a color that stands out from it."""
    while True:
        ground, color = _any_color(chance), _any_color(chance)
        if abs(_light(ground) - _light(color)) > _CONTRAST:
            return ground, color


def _unlike(ground: Color, chance: random.Random) -> Color:
    """Return a color that stands out from a ground."""
    while abs(_light(color := _any_color(chance)) - _light(ground)) <= _CONTRAST:
        pass
    return color


def _any_color(chance: random.Random) -> Color:
    return chance.randrange(256), chance.randrange(256), chance.randrange(256)


def _light(color: Color) -> float:
    red, green, blue = color
    return 0.3 * red + 0.6 * green + 0.1 * blue
