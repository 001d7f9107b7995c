"""Evaluations of outputs: labels, numbers, masks and boxes, with the images behind them."""

from __future__ import annotations

import itertools
import json
import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any, Literal, Self

import numpy as np
from numpy.typing import NDArray
from pydantic import BaseModel

from studio.engine.csv_cells import table_text
from studio.engine.datasets.store import Store
from studio.engine.errors import BadDataError, StudioError
from studio.engine.evaluation.gap import OriginPartName
from studio.engine.evaluation.measures import affordable_draws, draws
from studio.engine.evaluation.opened import (
    EvaluationComparison,
    OpenedEvaluation,
    different_images,
)
from studio.engine.evaluation.report import EVIDENCE_NAME, OUTPUTS_NAME, OutputFigures, Report
from studio.engine.evaluation.report_builder import (
    Joined,
    images_by_origin,
    joined,
)
from studio.engine.evaluation.report_page import EmbeddedPictures, precision_by_recall, rendered
from studio.engine.evaluation.report_table import gap_figures, gap_rows
from studio.engine.evaluation.reports import ReportKind
from studio.engine.messages import english
from studio.engine.progress import Progress, SilentProgress
from studio.engine.proportions import percentile_interval
from studio.engine.tasks import TASKS
from studio.engine.tasks.calibration import Calibration
from studio.engine.workspace import RecordKind, Workspace

_ERROR_COLORS = np.array(
    [(0, 0, 0, 0), (213, 94, 0, 200), (0, 114, 178, 200), (128, 128, 128, 120)], np.uint8
)
"""Colors of correct, missed, false and ignored pixels, safe for color-blind people."""
_SHOWN = 12
"""Images with the largest errors of each label or quantity on the page."""


