"""Packages with tasks of their own, installed as pip would."""

from __future__ import annotations

import contextlib
import csv
import importlib
import math
import os
import shutil
import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

import numpy as np
from PIL import Image, ImageDraw

from studio.engine import plug_ins
from studio.engine.plans import fields_of
from studio.engine.tasks import PLUG_INS, TASKS

SAMPLES = Path(__file__).parents[1] / "samples"
VALUES = {"angle": "angle_task:ANGLE", "areas": "areas_task:AREAS"}
"""Entry points of the sample packages by the names of their tasks."""


def install(folder: Path, name: str = "angle", value: str = "") -> None:
    """Install the sample package of a task into a folder of packages.

    Args:
        folder: The folder.
        name: Name of the task.
        value: Entry point; that of the package where it is empty.
    """
    package = f"{name}_task"
    shutil.copytree(SAMPLES / package, folder / package)
    write_package(folder, package, {}, {PLUG_INS.group: {name: value or VALUES[name]}})


def write_package(
    folder: Path,
    package: str,
    files: Mapping[str, str],
    entry_points: Mapping[str, Mapping[str, str]],
) -> None:
    """Write a package into a folder of packages, as pip would.

    Args:
        folder: The folder.
        package: Name of the package.
        files: Texts of its modules by their paths.
        entry_points: Entry points by their groups and names.
    """
    for path, text in files.items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_text(text, encoding="utf-8")
    about = folder / f"{package}-1.0.dist-info"
    about.mkdir()
    (about / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {package}\nVersion: 1.0\n")
    lines = [
        line
        for group, points in entry_points.items()
        for line in (f"[{group}]", *(f"{name} = {value}" for name, value in points.items()))
    ]
    (about / "entry_points.txt").write_text("\n".join(lines) + "\n")


def forget_loaded() -> None:
    """Forget which packages were loaded, and what depends on them."""
    plug_ins.entry_points.cache_clear()
    plug_ins.found.cache_clear()
    fields_of.cache_clear()
    for task in TASKS.data.values():
        for name in ("measured", "_by_name"):
            task.__dict__.pop(name, None)
    importlib.invalidate_caches()


@contextlib.contextmanager
def importable(folder: Path, names: Sequence[str]) -> Iterator[None]:
    """Import packages of a folder within the block, with their entry points.

    Args:
        folder: The folder of packages.
        names: Names of their tasks; the packages are called like them.
    """
    before, paths = TASKS.data, os.environ.get("PYTHONPATH")
    TASKS.data = dict(before)
    sys.path.insert(0, str(folder))
    os.environ["PYTHONPATH"] = os.pathsep.join(filter(None, (str(folder), paths)))  # of processes
    forget_loaded()
    try:
        yield
    finally:
        sys.path.remove(str(folder))
        os.environ.pop("PYTHONPATH")
        os.environ |= {} if paths is None else {"PYTHONPATH": paths}
        TASKS.data = before
        for name in [each for each in sys.modules if each.partition("_task")[0] in names]:
            del sys.modules[name]
        forget_loaded()


@contextlib.contextmanager
def installed(folder: Path, names: Sequence[str] = tuple(VALUES)) -> Iterator[Path]:
    """Install sample packages for this process, within the block.

    Args:
        folder: New folder of packages.
        names: Names of their tasks.
    """
    folder.mkdir()
    for name in names:
        install(folder, name)
    with importable(folder, names):
        yield folder


def draw_hands(folder: Path, count: int = 240, side: int = 24) -> Path:
    """Draw hands of a clock for the task `angle`, and return the table of their directions.

    Args:
        folder: Made here.
        count: Number of pictures.
        side: Their width and height, in pixels.
    """
    folder.mkdir()
    random = np.random.default_rng(0)
    table = folder / "hands.csv"
    with table.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file)
        writer.writerow(("image", "angle"))
        for index, angle in enumerate(random.uniform(0, 360, count)):
            picture = Image.new("L", (side, side), 255)
            middle, turn = side / 2, math.radians(angle)
            end = (middle + 10 * math.cos(turn), middle - 10 * math.sin(turn))
            ImageDraw.Draw(picture).line((middle, middle, *end), fill=0, width=3)
            picture.save(folder / f"{index:03}.png")
            writer.writerow((f"{index:03}.png", f"{angle:.2f}"))
    return table
