"""What was asked of an export."""

from __future__ import annotations

from typing import Literal

from pydantic import model_validator

from studio.engine.exporting.variants import Variant
from studio.engine.plans import Plan, plan_field


class Tolerance(Plan):
    """How far an exported file may be from the model; a file beyond it is not certified."""

    points: float = plan_field(
        1.0,
        label="Accuracy",
        help="How many percentage points of accuracy an exported file may lose.",
        why="Smaller numbers cost a little accuracy. What costs more than this is marked.",
        unit="points",
        ge=0,
        le=100,
    )
    agreement: float = plan_field(
        97.0,
        label="Agreement",
        help="On how many images, at least, file and model must give the same answer.",
        why="Two models can be equally good and yet disagree. Raise it where the "
        "file must answer as the model did.",
        unit="%",
        level="expert",
        ge=0,
        le=100,
    )


class ExportPlan(Plan):
    """Write the model of a run as files that work without Studio.

    `run` is the id of a run record; `variants` are texts such as `tflite:int8`. `to` is an
    absolute folder in which a new folder is made for each; without it they are measured only, and
    stay in the record until somebody takes one (`keeping`).
    """

    version: Literal[1] = 1
    run: str = plan_field(label="Run", help="The run whose model is written.", level="hidden")
    variants: list[str] = plan_field(
        ["keras:float32"],
        label="Formats",
        help="The formats, each with its precision.",
        level="hidden",
    )
    to: str = plan_field("", label="Folder", help="Where the files go.", level="hidden")
    tolerance: Tolerance = plan_field(
        Tolerance(),
        label="Tolerance",
        help="How far a file may be from the model to be certified.",
        why="Smaller precisions round, and a file may answer differently; this "
        "says how much you accept.",
    )
    archive: bool = plan_field(
        False,
        label="One archive",
        help="Put every folder into one .zip file.",
        why="To send it; Studio opens it again as it is.",
    )

    @model_validator(mode="before")
    @classmethod
    def _read_format(cls, data: object) -> object:
        # Plans were of one format each before there were precisions.
        if not isinstance(data, dict) or "format" not in data:
            return data
        rest = {name: value for name, value in data.items() if name != "format"}
        return {"variants": [f"{data['format']}:float32"], **rest}

    def wanted(self) -> list[Variant]:
        """The variants.

        Raises:
            StudioError: There is no such format or precision.
        """
        return [Variant.parse(text) for text in self.variants]
