"""Questions about pictures and their answers, as they travel to the engine host and back."""

from __future__ import annotations

from pydantic import BaseModel, ConfigDict

from studio.engine.inference.model_source import ModelSource
from studio.engine.tasks.answer import Answer, ClassScore

__all__ = ["ClassScore", "PredictAnswer", "PredictRequest", "Prediction"]


class Prediction(Answer):
    """A model's answer for one picture.

    `error` is set, and the answer empty, when the picture could not be read.
    """

    image: str
    error: str = ""
    milliseconds: float = 0.0


class PredictRequest(BaseModel):
    """Classify pictures.

    Attributes:
        model: Who is asked.
        images: Paths of pictures.
        top: How many classes to answer with.
        then: Paths that will be asked for next; they are decoded while the model computes.
    """

    model_config = ConfigDict(frozen=True)

    model: ModelSource
    images: tuple[str, ...]
    top: int = 5
    then: tuple[str, ...] = ()


class PredictAnswer(BaseModel):
    """The answers, in the order of the pictures."""

    model_config = ConfigDict(frozen=True)

    predictions: tuple[Prediction, ...]
