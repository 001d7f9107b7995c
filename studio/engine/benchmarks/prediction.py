"""Plan of a latency benchmark: one trained network in every export format."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any, Literal, NamedTuple

from pydantic import BaseModel, FiniteFloat

from studio.engine.benchmarks.plan import Count, Several
from studio.engine.benchmarks.results import CellMeasurement, CellState
from studio.engine.csv_cells import table_text
from studio.engine.errors import StudioError, did_you_mean
from studio.engine.exporting.formats import ALL, FORMATS, PRECISIONS, ExportFormat, Variant
from studio.engine.files import write_atomically, writing
from studio.engine.messages import Text, from_json, message, to_json
from studio.engine.plans import Plan, plan_field
from studio.engine.timing import RelativeLatency

_WHAT, _TIME = "Comparison", "Time"
_CHOICES = tuple(each.name for each in FORMATS if each.is_model)
_FORMATS = tuple(name for name in _CHOICES if name != "weights")
"""Formats of `all`: one for each runtime; Keras also runs the weights."""

CPU, GPU, CUDA, TENSORRT = "cpu", "gpu", "cuda", "tensorrt"


class LatencyKey(NamedTuple):
    """Key of a measurement in a latency benchmark.

    Attributes:
        format: Name of the export format.
        precision: In what numbers the file is.
        provider: Execution provider: `cpu`; `gpu` for TensorFlow's own; `cuda` and `tensorrt` for
            onnxruntime's.
        batch: Images that are predicted at once.
    """

    format: str
    precision: str
    provider: str
    batch: int

    @property
    def id(self) -> str:
        """Identifier such as `tflite:int8:cpu:8`."""
        return f"{self.format}:{self.precision}:{self.provider}:{self.batch}"


class PredictPlan(Plan):
    """Write a network in every format and precision, and time its predictions.

    `model` is `run:ID` or the absolute path of a Keras model, as `jobs.models` names them.
    """

    version: Literal[1] = 1
    model: str = plan_field(label="Model", help="Model for the predictions.", level="hidden")
    formats: Several[str] = plan_field(
        (ALL,),
        label="Formats",
        help=f"{', '.join(_CHOICES)}, divided by commas; or all.",
        why="Choose those that your target supports; each is exported and timed, which takes a "
        "while.",
        group=_WHAT,
    )
    precision: Several[str] = plan_field(
        (ALL,),
        label="Precisions",
        help="float32, float16, dynamic or int8, separated by commas; or all.",
        why="Fewer bits make files smaller and often faster; here you see by how much.",
        group=_WHAT,
    )
    batch_sizes: Several[Count] = plan_field(
        (1, 2, 4, 8, 16, 32, 64, 128, 256),
        label="Batch sizes",
        help="Images predicted at once, separated by commas.",
        why="1 is for interactive predictions; large batches are for whole folders.",
        group=_WHAT,
    )
    images: int = plan_field(
        256,
        label="Images",
        help="Images predicted with every batch size; at least ten batches.",
        why="More images give more stable results but take longer.",
        group=_TIME,
        within=(1, 1_000_000),
        scale="log",
    )
    seconds: float = plan_field(
        10.0,
        label="Time of a cell",
        help="Time limit per cell; slower cells are measured on at least three batches.",
        why="Prevents slow formats and large batches from delaying the others.",
        unit="s",
        group=_TIME,
        left_open=(0, 36_000),
    )


class Missing(NamedTuple):
    """Format or provider that could be measured if it were installed.

    Attributes:
        what: Display name.
        reason: Why it cannot be used.
        install: Command to install it; empty if that would not help.
    """

    what: str
    reason: str
    install: str


def variants_of(plan: PredictPlan) -> tuple[list[Variant], list[Missing]]:
    """Return the variants to write and measure, and the requested formats that lack a package.

    Formats and precisions are combined where a format has the precision.

    Raises:
        StudioError: A format or precision is unknown, or no format has any of the precisions.
    """
    for precision in plan.precision:
        if precision not in (*PRECISIONS, ALL):
            hint = did_you_mean(precision, (*PRECISIONS, ALL))
            raise StudioError(
                'There is no precision "{precision}".', hint, "precision", precision=precision
            )
    variants, missing = [], []
    for each in _formats(plan):
        found = [
            Variant(each, precision)
            for precision in each.precisions
            if ALL in plan.precision or precision in plan.precision
        ]
        lacking = each.missing()
        if lacking and found:
            reason = message(
                "{packages} are not installed",
                one="{packages} is not installed",
                count=len(lacking),
                packages=", ".join(lacking),
            )
            missing.append(Missing(each.label, reason, each.install))
        else:
            variants += found
    if not variants and not missing:
        raise StudioError(
            "None of the formats supports the precision {precisions}.",
            "Choose float32, which all formats support.",
            "precision",
            precisions=", ".join(plan.precision),
        )
    return variants, missing


def _formats(plan: PredictPlan) -> list[ExportFormat]:
    found = []
    for name in plan.formats:
        if name not in (*_CHOICES, ALL):
            hint = did_you_mean(name, (*_CHOICES, ALL))
            text = message('Predictions in the format "{name}" cannot be timed.', name=name)
            raise StudioError(
                text,
                hint or message("Available: {precisions}.", precisions=", ".join(_CHOICES)),
                "formats",
            )
        found += [FORMATS[each] for each in (_FORMATS if name == ALL else (name,))]
    return list(dict.fromkeys(found))


# What came out of a study of predictions, measurement by measurement, and as a CSV table.

FILES, ABOUT = "files", "about.json"
"""Folder of a study with what it wrote, and what says in each of them what it is."""

COLUMNS = (
    *("network", "format", "precision", "provider", "batch", "state", "calls", "p50_seconds"),
    *("p95_seconds", "images_per_second", "load_seconds", "peak_bytes", "runtime"),
    *("cpu_seconds", "relative_latency", "others_share", "reason"),
)
TABLE_NAME = "predictions.csv"


class LatencyFigures(BaseModel, frozen=True):
    """Latency of one file, measured by its own runtime in a separate process.

    Attributes:
        calls: Number of timed batches, after the warm-up.
        p50_seconds: Median time of a batch, from raw pixels to scores.
        p95_seconds: 95th percentile of the time per batch.
        images_per_second: Timed images divided by the time of all batches.
        load_seconds: Time to import the runtime and load the file.
        cpu_seconds: Processor time of a batch, summed over all threads.
        relative_latency: Time of a batch divided by that of the study's first file, measured in
            turns on the CPU; None elsewhere and in studies of older versions.
        others_share: Share of the processors that other programs used meanwhile, 0 to 1.
        peak_bytes: Peak memory of the process; None if the system does not report it.
        size_bytes: Size of the model's file.
        runtime: Runtime with its version.
    """

    calls: int
    p50_seconds: FiniteFloat
    p95_seconds: FiniteFloat
    images_per_second: FiniteFloat
    load_seconds: FiniteFloat
    cpu_seconds: FiniteFloat | None = None
    relative_latency: RelativeLatency | None = None
    others_share: FiniteFloat | None = None
    peak_bytes: int | None = None
    size_bytes: int = 0
    runtime: str = ""


class WrittenFile(BaseModel, frozen=True):
    """A file that is measured, as a study keeps it in a separate folder (`about.json`).

    Attributes:
        model: Name of the file, or folder, with the model.
        shape: Height, width and channels of the images that it takes.
        size_bytes: Size of the model.
    """

    model: str
    shape: tuple[int, int, int]
    size_bytes: int


class LatencyOutcome(BaseModel, frozen=True):
    """Outcome of a measurement; `figures` is set if it was measured."""

    state: CellState
    reason: Text = ""
    figures: LatencyFigures | None = None


class LatencyResult(CellMeasurement):
    """A measurement of a study of predictions: its variant and its state."""

    format: str
    precision: str
    provider: str
    batch: int
    outcome: LatencyOutcome

    @classmethod
    def of(cls, key: LatencyKey, outcome: LatencyOutcome) -> LatencyResult:
        """Create the result of a key.

        Args:
            key: Format, precision, provider and batch size.
            outcome: State and figures.
        """
        return cls(outcome=outcome, **key._asdict())

    @property
    def key(self) -> LatencyKey:
        """Key of the measurement."""
        return LatencyKey(self.format, self.precision, self.provider, self.batch)


def missing_json(missing: Iterable[Missing]) -> list[list[object]]:
    """Return the entry of a job's result that `missing_of` reads; messages stay messages."""
    return [[to_json(text) for text in each] for each in missing]


