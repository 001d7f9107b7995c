"""Certificates of exported files: their measurements, and comparisons between files."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Self

from pydantic import BaseModel, ConfigDict, ValidationError

from studio.engine.datasets.origins.facts import MeasuredOn
from studio.engine.exporting.plan import Tolerance
from studio.engine.messages import Text, as_message, in_sentence, message
from studio.engine.tasks import DEFAULT_TASK, TASKS
from studio.engine.tasks.calibration import SAME_NUMBER
from studio.engine.tasks.metric import MetricSpec
from studio.engine.timing import BUSY, RelativeLatency

MAX_NAMED = 50
"""Largest number of images that a certificate names."""


class DifferentPrediction(BaseModel):
    """An image for which the predictions of file and model differ.

    Attributes:
        row: Its row in the dataset.
        path: Its path, relative to the source of the dataset.
        truth: Its class, labels or values.
        model: Prediction of the trained model.
        file: Prediction of the exported file.
    """

    model_config = ConfigDict(frozen=True)

    row: int
    path: str
    truth: str
    model: str
    file: str


@dataclass(frozen=True, slots=True)
class ComparedMetric:
    """A metric of the exported file and of the trained model.

    Attributes:
        spec: The metric.
        file: Its value for the file.
        model: Its value for the model.
        least: Smaller values of the model count as this one, so that rounding does not look like
            a loss where an error is nearly 0.
    """

    spec: MetricSpec
    file: float
    model: float
    least: float = 0.0

    @property
    def lost(self) -> float:
        """Loss of quality: in percentage points, or in percent of the model's value."""
        worse = (self.model - self.file) * self.spec.sign * 100
        if self.spec.is_fraction:
            return worse
        return worse / (self._whole or 1.0)

    def allowed(self, points: float) -> float:
        """Return the allowed loss, in the unit of the metric.

        Args:
            points: Tolerance, in the unit of `lost`.
        """
        return points / 100 * (1.0 if self.spec.is_fraction else self._whole)

    @property
    def unit(self) -> str:
        """Unit of `lost`."""
        return "points" if self.spec.is_fraction else "%"

    @property
    def _whole(self) -> float:
        return max(abs(self.model), self.least)

    @property
    def value_text(self) -> str:
        """The metric of the file."""
        return f"{self.file * 100:.2f} %" if self.spec.is_fraction else f"{self.file:.3g}"

    @property
    def change_text(self) -> str:
        """By how much it differs from that of the model."""
        change = self.file - self.model
        return f"{change * 100:+.2f} points" if self.spec.is_fraction else f"{change:+.3g}"


