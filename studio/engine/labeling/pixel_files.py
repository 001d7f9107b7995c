"""Files of a labeling with a value for each pixel: classes of pixels, or objects.

NumPy and Pillow are imported when a file is read or written: `studio label` starts without them.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from studio.engine.labeling.values import InstancesValue, MaskValue
from studio.engine.tasks.annotations import IGNORE

if TYPE_CHECKING:
    from numpy.typing import NDArray

_NO_CLASS: Final = (128, 128, 128)


class PixelFile(ABC):
    """Drawn regions as a file of the record, and a value that names it.

    Attributes:
        dtype: Name of the type of a pixel.
        suffix: Suffix of the file.
        form: Format of the file for Pillow.
    """

    dtype: str
    suffix: str
    form: str

    @abstractmethod
    def highest_class(self, pixels: NDArray[Any]) -> int:
        """Return the largest index of a class that occurs; -1 without any."""

    @abstractmethod
    def save(self, pixels: NDArray[Any], path: Path, colors: Sequence[str]) -> None:
        """Write a file.

        Args:
            pixels: Shape (height, width).
            path: The file.
            colors: Colors of the classes as "#rrggbb".
        """

    @abstractmethod
    def value(self, file: str, pixels: NDArray[Any]) -> MaskValue | InstancesValue:
        """Return the value of a file.

        Args:
            file: Path relative to the folder of the record.
            pixels: What it holds.
        """


class ClassPixels(PixelFile):
    """The class of each pixel, or `IGNORE`, as an indexed PNG file."""

    dtype = "uint8"
    suffix = ".png"
    form = "PNG"

    def highest_class(self, pixels: NDArray[Any]) -> int:
        """Return the largest class of a mask; see `PixelFile.highest_class`."""
        return int(pixels[pixels != IGNORE].max(initial=0)) if (pixels != IGNORE).any() else -1

    def save(self, pixels: NDArray[Any], path: Path, colors: Sequence[str]) -> None:
        """Write a mask with the palette of the classes; see `PixelFile.save`."""
        from PIL import Image  # noqa: PLC0415

        image = Image.fromarray(pixels)
        image.putpalette(_palette(colors))
        image.save(path, "PNG", compress_level=1)

    def value(self, file: str, pixels: NDArray[Any]) -> MaskValue:  # noqa: ARG002 - of objects
        """Return the value of a mask; see `PixelFile.value`."""
        return MaskValue(file=file)


class ObjectPixels(PixelFile):
    """The object and the class of each pixel, as a TIFF file of 32 bits without losses."""

    dtype = "int32"
    suffix = ".tif"
    form = "TIFF"

    def highest_class(self, pixels: NDArray[Any]) -> int:
        """Return the largest class of an object; see `PixelFile.highest_class`."""
        from studio.engine.tasks.instance_labels import class_of  # noqa: PLC0415

        return int(class_of(pixels).max(initial=-1))

    def save(self, pixels: NDArray[Any], path: Path, colors: Sequence[str]) -> None:  # noqa: ARG002
        """Write a label image; see `PixelFile.save`."""
        from PIL import Image  # noqa: PLC0415

        Image.fromarray(pixels).save(path, "TIFF", compression="tiff_adobe_deflate")

    def value(self, file: str, pixels: NDArray[Any]) -> InstancesValue:
        """Return the value of a label image with its objects; see `PixelFile.value`."""
        from studio.engine.tasks.instance_labels import instance_table  # noqa: PLC0415

        return InstancesValue(file=file, objects=tuple(instance_table(pixels).classes.tolist()))


def _palette(colors: Sequence[str]) -> list[int]:
    """Return 256 colors as red, green, blue: those of the classes, and gray for no class."""
    palette = [0] * (3 * (IGNORE + 1))
    for index, color in enumerate(colors):
        palette[3 * index : 3 * index + 3] = bytes.fromhex(color.removeprefix("#"))
    palette[3 * IGNORE :] = _NO_CLASS
    return palette


CLASS_PIXELS: Final = ClassPixels()
OBJECT_PIXELS: Final = ObjectPixels()