def missing_of(result: Mapping[str, Any]) -> list[Missing]:
    """Read from a job's result what could not be measured; empty if there is no result yet."""
    return [Missing(*map(from_json, each)) for each in result.get("missing", ())]


def fastest(results: Iterable[LatencyResult]) -> tuple[LatencyResult, LatencyResult] | None:
    """Return the result with the lowest latency and the one with the highest throughput.

    None where no single image was measured.
    """
    measured = [(result.outcome.figures, result) for result in results if result.outcome.figures]
    alone = [(figures, result) for figures, result in measured if result.batch == 1]
    if not alone:
        return None
    first = min(alone, key=_time_of(figures for figures, _ in alone))
    most = max(measured, key=lambda each: each[0].images_per_second)
    return first[1], most[1]


def _time_of(
    measured: Iterable[LatencyFigures],
) -> Callable[[tuple[LatencyFigures, LatencyResult]], float]:
    """Return the value to compare: the ratio to the reference if all have it, else the time."""
    if all(figures.relative_latency is not None for figures in measured):
        return lambda each: each[0].relative_latency.ratio if each[0].relative_latency else 0
    return lambda each: each[0].p50_seconds


def as_fast_as(result: LatencyResult, results: Iterable[LatencyResult]) -> list[LatencyResult]:
    """Return those of the same batch whose time differs by at most the noise.

    Args:
        result: Times measured alternately with the reference of the study.
        results: All results of the study.
    """
    figures = result.outcome.figures
    if figures is None or figures.relative_latency is None:
        return []
    found = []
    for other in results:
        theirs = other.outcome.figures
        if other.key == result.key or other.batch != result.batch or theirs is None:
            continue
        relative = theirs.relative_latency
        if relative is not None and not relative.against(figures.relative_latency).is_different:
            found.append(other)
    return found


