"""Opens encoded pictures that come from anywhere: checked formats and sizes, clear errors."""

from __future__ import annotations

import contextlib
import struct
import warnings
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO

from PIL import Image, UnidentifiedImageError

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
    where = str(file) if isinstance(file, Path) else ""
    with contextlib.ExitStack() as stack:
        try:
            handle = stack.enter_context(file.open("rb")) if isinstance(file, Path) else file
            if not handle.read(1):
                raise BadDataError("the file is empty", where=where)
            handle.seek(0)
            image = stack.enter_context(Image.open(handle, formats=FORMATS))
            if min(image.size) < 1:
                raise BadDataError("the image has no pixels", where=where)
            yield image
        except Image.DecompressionBombError as error:
            limit = LARGEST_PIXELS // 10**6
            raise BadDataError(
                message("more than {limit} million pixels", limit=limit), where=where
            ) from error
        except UnidentifiedImageError as error:
            text = "not an image, or damaged at its beginning"
            raise BadDataError(text, where=where) from error
        except MemoryError as error:
            raise BadDataError("too large for memory", where=where) from error
        except PARSER_ERRORS as error:
            raise BadDataError(_reason(error), where=where) from error


def _reason(error: Exception) -> str:
    if isinstance(error, OSError) and error.errno and error.strerror:
        return message("it cannot be read: {reason}", reason=error.strerror)
    return "the image is damaged or truncated"
