"""Base classes of tasks: outputs of a network as predictions, and their metrics on a split."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from studio.engine.errors import StudioError
from studio.engine.messages import Text, message
from studio.engine.tasks.calibration import ROUNDING, SAME_NUMBER, Calibration
from studio.engine.tasks.curves import PrecisionRecallCurve
from studio.engine.tasks.metric import MetricSpec
from studio.engine.tasks.outputs import Output
from studio.engine.tasks.parts.part import PredictionPart
from studio.engine.tasks.parts.prediction import Prediction
from studio.engine.tasks.threshold import ThresholdChoice, ThresholdRule
from studio.engine.tasks.tiling import LargeMaps, SeenPicture, Steps, TiledPicture

RIGHT, MISSED, FALSE, IGNORED = range(4)
"""Values of an error map, and states of detections and objects."""
UNCALIBRATED = Calibration()


@dataclass(frozen=True, slots=True)
class Proportion:
    """A metric that is a proportion of some of n images.

    Attributes:
        metric: Its name.
        output: Index of its output; None for all.
        among: True for the images that count, shape (n,).
        counted: True for those of them that the proportion is of, shape (n,).
    """

    metric: str
    output: int | None
    among: NDArray[np.bool_]
    counted: NDArray[np.bool_]


@dataclass(frozen=True, slots=True)
class Figures:
    """Metrics by their names.

    Attributes:
        whole: Metrics over all outputs.
        outputs: Metrics of each output, K numbers each; NaN if one cannot be measured.
    """

    whole: dict[str, float]
    outputs: dict[str, NDArray[np.float64]] = field(default_factory=dict)

    @property
    def known(self) -> dict[str, float]:
        """The metrics over all outputs that can be measured."""
        return {name: value for name, value in self.whole.items() if math.isfinite(value)}


@dataclass(frozen=True, slots=True)
class Doubts:
    """Objects of an image that predictions contradict, as rows of six numbers.

    Attributes:
        missing: Predicted objects that are not labeled, shape (a, 6); see `decoding`.
        wrong: Objects that are probably of another class, shape (b, 6); see `boxes`.
        likely: The prediction that contradicts each of them, shape (b, 6).
        unseen: Objects with no prediction near them, shape (c, 6).
    """

    missing: NDArray[Any]
    wrong: NDArray[Any]
    likely: NDArray[Any]
    unseen: NDArray[Any]


class Reporter(ABC):
    """Measurement of outputs against targets by a task.

    Attributes:
        whole: The metrics of the whole; the first is the main one.
        outputs: The metrics of each output.
        stores_evidence: True if `evidence` is stored beside the decoded outputs, since it differs.
        evaluation: Module and class of its opened evaluations, see `evaluation.opened`.
        finds_doubts: True if `doubts` finds objects that predictions contradict.
        counts_objects: True if `object_counts` counts predicted objects.
        chooses_thresholds: True if `thresholds` chooses some by false alarms or costs.
        outputs_key: Key of the measurements of the outputs in JSON.
        same_prediction: Definition of equal predictions of two models, in a sentence.
        agreement_name: Field of a certificate that holds `agreement`.
        confusion_title: Heading of the table of `confusion` in a report.
        confusion_note: Explanation below the heading; may be empty.
        error_note: Explanation of what is written and drawn on the images with the largest errors.
        measures_pictures: True if the tiles of a picture are measured together, see
            `of_whole_pictures`.
        cost: Work of one measurement, in units of images times outputs, for the number of
            resamples.
    """

    whole: tuple[MetricSpec, ...]
    outputs: tuple[MetricSpec, ...]
    same_prediction: str = (
        "Two predictions agree if no number differs by more than 5 % of its standard deviation "
        "over the training images (of 1 if it is constant there)."
    )
    stores_evidence: bool = False
    evaluation: str = "studio.engine.evaluation.evaluated_outputs:EvaluatedOutputs"
    finds_doubts: bool = False
    counts_objects: bool = False
    chooses_thresholds: bool = False
    outputs_key: str = "targets"
    agreement_name: str = "pixel_agreement"
    confusion_title: str = ""
    confusion_note: str = ""
    error_note: str = "Predicted / true"
    measures_pictures: bool = False
    cost: float = 1

    @property
    def report_metrics(self) -> tuple[MetricSpec, ...]:
        """The metrics of the whole in the report of an evaluation: by default `whole`."""
        return self.whole

    @property
    def main_metrics(self) -> tuple[MetricSpec, ...]:
        """Those of `report_metrics` that are shown first: by default all."""
        return self.report_metrics

    @property
    def report_columns(self) -> tuple[MetricSpec, ...]:
        """The metrics of each output in the report of an evaluation: by default `outputs`."""
        return self.outputs

    def decoded(
        self,
        outputs: Outputs,
        size: tuple[int, int],  # noqa: ARG002 - of masks
        seen: tuple[int, int] | None = None,  # noqa: ARG002 - of boxes
    ) -> NDArray[Any]:
        """Decode outputs for images; by default, return the outputs.

        Args:
            outputs: Outputs of the network, shape (n, …).
            size: Height and width of the images.
            seen: Height and width of what the network saw; None for those of the images.
        """
        return outputs

    def evidence(
        self,
        decoded: NDArray[Any],
        truth: NDArray[Any],  # noqa: ARG002 - of masks
        count: int,  # noqa: ARG002 - of masks
    ) -> NDArray[Any]:
        """Return the evidence that `measure` needs for images, n rows: by default the outputs.

        Args:
            decoded: Decoded outputs, n rows.
            truth: Targets of the images, n rows.
            count: Number of outputs, K.
        """
        return decoded

    def confusion(
        self,
        decoded: NDArray[Any],  # noqa: ARG002 - of masks
        truth: NDArray[Any],  # noqa: ARG002 - of masks
        count: int,  # noqa: ARG002 - of masks
        calibration: Calibration = UNCALIBRATED,  # noqa: ARG002 - of boxes
    ) -> NDArray[np.int64] | None:
        """Return the pixels or objects by true and predicted class; None by default.

        Args:
            decoded: Decoded outputs, n rows.
            truth: Targets of the images, n rows.
            count: Number of outputs, K.
            calibration: Calibration of the network.

        Returns:
            Rows are true classes, columns predicted ones. Pixels: shape (K, K). Objects: shape
            (K + 1, K + 1), the last row and column are the background.
        """
        return None

    def confusion_names(self, names: Sequence[str]) -> list[str]:
        """Return the names of the rows and columns of `confusion`.

        Args:
            names: Names of the outputs, K.
        """
        return [*names, "background"]

    def in_cell(
        self,
        decoded: NDArray[Any],
        truth: NDArray[Any],
        cell: tuple[int, int],
        count: int,
        calibration: Calibration = UNCALIBRATED,
    ) -> int:
        """Return the fraction of an image that a cell of `confusion` counts.

        Args:
            decoded: Decoded outputs of the image.
            truth: Targets of the image.
            cell: Row and column.
            count: Number of outputs, K.
            calibration: Calibration of the network.
        """
        found = self.confusion(decoded[None], truth[None], count, calibration)
        return 0 if found is None else int(found[cell])

    def credible(
        self,
        decoded: Iterable[NDArray[Any]],  # noqa: ARG002 - of boxes
        truth: Iterable[NDArray[Any]],  # noqa: ARG002 - of boxes
        count: int,
        calibration: Calibration = UNCALIBRATED,  # noqa: ARG002 - of boxes
    ) -> NDArray[np.float64]:
        """Return the score from which on a prediction of each class is credible, shape (K,).

        Args:
            decoded: Decoded outputs of images that the network did not learn from.
            truth: Their targets.
            count: Number of outputs, K.
            calibration: Calibration of the network.
        """
        return np.full(count, np.inf)

    def doubts(
        self,
        decoded: NDArray[Any],  # noqa: ARG002 - of boxes
        truth: NDArray[Any],  # noqa: ARG002 - of boxes
        credible: NDArray[np.float64],  # noqa: ARG002 - of boxes
        calibration: Calibration = UNCALIBRATED,  # noqa: ARG002 - of boxes
    ) -> Doubts:
        """Return the objects of an image that predictions contradict: none where there are none.

        Args:
            decoded: Decoded outputs of the image.
            truth: Targets of the image.
            credible: See `credible`, shape (K,).
            calibration: Calibration of the network.
        """
        none = np.zeros((0, 6))
        return Doubts(none, none, none, none)

    def errors(
        self,
        evidence: NDArray[Any],
        targets: NDArray[Any],
        output: int | None,
        calibration: Calibration = UNCALIBRATED,  # noqa: ARG002 - of boxes
    ) -> NDArray[np.float64]:
        """Return the error of each image, shape (n,); negative if it is undefined.

        Args:
            evidence: See `evidence`, n rows.
            targets: Shape (n, K).
            output: Index of the output; None for all together.
            calibration: Calibration of the network.
        """
        chosen = slice(None) if output is None else slice(output, output + 1)
        wrong: NDArray[np.float64] = np.abs(evidence[:, chosen] - targets[:, chosen]).mean(axis=1)
        return wrong

    def error_text(
        self,
        evidence: NDArray[Any],
        targets: NDArray[Any],
        output: int,
        calibration: Calibration = UNCALIBRATED,  # noqa: ARG002 - of boxes
    ) -> str:
        """Describe the error of an image in a few words: predicted and true value by default.

        Args:
            evidence: Sufficient statistics of the image, see `evidence`.
            targets: Targets of the image, shape (K,).
            output: Index of the output.
            calibration: Calibration of the network.
        """
        return message(
            "{predicted:.4g} / {expected:.4g}",
            predicted=evidence[output],
            expected=targets[output],
        )

    def error_map(
        self,
        decoded: NDArray[Any],  # noqa: ARG002 - of masks
        truth: NDArray[Any],  # noqa: ARG002 - of masks
        output: int | None,  # noqa: ARG002 - of masks
        size: tuple[int, int] = (0, 0),  # noqa: ARG002 - of boxes
        calibration: Calibration = UNCALIBRATED,  # noqa: ARG002 - of boxes
    ) -> NDArray[np.uint8] | None:
        """Return a mask of the wrong pixels of an image, (H, W); None without masks or boxes.

        Args:
            decoded: Decoded outputs of the image.
            truth: Targets of the image.
            output: The class; None for all.
            size: Height and width of the image, of boxes.
            calibration: Calibration of the network.

        Returns:
            `RIGHT`, `MISSED` (of the class, and predicted as another), `FALSE` (predicted as the
            class, and of another) or `IGNORED`; for all classes, wrong pixels are `MISSED`. Of
            boxes: the outlines of missed objects and false detections.
        """
        return None

    def object_counts(
        self,
        decoded: NDArray[Any],  # noqa: ARG002 - of boxes
        count: int,  # noqa: ARG002 - of boxes
        calibration: Calibration,  # noqa: ARG002 - of boxes
    ) -> NDArray[np.int64] | None:
        """Return the number of predicted objects of each class, shape (n, K); None by default.

        Args:
            decoded: Decoded outputs, n rows.
            count: Number of classes, K.
            calibration: Calibration of the network.
        """
        return None

    def outputs_in(self, evidence: NDArray[Any]) -> int:
        """Return the number of outputs that evidence is about; 0 if it has another form."""
        return evidence.shape[1] if evidence.ndim > 1 else 0

    def curves(self, evidence: NDArray[Any]) -> list[PrecisionRecallCurve]:  # noqa: ARG002 - of boxes
        """Return precision and recall of each output by its threshold; none by default.

        Args:
            evidence: See `evidence`, n rows.
        """
        return []

    def constant(self, targets: NDArray[Any]) -> NDArray[Any]:
        """Return the evidence of the best prediction that is the same for all images.

        Args:
            targets: Shape (n, K).
        """
        return np.repeat(targets.mean(axis=0)[None], len(targets), axis=0)

    def disagree(
        self,
        one: NDArray[Any],
        other: NDArray[Any],
        calibration: Calibration,  # noqa: ARG002 - of other tasks
        scales: NDArray[np.float64],
    ) -> NDArray[np.bool_]:
        """Return on which images two models disagree, shape (n,).

        By default: if an output differs by more than `SAME_NUMBER` of its scale. Rounding of large
        numbers with a small scale does not count.

        Args:
            one: Decoded outputs of one model, n rows.
            other: Decoded outputs of the other model, n rows.
            calibration: Calibration of the first model.
            scales: Scale of each output, shape (K,), see `target_scale`; 1 for probabilities.
        """
        values = one.astype(np.float64)
        allowed = np.maximum(scales * SAME_NUMBER, np.abs(values) * ROUNDING)
        found: NDArray[np.bool_] = np.any(np.abs(values - other) > allowed, axis=1)
        return found

    def agreement(
        self,
        one: NDArray[Any],  # noqa: ARG002 - of masks
        other: NDArray[Any],  # noqa: ARG002 - of masks
        calibration: Calibration = UNCALIBRATED,  # noqa: ARG002 - of boxes
    ) -> float | None:
        """Return the fraction of pixels or objects with the same prediction; None without these.

        Args:
            one: Decoded outputs of one model, n rows.
            other: Decoded outputs of the other model, n rows.
            calibration: Calibration of the first model.
        """
        return None

    def certified(
        self,
        metrics: Mapping[str, float],
        model_metrics: Mapping[str, float],
        intervals: Mapping[str, tuple[float, float]],  # noqa: ARG002 - of classes
    ) -> dict[str, Any]:
        """Return the fields of the certificate of an exported file that hold metrics.

        Args:
            metrics: Metrics of the file.
            model_metrics: Metrics of the model it was made of.
            intervals: 95 % intervals of the metrics of the file that are `proportions`.
        """
        return {"metrics": metrics, "model_metrics": model_metrics}

    def recognized(
        self,
        outputs: Outputs,  # noqa: ARG002 - of labels
        targets: NDArray[Any],  # noqa: ARG002 - of labels
    ) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Return the numbers of images with each label, and of correct predictions of it, K each.

        By default: nothing, since quantities are no labels.

        Args:
            outputs: Evidence of the network, n rows.
            targets: Shape (n, K).
        """
        none = np.zeros(0, np.int64)
        return none, none

    def predicted(self, outputs: Outputs) -> NDArray[np.float64]:  # noqa: ARG002 - of classes
        """Return the fraction of all predictions that are each class, K; none by default.

        Args:
            outputs: Evidence of the network, n rows.
        """
        return np.zeros(0)

    def notes(
        self,
        outputs: Outputs,  # noqa: ARG002 - of images without defects
        targets: NDArray[Any],  # noqa: ARG002
        calibration: Calibration,  # noqa: ARG002
    ) -> tuple[Text, ...]:
        """Return what a reader of the metrics should know, in sentences; nothing by default.

        Args:
            outputs: Evidence of the network, n rows.
            targets: Shape (n, K).
            calibration: Calibration of the network.
        """
        return ()

    def of_whole_pictures(
        self,
        evidence: NDArray[Any],
        targets: NDArray[Any],
        pictures: NDArray[np.int64],  # noqa: ARG002 - of tasks that measure pictures
    ) -> tuple[NDArray[Any], NDArray[Any]]:
        """Join evidence and targets of the tiles of each picture; see `measures_pictures`.

        Args:
            evidence: See `evidence`, n rows.
            targets: Shape (n, K).
            pictures: Number of the picture of each row, shape (n,).
        """
        return evidence, targets

    def thresholds(
        self,
        evidence: NDArray[Any],  # noqa: ARG002 - of tasks with a score
        targets: NDArray[Any],  # noqa: ARG002
        rule: ThresholdRule,  # noqa: ARG002
    ) -> list[ThresholdChoice]:
        """Choose thresholds by a rule, that of images first.

        Args:
            evidence: See `evidence`, n rows.
            targets: Shape (n, K).
            rule: The rule.

        Raises:
            StudioError: The predictions have no threshold of this kind, or images are missing.
        """
        raise StudioError(
            "Predictions of this task have no threshold by false alarms or costs.",
            "Leave the option out.",
        )

    @abstractmethod
    def measure(
        self, outputs: Outputs, targets: NDArray[Any], calibration: Calibration
    ) -> Figures:
        """Compute all metrics.

        Args:
            outputs: Evidence of the network, at least one row.
            targets: Shape (n, K).
            calibration: Calibration of the network.
        """

    def proportions(
        self,
        outputs: Outputs,  # noqa: ARG002 - of metrics that are no proportions of images
        targets: NDArray[Any],  # noqa: ARG002
        calibration: Calibration,  # noqa: ARG002
    ) -> Sequence[Proportion]:
        """Return the metrics that are proportions of images: none by default.

        Their intervals are exact where none of few images, or all of them, are counted.

        Args:
            outputs: Evidence of the network, n rows.
            targets: Shape (n, K).
            calibration: Calibration of the network.
        """
        return ()

    def resampled(
        self,
        outputs: Outputs,
        targets: NDArray[Any],
        calibration: Calibration,
        draws: Iterable[NDArray[np.int64]],
    ) -> Iterator[Figures]:
        """Yield the metrics of each resample of the images.

        Args:
            outputs: Evidence of the network, n rows.
            targets: Shape (n, K).
            calibration: Calibration of the network.
            draws: Indices of the images of each resample, shape (n,) each.
        """
        for indices in draws:
            yield self.measure(outputs[indices], targets[indices], calibration)


