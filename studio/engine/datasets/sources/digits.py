"""The 1,797 real handwritten digits that scikit-learn carries, as folders of PNG files."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from studio.engine.datasets.sources.shared.written import written_once
from studio.engine.progress import Progress

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

COUNT = 1797


def write_digits(folder: Path, progress: Progress) -> Path:
    """Write `digits/0/0000.png` … below `folder` and return the `digits` folder.

    The files are the measured 8 x 8 pixels, in the order and with the index of scikit-learn's
    table. Its values 0 to 16 become 0 to 255 here, by round(value * 255 / 16), and nowhere
    else. The folder appears at once and whole; one that is already whole is used as it is.

    Raises:
        StudioError: A folder of that name is there and is not the digits.
        DiskFullError: No space was left; nothing remains.
        Cancelled: Through `progress`; nothing remains.
    """
    return written_once(
        folder / "digits", COUNT, "digits", lambda partial: _write_files(partial, progress)
    )


def _write_files(folder: Path, progress: Progress) -> None:
    from PIL import Image  # noqa: PLC0415 - the window lists the samples at start

    pixels, shown = scanned_digits()
    for digit in range(10):
        (folder / str(digit)).mkdir()
    for index, (image, digit) in enumerate(zip(pixels, shown, strict=True)):
        progress.check()
        Image.fromarray(image).save(folder / str(digit) / f"{index:04}.png")
        progress.advance(index + 1, COUNT, "Writing the handwritten digits")


def scanned_digits() -> tuple[NDArray[np.uint8], NDArray[np.int64]]:
    """Return the pictures, 1797 x 8 x 8, and the digit that each shows."""
    # Here, because the window lists the samples at start and these imports take a second.
    import numpy as np  # noqa: PLC0415
    from sklearn.datasets import load_digits  # noqa: PLC0415

    table = load_digits()
    return np.rint(table.images * (255 / 16)).astype(np.uint8), table.target
