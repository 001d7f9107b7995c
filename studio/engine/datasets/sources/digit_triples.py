"""Three real handwritten digits side by side, with a table of targets for each of two tasks."""

from __future__ import annotations

import random
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from studio.engine.csv_cells import CsvWriter
from studio.engine.datasets.sources.shared.written import written_once
from studio.engine.progress import Progress

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

COUNTS = {"train": 2100, "val": 600, "test": 300}
COUNT = sum(COUNTS.values())
TABLE = "targets.csv"
_SEED = 20
_Cells = Callable[["NDArray[np.uint8]", list[int]], list[str]]


def write_digit_labels(folder: Path, progress: Progress) -> Path:
    """Write pictures whose labels are the digits that occur; return their table.

    The same 3,000 pictures of 8 x 24 pixels every time, below `digits_multi_label`. The digits of
    test and validation pictures occur in no training picture. The folder appears at once.

    Raises:
        StudioError: A folder of that name exists and holds something else.
        DiskFullError: No space was left; nothing remains.
        Cancelled: Through `progress`; nothing remains.
    """
    return _written(folder / "digits_multi_label", ["digits"], _occurring, progress)


def write_digit_numbers(folder: Path, progress: Progress) -> Path:
    """Write the same pictures below `digits_regression`, with their ink and the digits' sum.

    Raises:
        StudioError: A folder of that name exists and holds something else.
        DiskFullError: No space was left; nothing remains.
        Cancelled: Through `progress`; nothing remains.
    """
    return _written(folder / "digits_regression", ["ink [%]", "sum"], _measured, progress)


def _occurring(_pixels: NDArray[np.uint8], digits: list[int]) -> list[str]:
    return [";".join(map(str, sorted(set(digits))))]


def _measured(pixels: NDArray[np.uint8], digits: list[int]) -> list[str]:
    return [f"{100 * pixels.mean() / 255:.3f}", str(sum(digits))]


def _written(target: Path, columns: list[str], cells: _Cells, progress: Progress) -> Path:
    write = partial(_write_files, columns=columns, cells=cells, progress=progress)
    return written_once(target, COUNT, "pictures", write) / TABLE


def _write_files(folder: Path, columns: list[str], cells: _Cells, progress: Progress) -> None:
    # Here, because the window lists the samples at start and these imports take a second.
    import numpy as np  # noqa: PLC0415
    from PIL import Image  # noqa: PLC0415

    from studio.engine.datasets.sources.digits import scanned_digits  # noqa: PLC0415

    images, shown = scanned_digits()
    chance = random.Random(_SEED)  # noqa: S311 - decides what is drawn, nothing more
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
                progress.advance(done, COUNT, "Writing pictures of three digits")
