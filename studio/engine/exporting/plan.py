"""The plan of an export."""

from __future__ import annotations

from typing import Final, Literal, get_args

from pydantic import field_validator, model_validator

from studio.engine.exporting.formats import Variant
from studio.engine.jobs.types import JobType, register, uses_any_gpu
from studio.engine.plans import Plan, plan_field
from studio.engine.workspace import RecordKind


class Tolerance(Plan):
    """Largest allowed deviation of an exported file; a file beyond it is not certified."""

    points: float = plan_field(
        1.0,
        label="Main metric",
        help="Largest accepted loss of the main metric: points of accuracy or mAP, percent of an "
        "error.",
        why="Lower precisions round. Files with a larger loss are marked.",
        unit="points",
        within=(0, 100),
    )
    agreement: float = plan_field(
        97.0,
        label="Agreement",
        help="Minimum percentage of images for which file and model give the same prediction.",
        why="Two models can be equally good and still disagree. Raise it if the file must give "
        "the same predictions as the model.",
        unit="%",
        level="expert",
        within=(0, 100),
    )


ArchiveFormat = Literal["", "zip", "tar", "tar.gz", "tar.bz2"]

ARCHIVES: Final = tuple(kind for kind in get_args(ArchiveFormat) if kind)


def is_archive(path: str) -> bool:
    """Return True if an exported path is an archive rather than a folder."""
    return path.endswith(tuple(f".{kind}" for kind in ARCHIVES))


class ExportPlan(Plan):
    """Plan to write the model of a run as files that work without Studio.

    `run` is the id of a run record; `variants` are texts such as `tflite:int8`. `to` is an
    absolute path of a folder, in which each gets a new folder; without it they are only measured,
    and stay in the record (`requests.save_measured`).
    """

    version: Literal[1] = 1
    run: str = plan_field(label="Run", help="The run whose model is written.", level="hidden")
    variants: list[str] = plan_field(
        ["keras:float32"],
        label="Formats",
        help="The formats, each with its precision.",
        level="hidden",
    )
    to: str = plan_field("", label="Folder", help="Folder for the files.", level="hidden")
    tolerance: Tolerance = plan_field(
        Tolerance(),
        label="Tolerance",
        help="Largest accepted difference between file and model for the certificate.",
        why="Lower precisions round, so predictions may differ; this is the accepted difference.",
    )
    decodes: bool = plan_field(
        True,
        label="Objects inside the file",
        help="ONNX and SavedModel files return boxes or outlines instead of the outputs of the "
        "network.",
        why="Programs in other languages then need no code for decoding and non-maximum "
        "suppression. Turn it off for accelerators without loops.",
        level="expert",
    )
    archive: ArchiveFormat = plan_field(
        "",
        label="Archive",
        help="Pack the files of each format into one archive instead of a folder.",
        why="One file is easier to send. Training can start directly from a .zip archive.",
        labels={
            "": "Folder",
            "zip": ".zip",
            "tar": ".tar",
            "tar.gz": ".tar.gz",
            "tar.bz2": ".tar.bz2",
        },
    )

    @field_validator("archive", mode="before")
    @classmethod
    def _read_switch(cls, value: object) -> object:
        # Plans had a switch for .zip before there were other archives.
        return {True: "zip", False: ""}[value] if isinstance(value, bool) else value

    @model_validator(mode="before")
    @classmethod
    def _read_format(cls, data: object) -> object:
        # Plans were of one format each before there were precisions.
        if not isinstance(data, dict) or "format" not in data:
            return data
        rest = {name: value for name, value in data.items() if name != "format"}
        return {"variants": [f"{data['format']}:float32"], **rest}

    def requested(self) -> list[Variant]:
        """Return the variants.

        Raises:
            StudioError: There is no such format or precision.
        """
        return [Variant.parse(text) for text in self.variants]


register(
    JobType(
        record=RecordKind.EXPORT,
        plan=ExportPlan,
        handler="studio.engine.compute.export:export",
        verb="export",
        requirements=uses_any_gpu,
    )
)