class Certificate(BaseModel):
    """The results of an exported file, run by its own runtime in a fresh process.

    Attributes:
        split: The split whose images were used.
        count: Number of images.
        measured_on: Relation of the images to the training images.
        task: Task of the model.
        metrics: Metrics of the exported file by name; empty for classification.
        model_metrics: Metrics of the trained model, on the same images.
        accuracy: Top-1 accuracy of the exported file, 0 to 1; None for other tasks.
        accuracy_interval: Its 95 % interval; None if it cannot be estimated.
        accuracy_change: Accuracy of the file minus that of the trained model.
        scale: Mean of the scales in the model card, see `ModelCard`; None for probabilities.
        largest_difference: Largest difference of any single output, in its scale.
        disagreements: Number of images with another answer.
        pixel_agreement: Share of the pixels with the class that the model gives; None without
            masks.
        box_agreement: Share of the boxes that file and model both give; None without boxes.
        object_agreement: The same of objects with outlines; None without.
        size_bytes: Size of the model file.
        latency_ms: Median time for one image, milliseconds, on this machine.
        script_checked: True if the exported script, run in a fresh process, gave the answer of the
            file for the example picture.
        format: Name of the format.
        precision: Precision of its numbers.
        latency_p95_ms: 95th percentile of the time for one image, milliseconds.
        images_per_second: Throughput with batches of `batch_size`, at the least disturbed time.
        batch_size: Images of a batch.
        cpu_ms: Processor time for one image, of all threads together; milliseconds.
        relative_latency: Time for one image divided by that of the run's Keras model, measured in
            turns; None in certificates of older versions, whose latencies cannot be compared.
        others_share: Share of the processors that other programs used meanwhile, 0 to 1.
        runtime: Runtime with its version.
        machine: Kind of machine it was measured on.
        loaded: Large libraries that were loaded in that process.
        disagreeing: Images with another answer, at most `MAX_NAMED`.
        tolerance: Tolerance of the plan.
        certified: True if the file is within the tolerance.
        shortcomings: Reasons why it is not, in sentences.
        passport: Licenses of the weights that the run started from; empty for random ones.
    """

    model_config = ConfigDict(frozen=True)

    split: str
    count: int
    measured_on: MeasuredOn | None = None
    task: str = DEFAULT_TASK.name
    metrics: dict[str, float] = {}
    model_metrics: dict[str, float] = {}
    accuracy: float | None = None
    accuracy_interval: tuple[float, float] | None = None
    accuracy_change: float | None = None
    scale: float | None = None
    largest_difference: float
    disagreements: int
    pixel_agreement: float | None = None
    box_agreement: float | None = None
    object_agreement: float | None = None
    size_bytes: int
    latency_ms: float
    script_checked: bool
    format: str = "keras"
    precision: str = "float32"
    latency_p95_ms: float | None = None
    images_per_second: float | None = None
    batch_size: int = 0
    cpu_ms: float | None = None
    relative_latency: RelativeLatency | None = None
    others_share: float | None = None
    runtime: str = ""
    machine: str = ""
    loaded: tuple[str, ...] = ()
    disagreeing: tuple[DifferentPrediction, ...] = ()
    tolerance: Tolerance = Tolerance()
    certified: bool = True
    shortcomings: tuple[str, ...] = ()
    passport: dict[str, dict[str, str]] = {}

    @property
    def compared(self) -> tuple[ComparedMetric, ...]:
        """The metrics of file and model, the main one first; empty if nothing was measured."""
        task = TASKS[self.task]
        if self.accuracy is not None:
            before = self.accuracy - (self.accuracy_change or 0.0)
            return (ComparedMetric(task.metrics[0], self.accuracy, before),)
        return tuple(
            ComparedMetric(
                spec,
                self.metrics[spec.name],
                self.model_metrics[spec.name],
                # Errors are in the unit of the targets.
                0.0 if spec.higher_is_better else (self.scale or 0.0) * SAME_NUMBER,
            )
            for spec in task.reporter.whole
            if spec.name in self.metrics and spec.name in self.model_metrics
        )

    @property
    def main(self) -> ComparedMetric | None:
        """The main metric of file and model; None if it cannot be measured."""
        return next(iter(self.compared), None)

    @property
    def difference_text(self) -> str:
        """The largest difference of an output, with its unit."""
        unit = "" if self.scale is None else " standard deviations"
        return f"{self.largest_difference:.2g}{unit}"

    @property
    def agreement(self) -> float:
        """Fraction of the images, pixels, boxes or objects with the same prediction, 0 to 1."""
        for share in (self.pixel_agreement, self.box_agreement, self.object_agreement):
            if share is not None:
                return share
        return 1 - self.disagreements / self.count if self.count else 0.0

    @property
    def is_worse(self) -> bool:
        """True if the main metric is worse than the tolerance allows."""
        return self.main is not None and self.main.lost > self.tolerance.points + 1e-9

    @property
    def disagrees(self) -> bool:
        """True if the agreement is below the tolerance."""
        return self.agreement * 100 < self.tolerance.agreement - 1e-9

    @property
    def was_busy(self) -> bool:
        """True if other programs used enough processors to make latencies uncertain."""
        return (self.others_share or 0) > BUSY

    def judged(self, tolerance: Tolerance) -> Self:
        """Return the certificate, judged by a tolerance."""
        made = self.model_copy(update={"tolerance": tolerance})
        found = tuple(_shortcomings(made))
        return made.model_copy(update={"certified": not found, "shortcomings": found})


