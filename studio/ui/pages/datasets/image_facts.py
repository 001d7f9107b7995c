"""Everything about one image, for the strip beside the grid. Called in background threads."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from PySide6.QtGui import QImage

from studio.ui.pages.datasets.pictures import DatasetPictures
from studio.ui.tasks.data_view import Fact
from studio.ui.widgets.figures import number

# Tags of EXIF 3.0 that tell a person something, and where they stand: in the first directory or
# in that of the camera.
_MAKE, _MODEL, _TURN, _CAMERA = 0x010F, 0x0110, 0x0112, 0x8769
_TAKEN, _EXPOSURE, _APERTURE, _SPEED, _FOCAL = 0x9003, 0x829A, 0x829D, 0x8827, 0x920A


@dataclass(frozen=True, slots=True)
class FileFacts:
    """What the file tells that an image came from.

    Attributes:
        path: Where it is.
        bytes: Its size.
        width: In pixels, as stored; 0 where it cannot be read any more.
        height: In pixels.
        camera: Maker and model; each text is empty where the file does not say.
        taken: When, as the camera writes it.
        exposure: Time, aperture, sensitivity and focal length.
        turn: EXIF orientation, 1 upright.
    """

    path: Path
    bytes: int
    width: int = 0
    height: int = 0
    camera: str = ""
    taken: str = ""
    exposure: str = ""
    turn: int = 1


@dataclass(frozen=True, slots=True)
class ImageFacts:
    """One image.

    Attributes:
        row: Its row in the dataset.
        name: Its path as the dataset has it.
        targets: Headings with a text, or with words of their own.
        split: Its split, or `LEFT_OUT`.
        picture: As the network sees it.
        channels: Of the picture, 1 gray or 3 color.
        file: Of its file; None where there is none any more.
    """

    row: int
    name: str
    targets: list[Fact]
    split: str
    picture: QImage
    channels: int
    file: FileFacts | None


def read_image_facts(pictures: DatasetPictures, row: int) -> ImageFacts:
    """Look at one image and at the file that it came from."""
    table = pictures.table()
    path = table.source_file(row)
    return ImageFacts(
        row=row,
        name=table.names.shown(row),
        targets=table.view.facts(table.targets, row),
        split=table.split_name(row),
        picture=pictures.load(row),
        channels=table.recipe.channels,
        file=None if path is None else read_file_facts(path),
    )


def read_file_facts(path: Path) -> FileFacts | None:
    """Size and EXIF of a file; its pixels are not decoded. None when it has just gone."""
    from PIL import Image  # noqa: PLC0415 - kept out of the start of the window

    try:
        size = path.stat().st_size
    except OSError:
        return None
    try:
        with Image.open(path) as image:
            width, height = image.size
            exif = image.getexif()
            camera = exif.get_ifd(_CAMERA)
            return FileFacts(
                path,
                size,
                width,
                height,
                camera=" ".join(filter(None, (_text(exif.get(_MAKE)), _text(exif.get(_MODEL))))),
                taken=_text(camera.get(_TAKEN)),
                exposure=exposure_words(camera),
                turn=turn if isinstance(turn := exif.get(_TURN), int) else 1,
            )
    except (OSError, ValueError, SyntaxError, TypeError, Image.DecompressionBombError):
        return FileFacts(path, size)  # changed since the import, or damaged


def exposure_words(camera: dict[int, object]) -> str:
    """1/250 s · f/2.8 · ISO 100 · 35 mm, of what the camera wrote."""
    seconds, aperture = _number(camera.get(_EXPOSURE)), _number(camera.get(_APERTURE))
    speed, focal = _number(camera.get(_SPEED)), _number(camera.get(_FOCAL))
    parts = []
    if seconds:
        parts.append(f"1/{round(1 / seconds)} s" if seconds < 0.3 else f"{number(seconds)} s")
    if aperture:
        parts.append(f"f/{number(aperture)}")
    if speed:
        parts.append(f"ISO {number(speed)}")
    if focal:
        parts.append(f"{number(focal)} mm")
    return " · ".join(parts)


def _text(value: object) -> str:
    return value.strip("\0 ") if isinstance(value, str) else ""


def _number(value: object) -> float:
    """A positive number; 0 for anything else, because cameras write all sorts of things."""
    if isinstance(value, tuple):
        value = value[0] if value else 0
    try:
        number = float(value)  # type: ignore[arg-type]  # whatever is no number is caught
    except (TypeError, ValueError, ZeroDivisionError):
        return 0.0
    return number if 0 < number < 1e9 else 0.0
