"""Display mapping of a dataset or a labeling, as the file `display.json` in its folder.

It belongs to the window: nothing else depends on it, and without the file the default applies.
"""

from __future__ import annotations

import logging
import threading
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final

import numpy as np
from numpy.typing import NDArray
from pydantic import ValidationError

from studio.engine import files
from studio.engine.arrays import Pixels
from studio.engine.display_mapping import DisplayMapping, histograms
from studio.engine.pixel_format import PixelFormat

if TYPE_CHECKING:
    from studio.engine.datasets.store import Store

DISPLAY_NAME: Final = "display.json"
_SAMPLED_IMAGES: Final = 24
_BUSY_SECONDS: Final = 0.2
_log = logging.getLogger(__name__)


class DisplayFile:
    """The display mapping of a folder, which another process may change.

    Thread safety: all methods may be called from any thread.

    Args:
        folder: Folder of the dataset or the labeling.
        pixels: Format of its pixels.
    """

    def __init__(self, folder: Path, pixels: PixelFormat) -> None:
        self.pixels = pixels
        self._path = folder / DISPLAY_NAME
        self._guard = threading.Lock()
        self._read_at: tuple[int, int] | None = None
        self._mapping = DisplayMapping.of(pixels)

    def mapping(self) -> DisplayMapping:
        """Return the stored mapping, or the default."""
        with self._guard:
            state = self._state()
            if state != self._read_at:
                found = read_display(self._path.parent)
                if found is None or not found.fits(self.pixels):
                    found = DisplayMapping.of(self.pixels)
                self._mapping = found
                self._read_at = state
            return self._mapping

    def write(self, mapping: DisplayMapping) -> None:
        """Store a mapping; the default deletes the file.

        Raises:
            StudioError: It cannot be written.
        """
        with self._guard:
            is_default = mapping == DisplayMapping.of(self.pixels)
            write_display(self._path.parent, None if is_default else mapping)

    def _state(self) -> tuple[int, int] | None:
        try:
            found = self._path.stat()
        except OSError:
            return None
        return found.st_mtime_ns, found.st_size


def read_display(folder: Path) -> DisplayMapping | None:
    """Return the mapping that was chosen for a dataset or a labeling.

    Args:
        folder: Folder of the record.

    Returns:
        None if there is none, or if the file is damaged.
    """
    path = folder / DISPLAY_NAME
    try:
        return DisplayMapping.model_validate_json(path.read_bytes())
    except FileNotFoundError:
        return None
    except (OSError, ValidationError) as error:
        _log.warning("The display settings in %s cannot be read: %s", path, error)
        return None


def write_display(folder: Path, mapping: DisplayMapping | None) -> None:
    """Store the mapping of a dataset or a labeling.

    Args:
        folder: Folder of the record.
        mapping: The mapping; None for the default.

    Raises:
        StudioError: It cannot be written.
    """
    path = folder / DISPLAY_NAME
    with files.writing(path, str(path)):
        if mapping is None:
            files.remove(path, _BUSY_SECONDS)
        else:
            files.write_atomically(path, mapping.model_dump_json() + "\n", _BUSY_SECONDS)


@dataclass(frozen=True, slots=True)
class DisplayFacts:
    """Facts by which a person chooses a display mapping.

    Attributes:
        pixels: Format of the pixels.
        mapping: The mapping now.
        auto: The mapping with the contrast windows that suit the images.
        limits: Lowest and highest value of the histogram of each channel.
        histograms: How often values occur in each channel, in equal bins between its limits.
        planes: Number of planes of the file.
        plane: Number of the plane that is shown, from 0.
    """

    pixels: PixelFormat
    mapping: DisplayMapping
    auto: DisplayMapping
    limits: tuple[tuple[float, float], ...]
    histograms: tuple[NDArray[np.int64], ...]
    planes: int = 1
    plane: int = 0

    @property
    def default(self) -> DisplayMapping:
        """The mapping without any choice of a person."""
        return DisplayMapping.of(self.pixels)

    @classmethod
    def of(cls, pixels: PixelFormat, mapping: DisplayMapping, sample: Pixels) -> DisplayFacts:
        """Return the facts of a sample of images.

        Args:
            pixels: Format of the pixels.
            mapping: The mapping now.
            sample: Some images, shape (..., height, width, channels).
        """
        limits = tuple(
            _limits(sample[..., channel], pixels.low[channel], pixels.high[channel])
            for channel in range(pixels.channels)
        )
        counts = tuple(
            histograms(sample[..., channel : channel + 1], *ends)[0]
            for channel, ends in enumerate(limits)
        )
        return cls(pixels, mapping, mapping.auto(sample), limits, counts)


def display_of(store: Store) -> DisplayMapping:
    """Return the colors and contrast in which people see a dataset."""
    return DisplayFile(store.path.parent, store.pixel_format).mapping()


def facts_of_dataset(store: Store) -> DisplayFacts:
    """Return the facts of some evenly spaced images of a dataset.

    Raises:
        StudioError: The images cannot be read.
    """
    from studio.engine.datasets.store import evenly_spaced  # noqa: PLC0415 - h5py takes 0.2 s

    rows = evenly_spaced(np.flatnonzero(store.split >= 0).astype(np.int64), _SAMPLED_IMAGES)
    return DisplayFacts.of(store.pixel_format, display_of(store), np.asarray(store.images[rows]))


def _limits(values: Pixels, low: float, high: float) -> tuple[float, float]:
    """Return the range of a channel, extended to the values that occur."""
    finite = values[np.isfinite(values)]
    if not finite.size:
        return low, high
    return min(low, float(finite.min())), max(high, float(finite.max()))
