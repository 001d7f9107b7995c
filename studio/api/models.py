"""Models that predict."""

from __future__ import annotations

import contextlib
import os
import tempfile
from collections.abc import Iterable, Iterator, Sequence
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Unpack

from studio.api.evaluations import Evaluation
from studio.api.settings import EvaluationSettings, SplitName
from studio.engine.errors import StudioError
from studio.engine.evaluation.report import EvaluationPlan
from studio.engine.evaluation.requests import request_evaluation
from studio.engine.inference.foreign_models import ModelOptions
from studio.engine.inference.models import ModelSource
from studio.engine.inference.picture_values import pictures_of
from studio.engine.inference.predicting import predict_all
from studio.engine.inference.requests import ImagePrediction, model_warnings
from studio.engine.inference.unlike.changes import changed
from studio.engine.inference.unlike.differences import Change

if TYPE_CHECKING:
    import keras

    from studio.api.datasets import Dataset
    from studio.api.workspace import Workspace
    from studio.engine.inference.picture_values import PictureValue


class Predicting:
    """Predictions of a model."""

    workspace: Workspace

    def source(self) -> ModelSource:
        """Return the model as requests name it."""
        raise NotImplementedError

    def predict(
        self, picture: PictureValue, *, top: int = 5, change: Change | None = None
    ) -> ImagePrediction:
        """Return the prediction for one picture; see `predict_all` for many.

        Args:
            picture: Path of a picture; pixels as an array of uint8, shape (height, width) or
                (height, width, channels); a Pillow image; or the bytes of an image file.
            top: Number of classes or labels to return.
            change: "invert" swaps light and dark before the prediction, "crop" cuts the picture to
                the shape of the training images.

        Returns:
            The prediction; its `warnings` are assumptions about a model of another program,
            `familiarity.differences` those from the training images.

        Raises:
            StudioError: There is no model yet, or the picture cannot be read.
        """
        predictions = self.predict_all([picture], top=top, change=change)
        if len(predictions) != 1:
            raise StudioError(
                f"{picture!r} contains {len(predictions)} images.", "Use predict_all.", "pictures"
            )
        (prediction,) = predictions
        if prediction.error:
            raise StudioError(prediction.error, "Choose another image.", prediction.image)
        return prediction

    def predict_all(
        self,
        pictures: Iterable[PictureValue] | PictureValue,
        *,
        top: int = 5,
        change: Change | None = None,
    ) -> list[ImagePrediction]:
        """Return the predictions for pictures, in their order.

        Args:
            pictures: Pictures as for `predict`, or paths of folders; one of them; or an array of
                shape (n, height, width, channels).
            top: Number of classes or labels to return.
            change: See `predict`.

        Returns:
            Predictions, each with the parts of its task: `scores.classes`, `values.quantities`,
            `class_map`, `objects.given` or `heat_map`; `error` is set if one cannot be read,
            `warnings` are assumptions about a model of another program,
            `familiarity.differences` those from the training images.

        Raises:
            StudioError: There is no model yet, or there are no pictures.
        """
        model, collected = self.source(), _Collected()
        with tempfile.TemporaryDirectory(prefix="studio-") as folder:
            found = pictures_of(pictures, Path(folder))
            if change is not None:
                found = [
                    each
                    if each.problem
                    else changed(each, change, model, Path(folder) / f"{change}-{number}.png")
                    for number, each in enumerate(found)
                ]
            predict_all(self.workspace.host, model, found, collected, top)
        return collected.found


class Model(Predicting):
    """A model file.

    Examples:
        >>> exported = run.export(folder / "exported", "keras")
        >>> model = workspace.model(exported.path)
        >>> model.classes, model.warnings
        (['car', 'duck'], [])

    Args:
        workspace: The workspace.
        model: The model as requests name it.
        options: Facts about it that its user knows.
    """

    def __init__(self, workspace: Workspace, model: ModelSource, options: ModelOptions) -> None:
        self.workspace = workspace
        self._source = model
        self._options = options

    def __repr__(self) -> str:
        return f"<model {self._source.name}>"

    @property
    def classes(self) -> list[str]:
        """Names of its classes; empty if they are not known."""
        return list(self._source.classes)

    @property
    def warnings(self) -> list[str]:
        """Assumptions about it, which make its predictions uncertain; loads the model.

        Raises:
            StudioError: It cannot be opened.
        """
        return list(model_warnings(self.workspace.host, self._source))

    def source(self) -> ModelSource:
        """Return the model as requests name it."""
        return self._source

    def evaluate(
        self,
        dataset: Dataset | str,
        split: SplitName = "test",
        **plan: Unpack[EvaluationSettings],
    ) -> Evaluation:
        """Measure the model on the images of a split of a dataset.

        Args:
            dataset: The dataset or its name.
            split: "train", "val" or "test".
            plan: Other fields of the evaluation plan, such as `resamples=0`.

        Raises:
            StudioError: They do not fit together, or there is no image.
            JobFailedError: The evaluation failed by a bug.
        """
        chosen = self.workspace.datasets[dataset] if isinstance(dataset, str) else dataset
        asked = EvaluationPlan.parse(
            {
                "model_file": self._source.file,
                "preprocessing": self._options.preprocessing or "",
                "class_names": self._options.classes,
                "dataset": chosen.record.id,
                "split": split,
                **plan,
            }
        )
        job = request_evaluation(self.workspace.queue, asked)
        return Evaluation(self.workspace, job.record).wait()


class _Collected:
    """Collects predictions."""

    def __init__(self) -> None:
        self.found: list[ImagePrediction] = []

    def received(self, predictions: Sequence[ImagePrediction]) -> None:
        self.found.extend(predictions)

    def restarted(self) -> None:
        """Nothing is lost when the process is started again."""

    def advanced(self, fraction: float) -> None:
        """Nothing is shown of the progress of a large picture."""

    def is_cancelled(self) -> bool:
        return False


@contextlib.contextmanager
def model_file(network: str | PathLike[str] | keras.Model) -> Iterator[str]:
    """Give a network as the planner takes it; a Keras model as a temporary file.

    Args:
        network: Name, file or Keras model.

    Raises:
        StudioError: It is something else.
    """
    if isinstance(network, str | PathLike):
        yield os.fspath(network)
        return
    if not hasattr(network, "save") or not hasattr(network, "layers"):
        raise StudioError(
            f"A network is a name, a file or a Keras model; received {type(network).__name__}.",
            'For example network="small_cnn".',
            "network",
        )
    with tempfile.TemporaryDirectory(prefix="studio-") as folder:
        path = Path(folder) / f"{network.name}.keras"
        network.save(path)
        yield str(path)
