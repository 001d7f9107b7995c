"""What was measured on an exported file, before anybody relies on it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Self

from pydantic import BaseModel, ConfigDict

from studio.engine.exporting.plan import Tolerance
from studio.engine.paired_timing import RelativeLatency
from studio.engine.processor_load import BUSY
from studio.engine.tasks import DEFAULT_TASK, TASKS
from studio.engine.tasks.answer import SAME_ANSWER
from studio.engine.tasks.metric import MetricSpec, in_sentence

MOST_NAMED = 50
"""Images on which file and model disagree are named up to so many."""


class Disagreement(BaseModel):
    """An image that file and model take for different classes.

    Attributes:
        row: Its row in the dataset.
        path: Where it came from, relative to the dataset's source.
        truth: Its class.
        model: What the trained model says.
        file: What the exported file says.
    """

    model_config = ConfigDict(frozen=True)

    row: int
    path: str
    truth: str
    model: str
    file: str


@dataclass(frozen=True, slots=True)
class Compared:
    """A metric of the exported file, and the same of the model.

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
        """How much worse the file is: in percentage points, or in percent of the model's value."""
        worse = (self.model - self.file) * self.spec.sign * 100
        if self.spec.is_fraction:
            return worse
        return worse / (self._whole or 1.0)

    def allowed(self, points: float) -> float:
        """Return by how much the file may be worse, in the unit of the metric.

        Args:
            points: What is tolerated, as `lost` counts it.
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
    """The exported file, run by its own runtime in a fresh process, held against the model.

    Attributes:
        split: The split whose images were used.
        count: How many images.
        task: Task of the model.
        metrics: Metrics of the exported file, by their names; empty where images have classes.
        model_metrics: Those of the run's own model, on the same images.
        accuracy: Top-1 accuracy of the exported file, 0 to 1; None where images have no classes.
        accuracy_interval: Its 95 % interval (Wilson); None in certificates of older versions.
        accuracy_change: That minus the accuracy of the run's own model, on the same images.
        scale: Mean standard deviation of the training targets; None for probabilities.
        largest_difference: Largest difference of any single output, in standard deviations of the
            training targets where `scale` is given.
        disagreements: On how many images the first answer differs.
        size_bytes: Size of the model file.
        latency_ms: Median time for one image, milliseconds, on this machine.
        script_checked: Whether the exported script, run in a process of its own, gave the same
            answer for the example picture.
        format: Name of the format.
        precision: In what numbers it is.
        latency_p95_ms: What 95 of 100 images take at most, one at a time; milliseconds.
        images_per_second: With batches of `batch_size`, while other programs disturbed least.
        batch_size: Of that.
        cpu_ms: Processor time for one image, of all threads together; milliseconds.
        relative_latency: Time for one image divided by that of the run's Keras model, measured in
            turns; None in certificates of older versions, whose latencies cannot be compared.
        others_share: Share of the processors that other programs used meanwhile, 0 to 1.
        runtime: What ran it, with its version.
        machine: On what it was measured.
        loaded: Large libraries that were loaded in that process.
        disagreeing: The images, at most `MOST_NAMED`.
        tolerance: What was asked.
        certified: Whether it is within that.
        shortcomings: Why it is not, in sentences.
    """

    model_config = ConfigDict(frozen=True)

    split: str
    count: int
    task: str = DEFAULT_TASK.name
    metrics: dict[str, float] = {}
    model_metrics: dict[str, float] = {}
    accuracy: float | None = None
    accuracy_interval: tuple[float, float] | None = None
    accuracy_change: float | None = None
    scale: float | None = None
    largest_difference: float
    disagreements: int
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
    disagreeing: tuple[Disagreement, ...] = ()
    tolerance: Tolerance = Tolerance()
    certified: bool = True
    shortcomings: tuple[str, ...] = ()

    @property
    def compared(self) -> tuple[Compared, ...]:
        """The metrics of file and model, the main one first; none where none can be measured."""
        task = TASKS[self.task]
        if self.accuracy is not None:
            before = self.accuracy - (self.accuracy_change or 0.0)
            return (Compared(task.metrics[0], self.accuracy, before),)
        specs = () if task.reporter is None else task.reporter.whole
        return tuple(
            Compared(
                spec,
                self.metrics[spec.name],
                self.model_metrics[spec.name],
                # Errors are in the unit of the targets.
                0.0 if spec.higher_is_better else (self.scale or 0.0) * SAME_ANSWER,
            )
            for spec in specs
            if spec.name in self.metrics and spec.name in self.model_metrics
        )

    @property
    def main(self) -> Compared | None:
        """The main metric of file and model; None where none can be measured."""
        return next(iter(self.compared), None)

    @property
    def difference_text(self) -> str:
        """The largest difference of an output, with its unit."""
        unit = "" if self.scale is None else " standard deviations"
        return f"{self.largest_difference:.2g}{unit}"

    @property
    def agreement(self) -> float:
        """Share of the images with the same answer, 0 to 1."""
        return 1 - self.disagreements / self.count if self.count else 0.0

    @property
    def is_worse(self) -> bool:
        """True if the main metric is worse than the tolerance allows."""
        return self.main is not None and self.main.lost > self.tolerance.points + 1e-9

    @property
    def disagrees(self) -> bool:
        """True if fewer images have the same answer than the tolerance asks for."""
        return self.agreement * 100 < self.tolerance.agreement - 1e-9

    @property
    def was_busy(self) -> bool:
        """True if other programs used so much of the processors that latencies are uncertain."""
        return (self.others_share or 0) > BUSY

    def judged(self, tolerance: Tolerance) -> Self:
        """The same, judged by a tolerance."""
        made = self.model_copy(update={"tolerance": tolerance})
        found = tuple(_shortcomings(made))
        return made.model_copy(update={"certified": not found, "shortcomings": found})


def _shortcomings(certificate: Certificate) -> Iterator[str]:
    tolerance, main = certificate.tolerance, certificate.main
    if main is not None and certificate.is_worse:
        yield (
            f"Its {in_sentence(main.spec.label)} is {main.lost:.2f} {main.unit} worse than that "
            f"of the model; the tolerance is {tolerance.points:g}."
        )
    if certificate.disagrees:
        yield (
            f"It gives the model's answer on {certificate.agreement * 100:.1f} % of the images; "
            f"the tolerance is {tolerance.agreement:g} %."
        )
    if not certificate.script_checked:
        yield "Its script does not give the answer of its own model file."
