"""Summary of an import: what was understood of the files, and what was left out.

The same summary is made by a preview, which writes nothing, and by an import, which stores it as
`import.json` beside `skipped.json`. Command line, Python interface and window show it.
"""

from __future__ import annotations

import json
import random
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Literal

from pydantic import BaseModel, ValidationError

from studio.engine.datasets.origins.facts import OriginFacts
from studio.engine.datasets.sources.base import Skipped
from studio.engine.datasets.summary import read_skipped
from studio.engine.errors import BadDataError
from studio.engine.files import write_atomically
from studio.engine.messages import Message, Text, as_message, joined, message
from studio.engine.pixel_format import PixelFormat
from studio.engine.tasks.annotations import ClassUnit

IMPORT_NAME = "import.json"
SAMPLE_IMAGES = 9
"""Number of images that are shown with their annotations."""


class SourceFormat(BaseModel, frozen=True):
    """A source of the images.

    Attributes:
        path: Path or address.
        name: Name of its format.
        label: Display name of its format.
        count: Number of its images that are imported.
    """

    path: str
    name: str
    label: Text
    count: int


class SplitOrigin(BaseModel, frozen=True):
    """Origin of the splits.

    Attributes:
        named_by: What names the splits in the files, see `Scan.split_origin`; empty if nothing.
        random: Percentage of the images without a split, by the split they are assigned to at
            random.
        seed: Seed of the random assignment.
        origins: Origins of the images, whose images stay together.
    """

    named_by: tuple[str, ...] = ()
    random: Mapping[str, float] = {}
    seed: int = 0
    origins: OriginFacts = OriginFacts()

    @property
    def text(self) -> Message:
        """The origin in a few words: "folders", "random 70/20/10 (seed 1)"."""
        # Near-duplicates are kept together only where images are assigned.
        is_kept_together = bool(self.random) and not self.origins.has_common
        if not self.origins.groups or (
            self.origins.kind == "near_duplicates" and not is_kept_together
        ):
            return self._assignment
        return joined([self._assignment, self.origins.text], "; ")

    @property
    def _assignment(self) -> Message:
        val, test = (self.random.get(name, 0.0) for name in ("val", "test"))
        if not self.named_by:
            return message(
                "random {train:.3g}/{val:.3g}/{test:.3g} (seed {seed})",
                train=100 - val - test,
                val=val,
                test=test,
                seed=self.seed,
            )
        parts: list[str] = [_ORIGINS.get(name, as_message(name)) for name in self.named_by]
        parts += [
            message(
                "{split} random {percent:.3g}% (seed {seed})",
                split=as_message(name),
                percent=percent,
                seed=self.seed,
            )
            for name, percent in self.random.items()
        ]
        return joined(parts, "; ")


_ORIGINS = {
    str(origin): origin
    for origin in (
        message("folders"),
        message("file names"),
        message("lists"),
        message("table column"),
        message("array names"),
        message("dataset"),
        message("separate sources"),
    )
}
"""The values of `Scan.split_origin`, which are translated."""


class SourcePixels(BaseModel, frozen=True):
    """Number format of the pixels of some images.

    Attributes:
        dtype: NumPy's name of their type, such as "uint8".
        channels: Number of channels.
        count: Number of images.
        low: Smallest possible or, if not of 8 bits, occurring value.
        high: Largest possible or occurring value.
        with_frames: Number of images whose file has several frames or pages.
    """

    dtype: str
    channels: int
    count: int
    low: float
    high: float
    with_frames: int = 0


class ValueHistogram(BaseModel, frozen=True):
    """Histogram of the values of a channel in a sample of the images.

    Attributes:
        low: Lower edge of the first bin.
        high: Upper edge of the last bin.
        counts: Number of values in each bin; the bins have the same width.
    """

    low: float
    high: float
    counts: tuple[int, ...]


