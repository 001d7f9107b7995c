"""A number for each pixel."""

from __future__ import annotations

import base64
import io
from typing import TYPE_CHECKING, ClassVar, Final, Self

from studio.engine.tasks.heat_colors import colored
from studio.engine.tasks.parts.large_map import LargeMap
from studio.engine.tasks.parts.part import PredictionPart

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

TIFF: Final = "tiff"
COLOR: Final = "color"


class HeatMap(PredictionPart, frozen=True):
    """A number for each pixel of a picture, such as how unusual it is there.

    Examples:
        >>> values = numpy.array([[0.0, 0.25], [0.75, 0.125]], numpy.float32)  # height, width
        >>> HeatMap.of(values, "anomaly", threshold=0.5).document()
        {'score': 0.75, 'is_anomaly': True}

    Attributes:
        name: What the numbers measure, a noun; translated by the window if it is a text of the
            engine.
        score: The highest number; 0 for a picture that was not seen.
        threshold: From which highest number on the picture counts; None without a threshold.
        pixel_threshold: From which number on a pixel is outlined; None for `threshold`.
        low: Number that is shown in the first color.
        high: Number that is shown in the last color.
        data: The numbers as a TIFF file of 32-bit floats in base64, NaN where the model saw
            nothing; empty once its files are written.
        large: The map of a large picture; `data` is a smaller copy of it then.
    """

    file_kinds: ClassVar[tuple[str, ...]] = (TIFF, COLOR)
    file_option: ClassVar[str] = "maps"
    in_scripts: ClassVar[bool] = False
    name: str
    score: float
    threshold: float | None = None
    pixel_threshold: float | None = None
    low: float = 0.0
    high: float = 1.0
    data: str = ""
    large: LargeMap | None = None

    @classmethod
    def of(
        cls,
        values: NDArray[np.float32],
        name: str,
        threshold: float | None = None,
        limits: tuple[float, float] = (0.0, 1.0),
    ) -> Self:
        """Create from an array.

        Args:
            values: Shape (height, width); NaN where the model saw nothing.
            name: What the numbers measure, a noun.
            threshold: From which number on a pixel counts.
            limits: Numbers in the first and the last color.
        """
        import numpy as np  # noqa: PLC0415 - the window starts without it
        from PIL import Image  # noqa: PLC0415

        file = io.BytesIO()
        image = Image.fromarray(values.astype(np.float32))
        image.save(file, "TIFF", compression="tiff_adobe_deflate")
        seen = values[np.isfinite(values)]
        return cls(
            name=name,
            score=float(seen.max(initial=-np.inf)) if seen.size else 0.0,
            threshold=threshold,
            low=limits[0],
            high=limits[1],
            data=base64.b64encode(file.getvalue()).decode("ascii"),
        )

    def values(self) -> NDArray[np.float32]:
        """Return the numbers, shape (height, width); NaN where the model saw nothing."""
        import numpy as np  # noqa: PLC0415 - the window starts without it
        from PIL import Image  # noqa: PLC0415

        with Image.open(io.BytesIO(self.file()), formats=("TIFF",)) as image:
            return np.array(image, np.float32)

    def file(self) -> bytes:
        """Return the numbers as a TIFF file."""
        return base64.b64decode(self.data)

    @property
    def outlined_from(self) -> float | None:
        """The number from which on a pixel is outlined; None without a threshold."""
        return self.threshold if self.pixel_threshold is None else self.pixel_threshold

    @property
    def is_above(self) -> bool | None:
        """True if the highest number reaches the threshold; None without a threshold."""
        return None if self.threshold is None else self.score >= self.threshold

    def document(self) -> dict[str, object]:
        """Return `score`, and `is_` with the name if there is a threshold."""
        found: dict[str, object] = {"score": self.score}
        if self.is_above is not None:
            found[f"is_{self.name}"] = self.is_above
        return found

    def lines(self) -> list[str]:
        """Return a line with the highest number, and whether it reaches the threshold."""
        if self.threshold is None:
            return [f"{self.score:10.4g}  {self.name}"]
        verdict = "yes" if self.is_above else "no"
        return [f"{self.score:10.4g}  {self.name}: {verdict} (threshold {self.threshold:.4g})"]

    def cells(self) -> dict[str, object]:
        """Return the highest number, and 1 or 0 for one that reaches the threshold."""
        cells: dict[str, object] = {f"score {self.name}": self.score}
        if self.is_above is not None:
            cells[f"is_{self.name}"] = int(self.is_above)
        return cells

    def brief(self) -> str:
        """Return the name with the highest number."""
        return f"{self.name} {self.score:.3g}"

    def numbers(self) -> dict[str, float]:
        """Return the highest number."""
        return {self.name: self.score}

    def without_files(self) -> Self:
        """Return the highest number without the map."""
        return self.model_copy(update={"data": ""})

    def picture(self) -> bytes:
        """Return the map in colors as a PNG file."""
        from PIL import Image  # noqa: PLC0415 - the window starts without it

        file = io.BytesIO()
        Image.fromarray(colored(self.values(), self.low, self.high)).save(file, "PNG")
        return file.getvalue()
