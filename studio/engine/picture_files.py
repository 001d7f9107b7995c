"""Opens encoded pictures that come from anywhere: checked formats and sizes, clear errors."""

from __future__ import annotations

import contextlib
import struct
import warnings
import zlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

from PIL import Image, UnidentifiedImageError
from PIL.PngImagePlugin import PngImageFile

from studio.engine.errors import BadDataError
from studio.engine.messages import message

# Only these parsers see the bytes; Pillow knows others that start programs or are rarely tested.
FORMATS = ("PNG", "JPEG", "BMP", "GIF", "TIFF", "WEBP", "PPM")

# Above twice this number of pixels Pillow refuses a file. Between the two it would print a
# warning for each large photograph, which no user could act on.
LARGEST_PIXELS = 2 * 89_478_485
warnings.filterwarnings("ignore", category=Image.DecompressionBombWarning)

# Exceptions of Pillow's parsers for bytes that are not an image; none of them is our bug.
PARSER_ERRORS = (
    OSError,
    ValueError,
    SyntaxError,
    EOFError,
    ArithmeticError,
    LookupError,
    TypeError,
    AttributeError,
    RuntimeError,
    struct.error,
    zlib.error,
)


@contextlib.contextmanager
def opened_picture(file: BinaryIO | Path) -> Iterator[Image.Image]:
    """Open a picture; errors of its parser inside the block become a reason.

    Raises:
        BadDataError: It is no picture, or a damaged or too large one; the message is a reason.
    """
    with opened_file(file) as handle, Image.open(handle, formats=FORMATS) as image:
        if min(image.size) < 1:
            raise BadDataError("the image has no pixels")
        yield image


@contextlib.contextmanager
def opened_file(file: BinaryIO | Path) -> Iterator[BinaryIO]:
    """Open a file with foreign data; errors of a parser inside the block become a reason.

    Raises:
        BadDataError: It is empty, damaged or too large; the message is a reason.
    """
    where = str(file) if isinstance(file, Path) else ""
    with contextlib.ExitStack() as stack:
        try:
            handle = stack.enter_context(file.open("rb")) if isinstance(file, Path) else file
            _require_bytes(handle)
            yield handle
        except BadDataError as error:
            error.where = error.where or where
            raise
        except Image.DecompressionBombError as error:
            limit = LARGEST_PIXELS // 10**6
            raise BadDataError(
                "more than {limit} million pixels", where=where, limit=limit
            ) from error
        except UnidentifiedImageError as error:
            text = "not an image, or damaged at its beginning"
            raise BadDataError(text, where=where) from error
        except MemoryError as error:
            raise BadDataError("too large for memory", where=where) from error
        except PARSER_ERRORS as error:
            if is_own_error(error):
                raise
            raise BadDataError(_reason(error), where=where) from error


_OWN_ERRORS = (TypeError, AttributeError)
"""Of `PARSER_ERRORS`, those that foreign data causes in parsers only, never in our own code."""
_OWN_CODE = str(Path(__file__).parents[1])


def is_own_error(error: BaseException) -> bool:
    """Return True for an error that our own code caused, not a parser that it calls."""
    trace = error.__traceback__
    if not isinstance(error, _OWN_ERRORS) or trace is None:
        return False
    while trace.tb_next is not None:
        trace = trace.tb_next
    return trace.tb_frame.f_code.co_filename.startswith(_OWN_CODE)


def _require_bytes(file: BinaryIO) -> None:
    if not file.read(1):
        raise BadDataError("the file is empty")
    file.seek(0)


def _reason(error: Exception) -> str:
    if isinstance(error, OSError) and error.errno and error.strerror:
        return message("it cannot be read: {reason}", reason=error.strerror)
    return "the image is damaged or truncated"


_SIDEWAYS = 5
"""Lowest EXIF orientation that exchanges width and height."""
_TURNS = {
    2: Image.Transpose.FLIP_LEFT_RIGHT,
    3: Image.Transpose.ROTATE_180,
    4: Image.Transpose.FLIP_TOP_BOTTOM,
    5: Image.Transpose.TRANSPOSE,
    6: Image.Transpose.ROTATE_270,
    7: Image.Transpose.TRANSVERSE,
    8: Image.Transpose.ROTATE_90,
}


def orientation_of(image: Image.Image) -> int:
    """Return the EXIF orientation, 1 to 8; 1 if the EXIF data is damaged."""
    try:
        value = _exif_of(image).get(_TURN, 1)
    except PARSER_ERRORS:
        return 1
    return value if isinstance(value, int) and value in _TURNS else 1


_PNG_SIGNATURE = b"\x89PNG\r\n\x1a\n"
_PNG_DESCRIPTIONS = frozenset({b"eXIf", b"tEXt", b"zTXt", b"iTXt", b"fcTL"})
"""Chunks of a PNG that EXIF data may be in, and the one that begins another frame."""


def _exif_of(image: Image.Image) -> Image.Exif:
    # Pillow decodes a whole PNG to find EXIF data behind its pixels, where it seldom is.
    if isinstance(image, PngImageFile) and not _is_described_late(image):
        return Image.Image.getexif(image)
    return image.getexif()