Outputs = NDArray[Any]
"""float32, shape (n, K); of masks (n, H, W, K)."""


@dataclass(frozen=True, slots=True)
class Meaning:
    """Meaning of the outputs of a model.

    Attributes:
        names: Names of the outputs, K.
        units: Units of the outputs, K; empty where they have none.
        calibration: Calibration measured on the validation images.
        colors: Colors of the classes of masks as "#rrggbb", K; empty without masks.
    """

    names: Sequence[str]
    units: Sequence[str] = ()
    calibration: Calibration = field(default_factory=Calibration)
    colors: Sequence[str] = ()


@dataclass(frozen=True, slots=True)
class Decoding:
    """Decoding of outputs that exported files can contain.

    Attributes:
        module: Module of the worker; its `decoding_model` takes the shape of the outputs for an
            image and the size of the images, and returns a Keras model.
        rows: Number of rows of an image; unused ones have the class -1.
        columns: Names of the numbers of a row.
        text: What they are, in sentences for a README.
    """

    module: str
    rows: int
    columns: tuple[str, ...]
    text: str

    @property
    def shape(self) -> tuple[int, int]:
        """Shape of the decoded outputs for an image."""
        return self.rows, len(self.columns)


class Predictor(ABC):
    """Conversion of outputs to predictions by a task.

    A task names the parts that its predictions consist of; how these are written, compared and
    shown is the same for every task.

    Examples:
        >>> from studio.engine.tasks.parts.heat_map import HeatMap
        >>> class PredictsBrightness(Predictor):
        ...     parts = (HeatMap,)
        ...
        ...     def predictions(self, outputs, meaning, top):  # outputs: (n, height, width, K)
        ...         maps = outputs[..., -1]
        ...         return [Prediction(heat_map=HeatMap.of(each, "light")) for each in maps]
        >>> found = PredictsBrightness().predictions(numpy.ones((1, 2, 2, 3), "float32"), None, 5)
        >>> found[0].heat_map.score
        1.0

    Attributes:
        parts: Types of the parts of each prediction.
        columns: The first columns of a table of predictions.
        calibrates: True if it learns from validation images, see `calibrated`.
        joins_tiles: True if predictions of the tiles of a picture can be joined, see `of_tiles`.
        highest_threshold: Highest score that can be a threshold; infinite without a limit.
        conversion: Module with NumPy alone that exports contain: its `quantities` returns name,
            value and unit of each number for the outputs for a picture, shape (…, K). None if
            outputs are predictions as they are.
        usual_files: Number of kinds of files of each part that are written by default.
        decoding: Decoding that exported files can contain; None if outputs need none.
    """

    parts: tuple[type[PredictionPart], ...]
    columns: tuple[str, ...] = ()
    calibrates: bool = False
    joins_tiles: bool = False
    highest_threshold: float = 1.0
    conversion: Path | None = None
    usual_files: int = 1
    decoding: Decoding | None = None

    def decoding_of(self, output: Output) -> Decoding | None:  # noqa: ARG002 - of several families
        """Return the decoding that exported files can contain; None if outputs need none.

        Args:
            output: Output of the network.
        """
        return self.decoding

    @property
    def in_scripts(self) -> bool:
        """True if the script of an export makes such predictions, too."""
        return all(part.in_scripts for part in self.parts)

    @property
    def file_kinds(self) -> dict[type[PredictionPart], tuple[str, ...]]:
        """Kinds of files of each part that can be written, the usual one first."""
        return {part: part.file_kinds for part in self.parts if part.file_kinds}

    @property
    def usual_file_kinds(self) -> dict[type[PredictionPart], tuple[str, ...]]:
        """Kinds of files that are written by default: the first ones of each part."""
        return {part: kinds[: self.usual_files] for part, kinds in self.file_kinds.items()}

    def calibrated_by(
        self, decoded: NDArray[Any], truth: NDArray[Any]
    ) -> tuple[NDArray[Any], NDArray[Any]]:
        """Return what `calibrated` needs of some images, instead of whole maps: all by default.

        Args:
            decoded: Decoded outputs, n rows.
            truth: What a network learns of the images, n rows.
        """
        return decoded, truth

    def of_whole_pictures(
        self,
        outputs: NDArray[Any],
        targets: NDArray[Any],
        pictures: NDArray[np.int64],  # noqa: ARG002 - of scores of whole pictures
    ) -> tuple[NDArray[Any], NDArray[Any]]:
        """Join the tiles of each picture for `calibrated`: tiles count one by one by default.

        Args:
            outputs: First result of `calibrated_by`, n rows.
            targets: Second result of it, n rows.
            pictures: Number of the picture of each row, shape (n,).
        """
        return outputs, targets

    def calibrated(
        self,
        outputs: Outputs,
        targets: NDArray[Any],
        count: int,  # noqa: ARG002 - of boxes
    ) -> Calibration:
        """Learn from validation images what the outputs are worth.

        Args:
            outputs: Decoded outputs of validation images, n rows; n may be 0.
            targets: What a network learns of them, n rows.
            count: Number of outputs, K.
        """
        return Calibration(images=min(len(outputs), len(targets)))

    def folder_labels(self, names: Sequence[str]) -> Sequence[str] | None:  # noqa: ARG002
        """Return the names of folders that tell the class of pictures; None if folders do not.

        Args:
            names: Names of the outputs, K.
        """
        return None

    def scores_to_return(self, best: int, every: int) -> int:  # noqa: ARG002 - of classes
        """Return the number of scores of a picture: all, since any label may apply.

        Args:
            best: Number where only the best ones matter.
            every: Number for all of them.
        """
        return every

    def completed(self, calibration: Calibration, outputs: int) -> Calibration:  # noqa: ARG002
        """Return the calibration with everything needed for predictions without Studio.

        Args:
            calibration: Calibration of a network.
            outputs: Number of outputs.
        """
        return calibration

    def of_decoded(
        self,
        decoded: NDArray[Any],
        size: tuple[int, int],  # noqa: ARG002 - of regions
        meaning: Meaning,
    ) -> Prediction:
        """Return the prediction for a picture of its decoded outputs, see `Reporter.decoded`.

        It has the scores of all classes.

        Args:
            decoded: Decoded outputs of the picture: scores or numbers, shape (K,); the class of
                each pixel, or `IGNORE`, shape (height, width); or detections in pixels of the
                picture, shape (m, 6).
            size: Width and height of the picture.
            meaning: Meaning of the outputs.
        """
        outputs = decoded.astype(np.float32)[None]
        (prediction,) = self.predictions(outputs, meaning, len(meaning.names))
        return prediction

    def of_picture(
        self,
        outputs: Outputs,
        meaning: Meaning,
        top: int,
        seen: Callable[[], SeenPicture],  # noqa: ARG002 - of regions
    ) -> Prediction:
        """Return the prediction for a picture that a network saw as a whole.

        Args:
            outputs: Outputs for the picture, shape (K,) or (…, K).
            meaning: Meaning of the outputs.
            top: Number of classes or labels to return.
            seen: Returns how the network saw it.

        Raises:
            BadDataError: The size of the picture cannot be read.
        """
        (prediction,) = self.predictions(outputs[None], meaning, top)
        return prediction

    def of_tiles(
        self,
        picture: TiledPicture,  # noqa: ARG002 - of regions
        seen: SeenPicture,  # noqa: ARG002
        meaning: Meaning,  # noqa: ARG002
    ) -> Prediction:
        """Return the prediction for a picture that a network sees tile by tile.

        Args:
            picture: The tiles.
            seen: Size of the picture and conversion of its tiles.
            meaning: Meaning of the outputs.

        Raises:
            TypeError: Predictions of tiles cannot be joined, see `joins_tiles`.
        """
        raise TypeError(f"{type(self).__name__} joins no tiles")

    def of_large(
        self,
        picture: TiledPicture,
        seen: SeenPicture,
        meaning: Meaning,
        maps: LargeMaps,  # noqa: ARG002 - of regions
    ) -> Steps:
        """Predict a large picture as `of_tiles` does, with its maps in files.

        By default as `of_tiles`, in one step.

        Args:
            picture: The tiles.
            seen: Size of the picture and conversion of its tiles.
            meaning: Meaning of the outputs.
            maps: Destination of the maps.

        Yields:
            The finished fraction, 0 to 1.

        Raises:
            DiskFullError: No space was left.
        """
        yield 0.0
        return self.of_tiles(picture, seen, meaning)

    @abstractmethod
    def predictions(self, outputs: Outputs, meaning: Meaning, top: int) -> list[Prediction]:
        """Return the prediction for each image.

        Args:
            outputs: Shape (n, K), or (n, …, K).
            meaning: Meaning of the outputs.
            top: Number of classes or labels to return.
        """
