"""Opens networks of ONNX, OpenVINO and LiteRT files with the numbers that they take and give."""

from __future__ import annotations

import importlib.util
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from studio.engine.compute.image_shapes import COLORS, Shape, require_colors, single_image
from studio.engine.datasets.recipe import LARGEST_SIDE
from studio.engine.errors import StudioError
from studio.engine.exporting.formats import FORMATS
from studio.engine.networks.heads.head import size_text

_PASSING: Final = frozenset(
    (
        *("cast", "convert", "dequantize", "dequantizelinear", "flatten", "identity", "quantize"),
        *("quantizelinear", "reshape", "result", "squeeze", "unsqueeze"),
    )
)
"""Operations that do not change the meaning of an output, in lower case."""
_ENDINGS: Final = {"softmax": "softmax", "sigmoid": "sigmoid", "logistic": "sigmoid"}
_MOST_STEPS: Final = 20


@dataclass(frozen=True, slots=True)
class Quantization:
    """Whole numbers of a tensor: `real = scale * (number - zero)`."""

    scale: float
    zero: int


@dataclass(frozen=True, slots=True)
class Network:
    """A network in a file.

    Attributes:
        inputs: Number of its inputs.
        shape: Shape of its first input, with the batch; None for any size.
        dtype: Type of its first input.
        run: Computes the first output, float32, of an array for the first input.
        ending: Function that its first output ends in: "softmax" or "sigmoid"; empty if it is
            another or unknown.
        quantization: Quantization of its input; None for ordinary numbers.
    """

    inputs: int
    shape: Shape
    dtype: np.dtype[Any]
    run: Callable[[NDArray[Any]], NDArray[np.float32]]
    ending: str = ""
    quantization: Quantization | None = None


@dataclass(frozen=True, slots=True)
class ImageLayout:
    """Images that a network takes.

    Attributes:
        height: In pixels; None for any.
        width: In pixels; None for any.
        channels: 1 for gray, 3 for color.
        is_channels_first: True for channels x height x width.
    """

    height: int | None
    width: int | None
    channels: int
    is_channels_first: bool

    @classmethod
    def of(cls, network: Network, *, channels_first: bool) -> ImageLayout:
        """Return the images of a network.

        Args:
            network: The network.
            channels_first: The usual order of its format, for shapes such as 3 x 8 x 3.

        Raises:
            StudioError: It takes something else; says what.
        """
        shape = single_image([network.shape[1:]] * network.inputs)
        is_first = _is_channels_first(shape, default=channels_first)
        channels, height, width = shape if is_first else (shape[2], *shape[:2])
        channels = require_colors(channels)
        if max(height or 1, width or 1) > LARGEST_SIDE:
            raise StudioError(
                "The model expects images of {shape}; a side has at most {most} pixels.",
                "Choose a model of smaller images.",
                "model",
                shape=size_text(shape),
                most=LARGEST_SIDE,
            )
        return cls(height, width, channels, is_first)


def _is_channels_first(shape: Shape, *, default: bool) -> bool:
    first, last = shape[0] in COLORS, shape[2] in COLORS
    return default if first == last else first


def runtime_script(script: Path) -> ModuleType:
    """Load a runtime script, that of a format and never that of an export.

    Args:
        script: See `ExportFormat.script`.

    Raises:
        ImportError: Its runtime is not installed.
    """
    found = importlib.util.spec_from_file_location(f"studio_runtime_{script.stem}", script)
    if found is None or found.loader is None:
        raise FileNotFoundError(script)
    module = importlib.util.module_from_spec(found)
    found.loader.exec_module(module)
    return module


def open_network(form: str, path: Path) -> Network:
    """Open a network; each runtime raises errors of its own classes.

    Args:
        form: "onnx", "openvino" or "tflite".
        path: The file.

    Raises:
        ImportError: The runtime is not installed.
    """
    return _OPENERS[form](path)


def _open_onnx(path: Path) -> Network:
    import onnxruntime  # noqa: PLC0415 - an extra

    options = onnxruntime.SessionOptions()
    options.log_severity_level = 4
    session = onnxruntime.InferenceSession(str(path), options, ["CPUExecutionProvider"])
    inputs, output = session.get_inputs(), session.get_outputs()[0].name
    first = inputs[0]
    shape = tuple(side if isinstance(side, int) and side > 0 else None for side in first.shape)
    return Network(
        len(inputs),
        shape,
        _onnx_type(first.type),
        lambda values: np.asarray(session.run([output], {first.name: values})[0], np.float32),
        _ending_of_onnx(path, output),
    )