class ImportReport(BaseModel, frozen=True):
    """Facts that are understood of the files of an import, and entries that are left out.

    Attributes:
        task: Name of the task.
        sources: The sources of the images.
        count: Number of images.
        classes: Names of the classes, labels or quantities.
        class_images: Number of images of each class.
        class_regions: Number of objects or pixels of each class, for tasks with boxes or masks.
        unit: What `class_numbers` count.
        counts: Number of images of `train`, `val` and `test`.
        splits: Origin of the splits.
        pixels: Number formats of the pixels in the files, the most frequent one first.
        stored: Number format of the images of the dataset.
        histograms: Values of each channel in a sample; empty for images of 8 bits.
        warnings: Sentences about assumptions and conspicuous facts that a person should check.
        examined: Number of images that were decoded, with those that are left out.
        total: Number of images that were found; above `examined` if a preview is not complete.
        skipped: What is left out, and why; in a file of its own.
    """

    version: Literal[1] = 1
    task: str
    sources: tuple[SourceFormat, ...]
    count: int
    classes: list[str]
    class_images: list[int]
    class_regions: list[int] = []
    unit: ClassUnit = "images"
    counts: dict[str, int]
    splits: SplitOrigin
    pixels: tuple[SourcePixels, ...] = ()
    stored: PixelFormat | None = None
    histograms: tuple[ValueHistogram, ...] = ()
    warnings: tuple[Text, ...] = ()
    examined: int
    total: int
    skipped: list[Skipped] = []

    @property
    def format(self) -> str:
        """Names of the formats of the sources."""
        return ", ".join(dict.fromkeys(source.name for source in self.sources))

    @property
    def class_numbers(self) -> dict[str, int]:
        """Number of images, objects or pixels of each class, see `unit`."""
        numbers = self.class_regions if self.unit != "images" else self.class_images
        return dict(zip(self.classes, numbers, strict=True))

    @property
    def is_complete(self) -> bool:
        """True if every image was examined."""
        return self.examined >= self.total

    @property
    def file_pixels(self) -> dict[str, object]:
        """The most frequent number format of the files, with the range of all; may be empty."""
        if not self.pixels:
            return {}
        first = self.pixels[0]
        return {
            "dtype": first.dtype,
            "channels": first.channels,
            "low": min(each.low for each in self.pixels),
            "high": max(each.high for each in self.pixels),
        }

    def document(self) -> dict[str, object]:
        """Return the summary as JSON data, as the command line prints it."""
        return {
            "format": self.format,
            "task": self.task,
            "count": self.count,
            "classes": self.class_numbers,
            "class_unit": self.unit,
            **self.facts(),
        }

    def facts(self) -> dict[str, object]:
        """Return the part of `document` that a stored dataset has no other source for."""
        return {
            "format": self.format,
            "splits": self.counts,
            "split_origin": str(self.splits.text),
            "origins": self.splits.origins.document(),
            "file_pixels": self.file_pixels,
            **({} if self.stored is None else {"pixel_format": format_document(self.stored)}),
            "histograms": [each.model_dump(mode="json") for each in self.histograms],
            "examined": self.examined,
            "left_out": left_out_documents(self.skipped),
            "warnings": [str(each) for each in self.warnings],
            **({self.unit: self.class_numbers} if self.unit != "images" else {}),
        }


def sample_rows(rows: Sequence[int], seed: int) -> list[int]:
    """Return nine random images, or all of fewer, for a person to check their annotations.

    Args:
        rows: The images to choose from.
        seed: The same seed chooses the same images.
    """
    chosen = random.Random(seed).sample(range(len(rows)), min(SAMPLE_IMAGES, len(rows)))  # noqa: S311
    return [rows[index] for index in sorted(chosen)]


def format_document(pixels: PixelFormat) -> dict[str, object]:
    """Return a number format as JSON data: a range that all channels have is two numbers."""
    found: dict[str, object] = {"dtype": pixels.dtype, "channels": pixels.channels}
    for name, values in (("low", pixels.low), ("high", pixels.high)):
        plain = [int(each) if each.is_integer() else each for each in values]
        found[name] = plain[0] if len(set(plain)) == 1 else plain
    if pixels.names:
        found["names"] = list(pixels.names)
    return found | ({"per_image": True} if pixels.per_image else {})


def left_out_documents(skipped: Sequence[Skipped]) -> list[dict[str, Any]]:
    """Return what is left out as JSON data."""
    return [
        {"path": entry.path, "reason": str(entry.reason)}
        | ({"line": entry.line} if entry.line else {})
        | ({"partial": True} if entry.is_partial else {})
        | ({"objects": entry.objects} if entry.objects else {})
        for entry in skipped
    ]


class LeftOutGroup(BaseModel, frozen=True):
    """Entries that are left out for the same kind of reason.

    Attributes:
        first: The first of them.
        count: Number of entries.
        objects: Number of their objects.
    """

    first: Skipped
    count: int
    objects: int


def left_out_groups(skipped: Sequence[Skipped]) -> list[LeftOutGroup]:
    """Return what is left out by the kind of the reason, the most frequent one first."""
    groups: dict[tuple[str, bool], list[Skipped]] = {}
    for entry in skipped:
        reason = entry.reason
        kind = reason.template if isinstance(reason, Message) else str(reason)
        groups.setdefault((kind, entry.is_partial), []).append(entry)
    found = [
        LeftOutGroup(
            first=entries[0],
            count=len(entries),
            objects=sum(entry.objects for entry in entries),
        )
        for entries in groups.values()
    ]
    return sorted(found, key=lambda group: -group.count)


def write_import(folder: Path, report: ImportReport) -> None:
    """Write `import.json`; what is left out is in `skipped.json`.

    Args:
        folder: Folder of the dataset.
        report: The content.

    Raises:
        DiskFullError: No space was left.
    """
    text = report.model_dump_json(indent=1, exclude={"skipped"})
    write_atomically(folder / IMPORT_NAME, text + "\n")


def read_import(folder: Path) -> ImportReport | None:
    """Read the summary of the import of a dataset; None if it does not exist.

    Raises:
        BadDataError: It is damaged.
    """
    path = folder / IMPORT_NAME
    try:
        report = ImportReport.model_validate(json.loads(path.read_bytes()))
    except FileNotFoundError:
        return None
    except (OSError, ValueError, ValidationError) as error:
        raise BadDataError(
            "The summary of the import of the dataset in {folder} cannot be read.",
            "The dataset itself can still be used.",
            str(path),
            folder=folder,
        ) from error
    return report.model_copy(update={"skipped": read_skipped(folder)})
