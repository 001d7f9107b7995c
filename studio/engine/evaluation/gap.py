"""Metrics on images of known and of unseen origins, and their difference. Never imports NumPy.

Images of one film resemble each other: a network that was trained on some of them is better on the
others than on images of a new film. If a split holds out both, a report measures both.
"""

from __future__ import annotations

from typing import Literal

from pydantic import BaseModel

from studio.engine.datasets.origins.kinds import OriginKind, known_origins, unseen_origins
from studio.engine.messages import Message, as_message, joined, message
from studio.engine.proportions import independent_difference
from studio.engine.tasks.metric import MetricSpec

OriginPartName = Literal["known", "unseen"]
"""Images with an origin that training images have, too, and the others."""


class OriginPart(BaseModel, frozen=True):
    """Metrics of the measured images of known, or of unseen origins.

    Attributes:
        images: Number of images.
        groups: Number of their origins.
        metrics: Values by the names of the metrics; None where one cannot be measured.
        intervals: 95 % intervals of the metrics; they resample origins.
    """

    images: int
    groups: int
    metrics: dict[str, float | None]
    intervals: dict[str, tuple[float, float]] = {}


class EvaluationGap(BaseModel, frozen=True):
    """Metrics of one model on images of known and of unseen origins.

    Attributes:
        kind: Kind of the origins.
        known: Measured images with an origin that training images have, too.
        unseen: The others.
        differences: Metrics on known origins minus those on unseen ones, where both are measured.
        intervals: 95 % intervals of the differences.
        known_images: Positions of the known images among the measured ones, such as "0-4,7".
    """

    kind: OriginKind
    known: OriginPart
    unseen: OriginPart
    differences: dict[str, float]
    intervals: dict[str, tuple[float, float]]
    known_images: str

    @classmethod
    def of(
        cls, kind: OriginKind, known: OriginPart, unseen: OriginPart, known_images: str
    ) -> EvaluationGap:
        """Compute the differences; see `EvaluationGap` for the arguments."""
        differences, intervals = {}, {}
        for name, value in known.metrics.items():
            other = unseen.metrics.get(name)
            if value is None or other is None:
                continue
            differences[name] = value - other
            if name in known.intervals and name in unseen.intervals:
                intervals[name] = independent_difference(
                    (value, known.intervals[name]), (other, unseen.intervals[name])
                )
        return cls(
            kind=kind,
            known=known,
            unseen=unseen,
            differences=differences,
            intervals=intervals,
            known_images=known_images,
        )

    def part(self, name: OriginPartName) -> OriginPart:
        """Return the metrics of known, or of unseen origins."""
        return self.known if name == "known" else self.unseen

    def text(self, spec: MetricSpec) -> Message:
        """Return a metric in words, such as "Accuracy: 98.0 % on known films, 61.0 % on new ones".

        Args:
            spec: Describes the metric.
        """
        known, unseen = self.known.metrics.get(spec.name), self.unseen.metrics.get(spec.name)
        if known is None or unseen is None:
            return message(
                "{metric} cannot be measured on both known and unseen origins.",
                metric=as_message(spec.label),
            )
        metric = as_message(spec.label)
        before, after = known_origins(self.kind), unseen_origins(self.kind)
        first = (
            message(
                "{metric}: {known:.1%} on {known_origins}, {unseen:.1%} on {unseen_origins}.",
                metric=metric,
                known=known,
                known_origins=before,
                unseen=unseen,
                unseen_origins=after,
            )
            if spec.is_fraction
            else message(
                "{metric}: {known:.4g} on {known_origins}, {unseen:.4g} on {unseen_origins}.",
                metric=metric,
                known=known,
                known_origins=before,
                unseen=unseen,
                unseen_origins=after,
            )
        )
        return joined((first, self._difference_text(spec)))

    def _difference_text(self, spec: MetricSpec) -> Message:
        value, ends = self.differences[spec.name], self.intervals.get(spec.name)
        if ends is None:
            return message(
                "How much this differs between origins is unknown: it needs two known and two "
                "unseen ones."
            )
        low, high = ends
        if spec.is_fraction:
            return message(
                "The difference is {value:.1f} points (95 % interval: {low:.1f} to {high:.1f}).",
                value=100 * value,
                low=100 * low,
                high=100 * high,
            )
        return message(
            "The difference is {value:.4g} (95 % interval: {low:.4g} to {high:.4g}).",
            value=value,
            low=low,
            high=high,
        )