def write_latency_results(path: Path, network: str, results: Iterable[LatencyResult]) -> Path:
    """Write the table of a study: one line per measurement, in seconds and bytes.

    Args:
        path: CSV file; its folder is created.
        network: Name for the first column.
        results: The measurements.

    Raises:
        StudioError: The file cannot be written.
    """
    rows = [(network, *result.key, result.outcome.state, *_figures(result)) for result in results]
    with writing(path, "to"):
        path.parent.mkdir(parents=True, exist_ok=True)
        write_atomically(path, table_text([COLUMNS, *rows]))
    return path


def _cell(value: float | None) -> str:
    return "" if value is None else f"{value:.9g}"


def _figures(result: LatencyResult) -> list[object]:
    figures, reason = result.outcome.figures, result.outcome.reason
    if figures is None:
        return [*[""] * (len(COLUMNS) - 7), reason]
    return [
        figures.calls,
        f"{figures.p50_seconds:.9g}",
        f"{figures.p95_seconds:.9g}",
        f"{figures.images_per_second:.9g}",
        f"{figures.load_seconds:.9g}",
        "" if figures.peak_bytes is None else figures.peak_bytes,
        figures.runtime,
        _cell(figures.cpu_seconds),
        _cell(figures.relative_latency.ratio if figures.relative_latency else None),
        _cell(figures.others_share),
        reason,
    ]