@dataclass(frozen=True)
class EvaluatedOutputs(OpenedEvaluation):
    """An evaluation of outputs: labels, numbers, masks or boxes.

    Attributes:
        outputs: Outputs of the network, shape (n, K); of masks the class of each pixel, (n, H, W);
            of boxes the detections, (n, 100, 6).
        evidence: Sufficient statistics of the images, n rows; see `Reporter.evidence`.
        targets: Shape (n, K); no rows where the dataset was deleted.
        rows: Rows of the images in the dataset, n; empty where it was deleted.
        store: The dataset, in the version that was measured; None where it was deleted.
    """

    measuring = "studio.engine.compute.evaluate:measure_outputs"

    outputs: NDArray[Any]
    evidence: NDArray[Any]
    targets: NDArray[Any]
    rows: NDArray[np.int64]
    store: Store | None

    @classmethod
    def of(cls, report: Report, workspace: Workspace, folder: Path) -> Self:
        """Read the outputs; see `OpenedEvaluation.of`."""
        reporter = TASKS[report.task].reporter
        is_separate = reporter.stores_evidence
        try:
            # Outputs of which evidence was stored are large.
            mode: Literal["r"] | None = "r" if is_separate else None
            outputs = np.load(folder / OUTPUTS_NAME, mode, allow_pickle=False)
            evidence = (
                np.load(folder / EVIDENCE_NAME, allow_pickle=False) if is_separate else outputs
            )
        except (OSError, ValueError, EOFError) as error:
            raise BadDataError(
                "The outputs of the evaluation in {folder} cannot be read.",
                "Evaluate again.",
                folder=folder,
            ) from error
        counts = reporter.outputs_in(evidence)
        if counts != len(report.outputs) or {len(evidence), len(outputs)} != {report.count}:
            raise BadDataError(
                "The outputs in {folder} belong to other images.", "Evaluate again.", folder=folder
            )
        subject = report.subject
        record = workspace.record(RecordKind.DATASET, subject.dataset)
        try:
            store = None if record is None else Store.open(record.folder, subject.dataset_version)
        except StudioError:
            store = None  # the metrics are whole without the images
        rows = np.empty(0, np.int64) if store is None else store.rows(subject.split)
        if store is None or len(rows) != report.count:
            none = np.empty((0, len(report.outputs)))
            return cls(report, outputs, evidence, none, np.empty(0, np.int64), None)
        return cls(report, outputs, evidence, store.targets[rows], rows, store)

    @property
    def confusion(self) -> NDArray[np.integer[Any]] | None:
        """Pixels or objects by true (row) and predicted class (column); None without."""
        found = self.report.confusion
        return None if found is None else np.asarray(found)

    def compare(self, other: OpenedEvaluation) -> MetricComparison:
        """Compare all metrics, also by origin; see `OpenedEvaluation.compare`."""
        if not isinstance(other, EvaluatedOutputs):
            raise different_images()
        return MetricComparison(
            self, other, compare_targets(self, other), compare_origins(self, other)
        )

    def document(self) -> dict[str, Any]:
        """Return the report with its outputs by their names; see `OpenedEvaluation.document`."""
        document = self.report.model_dump(mode="json")
        del document["outputs"]
        return document | {self.reporter.outputs_key: _documents(self.report.outputs)}

    def text(
        self,
        kind: ReportKind,
        comparison: EvaluationComparison | None = None,  # noqa: ARG002 - its page shows none
    ) -> str:
        """Return the text of a file; see `OpenedEvaluation.text`."""
        if kind == "json":
            document = english(json.loads(self.report.model_dump_json()))
            return json.dumps(document, indent=2, ensure_ascii=False)
        return _csv(self) if kind == "csv" else _html(self)

    @property
    def calibration(self) -> Calibration:
        """Calibration of the outputs on validation images."""
        return self.report.calibration

    @property
    def has_images(self) -> bool:
        """True unless the dataset was deleted."""
        return len(self.rows) > 0

    @cached_property
    def measured(self) -> Joined:
        """Evidence and targets of what was measured, and its groups; see `joined`.

        Raises:
            StudioError: The dataset was deleted.
        """
        if not self.has_images:
            raise StudioError(
                "The images of the evaluation {name} no longer exist.",
                "Restore the dataset, or evaluate again.",
                name=self.report.subject.title,
            )
        tiles, groups = None, None
        if self.store is not None:
            tiles = self.store.pictures[self.rows] if self.store.recipe.tile_size else None
            groups = self.store.origins.groups[self.rows]
        task = TASKS[self.report.task]
        return joined(task, self.evidence, self.targets, groups, tiles)

    def only(self, which: NDArray[np.bool_]) -> EvaluatedOutputs:
        """Return the evaluation of some of the images; its report is that of all.

        Args:
            which: True for these images, shape (n,).
        """
        return replace(
            self,
            outputs=self.outputs[which],
            evidence=self.evidence[which],
            targets=self.targets[which],
            rows=self.rows[which],
        )

    def worst(self, output: int | None, most: int) -> NDArray[np.int64]:
        """Return the indices of the images with the largest errors, largest first.

        Args:
            output: Index of the output; None for all together.
            most: Greatest number of images.
        """
        if not self.has_images:
            return np.empty(0, np.int64)
        errors = self.reporter.errors(self.evidence, self.targets, output, self.calibration)
        order = np.argsort(-errors, kind="stable")[:most]
        return order[errors[order] >= 0]

    def pair(self, row: int) -> tuple[NDArray[Any], NDArray[Any]] | None:
        """Return the decoded outputs of an image, and its masks or boxes; None without them.

        Args:
            row: Row of the image in the dataset.
        """
        places = np.flatnonzero(self.rows == row)
        if self.store is None or not len(places):
            return None
        return self.outputs[places[0]], self.store.required_regions[row]

    def cell(self, truth: int, predicted: int) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Return the images that a cell of the confusion counts, those with the most first.

        Reads all masks or boxes.

        Args:
            truth: True class of the pixels or objects; K is the background.
            predicted: Predicted class; K is the background.

        Returns:
            Places of the images, and the number of such pixels or objects in each.
        """
        if self.store is None:
            return np.empty(0, np.int64), np.empty(0, np.int64)
        regions, count = self.store.required_regions, len(self.report.outputs)
        counts = np.array(
            [
                self.reporter.in_cell(
                    decoded, regions[row], (truth, predicted), count, self.calibration
                )
                for row, decoded in zip(self.rows, self.outputs, strict=True)
            ],
            np.int64,
        )
        order = np.argsort(-counts, kind="stable")[: np.count_nonzero(counts)]
        return order, counts[order]


class MetricDifference(BaseModel, frozen=True):
    """Difference of a metric between two models, with its 95 % interval; NaN without one."""

    value: float
    low: float
    high: float

    @property
    def has_interval(self) -> bool:
        """True if it was measured on enough images for an interval."""
        return math.isfinite(self.low) and math.isfinite(self.high)

    @property
    def text(self) -> str:
        """The difference with its sign."""
        return _signed(self.value)

    @property
    def ends_text(self) -> str:
        """The ends of the interval; a dash without one."""
        return f"{_signed(self.low)} – {_signed(self.high)}" if self.has_interval else "–"


def _signed(value: float) -> str:
    return f"{value:+.4g}" if math.isfinite(value) else "–"


def _images(report: Report) -> tuple[object, ...]:
    """Return what names the measured images."""
    subject = report.subject
    return report.task, subject.dataset, subject.dataset_version, subject.split


def compare_targets(
    one: EvaluatedOutputs,
    other: EvaluatedOutputs,
    resamples: int = 1000,
    seed: int = 0,
    progress: Progress | None = None,
) -> dict[str, MetricDifference]:
    """Return by how much the metrics of two evaluations of the same images differ, one - other.

    The intervals are percentiles of a bootstrap that draws the same images for both.

    Args:
        one: An evaluation.
        other: Another one.
        resamples: Bootstrap resamples.
        seed: Seed of the draws.
        progress: Receives the progress and may cancel.

    Raises:
        Cancelled: The job was asked to end.
        StudioError: They are of different images, or the dataset was deleted.
    """
    same = _images(one.report) == _images(other.report)
    if not (same and one.has_images and other.has_images):
        raise different_images()
    reporter, reporting = one.reporter, progress or SilentProgress()
    first, targets, groups = one.measured
    evidence = first, other.measured[0]

    def differences(indices: Iterator[NDArray[np.int64]]) -> Iterator[dict[str, float]]:
        both = (
            reporter.resampled(of, targets, each.calibration, drawn)
            for each, of, drawn in zip((one, other), evidence, itertools.tee(indices), strict=True)
        )
        for ours, theirs in zip(*both, strict=True):
            yield {name: ours.whole[name] - theirs.whole[name] for name in ours.whole}

    (whole,) = differences(iter([np.arange(len(targets))]))
    rounds = affordable_draws(resamples, 2 * first.size * reporter.cost)
    drawn = []
    for at, each in enumerate(differences(draws(len(targets), rounds, seed, groups))):
        reporting.check()
        reporting.advance(at, rounds, "Drawing intervals")
        drawn.append(each)
    found = {}
    for name, value in whole.items():
        # There may be none, such as for large objects in images without any.
        count = None if groups is None else groups.count
        ends = percentile_interval([each[name] for each in drawn], count) or (math.nan, math.nan)
        found[name] = MetricDifference(value=value, low=ends[0], high=ends[1])
    return found


def compare_origins(
    one: EvaluatedOutputs, other: EvaluatedOutputs, progress: Progress | None = None
) -> dict[OriginPartName, dict[str, MetricDifference]]:
    """Compare two evaluations on known and on unseen origins; empty if only one was measured.

    Args:
        one: An evaluation.
        other: Another one of the same images.
        progress: Receives the progress and may cancel.

    Raises:
        Cancelled: The job was asked to end.
        StudioError: They are of different images, or the dataset was deleted.
    """
    parts = images_by_origin(one.report.gap, one.report.count)
    return {
        name: compare_targets(one.only(which), other.only(which), progress=progress)
        for name, which in parts.items()
    }


@dataclass(frozen=True)
class MetricComparison:
    """Differences of the metrics of two evaluations of the same images.

    Attributes:
        one: The first evaluation.
        other: The second one.
        differences: Metrics of the first minus those of the second, by their names.
        by_origin: The same for known and for unseen origins; empty if only one was measured.
    """

    one: EvaluatedOutputs
    other: EvaluatedOutputs
    differences: dict[str, MetricDifference]
    by_origin: dict[OriginPartName, dict[str, MetricDifference]]

    def rows(self) -> list[list[str]]:
        """Return the difference of each metric; see `EvaluationComparison`."""
        names = (each.report.subject.title for each in (self.one, self.other))
        found = self.differences
        return [
            ["metric", " - ".join(names), "95 % interval"],
            *(
                [spec.label, found[spec.name].text, found[spec.name].ends_text]
                for spec in self.one.reporter.report_metrics
            ),
        ]

    def sentences(self) -> list[str]:
        """Say if intervals are missing, and the main metric by origin."""
        main, texts = self.one.reporter.report_metrics[0], []
        groups = self.one.report.groups or None
        is_left_out = not any(each.has_interval for each in self.differences.values())
        if is_left_out and percentile_interval((0.0,), groups) is not None:
            texts.append(
                "Intervals are left out: resampling takes too long with this number of images."
            )
        for name, differences in self.by_origin.items():
            found = differences[main.name]
            texts.append(f"On {name} origins: {main.label} {found.text} ({found.ends_text})")
        return texts

    def document(self) -> dict[str, object]:
        """Return the differences; see `EvaluationComparison`."""
        by_origin = {name: _dumped(each) for name, each in self.by_origin.items()}
        whole = {"against": _dumped(self.differences)}
        return {**whole, "against_by_origin": by_origin} if by_origin else {**whole}


def _dumped(differences: Mapping[str, MetricDifference]) -> dict[str, dict[str, object]]:
    return {name: each.model_dump() for name, each in differences.items()}


def _documents(outputs: Sequence[OutputFigures]) -> dict[str, dict[str, Any]]:
    """Return the metrics of outputs by their names, with the facts that they have."""
    facts = ("threshold", "margin", "pixels", "objects")
    return {
        each.name: {
            **each.metrics,
            "intervals": each.intervals,
            "unit": each.unit,
            **{name: value for name in facts if (value := getattr(each, name)) is not None},
        }
        for each in outputs
    }


def _csv(evaluation: EvaluatedOutputs) -> str:
    report = evaluation.report
    parts = [("", "", report.metrics, report.intervals)]
    parts += [(each.name, each.unit, each.metrics, each.intervals) for each in report.outputs]
    rows: list[tuple[object, ...]] = [("output", "unit", "metric", "value", "low", "high")]
    for name, unit, metrics, intervals in parts:
        for metric, value in metrics.items():
            low, high = intervals.get(metric, ("", ""))
            rows.append((name, unit, metric, "" if value is None else value, low, high))
    for name, value, interval in gap_figures(report.gap):
        rows.append(("", "", name, value, *(interval or ("", ""))))
    return table_text(rows)


def _html(evaluation: EvaluatedOutputs) -> str:
    pictures = None if evaluation.store is None else EmbeddedPictures(evaluation.store)
    task = TASKS[evaluation.report.task]
    names = [each.name for each in evaluation.report.outputs]
    worst = []
    for index, output in enumerate(evaluation.report.outputs):
        if pictures is None:
            break
        images = [
            {
                "address": pictures.address(
                    int(evaluation.rows[at]), _overlay(evaluation, at, index)
                ),
                "text": evaluation.reporter.error_text(
                    evaluation.evidence[at],
                    evaluation.targets[at],
                    index,
                    evaluation.calibration,
                ),
            }
            for at in evaluation.worst(index, _SHOWN).tolist()
        ]
        worst.append((output.name, images))
    return rendered(
        "outputs.html",
        report=evaluation.report,
        task=task,
        reporter=evaluation.reporter,
        worst=worst,
        charts=precision_by_recall(names, evaluation.reporter.curves(evaluation.evidence)),
        confusion_names=evaluation.reporter.confusion_names(names),
        gap_rows=gap_rows,
    )


def _overlay(evaluation: EvaluatedOutputs, at: int, output: int) -> NDArray[np.uint8] | None:
    """Return the colors over the wrong pixels or boxes of an image, RGBA; None without."""
    store = evaluation.store
    if store is None:
        return None
    truth = store.example(int(evaluation.rows[at]))
    errors = evaluation.reporter.error_map(
        evaluation.outputs[at], truth, output, store.shape[:2], evaluation.calibration
    )
    return None if errors is None else _ERROR_COLORS[errors]