def _shortcomings(certificate: Certificate) -> Iterator[str]:
    tolerance, main = certificate.tolerance, certificate.main
    if main is not None and certificate.is_worse:
        yield message(
            "Its {metric:lower} is {lost:.2f} {unit} worse than that of the model; the tolerance "
            "is {tolerance:g}.",
            metric=as_message(main.spec.label),
            lost=main.lost,
            unit=as_message(main.unit),
            tolerance=tolerance.points,
        )
    if certificate.disagrees:
        if certificate.box_agreement is not None:
            yield message(
                "It agrees with the model on {share:.1f} % of the boxes; the tolerance is "
                "{tolerance:g} %.",
                share=certificate.agreement * 100,
                tolerance=tolerance.agreement,
            )
        elif certificate.object_agreement is not None:
            yield message(
                "It agrees with the model on {share:.1f} % of the objects; the tolerance is "
                "{tolerance:g} %.",
                share=certificate.agreement * 100,
                tolerance=tolerance.agreement,
            )
        elif certificate.pixel_agreement is None:
            yield message(
                "It agrees with the model on {share:.1f} % of the images; the tolerance is "
                "{tolerance:g} %.",
                share=certificate.agreement * 100,
                tolerance=tolerance.agreement,
            )
        else:
            yield message(
                "It agrees with the model on {share:.1f} % of the pixels; the tolerance is "
                "{tolerance:g} %.",
                share=certificate.agreement * 100,
                tolerance=tolerance.agreement,
            )
    if not certificate.script_checked:
        yield "The script's prediction differs from that of its model file."


MIN_SHOWN = 0.005
"""Smaller changes of the main metric, in points or percent, do not count."""


class ExportedFile(BaseModel):
    """One variant of an export.

    Attributes:
        format: Name of the format.
        precision: In what numbers it is.
        path: The folder, or archive, that was written; empty if there is none.
        certificate: The certificate; None if the file could not be written.
        problem: Why it could not be written.
    """

    model_config = ConfigDict(frozen=True)

    format: str
    precision: str = "float32"
    path: str = ""
    certificate: Certificate | None = None
    problem: Text = ""

    @property
    def name(self) -> str:
        """As in plans: `tflite:int8`."""
        return f"{self.format}:{self.precision}"


def result_of(files: Sequence[ExportedFile]) -> dict[str, object]:
    """Return the result of a job; `path` and `certificate` where it is about one file."""
    document: dict[str, object] = {"exports": [each.model_dump(mode="json") for each in files]}
    if len(files) == 1 and files[0].certificate is not None:
        certificate = files[0].certificate.model_dump(mode="json")
        document |= {"path": files[0].path, "certificate": certificate}
    return document


def files_of(result: Mapping[str, Any]) -> tuple[ExportedFile, ...]:
    """Return the files of a result; empty if it is missing or of another version of Studio."""
    try:
        if "exports" in result:
            return tuple(ExportedFile.model_validate(each) for each in result["exports"])
        if "path" not in result:
            return ()
        certificate = Certificate.model_validate(result.get("certificate"))
    except (ValidationError, TypeError):
        return ()
    return (ExportedFile(format=certificate.format, path=result["path"], certificate=certificate),)


