"""Describes an exported ONNX file as a package of BioImage.IO, for tools for microscopy.

The package names the axes of input and output, and has a test input with the output that the
runtime of the certificate gives for it. Its validator must accept it.
"""

from __future__ import annotations

import keyword
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final

import numpy as np
from bioimageio.spec import ValidationContext, load_description, save_bioimageio_yaml_only
from bioimageio.spec.common import FileDescr
from bioimageio.spec.model import v0_5 as spec
from numpy.typing import NDArray

from studio.engine.arrays import Pixels
from studio.engine.compute.exporters.onnx_file import OPSET
from studio.engine.compute.runtimes import runtime_script
from studio.engine.errors import StudioError
from studio.engine.exporting.formats import FORMATS
from studio.engine.inference.models import ModelCard
from studio.engine.tasks import TASKS
from studio.engine.tasks.prediction import Decoding

DESCRIPTION: Final = "rdf.yaml"
TEST_INPUT: Final = "test_input.npy"
TEST_OUTPUT: Final = "test_output.npy"
_SHORTEST_NAME: Final = 5


def describe(folder: Path, card: ModelCard, image: Pixels) -> None:
    """Write test input and output, and the description of the package.

    Args:
        folder: Folder of the export: the model, its README and its card.
        card: Content of `labels.json`.
        image: Image of the dataset, shape (height, width, channels).

    Raises:
        StudioError: The validator of BioImage.IO refuses the package.
    """
    inputs = image[None].astype(np.float32)
    run = runtime_script(FORMATS[card.format].script).load(folder / card.model)
    outputs = np.asarray(run(inputs))
    np.save(folder / TEST_INPUT, inputs)
    np.save(folder / TEST_OUTPUT, outputs)
    with ValidationContext(root=folder, perform_io_checks=True):
        made = _described(card, inputs, outputs)
        save_bioimageio_yaml_only(made, folder / DESCRIPTION, exclude_unset=False)
    found = load_description(folder / DESCRIPTION)
    if found.validation_summary.status == "failed":
        reason = found.validation_summary.errors[0].msg
        raise StudioError(
            "The BioImage.IO package is not valid: {reason}.",
            "Choose another format, and please report this.",
            "format",
            reason=reason.rstrip("."),
        )


def _described(
    card: ModelCard, inputs: NDArray[np.float32], outputs: NDArray[np.float32]
) -> spec.ModelDescr:
    pixels = card.image.recipe().pixel_format
    task = TASKS[card.task]
    low, high = float(min(pixels.low)), float(max(pixels.high))
    return spec.ModelDescr(
        name=_name(card.run or "Model"),
        description=f"{task.label}: {', '.join(card.classes)}"[:1024],
        documentation=FileDescr(source=Path("README.md")),
        attachments=[FileDescr(source=Path("labels.json"))],
        tags=[task.label.lower(), "studio"],
        inputs=[
            spec.InputTensorDescr(
                id=spec.TensorId("image"),
                axes=[
                    spec.BatchAxis(),
                    spec.SpaceInputAxis(id=spec.AxisId("y"), size=inputs.shape[1]),
                    spec.SpaceInputAxis(id=spec.AxisId("x"), size=inputs.shape[2]),
                    _channels(pixels.channel_names),
                ],
                data=spec.IntervalOrRatioDataDescr(type="float32", range=(low, high)),
                test_tensor=FileDescr(source=Path(TEST_INPUT)),
            )
        ],
        outputs=[
            spec.OutputTensorDescr(
                id=spec.TensorId("output"),
                description=f"See README.md. {', '.join(card.classes)}"[:128],
                axes=_axes(card, inputs.shape, outputs.shape),
                data=spec.IntervalOrRatioDataDescr(type="float32"),
                test_tensor=FileDescr(source=Path(TEST_OUTPUT)),
            )
        ],
        weights=spec.WeightsDescr(
            onnx=spec.OnnxWeightsDescr(source=Path(card.model), opset_version=OPSET)
        ),
    )


def _decoding_of(card: ModelCard) -> Decoding | None:
    task = TASKS[card.task]
    return task.predictor.decoding_of(task.family(card.output).output)


def _axes(card: ModelCard, seen: tuple[int, ...], shape: tuple[int, ...]) -> list[Any]:
    """Return the axes of the outputs: of rows, of maps, or of numbers of an image."""
    decoding = _decoding_of(card)
    names: Sequence[str] = card.classes
    if card.decoded and decoding is not None:
        names = decoding.columns
    if len(names) != shape[-1]:
        names = [str(number) for number in range(1, shape[-1] + 1)]
    between: list[Any] = []
    if len(shape) == 3:
        between = [spec.IndexOutputAxis(id=spec.AxisId("row"), size=shape[1])]
    elif len(shape) == 4:
        between = [
            spec.SpaceOutputAxis(id=spec.AxisId(name), size=shape[at], scale=seen[at] / shape[at])
            for at, name in ((1, "y"), (2, "x"))
        ]
    return [spec.BatchAxis(), *between, _channels(names)]


def _channels(names: Sequence[str]) -> spec.ChannelAxis:
    """Return an axis whose entries are named; names have to be identifiers, each once."""
    found: list[str] = []
    for each in names:
        name = re.sub(r"\W+", "_", each, flags=re.ASCII).strip("_")
        if not name or name[0].isdigit() or keyword.iskeyword(name):
            name = f"channel_{name}" if name else "channel"
        found.append(name if name not in found else f"{name}_{len(found) + 1}")
    return spec.ChannelAxis(channel_names=[spec.Identifier(each) for each in found])


def _name(text: str) -> str:
    """Return a name of 5 to 128 letters, digits, spaces and a few signs."""
    name = re.sub(r"[^A-Za-z0-9_+\- ()]+", "-", text).strip("-")[:64]
    return (
        name if len(name) >= _SHORTEST_NAME else f"Model {name}".strip().ljust(_SHORTEST_NAME, "-")
    )
