"""What a person should know of a prediction is said under it."""

from __future__ import annotations

from pathlib import Path

from studio.engine.inference.requests import ImagePrediction
from studio.engine.messages import message
from studio.ui.pages.predict.messages import details
from studio.ui.pages.predict.pictures import Batch


def test_the_reduction_to_8_bits_is_said_under_the_prediction() -> None:
    text = message("The image has pixels of the type {received}.", received="uint16")
    batch = Batch((Path("a.png"),))

    found = details(batch, ImagePrediction(image="a.png", warnings=(text,)))

    assert "uint16" in found.splitlines()[-2]
    assert "uint16" not in details(batch, ImagePrediction(image="a.png"))
