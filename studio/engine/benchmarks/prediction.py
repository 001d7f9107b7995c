"""How fast a trained network predicts in every format: the plan of it."""

from __future__ import annotations

from typing import Literal, NamedTuple

from studio.engine.benchmarks.lists import Count, Several
from studio.engine.errors import StudioError, did_you_mean
from studio.engine.exporting.formats import FORMATS, PRECISIONS, ExportFormat
from studio.engine.exporting.variants import ALL, Variant
from studio.engine.plans import Plan, plan_field

_WHAT, _TIME = "What is compared", "Time"
_CHOICES = tuple(each.name for each in FORMATS if each.is_model)
_FORMATS = tuple(name for name in _CHOICES if name != "weights")
"""What `all` means: one format for each runtime; Keras also runs the weights."""

CPU, GPU, CUDA, TENSORRT = "cpu", "gpu", "cuda", "tensorrt"


class Place(NamedTuple):
    """Where in a study of predictions a measurement is.

    Attributes:
        format: Name of the export format.
        precision: In what numbers the file is.
        provider: What computes: `cpu`; `gpu` for TensorFlow's own; `cuda` and `tensorrt` for
            onnxruntime's.
        batch: Images that are predicted at once.
    """

    format: str
    precision: str
    provider: str
    batch: int

    @property
    def key(self) -> str:
        """The place in one word."""
        return f"{self.format}:{self.precision}:{self.provider}:{self.batch}"


class PredictPlan(Plan):
    """Write a network in every format and precision, and time its predictions.

    `model` is `run:ID` or the absolute path of a Keras model, as `jobs.models` names them.
    """

    version: Literal[1] = 1
    model: str = plan_field(label="Model", help="What predicts.", level="hidden")
    formats: Several[str] = plan_field(
        (ALL,),
        label="Formats",
        help=f"{', '.join(_CHOICES)}, divided by commas; or all.",
        why="Name those that your target can run; each is written and timed, which takes a while.",
        group=_WHAT,
    )
    precision: Several[str] = plan_field(
        (ALL,),
        label="Precisions",
        help="float32, float16, dynamic or int8, divided by commas; or all that a format has.",
        why="Fewer bits make files smaller and often faster; here you see by how much.",
        group=_WHAT,
    )
    batch_sizes: Several[Count] = plan_field(
        (1, 2, 4, 8, 16, 32, 64, 128, 256),
        label="Batch sizes",
        help="Images that are predicted at once, divided by commas.",
        why="1 is a single picture that somebody waits for; large ones are for whole folders.",
        group=_WHAT,
    )
    images: int = plan_field(
        256,
        label="Images",
        help="How many images are predicted with every batch size, and ten batches at least.",
        why="More images give steadier figures and take longer.",
        group=_TIME,
        ge=1,
        le=1_000_000,
        scale="log",
    )
    seconds: float = plan_field(
        10.0,
        label="Time of a cell",
        help="A cell that takes longer is measured by what it did until then, three batches at "
        "least.",
        why="It keeps slow formats and large batches from holding up the others.",
        unit="s",
        group=_TIME,
        gt=0,
        le=36_000,
    )


class Missing(NamedTuple):
    """What could be measured if it were installed.

    Attributes:
        what: Its name, for people.
        reason: Why it cannot be used.
        install: What to type; empty where that would not help.
    """

    what: str
    reason: str
    install: str


def variants_of(plan: PredictPlan) -> tuple[list[Variant], list[Missing]]:
    """What is written and measured, and which of the wanted formats lack a package here.

    Formats and precisions are combined where a format has the precision.

    Raises:
        StudioError: A format or precision is not known, or no format has any of the precisions.
    """
    for precision in plan.precision:
        if precision not in (*PRECISIONS, ALL):
            hint = did_you_mean(precision, (*PRECISIONS, ALL))
            raise StudioError(f'There is no precision "{precision}".', hint, "precision")
    variants, missing = [], []
    for each in _formats(plan):
        found = [
            Variant(each, precision)
            for precision in each.precisions
            if ALL in plan.precision or precision in plan.precision
        ]
        lacking = each.missing()
        if lacking and found:
            reason = f"{', '.join(lacking)} {'is' if len(lacking) == 1 else 'are'} not installed"
            missing.append(Missing(each.label, reason, each.install))
        else:
            variants += found
    if not variants and not missing:
        raise StudioError(
            f"None of the formats has a precision of {', '.join(plan.precision)}.",
            "Choose float32, which all have.",
            "precision",
        )
    return variants, missing


def _formats(plan: PredictPlan) -> list[ExportFormat]:
    found = []
    for name in plan.formats:
        if name not in (*_CHOICES, ALL):
            hint = did_you_mean(name, (*_CHOICES, ALL))
            text = f'There is no format "{name}" whose predictions can be timed.'
            raise StudioError(text, hint or f"There are: {', '.join(_CHOICES)}.", "formats")
        found += [FORMATS[each] for each in (_FORMATS if name == ALL else (name,))]
    return list(dict.fromkeys(found))
