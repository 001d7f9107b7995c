"""Writer of predictions to files: each part to its own."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from studio.engine.messages import Text
from studio.engine.tasks.parts.class_map import ClassMap
from studio.engine.tasks.parts.class_map_files import ClassMapWriter
from studio.engine.tasks.parts.heat_map import HeatMap
from studio.engine.tasks.parts.heat_map_files import HeatMapWriter
from studio.engine.tasks.parts.measurements import PixelSize
from studio.engine.tasks.parts.object_files import ObjectWriter
from studio.engine.tasks.parts.objects import Objects
from studio.engine.tasks.parts.part import PredictionPart
from studio.engine.tasks.parts.prediction import Prediction
from studio.engine.tasks.parts.writer import PartWriter

_WRITERS: Final[Mapping[type[PredictionPart], type[PartWriter[Any]]]] = {
    ClassMap: ClassMapWriter,
    Objects: ObjectWriter,
    HeatMap: HeatMapWriter,
}


class PredictionWriter:
    """Writes predictions to files, one after another.

    Args:
        folder: Destination, created if missing.
        kinds: Kinds of files of each part that is written, see `PredictionPart.file_kinds`.
        names: Names of the outputs, K.
        colors: Colors of the classes as "#rrggbb", K.
        pixel: Width and height of a pixel in micrometers, for measurements of objects; None for
            that of each picture.
    """

    def __init__(
        self,
        folder: Path,
        kinds: Mapping[type[PredictionPart], Sequence[str]],
        names: Sequence[str],
        colors: Sequence[str],
        pixel: PixelSize | None = None,
    ) -> None:
        self._writers: dict[type[PredictionPart], PartWriter[Any]] = {
            part: _WRITERS[part](folder, chosen, names, colors)
            if part is not Objects
            else ObjectWriter(folder, chosen, names, colors, pixel)
            for part, chosen in kinds.items()
        }

    def add(self, image: str, prediction: Prediction) -> dict[str, str]:
        """Write the files of a picture, and return their paths by kind.

        Args:
            image: Path or address of the picture.
            prediction: Its prediction.

        Raises:
            DiskFullError: No space was left.
            UnwritableError: The files of this picture cannot be written.
        """
        paths: dict[str, str] = {}
        for part in prediction.parts:
            writer = self._writers.get(type(part))
            paths |= {} if writer is None else writer.add(image, part)
        return paths

    @property
    def warnings(self) -> list[Text]:
        """Sentences about missing files."""
        return [each for writer in self._writers.values() for each in writer.warnings]

    def finish(self) -> list[Path]:
        """Write the files that are about all pictures, and return their paths.

        Raises:
            DiskFullError: No space was left.
        """
        return [path for writer in self._writers.values() for path in writer.finish()]