def _is_described_late(image: PngImageFile) -> bool:
    """Return True if EXIF data may stand behind the pixels of a PNG that is not loaded yet."""
    file = image.fp
    if file is None or image.is_animated:
        return True
    here = file.tell()
    file.seek(0)
    try:
        if file.read(len(_PNG_SIGNATURE)) != _PNG_SIGNATURE:
            return True
        has_pixels = False
        while len(head := file.read(8)) == 8:
            length, kind = struct.unpack(">I4s", head)
            if has_pixels and kind in _PNG_DESCRIPTIONS:
                return True
            has_pixels = has_pixels or kind == b"IDAT"
            file.seek(length + 4, 1)  # the content and its checksum
        return False
    finally:
        file.seek(here)


@dataclass(frozen=True, slots=True)
class StoredFrame:
    """Width and height of a picture as it is stored, and its EXIF orientation.

    Attributes:
        size: Width and height in pixels.
        orientation: From 1 to 8.
    """

    size: tuple[int, int]
    orientation: int = 1

    @property
    def is_sideways(self) -> bool:
        """True if the orientation exchanges width and height."""
        return self.orientation >= _SIDEWAYS

    @property
    def shown(self) -> tuple[int, int]:
        """Width and height of the picture as it is shown."""
        return self.size[::-1] if self.is_sideways else self.size


def frame_of(image: Image.Image) -> StoredFrame:
    """Return the frame of a picture that is not loaded yet."""
    frame = StoredFrame(image.size, orientation_of(image))
    # Pillow gives the size of a TIFF as it is shown.
    return StoredFrame(frame.shown, frame.orientation) if image.format == "TIFF" else frame


def upright(image: Image.Image, orientation: int = 0) -> Image.Image:
    """Return a loaded picture as it is shown.

    Args:
        image: The picture as it is stored. Pillow turns TIFF by itself while loading and then
            drops the tag, so that it must be loaded before.
        orientation: The EXIF orientation; 0 for that of the picture.
    """
    turn = _TURNS.get(orientation or orientation_of(image))
    return image if turn is None else image.transpose(turn)


# Tags of EXIF 3.0, in the first directory and in that of the camera.
_MAKE, _MODEL, _TURN, _CAMERA = 0x010F, 0x0110, 0x0112, 0x8769
_TAKEN, _EXPOSURE, _APERTURE, _SPEED, _FOCAL = 0x9003, 0x829A, 0x829D, 0x8827, 0x920A


@dataclass(frozen=True, slots=True)
class Exposure:
    """Exposure of a photograph; 0 for what is not known.

    Attributes:
        seconds: Exposure time.
        aperture: F-number.
        speed: ISO sensitivity.
        focal: Focal length in mm.
    """

    seconds: float = 0.0
    aperture: float = 0.0
    speed: float = 0.0
    focal: float = 0.0


@dataclass(frozen=True, slots=True)
class PhotoFacts:
    """Size and EXIF of the source file of an image; empty texts for missing tags.

    Attributes:
        path: Path of the file.
        bytes: Its size.
        width: In pixels, as stored; 0 if it can no longer be read.
        height: In pixels.
        camera: Maker and model.
        taken: Date and time, as the camera writes them.
        exposure: How it was taken.
        turn: EXIF orientation, 1 upright.
    """

    path: Path
    bytes: int
    width: int = 0
    height: int = 0
    camera: str = ""
    taken: str = ""
    exposure: Exposure = Exposure()
    turn: int = 1


def read_photo_facts(path: Path) -> PhotoFacts | None:
    """Read size and EXIF of a file without decoding its pixels; None if it is gone."""
    try:
        size = path.stat().st_size
    except OSError:
        return None
    try:
        with Image.open(path, formats=FORMATS) as image:
            width, height = image.size
            exif = image.getexif()
            camera = exif.get_ifd(_CAMERA)
            return PhotoFacts(
                path,
                size,
                width,
                height,
                camera=" ".join(filter(None, (_text(exif.get(_MAKE)), _text(exif.get(_MODEL))))),
                taken=_text(camera.get(_TAKEN)),
                exposure=exposure_of(camera),
                turn=turn if isinstance(turn := exif.get(_TURN), int) else 1,
            )
    except (*PARSER_ERRORS, Image.DecompressionBombError):
        return PhotoFacts(path, size)  # changed since the import, or damaged


def exposure_of(camera: Mapping[int, object]) -> Exposure:
    """Return the exposure in the EXIF tags of a camera."""
    return Exposure(*(_number(camera.get(tag)) for tag in (_EXPOSURE, _APERTURE, _SPEED, _FOCAL)))


def _text(value: object) -> str:
    return value.strip("\0 ") if isinstance(value, str) else ""


def _number(value: object) -> float:
    """Return a positive number; 0 for anything else."""
    if isinstance(value, tuple):
        value = value[0] if value else 0
    try:
        number = float(value)  # type: ignore[arg-type]  # whatever is no number is caught
    except (TypeError, ValueError, ZeroDivisionError):
        return 0.0
    return number if 0 < number < 1e9 else 0.0
