"""Maps of numbers as files: TIFF of 32-bit floats, and PNG in colors."""

from __future__ import annotations

from studio.engine.tasks.parts.heat_map import COLOR, TIFF, HeatMap
from studio.engine.tasks.parts.writer import PartWriter


class HeatMapWriter(PartWriter[HeatMap]):
    """Writes maps into a folder: `tiff` has the numbers, `color` is a picture of them."""

    def add(self, image: str, part: HeatMap) -> dict[str, str]:
        """Write the files of a picture.

        Args:
            image: Path or address of the picture.
            part: The map.

        Returns:
            Their paths: `map` the TIFF, `color` the PNG, of a large picture a smaller copy.

        Raises:
            DiskFullError: No space was left.
        """
        stem, found = self._free_stem(image), {}
        if part.large is not None:
            found["map"] = str(self._moved(part.large, f"{stem}.tiff"))
        elif TIFF in self._kinds:
            found["map"] = str(self._written(f"{stem}.tiff", part.file()))
        if COLOR in self._kinds:
            found["color"] = str(self._written(f"{stem}-map.png", part.picture()))
        return found
