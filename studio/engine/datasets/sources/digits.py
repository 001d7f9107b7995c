"""The 1,797 real handwritten digits that scikit-learn carries, as folders of PNG files."""

from __future__ import annotations

import shutil
import tempfile
from pathlib import Path

from studio.engine.errors import StudioError
from studio.engine.files import PARTIAL, disk_full_is_clear
from studio.engine.progress import Progress

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
    target = folder / "digits"
    if target.exists():
        _require_whole(target)
        return target
    with disk_full_is_clear(target):
        folder.mkdir(parents=True, exist_ok=True)
        partial = Path(tempfile.mkdtemp(prefix=".digits-", suffix=PARTIAL, dir=folder))
        try:
            _write_files(partial, progress)
            partial.chmod(0o755)  # mkdtemp gives a folder to its owner alone
            partial.rename(target)
        finally:
            shutil.rmtree(partial, ignore_errors=True)
    return target


def _write_files(folder: Path, progress: Progress) -> None:
    # Here, because the window lists the samples at start and these imports take a second.
    import numpy as np  # noqa: PLC0415
    from PIL import Image  # noqa: PLC0415
    from sklearn.datasets import load_digits  # noqa: PLC0415

    table = load_digits()
    pixels = np.rint(table.images * (255 / 16)).astype(np.uint8)
    for digit in range(10):
        (folder / str(digit)).mkdir()
    for index, (image, digit) in enumerate(zip(pixels, table.target, strict=True)):
        progress.check()
        Image.fromarray(image).save(folder / str(digit) / f"{index:04}.png")
        progress.advance(index + 1, COUNT, "Writing the handwritten digits")


def _require_whole(target: Path) -> None:
    found = sum(file.stat().st_size > 0 for file in target.glob("[0-9]/[0-9]*.png"))
    if found != COUNT:
        raise StudioError(
            f"{target} is already there and holds {found} of the {COUNT} digits.",
            "Move or delete that folder, then try again.",
            str(target),
        )
