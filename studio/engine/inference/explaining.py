"""What in a picture an answer depends on: the question, and the heat map that answers it."""

from __future__ import annotations

import base64
from typing import TYPE_CHECKING, Literal, Self

from pydantic import BaseModel, ConfigDict, Field

from studio.engine.inference.model_source import ModelSource

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

Method = Literal["grad_cam", "occlusion"]
"""`grad_cam` asks the gradient at a convolution (Selvaraju et al., 2017); `occlusion` covers the
picture part by part and looks how the score falls (Zeiler and Fergus, 2014), which any model
allows."""


class HeatMap(BaseModel):
    """How much each part of a picture counts, from 0 to 1; 1 at the strongest place.

    It lies over the picture as the model saw it (`ExplainAnswer.picture`) from edge to edge and is
    usually much smaller: whoever draws it enlarges it smoothly.

    Attributes:
        width: Columns.
        height: Rows.
        peak: What 1 stands for: of Grad-CAM its own unit, of an occlusion the fall of the score.
            0 where nothing in the picture counts, and all values are 0.
        data: Base64 of height x width little-endian 32 bit floats, row by row; see `values`.
    """

    model_config = ConfigDict(frozen=True)

    width: int = Field(ge=1)
    height: int = Field(ge=1)
    peak: float
    data: str

    @classmethod
    def of(cls, raw: NDArray[np.floating]) -> Self:
        """Of values of any size, shape (height, width); what is negative or no number counts 0."""
        import numpy as np  # noqa: PLC0415 - the window starts without it

        kept = np.maximum(np.nan_to_num(raw.astype(np.float64), posinf=0.0), 0.0)
        peak = float(kept.max())
        scaled = (kept / peak if peak > 0 else kept).astype("<f4")
        height, width = raw.shape
        return cls(
            width=width,
            height=height,
            peak=peak,
            data=base64.b64encode(scaled.tobytes()).decode("ascii"),
        )

    def values(self) -> NDArray[np.float32]:
        """The values, 0 to 1, shape (height, width)."""
        import numpy as np  # noqa: PLC0415 - the window starts without it

        flat = np.frombuffer(base64.b64decode(self.data), "<f4").astype(np.float32)
        return flat.reshape(self.height, self.width)


class ExplainRequest(BaseModel):
    """Ask what an answer depends on; the operation "explain".

    Attributes:
        model: Who is asked.
        image: Path of a picture.
        method: How to find out.
        label: Name of the class that is to be explained; empty for the likeliest.
        layer: Path of the layer whose output Grad-CAM looks at, as in `Outline`; empty for the
            last one with the size of the last convolution.
    """

    model_config = ConfigDict(frozen=True)

    model: ModelSource
    image: str
    method: Method = "grad_cam"
    label: str = ""
    layer: str = ""


class ExplainAnswer(BaseModel):
    """What an answer depends on.

    An occlusion takes longer than a question may: each time it is asked, it is continued for half
    a second and what is known so far is answered. `jobs.questions.explain` asks until all is done.

    Attributes:
        label: The class that is explained.
        score: How sure the model is of it, 0 to 1.
        method: How it was found out.
        layer: The layer whose output was looked at; empty for an occlusion.
        heat: The map.
        picture: Base64 of a PNG file: the picture as the model saw it.
        covers: Left, top, right and bottom of that in the upright original, as fractions of its
            sides. With a border they go beyond 0 and 1, where the picture is cropped they stay
            within: to draw the map over the original, put it there.
        milliseconds: How long it took, of all questions together.
        done: How many steps are done.
        total: Of how many.
    """

    model_config = ConfigDict(frozen=True)

    label: str
    score: float
    method: Method
    layer: str
    heat: HeatMap
    picture: str
    covers: tuple[float, float, float, float]
    milliseconds: float
    done: int = 1
    total: int = 1

    @property
    def is_complete(self) -> bool:
        """Whether there is nothing more to come."""
        return self.done >= self.total