def _onnx_type(text: str) -> np.dtype[Any]:
    """Return the type of `tensor(float16)`; objects for one that NumPy does not have."""
    name = text.removeprefix("tensor(").removesuffix(")")
    try:
        return np.dtype({"float": "float32", "double": "float64"}.get(name, name))
    except TypeError:
        return np.dtype(object)


def _ending_of_onnx(path: Path, output: str) -> str:
    if importlib.util.find_spec("onnx") is None:
        return ""
    import onnx  # noqa: PLC0415 - an extra

    graph = onnx.load(str(path), load_external_data=False).graph
    makers = {name: node for node in graph.node for name in node.output}

    def step(name: str) -> tuple[str, str] | None:
        node = makers.get(name)
        return None if node is None else (node.op_type, next(iter(node.input), ""))

    return _ending(output, step)


def _open_openvino(path: Path) -> Network:
    script = runtime_script(FORMATS["openvino"].script)
    openvino = script.openvino
    model = openvino.Core().read_model(str(path))
    first = model.input(0)
    request = openvino.Core().compile_model(model, "CPU", script.CONFIG)
    infer = request.create_infer_request()
    sides = first.get_partial_shape()
    return Network(
        len(model.inputs),
        tuple(None if side.is_dynamic else side.get_length() for side in sides),
        np.dtype(first.get_element_type().to_dtype()),
        lambda values: np.array(infer.infer([values])[0], np.float32),
        _ending(model.output(0).get_node(), _openvino_step),
    )


def _openvino_step(node: Any) -> tuple[str, Any] | None:  # noqa: ANN401 - of OpenVINO
    source = node.input_value(0).get_node() if node.get_input_size() else None
    return node.get_type_name(), source


def _open_tflite(path: Path) -> Network:
    script = runtime_script(FORMATS["tflite"].script)
    interpreter = script.Interpreter(model_content=path.read_bytes())
    inputs, output = interpreter.get_input_details(), interpreter.get_output_details()[0]
    first = inputs[0]
    signature = [int(side) for side in first.get("shape_signature", first["shape"])]
    shape = tuple(side if side > 0 else None for side in signature)
    is_sized = [0]

    def run(values: NDArray[Any]) -> NDArray[np.float32]:
        if is_sized != list(values.shape):
            interpreter.resize_tensor_input(first["index"], list(values.shape))
            interpreter.allocate_tensors()
            is_sized[:] = values.shape
        interpreter.set_tensor(first["index"], values)
        interpreter.invoke()
        scores: NDArray[np.float32] = script.plain(interpreter.get_tensor(output["index"]), output)
        return np.asarray(scores, np.float32)

    scale, zero = first["quantization"]
    return Network(
        len(inputs),
        shape,
        np.dtype(first["dtype"]),
        run,
        _ending_of_tflite(interpreter, output["index"]),
        Quantization(float(scale), int(zero)) if scale else None,
    )


def _ending_of_tflite(interpreter: Any, output: int) -> str:  # noqa: ANN401 - of LiteRT
    # A private method, so that a version without it costs only the check of sigmoids.
    operations: list[dict[str, Any]] = getattr(interpreter, "_get_ops_details", list)()
    makers = {index: each for each in operations for index in each["outputs"]}

    def step(index: int) -> tuple[str, int] | None:
        made = makers.get(index)
        return None if made is None else (str(made["op_name"]), next(iter(made["inputs"]), -1))

    return _ending(output, step)


def _ending(place: Any, step: Callable[[Any], tuple[str, Any] | None]) -> str:  # noqa: ANN401
    """Return the last function of an output, behind operations that only reshape or convert it.

    Args:
        place: The output.
        step: Returns the name of the operation that makes a value, and the value it is made of.
    """
    for _ in range(_MOST_STEPS):
        found = step(place)
        if found is None:
            return ""
        name, place = found
        if name.lower() not in _PASSING:
            return _ENDINGS.get(name.lower(), "")
    return ""


_OPENERS: Final[dict[str, Callable[[Path], Network]]] = {
    "onnx": _open_onnx,
    "openvino": _open_openvino,
    "tflite": _open_tflite,
}
