"""Questions about pictures and their answers, as they travel to the engine host and back."""

from __future__ import annotations

from pydantic import BaseModel, ConfigDict

from studio.engine.inference.model_source import ModelSource


class ClassScore(BaseModel):
    """How sure a model is of one class; `score` is the softmax output, 0 to 1."""

    model_config = ConfigDict(frozen=True)

    label: str
    score: float


class Prediction(BaseModel):
    """A model's answer for one picture, most likely class first.

    `error` is set, and `scores` empty, when the picture could not be read.
    """

    model_config = ConfigDict(frozen=True)

    image: str
    scores: tuple[ClassScore, ...] = ()
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