class FileComparison(BaseModel):
    """A file against another.

    Attributes:
        smaller: Factor by which it is smaller.
        faster: Speed-up for one image; 1 if the difference is not larger than the noise, None if
            they were not timed alternately with the same model, or other programs disturbed them.
        points: Improvement of its main metric, in `unit`.
        unit: Percentage points, or percent of the other's value.
        metric: Label of the main metric; empty without a measurement.
    """

    model_config = ConfigDict(frozen=True)

    smaller: float
    faster: float | None
    points: float
    unit: str = "points"
    metric: str = ""

    @property
    def sentence(self) -> str:
        """Summary such as "3.9 times smaller, 2.1 times faster, accuracy 0.40 points worse"."""
        parts = [_times(self.smaller, "smaller", "larger", "as large")]
        if self.faster is not None:
            parts.append(_times(self.faster, "faster", "slower", "about as fast"))
        metric = in_sentence(self.metric)
        if metric and abs(self.points) < MIN_SHOWN:
            parts.append(f"same {metric}")
        elif metric:
            word = "worse" if self.points < 0 else "better"
            parts.append(f"{metric} {abs(self.points):.2f} {self.unit} {word}")
        return ", ".join(parts)


def compared(file: Certificate, base: Certificate) -> FileComparison:
    """Compare a file with another of the same export.

    Args:
        file: Certificate of the file.
        base: Certificate of the other.
    """
    main, before = file.main, base.main
    if main is not None and before is not None:
        main = ComparedMetric(main.spec, main.file, before.file, main.least)
    return FileComparison(
        smaller=base.size_bytes / file.size_bytes,
        faster=_speed_up(file, base),
        points=0.0 if main is None else -main.lost,
        unit="" if main is None else main.unit,
        metric="" if main is None else main.spec.label,
    )


def speed_up(relative: RelativeLatency, *, was_busy: bool) -> float | None:
    """Return the speed-up of a program; 1 or None if the difference is not significant.

    Args:
        relative: Its time, divided by that of the other.
        was_busy: True if other programs used the processors meanwhile: then processor time must
            not contradict it.
    """
    if was_busy and relative.is_contradicted:
        return None
    return 1 / relative.ratio if relative.is_different else 1.0


def speed_up_of(certificate: Certificate) -> float | None:
    """Return the speed-up of a file over the Keras model; None if it is unknown."""
    relative = certificate.relative_latency
    return None if relative is None else speed_up(relative, was_busy=certificate.was_busy)


def relative_words(certificate: Certificate) -> str:
    """Speed against the Keras model, with its interval: 2.1 times faster (1.9 to 2.3)."""
    faster, relative = speed_up_of(certificate), certificate.relative_latency
    if faster is None or relative is None:
        return "unreliable: the machine was busy"
    words = _times(faster, "faster", "slower", "about as fast")
    low, high = sorted((abs(math.log(relative.low)), abs(math.log(relative.high))))
    return words if faster == 1 else f"{words} ({math.exp(low):.1f} to {math.exp(high):.1f})"


def load_note(certificate: Certificate) -> str:
    """Return a warning about other programs that ran meanwhile; empty if there is no need."""
    if not certificate.was_busy:
        return ""
    return (
        f"Other programs used {certificate.others_share:.0%} of the processors during the "
        "measurement: latency and throughput may look worse than they are."
    )


def base_of(file: ExportedFile, files: Sequence[ExportedFile]) -> ExportedFile | None:
    """Return the reference of a file: the float32 file of its format, or Keras for that one.

    Args:
        file: An exported file.
        files: All files of the export.
    """
    done = {each.name: each for each in files if each.certificate is not None}
    for name in (f"{file.format}:float32", "keras:float32"):
        if name in done and name != file.name:
            return done[name]
    return None


def _speed_up(file: Certificate, base: Certificate) -> float | None:
    if file.relative_latency is None or base.relative_latency is None:
        return None
    relative = file.relative_latency.against(base.relative_latency)
    return speed_up(relative, was_busy=file.was_busy or base.was_busy)


def _times(ratio: float, more: str, less: str, same: str) -> str:
    if abs(ratio - 1) < 0.05:
        return same
    return f"{ratio:.1f} times {more}" if ratio > 1 else f"{1 / ratio:.1f} times {less}"
